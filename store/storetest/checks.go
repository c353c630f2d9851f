package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

var updated = time.UnixMilli(1795219200123).UTC()

func entry(owner string, xp, ms int64) store.Entry {
	return store.Entry{Owner: owner, Scores: map[string]int64{"xp": xp, "time": ms}, Updated: updated}
}

// Stored is what an entry looks like once it has been put.
func stored(e store.Entry) store.Entry {
	e = e.Clone()
	e.Version++
	return e
}

// Put stores an entry and returns it as it is now.
func (f *fixture) put(e store.Entry) store.Entry {
	f.Helper()
	if _, err := f.Put(f.ctx, f.board, e); err != nil {
		f.Fatalf("put %q: %v", e.Owner, err)
	}
	return stored(e)
}

func (f *fixture) load(entries ...store.Entry) store.Usage {
	f.Helper()
	u, err := f.Load(f.ctx, f.board, entries)
	if err != nil {
		f.Fatalf("load %d entries: %v", len(entries), err)
	}
	return u
}

func (f *fixture) entry(owner string) store.Entry {
	f.Helper()
	e, _, err := f.Entry(f.ctx, f.board, owner)
	if err != nil {
		f.Fatalf("entry of %q: %v", owner, err)
	}
	return e
}

func (f *fixture) wantEntry(want store.Entry) {
	f.Helper()
	if got := f.entry(want.Owner); !sameEntry(got, want) {
		f.Errorf("entry of %q:\n got %+v\nwant %+v", want.Owner, got, want)
	}
}

func (f *fixture) wantMissing(owner string) {
	f.Helper()
	if _, _, err := f.Entry(f.ctx, f.board, owner); !errors.Is(err, store.ErrNotFound) {
		f.Errorf("entry of %q: %v, want ErrNotFound", owner, err)
	}
}

func (f *fixture) wantError(err, want error) {
	f.Helper()
	if !errors.Is(err, want) {
		f.Errorf("error %v, want %v", err, want)
	}
}

// SameEntry compares by value: an empty map and none are the same.
func sameEntry(a, b store.Entry) bool {
	return a.Owner == b.Owner && a.Version == b.Version && a.Hidden == b.Hidden && a.Updated.Equal(b.Updated) &&
		maps.Equal(a.Scores, b.Scores) && maps.Equal(a.Attributes, b.Attributes) && slices.Equal(a.Posts, b.Posts)
}

// Whole selects all of a column's first partition.
func (f *fixture) whole(column string) store.Query {
	return store.Query{Partition: f.board.Partition(column, 0), From: store.MaxScore, To: -store.MaxScore}
}

// ReadAll follows a query's pages to their end.
func (f *fixture) readAll(q store.Query) (rows []store.Position, err error) {
	for {
		page, err := f.Rows(f.ctx, q)
		if err != nil {
			return nil, err
		}
		rows = append(rows, page.Rows...)
		if page.Last == nil {
			return rows, nil
		}
		if q.After != nil && *q.After == *page.Last {
			return nil, fmt.Errorf("the page after %v ends there again", *q.After)
		}
		q.After = page.Last
	}
}

// WantRows waits until a column's partition holds exactly these rows, in order.
func (f *fixture) wantRows(column string, want ...store.Position) {
	f.Helper()
	f.wantAnswer(f.whole(column), want...)
}

func (f *fixture) wantAnswer(q store.Query, want ...store.Position) {
	f.Helper()
	f.eventually(func() error {
		got, err := f.readAll(q)
		if err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("rows of %s:\n got %v\nwant %v", q.Partition, got, want)
		}
		return err
	})
}

// WantCount waits until a partition's selection holds so many rows, by both reads.
func (f *fixture) wantCount(q store.Query, want int) {
	f.Helper()
	f.eventually(func() error {
		rows, err := f.readAll(q)
		if err == nil && len(rows) != want {
			err = fmt.Errorf("%d rows in %s, want %d", len(rows), q.Partition, want)
		}
		return err
	})
}

// WantIndexesAgree waits until both columns list the same owners.
func (f *fixture) wantIndexesAgree() {
	f.Helper()
	f.eventually(func() error {
		xp, err := f.readAll(f.whole("xp"))
		if err != nil {
			return err
		}
		ms, err := f.readAll(f.whole("time"))
		if err != nil {
			return err
		}
		if a, b := owners(xp), owners(ms); !slices.Equal(a, b) {
			return fmt.Errorf("xp lists %v, time lists %v", a, b)
		}
		return nil
	})
}

func owners(rows []store.Position) []string {
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Owner
	}
	slices.Sort(names)
	return names
}

func at(key int64, owner string) store.Position { return store.Position{Key: key, Owner: owner} }

// About allows for what backends may count differently in an item's size.
func about(got, want float64) bool { return got >= want*0.8-0.5 && got <= want*1.25+0.5 }

// OneRequest says whether a call was one request.
func (f *fixture) oneRequest(u store.Usage) bool {
	return u.Requests == 1 || f.flaky && u.Requests > 1
}

func (f *fixture) sameUsage(a, b store.Usage) bool {
	if f.flaky {
		a.Requests, b.Requests = 0, 0
	}
	return a == b
}
