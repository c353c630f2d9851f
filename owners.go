package rankcurve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// Result is what one owner has on a board, or why there is nothing: an Err that wraps
// [store.ErrNotFound] says that the owner is not on the board or is hidden there, one
// that wraps [store.ErrInvalid] that it cannot be an owner, and one that wraps
// [store.ErrCorrupt] that its row cannot be read back.
type Result struct {
	Owner      string
	Board      string
	Scores     map[string]int64 // by column, in its units; a column may be absent
	Attributes map[string]string
	Updated    time.Time // the zero time if it is not known
	Version    int64     // of the row, as [Post] takes it; 0: there is none
	Hidden     bool      // from [Board.OwnersWithHidden] alone
	Ranks      []Answer  // in the order of the columns asked for
	Err        error
}

// RankIn asks for ranks beside results: in these columns, found in this way. The zero
// value asks for none; the empty mode is [Auto].
type RankIn struct {
	Columns []string
	Mode    Mode
}

// Owners reads the results of many owners, answered in the order asked: their scores,
// their attributes and, if columns are named, their ranks in them, at the price of
// [Board.Ranks]. The rows are half a read unit each per 4 KB begun. Where a column has no
// curve that can be used, or counting in it is over the read budget, the Err of its
// ranks says so, and the results are there all the same.
func (b *Board) Owners(ctx context.Context, ranks RankIn, owners ...string) ([]Result, store.Usage, error) {
	return b.results(ctx, ranks, owners, func(row looked) bool { return row.err == nil })
}

// OwnersWithHidden is [Board.Owners] for moderators: it has the results of owners who are
// hidden too, who have no ranks.
func (b *Board) OwnersWithHidden(ctx context.Context, ranks RankIn, owners ...string) ([]Result, store.Usage, error) {
	return b.results(ctx, ranks, owners, func(row looked) bool { return row.err == nil || row.Hidden })
}

func (b *Board) results(ctx context.Context, ranks RankIn, owners []string, shown func(looked) bool) ([]Result, store.Usage, error) {
	by, mode, err := b.inquireAll(ranks.Columns, ranks.Mode)
	if err != nil {
		return nil, store.Usage{}, err
	}
	rows, usage, err := b.look(ctx, owners)
	if err != nil {
		return nil, usage, fmt.Errorf("read owners of board %q: %w", b.def.Name, err)
	}
	results := make([]Result, len(rows))
	for i, row := range rows {
		results[i] = Result{Owner: row.Owner, Board: b.def.Name, Err: row.err}
		if shown(row) {
			results[i] = Result{
				Owner: row.Owner, Board: b.def.Name, Scores: maps.Clone(row.Scores), Attributes: maps.Clone(row.Attributes),
				Updated: row.Updated, Version: row.Version, Hidden: row.Hidden,
			}
		}
	}
	for _, c := range by {
		answers, used, err := b.rankOrSay(ctx, c, mode, rows)
		usage.Add(used)
		if err != nil {
			return nil, usage, fmt.Errorf("rank owners on board %q: %w", b.def.Name, err)
		}
		for i, row := range rows {
			if row.err == nil {
				results[i].Ranks = append(results[i].Ranks, answers[i])
			}
		}
	}
	return results, usage, nil
}

// rankOrSay ranks the rows in a column, or says in each answer why it is not told: for
// what is wrong with the column, and not with the store.
func (b *Board) rankOrSay(ctx context.Context, c *column, mode Mode, rows []looked) ([]Answer, store.Usage, error) {
	answers := make([]Answer, len(rows))
	ranks, usage, why := b.rankRows(ctx, []*column{c}, mode, rows)
	if why != nil && !unusable(why) && !errors.Is(why, store.ErrTooExpensive) {
		return nil, usage, why
	}
	for i, row := range rows {
		if why == nil {
			answers[i] = ranks[i][0]
			continue
		}
		a := &answers[i]
		a.Rank = Rank{Owner: row.Owner, Board: b.def.Name, Column: c.Name, Decimals: c.Decimals}
		if a.Score, a.Err = row.scoreIn(b.def, c.Name); a.Err == nil {
			a.Err = fmt.Errorf("rank owners on board %q: %w", b.def.Name, why)
		}
	}
	return answers, usage, nil
}

// BoardsOf reads the rows of one owner in a store, of whatever board, sorted by the
// boards' names, but for those that are hidden and those on boards that have expired. An
// owner that is on no board has none, which is no error; one that cannot be an owner is
// [store.ErrInvalid]. Where some rows cannot be read back the others are answered beside
// an error that is a *[store.UnreadableError], with why by board. It costs half a read unit
// per 4 KB begun of all the rows together, and may be a moment behind what was last written.
// Of the options it takes [WithClock], which says what has expired.
func BoardsOf(ctx context.Context, st store.Store, owner string, opts ...Option) ([]store.Owned, store.Usage, error) {
	rows, usage, err := BoardsOfWithHidden(ctx, st, owner, opts...)
	return slices.DeleteFunc(rows, func(o store.Owned) bool { return o.Entry.Hidden }), usage, err
}

// BoardsOfWithHidden is [BoardsOf] for moderators: it has the rows that are hidden too.
func BoardsOfWithHidden(ctx context.Context, st store.Store, owner string, opts ...Option) ([]store.Owned, store.Usage, error) {
	if err := store.ValidateOwner(owner); err != nil {
		return nil, store.Usage{}, err
	}
	o, err := optionsOf(opts)
	if err != nil {
		return nil, store.Usage{}, err
	}
	rows, usage, err := st.BoardsOf(ctx, owner)
	if err != nil {
		err = fmt.Errorf("read the boards of owner %q: %w", owner, err)
	}
	now := o.clock()
	return slices.DeleteFunc(rows, func(o store.Owned) bool { return o.Board.Expired(now) }), usage, err
}
