package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// How many posts are sent at a time, for which a stop waits: in the embedded store they
// are one transaction.
const (
	rollupBatch         = 50_000
	rollupBatchDynamoDB = 2_500
)

// rollupTries is how often a post is sent again that met other writers.
const rollupTries = 5

// count posts the lines chunk by chunk. Before one is begun, the journal says where it
// ends, and that the one before is stored: one write of it for each chunk.
func (r *rollup) count(ctx context.Context) error {
	log, sum, counted, all := r.journal.log(), r.log.summer(), int64(0), r.rows
	bar := r.program.progressOf("lines", "counting", all, false)
	defer bar.end()
	if _, err := sum.to(log.Done.Bytes); err != nil {
		return err
	}
	r.gone, r.refused = 0, 0
	for {
		t, err := r.begin(ctx, log, sum)
		if err != nil || t.read() == 0 {
			r.rows = counted
			return r.stopped(counted, all, err)
		}
		if err := r.post(ctx, log, t); err != nil {
			return r.stopped(counted, all, err)
		}
		log.end()
		if r.list != nil {
			clear(r.list.rows)
		}
		counted, r.gone, r.refused = counted+t.rows, r.gone+t.gone, r.refused+int64(len(t.refused))
		bar.set(counted)
		r.program.log().Debug("chunk counted", "family", r.def.Name, "lines", counted, "of", all)
	}
}

// begin reads the next chunk and notes it in the journal: the one that an earlier run
// had begun, or else a new one. At the end of the log it has no lines.
func (r *rollup) begin(ctx context.Context, log *countedLog, sum *summer) (*tally, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if log.Next != nil {
		t, err := r.read(log.Done, log.Next.Bytes, math.MaxInt, true)
		if err != nil {
			return nil, err
		}
		_, err = sum.to(log.Next.Bytes)
		return t, err
	}
	t, err := r.read(log.Done, r.log.usable, r.chunk, false)
	if err != nil {
		return nil, err
	}
	if t.read() > 0 {
		if err := r.skipRefused(ctx, log, t); err != nil {
			return nil, err
		}
		if err := log.beginWith(t, sum); err != nil {
			return nil, err
		}
	}
	return t, r.journal.save(context.WithoutCancel(ctx))
}

// beginWith notes the places of a new chunk.
func (l *countedLog) beginWith(t *tally, sum *summer) error {
	for _, place := range t.ends {
		end, err := sum.to(place)
		if err != nil {
			return err
		}
		l.Ends = append(l.Ends, end)
	}
	next, err := sum.to(t.end)
	if err != nil {
		return err
	}
	l.Next, l.At = &next, t.now
	return nil
}

// skipRefused lists what a new chunk leaves out, and notes it for a run that goes on. The
// list has the log's id, so a new one is in the journal before.
func (r *rollup) skipRefused(ctx context.Context, log *countedLog, t *tally) error {
	if len(t.refused) == 0 {
		return nil
	}
	if r.journal.fresh {
		if err := r.journal.save(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	if err := r.list.add(t.refused); err != nil {
		return err
	}
	r.program.log().Debug("lines refused", "family", r.def.Name, "lines", len(t.refused))
	for _, line := range t.refused {
		log.Skip = append(log.Skip, line.Line)
	}
	return nil
}

// post stores one chunk. Rows that refuse it do not keep the others from it.
func (r *rollup) post(ctx context.Context, log *countedLog, t *tally) error {
	var refused refusals
	for _, at := range t.counted() {
		posts := r.list.withhold(at.board(), log.outstanding(at.board(), t.posts(at, log.postID())), &refused)
		if len(posts) == 0 {
			continue
		}
		if err := r.postTo(ctx, at, posts, &refused); err != nil {
			return err
		}
		r.boards[at.board()] = true
		r.program.log().Debug("board counted", "board", at.board(), "owners", len(t.boards[at]))
	}
	switch {
	case refused.count == 0:
	case r.list != nil:
		if err := r.listShares(ctx, log, &refused); err != nil {
			return err
		}
	default:
		log.Left = refused.left()
		return errors.Join(refused.err(r.log.name, *log), r.journal.save(context.WithoutCancel(ctx)))
	}
	return r.reportLost(ctx, log, t)
}

// postTo stores what one board has of a chunk.
func (r *rollup) postTo(ctx context.Context, at placeOfLines, posts []rankcurve.Post, refused *refusals) error {
	b, err := r.board(ctx, at)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(posts, r.batch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.journal.confirm(ctx); err != nil {
			return err
		}
		lost, err := postBatch(context.WithoutCancel(ctx), b, some, refused)
		if err := errors.Join(r.lose(ctx, at, lost), err); err != nil {
			return err
		}
	}
	return nil
}

// postBatch sends posts until all are stored, or refused by their rows; those that met
// too many other writers again, which their id makes safe. Lost are the owners of those
// that it can do nothing about: their ids tell no more whether they are stored.
func postBatch(ctx context.Context, b *rankcurve.Board, posts []rankcurve.Post, refused *refusals) (lost []string, err error) {
	for try := 1; ; try++ {
		_, errs, err := b.PostAll(ctx, posts)
		for i, err := range errs {
			if errors.Is(err, rankcurve.ErrForgotten) {
				lost = append(lost, posts[i].Owner)
			}
		}
		if err != nil {
			return lost, err
		}
		var again []rankcurve.Post
		for i, err := range errs {
			switch {
			case err == nil, errors.Is(err, rankcurve.ErrForgotten):
			case errors.Is(err, store.ErrConflict) && try < rollupTries:
				again = append(again, posts[i])
			case errors.Is(err, store.ErrInvalid) || errors.Is(err, store.ErrCorrupt):
				refused.add(b.Definition().Name, posts[i].Owner, err)
			default:
				return lost, err
			}
		}
		if posts = again; len(posts) == 0 {
			return lost, nil
		}
	}
}

// board opens one, and makes it if need be.
func (r *rollup) board(ctx context.Context, at placeOfLines) (*rankcurve.Board, error) {
	family := r.families[at.family]
	if family == nil {
		def := r.def
		def.Name, def.Limits = at.family, r.limits(at.family)
		if configured, ok := r.config.Board(at.board()); ok {
			if err := configured.Same(def.Board(at.span)); err != nil {
				return nil, contradiction(err)
			}
		}
		var err error
		if family, err = rankcurve.NewFamily(r.store, def, rankcurve.WithClock(r.program.clock())); err != nil {
			return nil, err
		}
		r.families[at.family] = family
	}
	b, err := family.Make(ctx, at.span)
	return b, contradiction(err)
}

// limits are those of a family's boards, by period. Boards that are not configured have
// none.
func (r *rollup) limits(family string) map[store.Period]map[string]store.Limit {
	limits := map[store.Period]map[string]store.Limit{}
	for _, p := range r.def.Periods {
		limits[p] = r.config.Limits(p.At(r.now).Board(family))
	}
	return limits
}

// stopped says how far a count came that did not reach its end.
func (r *rollup) stopped(counted, all int64, err error) error {
	if err == nil {
		return nil
	}
	far := fmt.Sprintf("%s of %s are counted", humanize.Comma(counted), counting(all, "line"))
	if next := r.journal.log().Next; next != nil {
		far += fmt.Sprintf(" on all boards, and those up to line %s on some perhaps", humanize.Comma(int64(next.Lines)))
	}
	switch {
	case errors.Is(err, context.Canceled):
		return advicef(err, "stopped: %s; run the same command again to finish", far)
	case errors.Is(err, store.ErrLost):
		return hintf(err, "%s; another process has taken the log over", far)
	case errors.As(err, new(*refusedChunk)):
		return err
	case errors.As(err, new(*lostPosts)):
		return hintf(err, "then run the same command again to go on")
	}
	return hintf(err, "%s; run the same command again to go on", far)
}
