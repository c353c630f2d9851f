package rankcurve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// Past is a column of a board as it was at a time, by a curve that was kept. It is safe
// for concurrent use and never changes.
type Past struct {
	board  *Board
	column *column
	curve  *predictor.Curve
	at     time.Time
}

// At looks back: it finds the newest curve that is as of a time or before. The empty
// column is the first one. Which curves are kept, when others replace them, is up to who
// refreshes the board; the one that is published is always among them. The answers are of the time that was asked for,
// not of the curve's: where the curve has a forecast they follow it in between, and the
// band widens with that age. [WithMaxStaleness] does not bound it.
//
// The error is [ErrNoCurve], and [store.ErrNotFound] too, where no curve reaches back so
// far, and says how far they do; [ErrBadCurve] where the curve cannot be used;
// [store.ErrInvalid] for a time in the future. It costs a read unit per 4 KB of curve, and
// half as much for a kept one of which there is none.
func (b *Board) At(ctx context.Context, column string, at time.Time) (*Past, store.Usage, error) {
	c, err := b.column(column)
	if err != nil {
		return nil, store.Usage{}, err
	}
	if at.After(b.options.clock()) {
		return nil, store.Usage{}, fmt.Errorf("look back on board %q: %s is in the future: %w", b.def.Name, store.Moment(at), store.ErrInvalid)
	}
	key := b.curveKey(c)
	kept, usage, missing := b.store.CurveAt(ctx, key, at)
	if missing != nil && !errors.Is(missing, store.ErrNotFound) {
		return nil, usage, fmt.Errorf("look back on board %q: %w", b.def.Name, missing)
	}
	published, used, err := b.publishedBy(ctx, c, at)
	usage.Add(used)
	if err != nil {
		return nil, usage, fmt.Errorf("look back on board %q: %w", b.def.Name, err)
	}
	if published != nil && !kept.AsOf.After(published.Meta().AsOf) { // none is of the zero time
		return &Past{b, c, published, at}, usage, nil
	}
	if missing != nil {
		used, err := b.notKept(ctx, c, at)
		usage.Add(used)
		return nil, usage, err
	}
	curve, err := b.decodeKept(c, kept)
	if err != nil {
		return nil, usage, err
	}
	return &Past{b, c, curve, at}, usage, nil
}

// publishedBy is the published curve if it is as of a time or before, and else nil: also
// where there is none that can be used. Its age does not matter, for it is asked about
// its own time.
func (b *Board) publishedBy(ctx context.Context, c *column, at time.Time) (*predictor.Curve, store.Usage, error) {
	held, usage, err := b.copyOf(ctx, c, func(*polled) error { return nil })
	if unusable(err) {
		return nil, usage, nil
	}
	if err != nil {
		return nil, usage, err
	}
	if held.curve.Meta().AsOf.After(at) {
		return nil, usage, nil
	}
	return held.curve, usage, nil
}

// notKept says how far back the curves that are there reach.
func (b *Board) notKept(ctx context.Context, c *column, at time.Time) (store.Usage, error) {
	key, forever := b.curveKey(c), time.UnixMilli(store.MaxArchived)
	oldest, usage, err := b.store.CurvesBetween(ctx, key, time.UnixMilli(0), forever, 1)
	if err != nil {
		return usage, fmt.Errorf("look back on board %q: %w", b.def.Name, err)
	}
	if len(oldest) > 0 {
		return usage, advise(ErrNoCurve, store.ErrNotFound, "no curve of %s as of %s or before is kept: the oldest is as of %s", key, store.Moment(at), store.Moment(oldest[0].AsOf))
	}
	published, used, err := b.publishedBy(ctx, c, forever)
	usage.Add(used)
	if err != nil {
		return usage, fmt.Errorf("look back on board %q: %w", b.def.Name, err)
	}
	which := "nor any other"
	if published != nil {
		which = "and the published one is as of " + store.Moment(published.Meta().AsOf)
	}
	return usage, advise(ErrNoCurve, store.ErrNotFound, "no curve of %s as of %s or before is kept, %s: refreshes keep those that they replace, one of each refresh.history.every, while refresh.history.keep is not 0", key, store.Moment(at), which)
}

// decodeKept reads a kept curve.
func (b *Board) decodeKept(c *column, a store.Archived) (*predictor.Curve, error) {
	curve, err := b.decodeOwn(c, a.Data)
	if err != nil {
		return nil, advise(ErrBadCurve, err, "the curve of %s that is kept as of %s is damaged; ask for another time: %v", b.curveKey(c), store.Moment(a.AsOf), err)
	}
	return curve, nil
}

// At is the time that was asked for.
func (p *Past) At() time.Time { return p.at }

// Curve is the one that answers.
func (p *Past) Curve() *predictor.Curve { return p.curve }

// age is how long after its curve's as-of time the past is asked about.
func (p *Past) age() time.Duration { return p.at.Sub(p.curve.Meta().AsOf) }

// RankOfScore is the rank that an entry with this score had, or would have had. A score
// beyond ±[store.MaxScore] is [store.ErrInvalid].
func (p *Past) RankOfScore(score int64) (Rank, error) {
	if err := p.board.checkScore(score); err != nil {
		return Rank{}, err
	}
	return rankBy(p.board, p.column, p.curve, score, p.age()), nil
}

// Rank is the rank that the owners' scores of now had then, answered in the order asked,
// with the errors and the price of [Board.Rank] by estimate. What scores they had then is
// not kept.
func (p *Past) Rank(ctx context.Context, owners ...string) ([]Answer, store.Usage, error) {
	rows, usage, err := p.board.look(ctx, owners)
	if err != nil {
		return nil, usage, fmt.Errorf("rank owners on board %q: %w", p.board.def.Name, err)
	}
	answers := make([]Answer, len(rows))
	for i, row := range rows {
		score, err := row.scoreIn(p.board.def, p.column.Name)
		answers[i].Rank = Rank{Board: p.board.def.Name, Column: p.column.Name, Decimals: p.column.Decimals}
		if answers[i].Err = err; err == nil {
			answers[i].Rank = rankBy(p.board, p.column, p.curve, score, p.age())
		}
		answers[i].Owner = row.Owner
	}
	return answers, usage, nil
}

// ScoreAtRank is [Board.ScoreAtRank] of then.
func (p *Past) ScoreAtRank(rank int64) (ScoreAt, error) {
	return p.board.scoreAtRank(p.column, p.curve, rank, p.age())
}

// ScoreAtPercent is [Board.ScoreAtPercent] of then.
func (p *Past) ScoreAtPercent(percent float64) (ScoreAt, error) {
	if err := p.board.checkPercent(percent); err != nil {
		return ScoreAt{}, err
	}
	return p.board.scoreAtPercent(p.column, p.curve, percent, p.age())
}

// rankBy is the rank of a score by a curve, which need not be an entry's.
func rankBy(b *Board, c *column, curve *predictor.Curve, score int64, age time.Duration) Rank {
	q := inquiry{board: b, column: c, age: age}
	r := Rank{Board: b.def.Name, Column: c.Name, Score: score, Decimals: c.Decimals}
	r.put(q.estimate(curve, []int64{c.Key(score)})[0])
	return r
}
