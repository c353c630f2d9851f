package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// maxFile is far above any real file, and keeps a wrong path (a database, a
// device) from being read to its end.
const maxFile = 1 << 20

// Load reads the file at path (none if it is empty), then the RANKCURVE_ variables
// of environ (as os.Environ gives them), then overrides, which maps keys such as
// "store.bolt.path" to the values of flags, and a list's key to its elements with
// commas between them; a later one wins. A board's own
// refresh keys win over the top-level ones wherever either was set.
//
// The error joins all faults, one a line, as "place: key: what is wrong; what to
// do", where the place is file:line, the variable or the flag. One of a missing
// file is fs.ErrNotExist too.
func Load(path string, environ []string, overrides map[string]string) (Config, error) {
	s := newSettings()
	readable := true
	if path != "" {
		data, err := readFile(path)
		if err != nil {
			s.faults = append(s.faults, err)
			readable = false
		} else {
			readable = s.readYAML(path, data)
		}
	}
	s.readEnviron(environ)
	s.readOverrides(overrides)
	if !readable { // what the file would have said is unknown: judge no further
		return Config{}, errors.Join(s.faults...)
	}
	c := s.config()
	if err := errors.Join(append(s.faults, c.faults()...)...); err != nil {
		return Config{}, err
	}
	return c, nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w; name another configuration file with --config or RANKCURVE_CONFIG, or leave both out", path, fs.ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read configuration: %w", err)
	case len(data) > maxFile:
		return nil, fmt.Errorf("%s: is larger than %d bytes; is it the configuration file?", path, maxFile)
	}
	return data, nil
}

// config builds the configuration from the defaults and what was set. The boards
// come last: they start from the refresh defaults as set.
func (s *settings) config() Config {
	c := Default()
	c.origins = s.origins
	isBoard := func(key string) bool { return strings.HasPrefix(key, "boards[") }
	if _, said := s.origins[serversKey]; said {
		c.Cache.Memcached.Servers = make([]string, s.length(serversKey))
	}
	s.set(&c, func(key string) bool { return !isBoard(key) })
	c.Boards = make([]Board, s.length("boards"))
	for i := range c.Boards {
		columns := make([]store.Column, s.length(fmt.Sprintf("boards[%d].columns", i)))
		for j := range columns {
			columns[j] = store.Column{Order: store.Desc, Operator: store.Set}
		}
		periods := make([]store.Period, s.length(fmt.Sprintf("boards[%d].periods", i)))
		if len(periods) == 0 {
			periods = []store.Period{store.Always}
		}
		c.Boards[i] = Board{
			Board:     store.Board{Shards: DefaultShards, Columns: columns},
			Periods:   periods,
			LatePosts: rankcurve.AcceptLate,
			Limits:    make([]ScoreLimit, len(columns)),
			Refresh:   c.RefreshDefaults,
		}
	}
	s.set(&c, isBoard)
	return c
}
