package rankcurve

import (
	"context"
	"errors"
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
	Of         int64   // entries in the column, the same in all of one answer; see Board.Rank
	Percent    float64 // 100 * Rank / Of; 0 on an empty board
	Exact      bool    // counted, not estimated
	AsOf       time.Time
	Generation int64 // of the curve; 0 where the rank was counted
}

// Answer is the rank of one owner, or why there is none: an Err that wraps
// [store.ErrNotFound] says that the owner is not on the board, is hidden, or has no
// score in the column; one that wraps [store.ErrInvalid] that it cannot be an owner; and
// one that wraps [store.ErrCorrupt] that its row cannot be read back. As the rank is
// embedded, a.Score and a.Of are fields of the answer a; its number is a.Rank.Rank.
type Answer struct {
	Rank
	Err error
}

// Rank finds the ranks of owners, answered in the order asked. The empty column is
// the first one, the empty mode is [Auto]. The owners' current scores are looked up,
// so that a post moves its owner at once, whatever the curve's age: half a read unit
// each.
//
// [Estimate] reads no index; without a curve it is [ErrNoCurve] or [ErrBadCurve]. What
// it tells is the board now, not at AsOf, where the curve has a forecast: the rank
// follows it for one horizon, and the band widens with the curve's age.
// [Exact] reads all entries down to the worst of the owners, whatever their number;
// beyond [WithReadBudget] it is [store.ErrTooExpensive]. [Auto] counts what is above the
// curve's [WithExactTop] and estimates the rest; never is an owner there told a
// better rank than one above. It estimates what is too expensive to count, and
// counts everything when there is no curve. Within one call a better score never
// has the worse rank. The usage is what was spent, after an error too.
//
// Of is the curve's total, as it forecasts it for now, in every mode: to count the rest
// of a board takes a pass over all of it. Where that costs next to nothing it is counted,
// by [Exact] with the ranks and by [Auto] within the last ten seconds: on boards that are
// no larger than [WithExactTop], and where there is no curve. All owners of a call are of
// the same number in a column, and of one that is no less than any of their ranks: a
// curve does not know who came since, and a rank that was counted does.
//
// A row with a score that its column cannot hold, which only another program can write,
// is in what one owner's rank is counted from, and not in that of several, whose better
// rows are read: it is left out there, and in the usage's Skipped.
func (b *Board) Rank(ctx context.Context, column string, mode Mode, owners ...string) ([]Answer, store.Usage, error) {
	ranks, usage, err := b.Ranks(ctx, []string{column}, mode, owners...)
	if err != nil {
		return nil, usage, err
	}
	answers := make([]Answer, len(owners))
	for i, one := range ranks {
		answers[i] = one[0]
	}
	return answers, usage, nil
}

// Ranks is [Board.Rank] in several columns, of which each owner has an answer in the
// order asked. The owners are looked up once, and each column is then asked by itself:
// the read budget is for each.
func (b *Board) Ranks(ctx context.Context, columns []string, mode Mode, owners ...string) ([][]Answer, store.Usage, error) {
	by, mode, err := b.inquireAll(columns, mode)
	if err != nil {
		return nil, store.Usage{}, err
	}
	rows, usage, err := b.look(ctx, owners)
	if err != nil {
		return nil, usage, fmt.Errorf("rank owners on board %q: %w", b.def.Name, err)
	}
	answers, used, err := b.rankRows(ctx, by, mode, rows)
	usage.Add(used)
	if err != nil {
		return nil, usage, fmt.Errorf("rank owners on board %q: %w", b.def.Name, err)
	}
	return answers, usage, nil
}

// rankRows ranks each row in each column.
func (b *Board) rankRows(ctx context.Context, by []*column, mode Mode, rows []looked) ([][]Answer, store.Usage, error) {
	answers := make([][]Answer, len(rows))
	for i := range answers {
		answers[i] = make([]Answer, len(by))
	}
	var usage store.Usage
	for j, c := range by {
		q := inquiry{board: b, column: c, held: true}
		for i, row := range rows {
			a := &answers[i][j]
			a.Rank = Rank{Owner: row.Owner, Board: b.def.Name, Column: c.Name, Decimals: c.Decimals}
			if a.Score, a.Err = row.scoreIn(b.def, c.Name); a.Err == nil {
				q.keys = append(q.keys, c.Key(a.Score))
			}
		}
		places, err := q.places(ctx, mode)
		usage.Add(q.usage)
		if err != nil {
			return nil, usage, err
		}
		for i := range answers {
			if a := &answers[i][j]; a.Err == nil {
				a.put(places[0])
				places = places[1:]
			}
		}
	}
	return answers, usage, nil
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
	if err := b.checkScore(score); err != nil {
		return Rank{}, store.Usage{}, err
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

func (b *Board) checkScore(score int64) error {
	if score > store.MaxScore || score < -store.MaxScore {
		return fmt.Errorf("rank score on board %q: %d units are out of range, the limit is ±%d: %w", b.def.Name, score, store.MaxScore, store.ErrInvalid)
	}
	return nil
}

func (b *Board) inquire(column string, mode Mode) (*column, Mode, error) {
	by, mode, err := b.inquireAll([]string{column}, mode)
	if err != nil {
		return nil, mode, err
	}
	return by[0], mode, nil
}

func (b *Board) inquireAll(columns []string, mode Mode) (by []*column, _ Mode, err error) {
	if mode == "" {
		mode = Auto
	}
	if mode, err = ParseMode(string(mode)); err != nil {
		return nil, mode, err
	}
	for _, name := range columns {
		c, err := b.column(name)
		if err != nil {
			return nil, mode, err
		}
		by = append(by, c)
	}
	return by, mode, nil
}

// A looked row is one that was looked up, or why there is none.
type looked struct {
	store.Entry
	err error
}

// look finds the owners' rows.
func (b *Board) look(ctx context.Context, owners []string) ([]looked, store.Usage, error) {
	if err := b.gone(); err != nil {
		return nil, store.Usage{}, err
	}
	rows := make([]looked, len(owners))
	valid := make([]string, 0, len(owners))
	for i, owner := range owners {
		rows[i].Owner = owner
		if rows[i].err = store.ValidateOwner(owner); rows[i].err == nil {
			valid = append(valid, owner)
		}
	}
	if len(valid) == 0 {
		return rows, store.Usage{}, nil
	}
	entries, usage, err := b.store.EntriesOf(ctx, b.def, valid)
	var some *store.UnreadableError
	if err != nil && !errors.As(err, &some) {
		return nil, usage, err
	}
	for i := range rows {
		if rows[i].err != nil {
			continue
		}
		rows[i] = looked{entries[0], b.unseen(entries[0])}
		if some != nil && some.Rows[rows[i].Owner] != nil {
			rows[i].err = some.Rows[rows[i].Owner]
		}
		entries = entries[1:]
	}
	return rows, usage, nil
}

// unseen says why a row is in no ranking, or nil.
func (b *Board) unseen(e store.Entry) error {
	switch {
	case e.Version == 0:
		return fmt.Errorf("owner %q is not on board %q: %w", e.Owner, b.def.Name, store.ErrNotFound)
	case e.Hidden:
		return fmt.Errorf("owner %q is hidden on board %q: %w", e.Owner, b.def.Name, store.ErrNotFound)
	}
	return nil
}

func (r looked) scoreIn(def store.Board, column string) (int64, error) {
	score, there := r.Scores[column]
	switch {
	case r.err != nil:
		return 0, r.err
	case !there:
		return 0, fmt.Errorf("owner %q has no %s on board %q: %w", r.Owner, column, def.Name, store.ErrNotFound)
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
