package rankcurve_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// hanging makes the store's next curve reads wait until they are let go.
func hanging(st *double) (reading, goOn chan struct{}) {
	reading, goOn = make(chan struct{}, 100), make(chan struct{})
	st.curve = func() error { reading <- struct{}{}; <-goOn; return nil }
	return reading, goOn
}

// With a copy nobody waits for a poll, not the one who began it either.
func TestASlowPollHoldsNobodyUp(t *testing.T) {
	ctx, now := context.Background(), newClock()
	st, def := &double{Store: newStore(t)}, boardOf("games", 1)
	b := newBoard(t, st, def, rankcurve.WithClock(now.Now))
	publish(t, st, def, 1, images)
	if _, err := b.Curve(ctx, "xp"); err != nil {
		t.Fatal(err)
	}
	publish(t, st, def, 2, images)
	reading, goOn := hanging(st)
	now.Advance(time.Hour)
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	for range 1000 {
		curve, err := b.Curve(canceled, "xp")
		if err != nil || curve.Meta().Generation != 1 {
			t.Fatalf("%+v, %v, want generation 1", curve, err)
		}
	}
	<-reading
	close(goOn)
	generationBecomes(t, b, 2) // though the context of the one who began it has ended
	if polls, _ := st.asked(); polls != 2 {
		t.Errorf("%d polls, want 2", polls)
	}
}

// Without a copy a caller waits no longer than its context lasts, and what it began
// serves the next.
func TestTheFirstPollIsWaitedFor(t *testing.T) {
	ctx := context.Background()
	st, def := &double{Store: newStore(t)}, boardOf("games", 1)
	b := newBoard(t, st, def, rankcurve.WithClock(newClock().Now))
	publish(t, st, def, 1, images)
	reading, goOn := hanging(st)
	began, cancel := context.WithCancel(ctx)
	left := make(chan error)
	go func() { _, err := b.Curve(began, "xp"); left <- err }()
	<-reading
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
	var waiting sync.WaitGroup
	for range 8 {
		waiting.Go(func() {
			if _, err := b.Curve(ctx, "xp"); err != nil {
				t.Error(err)
			}
		})
	}
	close(goOn)
	waiting.Wait()
	if polls, _ := st.asked(); polls != 1 {
		t.Errorf("%d polls, want 1", polls)
	}
}

// A Board has no Close: its polls end by themselves.
func TestPollsLeaveNoGoroutineBehind(t *testing.T) {
	st, def, now := &double{Store: newStore(t)}, boardOf("games", 1), newClock()
	publish(t, st, def, 1, images)
	leaks := goleak.IgnoreCurrent() // the store's own
	for range 20 {
		b := newBoard(t, st, def, rankcurve.WithClock(now.Now))
		for range 20 {
			if _, err := b.Curve(context.Background(), "xp"); err != nil {
				t.Fatal(err)
			}
			now.Advance(time.Minute)
		}
	}
	goleak.VerifyNone(t, leaks)
}

// What a background poll read is told to one caller.
func TestThePollsUsageIsToldOnce(t *testing.T) {
	ctx, now := context.Background(), newClock()
	st, def := newStore(t), boardOf("games", 1)
	b := newBoard(t, st, def, rankcurve.WithClock(now.Now))
	publish(t, st, def, 1, images)
	const polls = 5
	total := 0
	for range polls {
		told := false
		eventually(t, "the poll is told of", func() bool {
			for range 10 {
				_, u, err := b.RankOfScore(ctx, "xp", rankcurve.Estimate, 50)
				if err != nil {
					t.Fatal(err)
				}
				total += u.Requests
				told = told || u.Requests > 0
			}
			return told
		})
		now.Advance(time.Minute)
	}
	if total != polls {
		t.Errorf("%d polls were told as %d requests", polls, total)
	}
}

func TestACurveThatIsTooOldIsAnError(t *testing.T) {
	ctx, now := context.Background(), newClock()
	st, def := &double{Store: newStore(t)}, boardOf("games", 1)
	load(t, st, def, images)
	b := newBoard(t, st, def, rankcurve.WithClock(now.Now), rankcurve.WithMaxStaleness(time.Hour))
	publish(t, st, def, 1, images) // a minute old
	ask := func() error { _, err := b.ScoreAtRank(ctx, "xp", 1); return err }
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	now.Advance(59 * time.Minute) // an hour old
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	now.Advance(time.Second)
	eventually(t, "an hour and a second is too old", func() bool { return ask() != nil })
	err := ask()
	const want = "the curve of games.xp is 1h0m1s old, and 1h0m0s is allowed: run `rankcurve rebuild games`, or see why the worker does not"
	if !errors.Is(err, rankcurve.ErrStaleCurve) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want ErrStaleCurve: %s", err, want)
	}
	if _, err := b.Curve(ctx, "xp"); !errors.Is(err, rankcurve.ErrStaleCurve) {
		t.Errorf("Curve: %v, want ErrStaleCurve", err)
	}
	for _, mode := range []rankcurve.Mode{rankcurve.Auto, rankcurve.Exact} {
		answers, _, err := b.Rank(ctx, "xp", mode, "001")
		if err != nil || answers[0].Rank.Rank != 4 || answers[0].Of != 6 || !answers[0].Exact {
			t.Errorf("%s: %+v, %v, want 4 of 6, counted", mode, answers, err)
		}
	}

	st.curve = func() error { return store.ErrUnavailable }
	now.Advance(time.Hour)
	if err := ask(); !errors.Is(err, rankcurve.ErrStaleCurve) || !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), store.ErrUnavailable.Error()) {
		t.Errorf("%v, want ErrStaleCurve because of ErrUnavailable", err)
	}
}

// A process that was quiet for long has an old copy: it waits for the poll instead
// of refusing what the store could answer.
func TestACopyThatIsTooOldWaitsForTheNewer(t *testing.T) {
	ctx, now := context.Background(), newClock()
	st, def := newStore(t), boardOf("games", 1)
	b := newBoard(t, st, def, rankcurve.WithClock(now.Now), rankcurve.WithMaxStaleness(time.Hour))
	publish(t, st, def, 1, images)
	if _, err := b.Curve(ctx, "xp"); err != nil {
		t.Fatal(err)
	}
	now.Advance(2 * time.Hour)
	publishAsOf(t, st, def, 2, now.Now())
	if curve, err := b.Curve(ctx, "xp"); err != nil || curve.Meta().Generation != 2 {
		t.Errorf("%+v, %v, want generation 2", curve, err)
	}
}

func publishAsOf(t *testing.T, st store.Store, def store.Board, generation int64, asOf time.Time) {
	t.Helper()
	meta := predictor.Meta{Board: def.Name, Column: def.Columns[0].Name, Generation: generation, AsOf: asOf}
	_, data, err := predictor.Empty(meta)
	if err != nil {
		t.Fatal(err)
	}
	publishBytes(t, st, def, generation, data)
}

// A board that was made anew under its name, here in another store, has other curves,
// which count from 1 again. Who opened the old one learns of it within a minute.
func TestABoardMadeAnewHasItsOwnCurve(t *testing.T) {
	ctx, now, def := context.Background(), newClock(), boardOf("games", 1)
	st := &double{Store: newStore(t)}
	b := newBoard(t, st, def, rankcurve.WithClock(now.Now), rankcurve.WithCurvePoll(0))
	publish(t, st, def, 5, images)
	if curve, err := b.Curve(ctx, "xp"); err != nil || curve.Meta().Generation != 5 {
		t.Fatalf("%+v, %v", curve, err)
	}
	st.Store = newStore(t)
	newBoard(t, st, def)
	publish(t, st, def, 1, map[string]int64{"ann": 3})
	now.Advance(time.Minute)
	st.curve = func() error { return store.ErrUnavailable }
	for range 2 {
		if curve, err := b.Curve(ctx, "xp"); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%+v, %v, want ErrUnavailable: the old board's curve is none of this one's", curve, err)
		}
	}
	st.curve = nil
	if curve, err := b.Curve(ctx, "xp"); err != nil || curve.Meta().Generation != 1 || curve.Total() != 1 {
		t.Errorf("%+v, %v, want generation 1 of 1 entry", curve, err)
	}
}

// A registry that cannot be read changes nothing.
func TestARegistryThatIsAwayKeepsTheCurve(t *testing.T) {
	ctx, now, def := context.Background(), newClock(), boardOf("games", 1)
	st := &unregistered{Store: newStore(t)}
	b := newBoard(t, st, def, rankcurve.WithClock(now.Now), rankcurve.WithCurvePoll(0))
	publish(t, st, def, 1, images)
	if _, err := b.Curve(ctx, "xp"); err != nil {
		t.Fatal(err)
	}
	publish(t, st, def, 2, images)
	st.away = true
	for range 3 {
		now.Advance(time.Minute)
		if curve, err := b.Curve(ctx, "xp"); err != nil || curve.Meta().Generation != 2 {
			t.Errorf("%+v, %v, want generation 2", curve, err)
		}
	}
}

// unregistered is a store whose registry can go away.
type unregistered struct {
	store.Store
	away bool
}

func (u *unregistered) Board(ctx context.Context, name string) (store.Board, error) {
	if u.away {
		return store.Board{}, store.ErrUnavailable
	}
	return u.Store.Board(ctx, name)
}
