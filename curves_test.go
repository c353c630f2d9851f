package rankcurve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

func TestCurveIsPolled(t *testing.T) {
	ctx, now := context.Background(), newClock()
	st, def := &double{Store: newStore(t)}, boardOf("games", 1)
	b := newBoard(t, st, def, rankcurve.WithClock(now.Now), rankcurve.WithCurvePoll(time.Minute))
	generationIs := func(want int64, polls int) {
		t.Helper()
		curve, err := b.Curve(ctx, "xp")
		if asked, _ := st.asked(); err != nil || curve.Meta().Generation != want || asked != polls {
			t.Fatalf("%+v, %v after %d polls, want generation %d after %d", curve, err, asked, want, polls)
		}
	}
	if _, err := b.Curve(ctx, "xp"); !errors.Is(err, rankcurve.ErrNoCurve) {
		t.Fatalf("%v, want ErrNoCurve", err)
	}
	publish(t, st, def, 1, images)
	if _, err := b.Curve(ctx, "xp"); !errors.Is(err, rankcurve.ErrNoCurve) {
		t.Fatalf("%v: polled too early", err)
	}
	now.Advance(time.Minute)
	generationIs(1, 2)
	publish(t, st, def, 2, images)
	generationIs(1, 2)
	now.Advance(time.Minute)
	generationBecomes(t, b, 2)
	generationIs(2, 3)
	now.Advance(-time.Hour) // a clock that was set back polls
	publish(t, st, def, 3, images)
	generationBecomes(t, b, 3)
	generationIs(3, 4)
	now.Advance(2 * time.Minute)
	st.curve = func() error { return store.ErrUnavailable }
	generationBecomes(t, b, 3)
	eventually(t, "the poll has been made", func() bool { polls, _ := st.asked(); return polls == 5 })
	generationIs(3, 5)
}

// generationBecomes asks for the curve until a background poll has brought it.
func generationBecomes(t *testing.T, b *rankcurve.Board, want int64) {
	t.Helper()
	eventually(t, fmt.Sprintf("the curve is of generation %d", want), func() bool {
		curve, err := b.Curve(context.Background(), "")
		if err != nil {
			t.Fatal(err)
		}
		return curve.Meta().Generation == want
	})
}

// eventually waits for what other goroutines are about to do.
func eventually(t *testing.T, what string, check func() bool) {
	t.Helper()
	const patience = 20 * time.Second
	for deadline := time.Now().Add(patience); !check(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %s it is not yet so: %s", patience, what)
		}
	}
}

// An older generation, as a cache may hold it, does not replace a newer one.
func TestCurveIsNeverReplacedByAnOlderOne(t *testing.T) {
	ctx, newer, older := context.Background(), newStore(t), newStore(t)
	def := boardOf("games", 1)
	st := &switched{Store: newer}
	b := newBoard(t, st, def, rankcurve.WithCurvePoll(0))
	publish(t, newer, def, 8, images)
	publish(t, older, def, 7, images)
	for _, from := range []store.Store{newer, older, newer} {
		st.curves = from
		if curve, err := b.Curve(ctx, "xp"); err != nil || curve.Meta().Generation != 8 {
			t.Errorf("%+v, %v, want generation 8", curve, err)
		}
	}
}

// switched reads curves from another store.
type switched struct {
	store.Store
	curves store.Store
}

func (s *switched) Curve(ctx context.Context, k store.CurveKey) (store.Published, store.Usage, error) {
	return s.curves.Curve(ctx, k)
}

func TestDamagedCurve(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 3)
	other := boardOf("other", 3)
	publish(t, st, other, 1, images)
	foreign, _, err := st.Curve(ctx, store.CurveKey{Board: "other", Column: "xp"})
	if err != nil {
		t.Fatal(err)
	}
	load(t, st, def, images)
	for i, data := range [][]byte{nil, []byte("no curve"), foreign.Data[:len(foreign.Data)-1], bytes.Replace(foreign.Data, []byte("other"), []byte("games"), 1), foreign.Data} {
		publishBytes(t, st, def, int64(i)+1, data)
		b := newBoard(t, st, def)
		for name, call := range map[string]func() error{
			"Curve":       func() error { _, err := b.Curve(ctx, "xp"); return err },
			"Estimate":    func() error { _, _, err := b.Rank(ctx, "xp", rankcurve.Estimate, "001"); return err },
			"ScoreAtRank": func() error { _, err := b.ScoreAtRank(ctx, "xp", 1); return err },
		} {
			if err := call(); !errors.Is(err, rankcurve.ErrBadCurve) || !strings.Contains(err.Error(), "run `rankcurve rebuild games`") {
				t.Errorf("%s of damaged curve %d: %v, want ErrBadCurve that says what to run", name, i, err)
			}
		}
		for _, mode := range []rankcurve.Mode{rankcurve.Auto, rankcurve.Exact} {
			answers, _, err := b.Rank(ctx, "xp", mode, "001")
			if err != nil || answers[0].Rank.Rank != 4 || answers[0].Of != 6 || !answers[0].Exact {
				t.Errorf("%s, damaged curve %d: %+v, %v, want 4 of 6, counted", mode, i, answers, err)
			}
		}
	}
}

func TestGoodCurveStaysWhenTheNewOneIsDamaged(t *testing.T) {
	ctx, st, def := context.Background(), newStore(t), boardOf("games", 1)
	b := newBoard(t, st, def, rankcurve.WithCurvePoll(0))
	publish(t, st, def, 1, images)
	if _, err := b.Curve(ctx, "xp"); err != nil {
		t.Fatal(err)
	}
	publishBytes(t, st, def, 2, []byte("damaged"))
	if curve, err := b.Curve(ctx, "xp"); err != nil || curve.Meta().Generation != 1 {
		t.Errorf("%+v, %v, want generation 1", curve, err)
	}
	publish(t, st, def, 3, images)
	if curve, err := b.Curve(ctx, "xp"); err != nil || curve.Meta().Generation != 3 {
		t.Errorf("%+v, %v, want generation 3", curve, err)
	}
}

func TestUnreachableStoreIsNotANoCurve(t *testing.T) {
	ctx, st := context.Background(), &double{Store: newStore(t), curve: func() error { return store.ErrUnavailable }}
	b := newBoard(t, st, boardOf("games", 1))
	for _, mode := range []rankcurve.Mode{rankcurve.Estimate, rankcurve.Auto} {
		if _, _, err := b.RankOfScore(ctx, "xp", mode, 1); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, rankcurve.ErrNoCurve) {
			t.Errorf("%s: %v, want ErrUnavailable", mode, err)
		}
	}
	st.curve = nil
	if _, err := b.Curve(ctx, "xp"); !errors.Is(err, rankcurve.ErrNoCurve) {
		t.Errorf("%v, want ErrNoCurve: a failed poll is not kept", err)
	}
}

func TestManyAskersMakeOnePoll(t *testing.T) {
	st, def := &double{Store: newStore(t)}, boardOf("games", 1)
	b := newBoard(t, st, def, rankcurve.WithClock(newClock().Now))
	publish(t, st, def, 1, images)
	var asking sync.WaitGroup
	curves := make([]*predictor.Curve, 32)
	for i := range curves {
		asking.Go(func() { curves[i], _ = b.Curve(context.Background(), "xp") })
	}
	asking.Wait()
	for _, curve := range curves {
		if curve == nil || curve != curves[0] {
			t.Fatal("not all have the same curve")
		}
	}
	if polls, _ := st.asked(); polls != 1 {
		t.Errorf("%d polls, want 1", polls)
	}
}
