package rankcurve_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// Between tries there are pauses that differ from writer to writer: drawn from 0 up to a
// bound that doubles with each try.
func TestPausesBetweenTries(t *testing.T) {
	const tries, calls = 10, 50
	ctx := context.Background()
	p := rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}}
	for name, call := range map[string]func(b *rankcurve.Board) error{
		"Post": func(b *rankcurve.Board) error { _, err := b.Post(ctx, p); return err },
		"PostAll": func(b *rankcurve.Board) error {
			_, errs, err := b.PostAll(ctx, []rankcurve.Post{p})
			return errors.Join(append(errs, err)...)
		},
	} {
		var pauses []time.Duration
		b := newBoard(t, &contested{Store: newStore(t)}, runs, rankcurve.WithSleep(func(_ context.Context, d time.Duration) error {
			pauses = append(pauses, d)
			return nil
		}))
		most, seen := [tries - 1]time.Duration{}, map[time.Duration]bool{}
		for range calls {
			pauses = pauses[:0]
			if err := call(b); !errors.Is(err, store.ErrConflict) {
				t.Fatal(err)
			}
			if len(pauses) != tries-1 {
				t.Fatalf("%s: %d pauses between %d tries", name, len(pauses), tries)
			}
			for i, d := range pauses {
				if bound := time.Millisecond << i; d < 0 || d >= bound {
					t.Errorf("%s: a pause of %s after try %d, want one below %s", name, d, i+1, bound)
				}
				most[i] = max(most[i], d)
			}
			seen[pauses[tries-2]] = true
		}
		for i, d := range most { // by chance once in 2^50
			if half := time.Millisecond << i / 2; d < half {
				t.Errorf("%s: of %d pauses after try %d the longest is %s, want one beyond %s", name, calls, i+1, d, half)
			}
		}
		if len(seen) < calls/2 {
			t.Errorf("%s: the last pauses are of %d lengths, want them all to differ", name, len(seen))
		}
	}
}
