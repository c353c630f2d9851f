package main

import (
	"errors"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/config"
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
	overrides := map[string]string{}
	if c.IsSet("db") {
		overrides["store.bolt.path"] = c.String("db")
	}
	if c.IsSet("config") && c.String("config") == "" {
		return config.Config{}, usagef("--config is empty; name a file, or leave it out")
	}
	cfg, err := config.Load(p.configPath(c), p.environ, overrides)
	if err != nil {
		return cfg, &usageError{err.Error()}
	}
	return cfg, nil
}

// openStore opens the configured store; mustExist refuses to make it.
func openStore(cfg config.Config, mustExist bool, opts ...bolt.Option) (store.Store, error) {
	if mustExist {
		opts = append(opts, bolt.MustExist())
	}
	st, err := bolt.Open(cfg.Store.Bolt.Path, opts...)
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

// withStore runs a command's work on the store that is there.
func (p *program) withStore(c *cli.Context, work func(cfg config.Config, st store.Store) error) (err error) {
	cfg, err := p.config(c)
	if err != nil {
		return err
	}
	st, err := openStore(cfg, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return work(cfg, st)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)

// next is a command line to run next, on the same store, as it can be pasted.
func next(c *cli.Context, words ...string) string {
	line := []string{"rankcurve"}
	for _, global := range []string{"config", "db"} {
		if c.IsSet(global) {
			line = append(line, "--"+global, quoted(c.String(global)))
		}
	}
	for _, w := range words {
		line = append(line, quoted(w))
	}
	return strings.Join(line, " ")
}

func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
