package rankcurve

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/store"
)

// PostAll applies many posts: posted[i] and errs[i] are what [Board.Post] of
// posts[i] alone would have answered. Posts of one owner are applied in their
// order and written together, so that each of them answers with the same version;
// a Version is that of the row before all of them. Rows are read together, at half a
// read unit each (one, of owners with a Version), and written together; one's failure
// does not touch another owner. A row that posts leave as it was is read again, strongly
// consistent, at another unit: what was read may have been the row of a moment ago. An error of the call says that the store failed: a
// post whose errs is nil is stored, the others are to be sent again, which is safe for
// those with an ID. None whose errs is [ErrForgotten] is to be sent again.
func (b *Board) PostAll(ctx context.Context, posts []Post) (posted []Posted, errs []error, err error) {
	a := newBatch(b, posts)
	err = a.run(ctx)
	return a.posted, a.errs, err
}

// A batch is the posts of one call.
type batch struct {
	board  *Board
	posts  []Post
	posted []Posted
	errs   []error
	alone  bool // rows are read and written one by one

	ready *store.Entry // the one owner's row, read strongly consistent, for the first try; nil: it is read
}

func newBatch(b *Board, posts []Post) *batch {
	return &batch{board: b, posts: posts, posted: make([]Posted, len(posts)), errs: make([]error, len(posts))}
}

// A queue is the posts of one owner, by their places in the batch.
type queue struct {
	owner     string
	posts     []int
	versioned int    // of them, those for a row at a version
	doubt     *doubt // about the last write; nil: none
	strong    bool   // the row is to be read strongly consistent
}

func (a *batch) run(ctx context.Context) (err error) {
	pending := a.group()
	for try := 1; len(pending) > 0; try++ {
		if pending, err = a.try(ctx, pending); err != nil {
			a.fail(pending, err)
			return fmt.Errorf("post to board %q: %w", a.board.def.Name, err)
		}
		if len(pending) == 0 {
			break
		}
		if try == postTries {
			a.fail(a.lookLast(ctx, pending), triedInVain(store.ErrConflict))
			break
		}
		if err := a.board.options.pause(ctx, try); err != nil {
			a.fail(pending, err)
			return fmt.Errorf("post to board %q: %w", a.board.def.Name, err)
		}
	}
	for i, p := range a.posts {
		if p.Ranks && a.errs[i] == nil {
			a.board.rankChanges(ctx, &a.posted[i])
		}
	}
	return nil
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
			q = &queue{owner: p.Owner, strong: a.alone}
			of[p.Owner] = q
			queues = append(queues, q)
		}
		q.posts = append(q.posts, i)
		if p.Version != nil {
			q.versioned++
			q.strong = true
		}
	}
	return queues
}

// try reads, computes and writes every owner's row once, and answers which met
// another writer. After an error, those that it answers are not known to be stored.
func (a *batch) try(ctx context.Context, pending []*queue) ([]*queue, error) {
	writing, drafts, unsure, err := a.draft(ctx, pending)
	if err != nil {
		return pending, err
	}
	if len(unsure) > 0 {
		more, theirs, _, err := a.draft(ctx, unsure)
		writing, drafts = append(writing, more...), append(drafts, theirs...)
		if err != nil {
			return append(writing, unsure...), err
		}
	}
	failures, err := a.write(ctx, drafts)
	if err != nil {
		return writing, err
	}
	var again []*queue
	var makers []*queue
	var made []store.Entry
	for i, q := range writing {
		if a.stored(q, drafts[i], failures[i]) {
			again = append(again, q)
		}
		if failures[i] == nil && drafts[i].base.Version == 0 {
			makers, made = append(makers, q), append(made, drafts[i].row)
		}
	}
	if err := a.board.settleNew(ctx, made); err != nil {
		a.fail(makers, fmt.Errorf("the row is stored, and may be shown while its family hides the owner: %w", errors.Join(store.ErrUnknown, err)))
		return again, err
	}
	return again, nil
}

// draft reads and computes the rows, and answers which have to be written. Those that it
// is unsure of have not, by rows that may be of a moment ago: nothing would be written
// that could meet the one that is there. They are read strongly consistent the next time.
func (a *batch) draft(ctx context.Context, pending []*queue) (writing []*queue, drafts []*draft, unsure []*queue, err error) {
	for _, q := range pending {
		for _, i := range q.posts {
			if q.doubt == nil {
				a.errs[i] = nil // it was refused by a row that is not there any more
			}
		}
	}
	rows, faults, err := a.read(ctx, pending)
	if err != nil {
		return nil, nil, nil, err
	}
	for i, q := range pending {
		if faults[i] != nil {
			a.fail([]*queue{q}, faults[i])
			continue
		}
		if q.doubt != nil && a.settle(q, rows[i]) {
			continue
		}
		switch d := a.apply(q, rows[i]); {
		case d.dirty:
			writing, drafts = append(writing, q), append(drafts, d)
		case !q.strong:
			q.strong = true
			unsure = append(unsure, q)
		}
	}
	return writing, drafts, unsure, nil
}

// read reads the rows: together, or one by one where they are read strongly consistent. A
// row that cannot be decoded is its owner's fault alone.
func (a *batch) read(ctx context.Context, pending []*queue) (rows []store.Entry, faults []error, err error) {
	rows, faults = make([]store.Entry, len(pending)), make([]error, len(pending))
	if a.ready != nil {
		rows[0], a.ready = *a.ready, nil
		return rows, faults, a.board.markNew(ctx, rows)
	}
	var together, single []int
	var owners []string
	for i, q := range pending {
		if q.strong {
			single = append(single, i)
		} else {
			together, owners = append(together, i), append(owners, q.owner)
		}
	}
	if len(together) > 0 {
		some, _, err := a.board.store.EntriesOf(ctx, a.board.def, owners)
		var unreadable *store.UnreadableError
		if err != nil && !errors.As(err, &unreadable) {
			return nil, nil, err
		}
		for j, i := range together {
			if rows[i] = some[j]; unreadable != nil && unreadable.Rows[owners[j]] != nil {
				single = append(single, i) // which may have been mended a moment ago
			}
		}
	}
	var group errgroup.Group
	group.SetLimit(fanOut)
	for _, i := range single {
		group.Go(func() error {
			rows[i], faults[i] = rowOf(ctx, a.board.store, a.board.def, pending[i].owner)
			return nil
		})
	}
	_ = group.Wait() // is in faults
	return rows, faults, a.board.markNew(ctx, rows)
}

// rowOf reads an owner's row, strongly consistent; one that is not there has version 0.
func rowOf(ctx context.Context, st store.Entries, board store.Board, owner string) (store.Entry, error) {
	row, _, err := st.Entry(ctx, board, owner)
	if errors.Is(err, store.ErrNotFound) {
		return store.Entry{Owner: owner}, nil
	}
	return row, err
}

// apply computes an owner's row after all of its posts.
func (a *batch) apply(q *queue, row store.Entry) *draft {
	d := newDraft(row)
	for _, i := range q.posts {
		posted, err := d.apply(a.board, a.posts[i])
		a.posted[i], a.errs[i] = posted, a.board.refused(a.posts[i], err)
	}
	return d
}

func (a *batch) write(ctx context.Context, drafts []*draft) (failures []error, err error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	if a.alone {
		_, err := a.board.store.Put(ctx, a.board.def, drafts[0].row)
		return []error{err}, nil
	}
	entries := make([]store.Entry, len(drafts))
	for i, d := range drafts {
		entries[i] = d.row
	}
	failures, _, err = a.board.store.PutAll(ctx, a.board.def, entries)
	return failures, err
}

// stored takes the outcome of a write, and says whether it is to be tried again: it
// met another writer, and is not in the row or can be looked for there.
func (a *batch) stored(q *queue, d *draft, failure error) (again bool) {
	q.doubt, q.strong = nil, true // what was read was not what is there, or there is more to find out
	switch {
	case failure == nil:
		a.setVersion(q, d.base.Version+1)
		return false
	case !errors.Is(failure, store.ErrConflict):
	case errors.Is(failure, store.ErrUnknown):
		q.doubt = newDoubt(d)
		again = q.doubt != nil
	default:
		again = q.versioned < len(q.posts)
	}
	if !again {
		a.fail([]*queue{q}, failure)
	}
	return again
}

// settle ends a doubt about a queue's last write by the row that is there, and says
// whether that ends the queue too.
func (a *batch) settle(q *queue, row store.Entry) (ended bool) {
	in := q.doubt.settle(row)
	made := q.doubt.made
	switch in {
	case applied:
		q.doubt = nil
		a.setVersion(q, made)
		return true
	case forgotten:
		q.doubt = nil
		a.fail([]*queue{q}, forgottenPost())
		return true
	}
	q.doubt = nil
	return false
}

// lookLast looks for those of the last try that are in doubt, as long as their rows can
// tell, and answers with the queues that are not stored or still in doubt.
func (a *batch) lookLast(ctx context.Context, pending []*queue) []*queue {
	return slices.DeleteFunc(pending, func(q *queue) bool {
		if q.doubt == nil {
			return false
		}
		row, err := rowOf(ctx, a.board.store, a.board.def, q.owner)
		return err == nil && a.settle(q, row)
	})
}

func (a *batch) setVersion(q *queue, version int64) {
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
			if a.errs[i] != nil {
				continue
			}
			if q.doubt != nil {
				a.errs[i] = a.board.refused(a.posts[i], doubtful(err))
			} else {
				a.errs[i] = a.board.refused(a.posts[i], err)
			}
		}
	}
}
