package rankcurve

import (
	"context"
	"errors"
	"fmt"

	"github.com/rankcurve/rankcurve/store"
)

// PostAll applies many posts: posted[i] and errs[i] are what [Board.Post] of
// posts[i] alone would have answered. Posts of one owner are applied in their
// order and written together, so that each of them answers with the same version.
// Rows are read together, at half a read unit each, and written together; one's
// failure does not touch another owner. An error of the call says that the store
// failed: a post whose errs is nil is stored, the others are to be sent again, which
// is safe for those with an ID.
func (b *Board) PostAll(ctx context.Context, posts []Post) (posted []Posted, errs []error, err error) {
	batch := &batch{board: b, posts: posts, posted: make([]Posted, len(posts)), errs: make([]error, len(posts))}
	pending := batch.group()
	for try := 1; len(pending) > 0; try++ {
		if pending, err = batch.try(ctx, pending); err != nil {
			err = fmt.Errorf("post to board %q: %w", b.def.Name, err)
			batch.fail(pending, err)
			return batch.posted, batch.errs, err
		}
		if len(pending) == 0 {
			break
		}
		if try == postTries {
			batch.fail(pending, triedInVain(store.ErrConflict))
			break
		}
		if err := pause(ctx, try); err != nil {
			batch.fail(pending, err)
			return batch.posted, batch.errs, fmt.Errorf("post to board %q: %w", b.def.Name, err)
		}
	}
	return batch.posted, batch.errs, nil
}

// A batch is the posts of one PostAll.
type batch struct {
	board  *Board
	posts  []Post
	posted []Posted
	errs   []error
}

// A queue is the posts of one owner, by their places in the batch.
type queue struct {
	owner string
	posts []int
}

// group checks the posts and gathers them by owner.
func (a *batch) group() []*queue {
	var queues []*queue
	of := map[string]*queue{}
	for i, p := range a.posts {
		if err := a.board.checkPost(p); err != nil {
			a.errs[i] = a.board.refused(p, err)
			continue
		}
		q := of[p.Owner]
		if q == nil {
			q = &queue{owner: p.Owner}
			of[p.Owner] = q
			queues = append(queues, q)
		}
		q.posts = append(q.posts, i)
	}
	return queues
}

// try reads, computes and writes every owner's row once, and answers which met
// another writer. After an error, those that it answers are not known to be stored.
func (a *batch) try(ctx context.Context, pending []*queue) ([]*queue, error) {
	owners := make([]string, len(pending))
	for i, q := range pending {
		owners[i] = q.owner
	}
	rows, _, err := a.board.store.EntriesOf(ctx, a.board.def, owners)
	if err != nil {
		return pending, err
	}
	var writing []*queue
	var entries []store.Entry
	for i, q := range pending {
		d := a.apply(q, rows[i])
		if d.dirty {
			writing, entries = append(writing, q), append(entries, d.row)
		}
	}
	if len(entries) == 0 {
		return nil, nil
	}
	failures, _, err := a.board.store.PutAll(ctx, a.board.def, entries)
	if err != nil {
		return writing, err
	}
	var conflicts []*queue
	for i, q := range writing {
		switch failure := failures[i]; {
		case failure == nil:
			entries[i].Version++
			a.stored(q, entries[i].Version)
		case errors.Is(failure, store.ErrConflict):
			conflicts = append(conflicts, q)
		default:
			a.fail([]*queue{q}, failure)
		}
	}
	return conflicts, nil
}

// apply computes an owner's row after all of its posts.
func (a *batch) apply(q *queue, row store.Entry) draft {
	d := draft{row: row.Clone()}
	for _, i := range q.posts {
		changed, err := d.apply(a.board, a.posts[i])
		a.posted[i], a.errs[i] = Posted{Entry: d.row.Clone(), Changed: changed}, a.board.refused(a.posts[i], err)
		if err != nil {
			a.posted[i] = Posted{}
		}
	}
	return d
}

func (a *batch) stored(q *queue, version int64) {
	for _, i := range q.posts {
		if a.errs[i] == nil {
			a.posted[i].Entry.Version = version
		}
	}
}

// fail answers an error for the posts that had none of their own.
func (a *batch) fail(queues []*queue, err error) {
	for _, q := range queues {
		for _, i := range q.posts {
			a.posted[i] = Posted{}
			if a.errs[i] == nil {
				a.errs[i] = a.board.refused(a.posts[i], err)
			}
		}
	}
}
