package main

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/jobs"
)

// reloads reads the configuration anew on SIGHUP, until end is called.
func (p *program) reloads(c *cli.Context, cfg config.Config, w *jobs.Worker, s serving) (end func()) {
	ended := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-s.hangup:
				p.reload(c, cfg, w, s)
			case <-ended:
				return
			}
		}
	}()
	return func() {
		close(ended)
		<-done
	}
}

// reload takes over the configuration as it is now, or says what is wrong with it and
// goes on with the old one. The worker was started with another.
func (p *program) reload(c *cli.Context, started config.Config, w *jobs.Worker, s serving) {
	cfg, err := p.reread(c, s.unsaid)
	s.metrics.Reloaded(err == nil)
	if err != nil {
		s.log.Error("configuration is refused, the old one stays in force", "error", err)
		return
	}
	w.Reload(settingsOf(cfg))
	s.log.Info("configuration is reloaded", "boards_configured", len(cfg.Boards))
	if keys := fixed(started, cfg); len(keys) > 0 {
		s.log.Warn("changes of these keys need a restart", "keys", strings.Join(keys, ", "))
	}
}

// saysNothing says that there is no configuration file, or that it is empty.
func (p *program) saysNothing(c *cli.Context) bool {
	data, err := os.ReadFile(p.configPath(c))
	return err != nil || len(bytes.TrimSpace(data)) == 0
}

// reread reads the configuration anew. A file that is empty and was not is one that is being
// written: to take it would be to take all defaults.
func (p *program) reread(c *cli.Context, wasEmpty bool) (config.Config, error) {
	cfg, err := p.workerConfig(c)
	if err == nil && !wasEmpty && p.saysNothing(c) {
		return cfg, fmt.Errorf("%s is empty, and was not when the worker began; restart it if that is meant", p.configPath(c))
	}
	return cfg, err
}

// fixed are the keys that differ and that a worker reads at its start alone.
func fixed(a, b config.Config) (keys []string) {
	differ := func(key string, different bool) {
		if different {
			keys = append(keys, key)
		}
	}
	differ("store", a.Store != b.Store)
	differ("cache", a.Cache.Kind != b.Cache.Kind || !reflect.DeepEqual(a.Cache.Memcached, b.Cache.Memcached))
	differ("worker.listen", a.Worker.Listen != b.Worker.Listen)
	differ("worker.lease", a.Worker.Lease != b.Worker.Lease)
	differ("log.format", a.Log != b.Log)
	return keys
}
