package main

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

// configPath is the configuration file: --config, else RANKCURVE_CONFIG, else none.
func (p *program) configPath(c *cli.Context) string {
	if c.IsSet("config") {
		return c.String("config")
	}
	path := ""
	for _, entry := range p.environ {
		if value, found := strings.CutPrefix(entry, "RANKCURVE_CONFIG="); found {
			path = value
		}
	}
	return path
}

// config reads the configuration: file, environment, flags.
func (p *program) config(c *cli.Context) (config.Config, error) {
	said, err := overrides(c)
	if err != nil {
		return config.Config{}, err
	}
	return p.configWith(c, said)
}

// configWith reads the configuration with these values of flags.
func (p *program) configWith(c *cli.Context, said map[string]string) (config.Config, error) {
	if c.IsSet("config") && c.String("config") == "" {
		return config.Config{}, usagef("--config is empty; name a file, or leave it out")
	}
	cfg, err := config.Load(p.configPath(c), p.environ, said)
	if err != nil {
		return cfg, &usageError{err.Error()}
	}
	c.App.Metadata[dynamoKey] = cfg.Store.DynamoDB
	return cfg, nil
}

// An access says what a store is opened for.
type access struct {
	mustExist bool         // an embedded store that is not there is not made
	patient   bool         // nobody waits for an answer: on DynamoDB, the client keeps trying
	pace      sampler.Pace // of a refresh on DynamoDB
	log       *slog.Logger // of faults of the cache
	bolt      []bolt.Option

	onThrottle   func(reason string) // is told of each request that DynamoDB throttles; nil: nobody
	onCacheFault func()              // is told of each fault of the cache; nil: nobody
	onList       func(units float64) // is told what lists of the boards cost on DynamoDB; nil: nobody
}

// openStore opens the configured store, behind the configured cache.
func openStore(ctx context.Context, cfg config.Config, a access) (store.Store, error) {
	var st store.Store
	var err error
	if cfg.Store.Kind == config.KindDynamoDB {
		st, err = openDynamoDB(ctx, cfg.Store.DynamoDB, a)
	} else {
		st, err = openBolt(cfg.Store.Bolt, a)
	}
	if err != nil {
		return nil, err
	}
	if cfg.Cache.Kind != config.CacheMemcached {
		return st, nil
	}
	cached, err := behindMemcached(st, cfg, a)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return cached, nil
}

func openBolt(cfg config.Bolt, a access) (store.Store, error) {
	opts := a.bolt
	if a.mustExist {
		opts = append(opts, bolt.MustExist())
	}
	st, err := bolt.Open(cfg.Path, opts...)
	switch {
	case errors.Is(err, store.ErrNoDatabase):
		return nil, hintf(err, "name another file with --db")
	case errors.Is(err, store.ErrCorrupt):
		return nil, hintf(err, "put a copy of the file in its place, or load the board into a new one")
	case err != nil:
		return nil, err // a nil *bolt.Store would be a store.Store that is not nil
	}
	return st, nil
}

// withStore runs a question's work on the store that is there.
func (p *program) withStore(c *cli.Context, work func(cfg config.Config, st store.Store) error) error {
	return p.withStoreFor(c, func(config.Config) access { return access{} }, work)
}

// withStoreFor runs a command's work on the store that is there.
func (p *program) withStoreFor(c *cli.Context, a func(config.Config) access, work func(cfg config.Config, st store.Store) error) (err error) {
	cfg, err := p.config(c)
	if err != nil {
		return err
	}
	with := a(cfg)
	with.mustExist, with.log = true, p.log()
	st, err := openStore(c.Context, cfg, with)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return work(cfg, st)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)

// next is a command line to run next, on the same store, as it can be pasted.
func next(c *cli.Context, words ...string) string {
	line := slices.Concat([]string{"rankcurve"}, ownFlags(c), words)
	for i, word := range line {
		line[i] = quoted(word)
	}
	return strings.Join(line, " ")
}

func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
