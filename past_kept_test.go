package rankcurve_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
)

// An expiring store deletes kept curves as soon as they may go, as DynamoDB does some day.
type expiring struct {
	store.Store
	clock *clock
	kept  []store.Archived
}

func (e *expiring) Archive(ctx context.Context, k store.CurveKey, a store.Archived) (store.Usage, error) {
	e.kept = append(e.kept, a)
	return e.Store.Archive(ctx, k, a)
}

// sweep deletes what has expired.
func (e *expiring) sweep(t tester, k store.CurveKey) {
	e.kept = slices.DeleteFunc(e.kept, func(a store.Archived) bool {
		if a.Expires.After(e.clock.Now()) {
			return false
		}
		if _, _, err := e.PruneArchive(context.Background(), k, a.AsOf.Add(time.Millisecond)); err != nil {
			t.Fatalf("%v", err)
		}
		return true
	})
}

// Whatever is asked of the last hour is answered, however rare refreshes are: by the curve
// that was in force then, or where one is kept of each stretch, by none of before the
// stretch before.
func TestThePastReachesBackAsFarAsCurvesAreKept(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		boards, steps := 0, 20
		if checksInAHundred(t, 50); !on.sorted {
			checksInAHundred(t, 4)
			steps = 6
		}
		rapid.Check(t, func(t *rapid.T) {
			boards++
			o := jobs.Options{Keep: time.Hour, KeepEvery: rapid.SampledFrom([]time.Duration{0, time.Second, 5 * time.Minute, time.Hour, 3 * time.Hour}).Draw(t, "every")}
			gaps := rapid.SliceOfN(rapid.SampledFrom([]time.Duration{
				time.Millisecond, 999 * time.Millisecond, time.Minute, 20 * time.Minute, time.Hour - time.Millisecond, time.Hour, time.Hour + time.Millisecond, 7 * 24 * time.Hour,
			}), 1, steps).Draw(t, "gaps")
			wantPast(t, on, fmt.Sprintf("kept%d", boards), o, gaps)
		})
	})
}

// wantPast refreshes a board after these times, and asks what there is to ask each time.
func wantPast(t tester, on backend, name string, o jobs.Options, gaps []time.Duration) {
	ctx := context.Background()
	st := &expiring{Store: on, clock: newClock()}
	def := boardOf(name, 1, store.Column{Name: "xp", Order: store.Desc, Operator: store.Set})
	b, err := rankcurve.New(ctx, st, def, rankcurve.WithClock(st.clock.Now), rankcurve.WithCurvePoll(0))
	if err != nil {
		t.Fatalf("%v", err)
	}
	times := make([]time.Time, 0, len(gaps))
	r := jobs.Refresher{Store: st, Holder: "test", Now: st.clock.Now}
	for _, gap := range gaps {
		times = append(times, st.clock.Now())
		if _, err := r.Refresh(ctx, def, "", o); err != nil {
			t.Fatalf("%v", err)
		}
		wantAnswers(t, b, times, st.clock.Now(), o)
		st.clock.Advance(gap)
		st.sweep(t, b.Definition().CurveKey("xp"))
		wantAnswers(t, b, times, st.clock.Now(), o)
	}
}

// wantAnswers asks for the times of refreshes and those just before, from so long ago on.
func wantAnswers(t tester, b *rankcurve.Board, refreshed []time.Time, now time.Time, o jobs.Options) {
	since := now.Add(-o.Keep)
	asked := make([]time.Time, 0, 2+2*len(refreshed))
	asked = append(asked, now, since)
	for _, at := range refreshed {
		asked = append(asked, at, at.Add(-time.Millisecond))
	}
	for _, at := range asked {
		if at.Before(since) || at.Before(refreshed[0]) {
			continue
		}
		past, _, err := b.At(context.Background(), "", at)
		if err != nil {
			t.Fatalf("%s ago, of %s: %v", now.Sub(at), o.Keep, err)
		}
		asOf, from := past.Curve().Meta().AsOf, at // in force, or so old at most
		if o.KeepEvery > 0 {
			from = at.Truncate(o.KeepEvery).Add(-time.Millisecond) // the stretch before
		}
		oldest := refreshed[0]
		for _, r := range refreshed {
			if !r.After(from) {
				oldest = r
			}
		}
		if !slices.ContainsFunc(refreshed, asOf.Equal) || asOf.After(at) || asOf.Before(oldest) {
			t.Fatalf("%s ago: by the curve of %s, want none of before %s", now.Sub(at), asOf, oldest)
		}
	}
}
