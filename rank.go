package rankcurve

import (
	"context"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// Rank is the place of a score on a board.
type Rank struct {
	Owner      string // empty if a bare score was asked
	Board      string
	Column     string
	Score      int64 // in units of 10^-Decimals
	Decimals   int
	Rank       int64   // 1 + the number of entries strictly better
	Low, High  int64   // the band that the rank lies in; both are Rank where it is exact
	Of         int64   // entries in the column
	Percent    float64 // 100 * Rank / Of; 0 on an empty board
	Exact      bool    // counted, not estimated
	AsOf       time.Time
	Generation int64 // of the curve; 0 where the rank was counted
}

// Answer is the rank of one owner, or why there is none: an Err that wraps
// [store.ErrNotFound] says that the owner is not on the board, is hidden, or has no
// score in the column; one that wraps [store.ErrInvalid] that it cannot be an owner.
type Answer struct {
	Rank
	Err error
}

// Rank finds the ranks of owners, answered in the order asked. The empty column is
// the first one, the empty mode is [Auto]. The owners' current scores are looked up,
// so that a post moves its owner at once, whatever the curve's age: half a read unit
// each.
//
// [Estimate] reads no index; without a curve it is [ErrNoCurve] or [ErrBadCurve].
// [Exact] reads all entries down to the worst of the owners, whatever their number;
// beyond [WithReadBudget] it is [store.ErrTooExpensive]. Of is then the curve's
// total, or counted as well if there is no curve. [Auto] counts what is above the
// curve's [WithExactTop] and estimates the rest; never is an owner there told a
// better rank than one above. It estimates what is too expensive to count, and
// counts everything when there is no curve. Within one call a better score never
// has the worse rank. The usage is what was spent, after an error too.
func (b *Board) Rank(ctx context.Context, column string, mode Mode, owners ...string) ([]Answer, store.Usage, error) {
	c, mode, err := b.inquire(column, mode)
	if err != nil {
		return nil, store.Usage{}, err
	}
	answers, usage, err := b.look(ctx, c, owners)
	if err != nil {
		return nil, usage, fmt.Errorf("rank owners on board %q: %w", b.def.Name, err)
	}
	q := inquiry{board: b, column: c, held: true, usage: usage}
	for _, a := range answers {
		if a.Err == nil {
			q.keys = append(q.keys, c.Key(a.Score))
		}
	}
	places, err := q.places(ctx, mode)
	if err != nil {
		return nil, q.usage, fmt.Errorf("rank owners on board %q: %w", b.def.Name, err)
	}
	for i := range answers {
		if answers[i].Err == nil {
			answers[i].put(places[0])
			places = places[1:]
		}
	}
	return answers, q.usage, nil
}

// RankOfScore finds the rank that an entry with this score has, or would have; the
// modes and errors are those of [Board.Rank]. A score beyond ±[store.MaxScore] is
// [store.ErrInvalid]. A score worse than all stands one below them, and Of counts
// it; on an empty board Of is 0.
func (b *Board) RankOfScore(ctx context.Context, column string, mode Mode, score int64) (Rank, store.Usage, error) {
	c, mode, err := b.inquire(column, mode)
	if err != nil {
		return Rank{}, store.Usage{}, err
	}
	if score > store.MaxScore || score < -store.MaxScore {
		return Rank{}, store.Usage{}, fmt.Errorf("rank score on board %q: %d units are out of range, the limit is ±%d: %w", b.def.Name, score, store.MaxScore, store.ErrInvalid)
	}
	q := inquiry{board: b, column: c, keys: []int64{c.Key(score)}}
	places, err := q.places(ctx, mode)
	if err != nil {
		return Rank{}, q.usage, fmt.Errorf("rank score %s on board %q: %w", store.FormatScore(score, c.Decimals), b.def.Name, err)
	}
	r := Rank{Board: b.def.Name, Column: c.Name, Score: score, Decimals: c.Decimals}
	r.put(places[0])
	return r, q.usage, nil
}

func (b *Board) inquire(column string, mode Mode) (*column, Mode, error) {
	c, err := b.column(column)
	if err != nil || mode == "" {
		return c, Auto, err
	}
	mode, err = ParseMode(string(mode))
	return c, mode, err
}

// look finds the owners' scores; who has none is told why.
func (b *Board) look(ctx context.Context, c *column, owners []string) ([]Answer, store.Usage, error) {
	answers := make([]Answer, len(owners))
	valid := make([]string, 0, len(owners))
	for i, owner := range owners {
		answers[i].Rank = Rank{Owner: owner, Board: b.def.Name, Column: c.Name, Decimals: c.Decimals}
		if answers[i].Err = store.ValidateOwner(owner); answers[i].Err == nil {
			valid = append(valid, owner)
		}
	}
	if len(valid) == 0 {
		return answers, store.Usage{}, nil
	}
	entries, usage, err := b.store.EntriesOf(ctx, b.def, valid)
	if err != nil {
		return nil, usage, err
	}
	for i := range answers {
		if answers[i].Err == nil {
			answers[i].Score, answers[i].Err = b.scoreOf(entries[0], c)
			entries = entries[1:]
		}
	}
	return answers, usage, nil
}

func (b *Board) scoreOf(e store.Entry, c *column) (int64, error) {
	score, there := e.Scores[c.Name]
	switch {
	case e.Version == 0:
		return 0, fmt.Errorf("owner %q is not on board %q: %w", e.Owner, b.def.Name, store.ErrNotFound)
	case e.Hidden:
		return 0, fmt.Errorf("owner %q is hidden on board %q: %w", e.Owner, b.def.Name, store.ErrNotFound)
	case !there:
		return 0, fmt.Errorf("owner %q has no %s on board %q: %w", e.Owner, c.Name, b.def.Name, store.ErrNotFound)
	}
	return score, nil
}

// put turns a place into a rank.
func (r *Rank) put(p place) {
	r.Rank, r.Low, r.High, r.Of = p.better+1, p.low+1, p.high+1, p.of
	r.Exact, r.AsOf, r.Generation = p.exact, p.asOf, p.generation
	if r.Of == 0 && p.better == 0 && r.Owner == "" {
		return // an empty board
	}
	r.Of = max(r.Of, r.Rank)
	r.High = max(r.Rank, min(r.High, r.Of))
	r.Percent = 100 * float64(r.Rank) / float64(r.Of)
}
