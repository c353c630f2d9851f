package rankcurve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/store"
)

// hiddenOf is where a family keeps whom it hides: for each owner a row that is read when a
// row of the owner is made. No board can have this name, so it is in no view of a board and
// in no registry. With the family's first column the rows have the time of the hiding in it,
// in milliseconds since 1970, by which an index lists them.
func hiddenOf(family string, columns ...string) store.Board {
	list := store.Board{Name: family + "/hidden", Shards: 1}
	for _, name := range columns {
		list.Columns = append(list.Columns, store.Column{Name: name, Order: store.Desc, Operator: store.Set})
	}
	return list
}

// HiddenOwner is one whom a family hides.
type HiddenOwner struct {
	Owner string
	Since time.Time // to the millisecond
}

// Hidden lists whom the family hides on all boards, those too who have no row yet, the last
// hidden first; not those who are hidden on one of its boards alone. It may be a moment
// behind, and costs half a read unit for each 4 KB begun: about seventy owners.
func (f *Family) Hidden(ctx context.Context) ([]HiddenOwner, store.Usage, error) {
	column := f.def.Columns[0].Name
	q := store.Query{Partition: hiddenOf(f.def.Name, column).Partition(column, 0), From: store.MaxScore, To: -store.MaxScore}
	var hidden []HiddenOwner
	var usage store.Usage
	for {
		page, err := f.store.Rows(ctx, q)
		usage.Add(page.Usage)
		if err != nil {
			return nil, usage, fmt.Errorf("list whom family %q hides: %w", f.def.Name, err)
		}
		for _, row := range page.Rows {
			hidden = append(hidden, HiddenOwner{row.Owner, time.UnixMilli(row.Key).UTC()})
		}
		if q.After = page.Last; q.After == nil {
			return hidden, usage, nil
		}
	}
}

// Hides says of owners, in their order, whether the family hides them on all boards. It
// costs half a read unit of each, and one of one alone.
func (f *Family) Hides(ctx context.Context, owners ...string) ([]bool, error) {
	for _, owner := range owners {
		if err := store.ValidateOwner(owner); err != nil {
			return nil, err
		}
	}
	hidden, err := f.checker.hides(ctx, owners)
	if err != nil {
		return nil, fmt.Errorf("see whom family %q hides: %w", f.def.Name, err)
	}
	return hidden, nil
}

// enlisting puts an owner on the list of those whom a family hides.
func (b *Board) enlisting() act {
	column, now := b.def.Columns[0].Name, b.options.clock().UnixMilli()
	return act{verb: "hide", makes: true, to: func(ctx context.Context, row store.Entry) (changed bool, err error) {
		there := row.Version > 0
		if _, listed := row.Scores[column]; there && listed {
			return false, nil
		}
		row.Hidden, row.Scores = false, map[string]int64{column: now}
		_, err = b.store.Put(ctx, b.def, row)
		return err == nil && !there, err
	}}
}

// hides says which owners the board's family hides: of one, strongly consistent.
func (b *Board) hides(ctx context.Context, owners []string) ([]bool, error) {
	hidden := make([]bool, len(owners))
	if len(owners) == 1 {
		_, _, err := b.store.Entry(ctx, hiddenOf(b.def.Family), owners[0])
		hidden[0] = err == nil || errors.Is(err, store.ErrCorrupt)
		if hidden[0] || errors.Is(err, store.ErrNotFound) {
			return hidden, nil
		}
		return nil, err
	}
	rows, _, err := b.store.EntriesOf(ctx, hiddenOf(b.def.Family), owners)
	var unreadable *store.UnreadableError
	if err != nil && !errors.As(err, &unreadable) {
		return nil, err
	}
	for i, owner := range owners {
		hidden[i] = rows[i].Version > 0 || unreadable != nil && unreadable.Rows[owner] != nil
	}
	return hidden, nil
}

// markNew hides the rows that are not there yet of owners whom the board's family hides.
// What could not be read has no owner, and stays as it is.
func (b *Board) markNew(ctx context.Context, rows []store.Entry) error {
	var owners []string
	var at []int
	for i, row := range rows {
		if row.Version == 0 && row.Owner != "" {
			owners, at = append(owners, row.Owner), append(at, i)
		}
	}
	if b.def.Family == "" || len(owners) == 0 {
		return nil
	}
	hidden, err := b.hides(ctx, owners)
	if err != nil {
		return fmt.Errorf("see whom family %q hides: %w", b.def.Family, err)
	}
	for i, hides := range hidden {
		rows[at[i]].Hidden = hides
	}
	return nil
}

// settleNew looks again after rows have been made: their owners may have been hidden, or
// put back, after markNew, by one who did not find these rows yet.
func (b *Board) settleNew(ctx context.Context, made []store.Entry) error {
	if b.def.Family == "" || len(made) == 0 {
		return nil
	}
	owners := make([]string, len(made))
	for i, row := range made {
		owners[i] = row.Owner
	}
	hidden, err := b.hides(ctx, owners)
	if err != nil {
		return fmt.Errorf("see whom family %q hides: %w", b.def.Family, err)
	}
	var group errgroup.Group
	group.SetLimit(moderators)
	for i, row := range made {
		if hidden[i] != row.Hidden {
			group.Go(func() error { return b.settleOne(ctx, row.Owner) })
		}
	}
	return group.Wait()
}

// settleOne makes a row what the family wants now, strongly consistent.
func (b *Board) settleOne(ctx context.Context, owner string) error {
	hidden, err := b.hides(ctx, []string{owner})
	if err == nil {
		_, err = b.moderateOne(ctx, owner, b.hiding("hide", hidden[0]))
	}
	if errors.Is(err, store.ErrNotFound) { // removed again
		return nil
	}
	return err
}

// KeepHidden hides those of some owners whom the board's family hides, see [Family.Hide].
// It is for rows that [store.Store.Load] has made; posts see to it themselves. It costs
// half a read unit for each owner, and what hiding does; on a board of no family it does
// nothing.
func (b *Board) KeepHidden(ctx context.Context, owners ...string) error {
	rows := make([]store.Entry, len(owners))
	for i, owner := range owners {
		rows[i].Owner = owner
	}
	if err := b.markNew(ctx, rows); err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(moderators)
	for _, row := range rows {
		if row.Hidden {
			group.Go(func() error { return b.settleOne(ctx, row.Owner) })
		}
	}
	return group.Wait()
}
