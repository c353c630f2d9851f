package rankcurve

import (
	"context"
	"fmt"

	"github.com/rankcurve/rankcurve/store"
)

// Change is what a post made of one column of its owner's row.
type Change struct {
	Column        string
	Before, After *int64 // scores in units of 10^-decimals; nil: none was, or is, there

	// With Post.Ranks, what the ranks are of those scores, estimated from the curve in
	// the process; nil where there is no score, and where RankErr says why there is no
	// rank: [ErrNoCurve], [ErrBadCurve] or [ErrStaleCurve], [store.ErrNotFound] of an
	// owner who is hidden, or what kept the curve from being read. Both are of one
	// curve, so that the difference is the post's.
	RankBefore, RankAfter *Rank
	RankErr               error
}

// Changed says whether the score is another one, or there or gone now.
func (c Change) Changed() bool {
	if c.Before == nil || c.After == nil {
		return c.Before != c.After
	}
	return *c.Before != *c.After
}

// posted is what is answered for a post that the draft has taken.
func (d *draft) posted(b *Board, p Post, before map[string]int64, changed bool) Posted {
	out := Posted{Entry: d.row.Clone(), Changed: changed}
	for _, column := range b.def.Columns {
		change := Change{Column: column.Name, Before: scoreIn(before, column.Name), After: scoreIn(d.row.Scores, column.Name)}
		if _, named := p.Scores[column.Name]; named || change.Changed() {
			out.Changes = append(out.Changes, change)
		}
	}
	return out
}

func scoreIn(scores map[string]int64, column string) *int64 {
	if score, there := scores[column]; there {
		return &score
	}
	return nil
}

// rankChanges adds the ranks to a post's changes.
func (b *Board) rankChanges(ctx context.Context, posted *Posted) {
	for i := range posted.Changes {
		change := &posted.Changes[i]
		change.RankErr = b.rankChange(ctx, posted.Entry, change)
	}
}

func (b *Board) rankChange(ctx context.Context, row store.Entry, change *Change) error {
	if row.Hidden {
		return fmt.Errorf("owner %q is hidden on board %q: %w", row.Owner, b.def.Name, store.ErrNotFound)
	}
	c := b.columns[change.Column]
	curve, _, err := b.curve(ctx, c)
	if err != nil {
		return err
	}
	q := inquiry{board: b, column: c, held: true}
	rank := func(score *int64) *Rank {
		if score == nil {
			return nil
		}
		r := Rank{Owner: row.Owner, Board: b.def.Name, Column: c.Name, Score: *score, Decimals: c.Decimals}
		r.put(q.estimate(curve, []int64{c.Key(*score)})[0])
		return &r
	}
	change.RankBefore, change.RankAfter = rank(change.Before), rank(change.After)
	return nil
}
