package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/rankcurve/rankcurve/store"
)

var storeSentences = []sentence{
	{"methods are safe for concurrent use", concurrentUse},
	{"an ended context returns its error", endedContext},
	{"an ended context writes nothing", endedContextWritesNothing},
	{"a write that has begun is carried through", begunWriteIsCarriedThrough},
	{"calls after Close return ErrClosed", callsAfterClose},
	{"Close waits for writes under way", closeWaitsForWrites},
	{"a second Close does nothing and returns nil", secondClose},
}

func concurrentUse(f *fixture) { f.wantConcurrent() }

// WantConcurrent runs all calls at once. They may find nothing, or another first,
// or be refused in the way a store refuses.
func (f *fixture) wantConcurrent(refusals ...error) {
	f.Helper()
	refusals = append(refusals, store.ErrNotFound, store.ErrConflict, store.ErrStale, store.ErrLost)
	var wg sync.WaitGroup
	for range 4 {
		for _, c := range f.calls() {
			wg.Go(func() {
				err := c.run(f.ctx)
				for _, refusal := range refusals {
					if errors.Is(err, refusal) {
						return
					}
				}
				if err != nil {
					f.Errorf("%s: %v", c.name, err)
				}
			})
		}
	}
	wg.Wait()
}

func endedContext(f *fixture) {
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	for _, c := range f.calls() {
		if err := c.run(ctx); !errors.Is(err, context.Canceled) {
			f.Errorf("%s: %v, want context.Canceled", c.name, err)
		}
	}
}

func endedContextWritesNothing(f *fixture) {
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	for _, c := range f.calls() {
		_ = c.run(ctx)
	}
	f.wantMissing("called")
	f.wantRows("xp")
	if _, err := f.Board(f.ctx, "called"); !errors.Is(err, store.ErrNotFound) {
		f.Errorf("Board: %v, want ErrNotFound", err)
	}
}

func begunWriteIsCarriedThrough(f *fixture) {
	for i := range 30 {
		ctx, cancel := context.WithCancel(f.ctx)
		owner := fmt.Sprintf("racer%02d", i)
		go cancel()
		_, err := f.Put(ctx, f.board, entry(owner, int64(i), int64(i)))
		if err != nil && !errors.Is(err, context.Canceled) {
			f.Fatalf("Put: %v", err)
		}
		if err == nil {
			f.wantEntry(stored(entry(owner, int64(i), int64(i))))
		}
		cancel()
	}
	f.wantIndexesAgree() // none is stored by half
}

func callsAfterClose(f *fixture) {
	f.put(entry("called", 1, 1))
	f.wantClosed()
}

// WantClosed closes the store, and tries each call on it.
func (f *fixture) wantClosed() {
	f.Helper()
	if err := f.Close(); err != nil {
		f.Fatalf("Close: %v", err)
	}
	for _, c := range f.calls() {
		if err := c.run(f.ctx); !errors.Is(err, store.ErrClosed) {
			f.Errorf("%s: %v, want ErrClosed", c.name, err)
		}
	}
}

func closeWaitsForWrites(f *fixture) {
	var wg sync.WaitGroup
	begun := make(chan struct{}, 8)
	for i := range 8 {
		wg.Go(func() {
			for n := 0; ; n++ {
				_, err := f.Put(f.ctx, f.board, entry(fmt.Sprintf("w%d-%d", i, n), 1, 1))
				if n == 0 {
					begun <- struct{}{}
				}
				if errors.Is(err, store.ErrClosed) {
					return
				}
				if err != nil {
					f.Errorf("Put while closing: %v, want nil or ErrClosed", err)
					return
				}
			}
		})
	}
	for range 8 {
		<-begun
	}
	if err := f.Close(); err != nil {
		f.Errorf("Close: %v", err)
	}
	wg.Wait()
}

func secondClose(f *fixture) {
	for i := range 3 {
		if err := f.Close(); err != nil {
			f.Errorf("Close number %d: %v", i+1, err)
		}
	}
}
