package rankcurve

import (
	"context"
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
// their attributes and, if columns are named, their ranks in them, with the errors
// and the price of [Board.Ranks]. The rows are half a read unit each per 4 KB begun.
func (b *Board) Owners(ctx context.Context, ranks RankIn, owners ...string) ([]Result, store.Usage, error) {
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
		if row.err == nil {
			results[i].Scores, results[i].Attributes, results[i].Updated = maps.Clone(row.Scores), maps.Clone(row.Attributes), row.Updated
		}
	}
	if len(by) == 0 {
		return results, usage, nil
	}
	answers, used, err := b.rankRows(ctx, by, mode, rows)
	usage.Add(used)
	if err != nil {
		return nil, usage, fmt.Errorf("rank owners on board %q: %w", b.def.Name, err)
	}
	for i := range results {
		if results[i].Err == nil {
			results[i].Ranks = answers[i]
		}
	}
	return results, usage, nil
}

// BoardsOf reads all rows of one owner in a store, of whatever board, sorted by the
// boards' names. It has the rows that are hidden too: who shows them to players leaves
// those out. An owner that is on no board has none, which is no error; one that cannot
// be an owner is [store.ErrInvalid]. It costs half a read unit per 4 KB begun of all
// the rows together, and may be a moment behind what was last written. Boards that have
// expired are left out.
func BoardsOf(ctx context.Context, st store.Store, owner string) ([]store.Owned, store.Usage, error) {
	if err := store.ValidateOwner(owner); err != nil {
		return nil, store.Usage{}, err
	}
	rows, usage, err := st.BoardsOf(ctx, owner)
	if err != nil {
		return nil, usage, fmt.Errorf("read the boards of owner %q: %w", owner, err)
	}
	now := time.Now()
	return slices.DeleteFunc(rows, func(o store.Owned) bool { return o.Board.Expired(now) }), usage, nil
}
