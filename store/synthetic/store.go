package synthetic

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rankcurve/rankcurve/store"
)

// Store is a synthetic board, with what refreshes leave behind kept in memory. It
// implements [store.Store], but for writes of entries and boards, which are
// refused. All methods are safe for concurrent use. Make one with [New].
type Store struct {
	*board
	clock func() float64
	now   atomic.Pointer[moment] // of the tick that was last asked for
}

var _ store.Store = (*Store)(nil)

// board is what all ticks share.
type board struct {
	definition store.Board
	options    Options
	tables     []*quantiles // of each column
	halves     *halves
	closed     atomic.Bool

	mu      sync.Mutex // of what is written
	curves  map[store.CurveKey]store.Published
	states  map[store.CurveKey][]byte
	leases  map[string]store.Lease
	secrets map[string][]byte
	history map[store.CurveKey][]store.Archived // oldest first
}

// New makes a store with this board. The error is [store.ErrInvalid] and lists
// every fault of the definition and the options, each with its field.
func New(b store.Board, o Options) (*Store, error) {
	if err := o.validate(b); err != nil {
		return nil, err
	}
	b.Columns, o.Columns = slices.Clone(b.Columns), maps.Clone(o.Columns)
	made := &board{
		definition: b, options: o, halves: newHalves(),
		curves: map[store.CurveKey]store.Published{}, states: map[store.CurveKey][]byte{},
		leases: map[string]store.Lease{}, secrets: map[string][]byte{},
		history: map[store.CurveKey][]store.Archived{},
	}
	for _, c := range b.Columns {
		made.tables = append(made.tables, tabulate(o.model(c.Name)))
	}
	clock := o.Clock
	if clock == nil {
		clock = func() float64 { return 0 }
	}
	return &Store{board: made, clock: clock}, nil
}

// At is the same store with its board at another tick, whatever the clock says.
// Curves, states, leases and secrets are common to all, and so is Close. Reading a board at
// a tick outside 0..MaxTick, or by when newcomers have made it larger than
// MaxEntries, is [store.ErrInvalid].
func (s *Store) At(tick float64) *Store {
	return &Store{board: s.board, clock: func() float64 { return tick }}
}

// Size is how many entries the board has now. It costs nothing: no store could
// answer it.
func (s *Store) Size() (int64, error) {
	m, err := s.moment(context.Background())
	if err != nil {
		return 0, err
	}
	return m.total(), nil
}

// Better is the truth that curves estimate: how many entries of a column have keys
// strictly better than this one, now. It costs nothing: no store could answer it.
func (s *Store) Better(column string, key int64) (better int64, err error) {
	c, err := s.definition.Column(column)
	if err != nil {
		return 0, err
	}
	m, err := s.moment(context.Background())
	if err != nil {
		return 0, err
	}
	number := m.columnNumber(c.Name)
	for shard := range m.definition.Shards {
		better += m.partition(number, shard).better(key)
	}
	return better, nil
}

// Owner names any entry's owner, by its number from 0 to Size()-1: a way to pick
// some at random. It is [store.ErrNotFound] beyond.
func (s *Store) Owner(number int64) (string, error) {
	m, err := s.moment(context.Background())
	if err != nil {
		return "", err
	}
	rest := number
	for shard := 0; shard < m.definition.Shards && rest >= 0; shard++ {
		if rest < m.size(shard) {
			return owner{first, shard, rest}.String(), nil
		}
		rest -= m.size(shard)
		if rest < m.newcomers(shard) {
			return owner{newcomer, shard, rest}.String(), nil
		}
		rest -= m.newcomers(shard)
	}
	return "", fmt.Errorf("owner number %d of board %q, which has %d: %w", number, m.definition.Name, m.total(), store.ErrNotFound)
}

// Close implements [store.Store].
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed.Store(true)
	return nil
}

// usable says why a call may not begin.
func (s *Store) usable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.closed.Load() {
		return store.ErrClosed
	}
	return nil
}

// moment is the board as it is now.
func (s *Store) moment(ctx context.Context) (*moment, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	tick := s.clock()
	if m := s.now.Load(); m != nil && m.tick == tick {
		return m, nil
	}
	m, err := s.at(tick)
	if err != nil {
		return nil, err
	}
	s.now.Store(m)
	return m, nil
}
