package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
)

// A pastBoard is refreshed every ten minutes, and remembers what it was like each time.
type pastBoard struct {
	*rankcurve.Board
	clock *clock
	store store.Store
	then  map[time.Time]scores
}

func newPastBoard(t *testing.T, st store.Store, order store.Order) *pastBoard {
	t.Helper()
	p := &pastBoard{clock: newClock(), store: st, then: map[time.Time]scores{}}
	def := boardOf("games", 3, store.Column{Name: "xp", Order: order, Operator: store.Set})
	p.Board = newBoard(t, st, def, rankcurve.WithClock(p.clock.Now), rankcurve.WithCurvePoll(0))
	return p
}

// refresh stores scores, publishes their curve and lets ten minutes pass.
func (p *pastBoard) refresh(t *testing.T, now scores, o jobs.Options) time.Time {
	t.Helper()
	load(t, p.store, p.Definition(), now)
	asOf := p.clock.Now()
	r := jobs.Refresher{Store: p.store, Holder: "test", Now: p.clock.Now}
	if _, err := r.Refresh(context.Background(), p.Definition(), "", o); err != nil {
		t.Fatal(err)
	}
	p.then[asOf] = maps.Clone(now)
	p.clock.Advance(10 * time.Minute)
	return asOf
}

func TestThePast(t *testing.T) {
	ctx := context.Background()
	for _, order := range []store.Order{store.Desc, store.Asc} {
		onBackends(t, func(t *testing.T, on backend) {
			t.Helper()
			p := newPastBoard(t, on, order)
			column := p.Definition().Columns[0]
			all := scores{}
			times := make([]time.Time, 0, 5)
			for round := range 5 {
				for i := range 60 {
					all[fmt.Sprintf("player-%02d", i)] = int64((i*37 + round*i*11) % 90)
				}
				times = append(times, p.refresh(t, all, jobs.Options{Keep: time.Hour}))
			}
			for _, asOf := range times {
				past, _, err := p.At(ctx, "", asOf)
				if err != nil || !past.Curve().Meta().AsOf.Equal(asOf) || !past.At().Equal(asOf) {
					t.Fatalf("%s: %v", asOf, err)
				}
				for score := int64(-1); score < 95; score += 4 {
					r, err := past.RankOfScore(score)
					if want := rankAmong(column, p.then[asOf], score); err != nil || r.Low > want || r.High < min(want, r.Of) || r.Of < 60 || !r.AsOf.Equal(asOf) || r.Exact {
						t.Errorf("score %d at %s: %+v, %v, want %d", score, asOf, r, err, want)
					}
				}
				rows := oracle(column, p.then[asOf])
				for _, at := range []int{0, 17, 59} {
					s, err := past.ScoreAtRank(int64(at) + 1)
					if err != nil || s.Score != rows[at].Score || !s.AsOf.Equal(asOf) {
						t.Errorf("rank %d at %s: %+v, %v, want %d", at+1, asOf, s, err, rows[at].Score)
					}
				}
				half, err := past.ScoreAtPercent(50)
				if err != nil || half.Rank != 30 || half.Score != rows[29].Score {
					t.Errorf("%+v, %v", half, err)
				}
				answers, _, err := past.Rank(ctx, "player-07", "nobody", "#x")
				if err != nil || !errors.Is(answers[1].Err, store.ErrNotFound) || !errors.Is(answers[2].Err, store.ErrInvalid) || answers[1].Owner != "nobody" {
					t.Fatal(answers, err)
				}
				want := rankAmong(column, p.then[asOf], all["player-07"]) // by the score of now
				if a := answers[0]; a.Err != nil || a.Owner != "player-07" || a.Score != all["player-07"] || a.Low > want || a.High < want {
					t.Errorf("%+v, want %d", a, want)
				}
			}
			later, _, err := p.At(ctx, "xp", times[2].Add(9*time.Minute))
			if err != nil || !later.Curve().Meta().AsOf.Equal(times[2]) {
				t.Errorf("nine minutes after a curve: %v", err)
			}
			now, _, err := p.At(ctx, "xp", p.clock.Now())
			if err != nil || !now.Curve().Meta().AsOf.Equal(times[4]) {
				t.Errorf("now: %v", err)
			}
			p.wantHistory(t, 40, time.Time{}, time.Time{}, times...)
			p.wantHistory(t, 40, times[1], times[3], times[1:4]...)
			p.wantHistory(t, 40, times[3].Add(time.Millisecond), time.Time{}, times[4])
			p.wantHistory(t, 40, times[4].Add(time.Millisecond), time.Time{})
		})
	}
}

// wantHistory wants the rank of a score by curves of these times.
func (p *pastBoard) wantHistory(t *testing.T, score int64, from, to time.Time, want ...time.Time) {
	t.Helper()
	answers, _, err := p.History(context.Background(), "", score, from, to)
	if err != nil || len(answers) != len(want) {
		t.Errorf("history from %s to %s: %d answers %+v, %v; want %d", from, to, len(answers), answers, err, len(want))
		return
	}
	for i, a := range answers {
		rank := rankAmong(p.Definition().Columns[0], p.then[want[i]], score)
		if a.Err != nil || !a.AsOf.Equal(want[i]) || a.Low > rank || a.High < rank || a.Score != score || a.Generation == 0 {
			t.Errorf("answer %d: %+v, want rank %d as of %s", i, a, rank, want[i])
		}
	}
}

// The published curve answers for the times from its own on, be it kept or not.
func TestThePastWithoutHistory(t *testing.T) {
	ctx := context.Background()
	p := newPastBoard(t, newStore(t), store.Desc)
	_, _, err := p.At(ctx, "", p.clock.Now())
	wantText(t, err, rankcurve.ErrNoCurve, "no curve of games.xp as of 2026-11-20T12:00:00Z or before is kept, nor any other: refreshes keep those that they replace, one of each refresh.history.every, while refresh.history.keep is not 0")
	if answers, _, err := p.History(ctx, "", 1, time.Time{}, time.Time{}); err != nil || len(answers) != 0 {
		t.Error(answers, err)
	}
	asOf := p.refresh(t, scores{"ann": 1, "bob": 2}, jobs.Options{})
	past, _, err := p.At(ctx, "", asOf)
	if err != nil || !past.Curve().Meta().AsOf.Equal(asOf) {
		t.Error(err)
	}
	p.wantHistory(t, 1, time.Time{}, time.Time{}, asOf)
	p.wantHistory(t, 1, time.Time{}, asOf.Add(-time.Millisecond))
	_, _, err = p.At(ctx, "", asOf.Add(-time.Millisecond))
	wantText(t, err, rankcurve.ErrNoCurve, "as of 2026-11-20T11:59:59.999Z or before is kept, and the published one is as of 2026-11-20T12:00:00Z: refreshes keep")
	wantText(t, err, store.ErrNotFound, "")

	p.refresh(t, scores{"ann": 5}, jobs.Options{Keep: time.Hour}) // the first is kept when it is replaced
	p.wantHistory(t, 5, time.Time{}, time.Time{}, asOf, asOf.Add(10*time.Minute))
	p.refresh(t, scores{"ann": 6}, jobs.Options{}) // none is any more
	p.wantHistory(t, 5, time.Time{}, time.Time{}, asOf.Add(20*time.Minute))
	p.refresh(t, scores{"ann": 7}, jobs.Options{Keep: time.Hour, KeepEvery: 24 * time.Hour})
	last := p.refresh(t, scores{"ann": 8}, jobs.Options{Keep: time.Hour, KeepEvery: 24 * time.Hour}) // what it replaces is not kept
	p.wantHistory(t, 5, time.Time{}, time.Time{}, asOf.Add(20*time.Minute), last)
	if past, _, err := p.At(ctx, "", p.clock.Now()); err != nil || !past.Curve().Meta().AsOf.Equal(last) {
		t.Error(err)
	}
	if past, _, err := p.At(ctx, "", last.Add(-time.Millisecond)); err != nil || !past.Curve().Meta().AsOf.Equal(asOf.Add(20*time.Minute)) {
		t.Error(err)
	}
	_, _, err = p.At(ctx, "", asOf)
	wantText(t, err, store.ErrNotFound, "no curve of games.xp as of 2026-11-20T12:00:00Z or before is kept: the oldest is as of 2026-11-20T12:20:00Z")
	_, _, err = p.At(ctx, "", p.clock.Now().Add(time.Second))
	wantText(t, err, store.ErrInvalid, "2026-11-20T12:50:01Z is in the future")
	_, _, err = p.History(ctx, "", 1, asOf.Add(time.Second), asOf)
	wantText(t, err, store.ErrInvalid, "2026-11-20T12:00:00Z is before 2026-11-20T12:00:01Z")
	_, _, err = p.History(ctx, "gold", 1, asOf, asOf)
	wantText(t, err, store.ErrNoColumn, "gold")
}

func wantText(t *testing.T, err, is error, texts ...string) {
	t.Helper()
	if !errors.Is(err, is) {
		t.Errorf("%v, want %v", err, is)
	}
	for _, text := range texts {
		if err != nil && !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want it to say %q", err, text)
		}
	}
}

// A damaged kept curve is said to be so, and stands in nobody's way.
func TestAKeptCurveThatIsDamaged(t *testing.T) {
	ctx := context.Background()
	p := newPastBoard(t, newStore(t), store.Desc)
	first := p.refresh(t, scores{"ann": 1, "bob": 2}, jobs.Options{Keep: time.Hour})
	bad := first.Add(5 * time.Minute)
	key := p.Definition().CurveKey("xp")
	if _, err := p.store.Archive(ctx, key, store.Archived{AsOf: bad, Generation: 77, Data: []byte("no curve")}); err != nil {
		t.Fatal(err)
	}
	last := p.refresh(t, scores{"ann": 3}, jobs.Options{Keep: time.Hour})
	_, _, err := p.At(ctx, "", bad.Add(time.Minute))
	wantText(t, err, rankcurve.ErrBadCurve, "kept as of 2026-11-20T12:05:00Z is damaged")
	if past, _, err := p.At(ctx, "", bad.Add(-time.Millisecond)); err != nil || !past.Curve().Meta().AsOf.Equal(first) {
		t.Error(err)
	}
	answers, _, err := p.History(ctx, "", 2, time.Time{}, time.Time{})
	if err != nil || len(answers) != 3 || !errors.Is(answers[1].Err, rankcurve.ErrBadCurve) || !answers[1].AsOf.Equal(bad) || answers[1].Generation != 77 || answers[2].Err != nil || !answers[2].AsOf.Equal(last) {
		t.Errorf("%+v, %v", answers, err)
	}
}

// A history is read to its end, in pages.
func TestALongHistory(t *testing.T) {
	ctx := context.Background()
	p := newPastBoard(t, newStore(t), store.Desc)
	times := make([]time.Time, 0, 150)
	for i := range 150 {
		times = append(times, p.refresh(t, scores{"ann": int64(i), "bob": 70}, jobs.Options{Keep: 100 * time.Hour}))
	}
	p.wantHistory(t, 69, time.Time{}, time.Time{}, times...)
	_, usage, err := p.History(ctx, "", 69, times[10], times[20])
	if err != nil || usage.ReadUnits() > 10 {
		t.Errorf("eleven small curves took %+v, %v", usage, err)
	}
}

// Curves of neighbouring milliseconds are all there, at the seams of pages too.
func TestADenseHistory(t *testing.T) {
	ctx := context.Background()
	p := newPastBoard(t, newStore(t), store.Desc)
	from := p.refresh(t, scores{"ann": 1, "bob": 2}, jobs.Options{})
	key := p.Definition().CurveKey("xp")
	published, _, err := p.store.Curve(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	times := []time.Time{from}
	for i := range 140 {
		asOf := from.Add(time.Duration(i-150) * time.Millisecond)
		data, err := predictor.Restamp(published.Data, int64(i+2), asOf)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.store.Archive(ctx, key, store.Archived{AsOf: asOf, Generation: int64(i + 2), Data: data}); err != nil {
			t.Fatal(err)
		}
		p.then[asOf] = p.then[from]
		times = slices.Insert(times, i, asOf)
	}
	p.wantHistory(t, 1, time.Time{}, time.Time{}, times...)
}

// The past is asked about its own time, so no age of a curve is too old for it.
func TestThePastIsNeverTooOld(t *testing.T) {
	ctx := context.Background()
	p := newPastBoard(t, newStore(t), store.Desc)
	asOf := p.refresh(t, scores{"ann": 1, "bob": 2}, jobs.Options{}) // published and not kept, and now ten minutes old
	for _, poll := range []time.Duration{0, time.Hour} {
		b, err := rankcurve.Open(ctx, p.store, "games", rankcurve.WithClock(p.clock.Now), rankcurve.WithCurvePoll(poll), rankcurve.WithMaxStaleness(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // with and without a copy
			if _, err := b.Curve(ctx, ""); !errors.Is(err, rankcurve.ErrStaleCurve) {
				t.Errorf("%v, want ErrStaleCurve", err)
			}
			if past, _, err := b.At(ctx, "", p.clock.Now()); err != nil || !past.Curve().Meta().AsOf.Equal(asOf) {
				t.Errorf("at: %v", err)
			}
			if answers, _, err := b.History(ctx, "", 1, time.Time{}, time.Time{}); err != nil || len(answers) != 1 || answers[0].Rank.Rank != 2 {
				t.Errorf("history: %v, %v", answers, err)
			}
		}
	}
}

// The answers are of the time that was asked for: they follow the curve's forecast, and
// the band is that of its age then, whatever the time is now.
func TestThePastIsOfTheTimeAskedFor(t *testing.T) {
	p := newPastBoard(t, newStore(t), store.Desc)
	all := scores{}
	var asOf time.Time
	for round := range 3 { // ten more every ten minutes
		for i := range 10 * (round + 1) {
			all[fmt.Sprint("player-", i)] = int64(i)
		}
		asOf = p.refresh(t, all, jobs.Options{Keep: time.Hour})
	}
	p.clock.Advance(3 * time.Hour)
	p.wantOfItsTime(t, asOf) // as the published one
	p.refresh(t, all, jobs.Options{Keep: 24 * time.Hour})
	p.wantOfItsTime(t, asOf) // as a kept one
}

// wantOfItsTime wants what the curve of 30 entries tells of later times, which come nearer
// to its forecast for ten minutes.
func (p *pastBoard) wantOfItsTime(t *testing.T, asOf time.Time) {
	t.Helper()
	of := map[int64]bool{}
	for _, age := range []time.Duration{0, 5 * time.Minute, 10 * time.Minute, 40 * time.Minute} {
		past, _, err := p.At(context.Background(), "", asOf.Add(age))
		if err != nil || !past.Curve().Meta().AsOf.Equal(asOf) {
			t.Fatal(err)
		}
		at := past.Curve().Estimate(4, age)
		r, err := past.RankOfScore(4)
		if total := past.Curve().TotalAt(age); err != nil || r.Of != total || r.Rank != at.Better+1 || r.Low != at.Low+1 || r.High != min(at.High+1, total) {
			t.Errorf("%s after: %+v, %v, want %+v of %d", age, r, err, at, total)
		}
		owners, _, err := past.Rank(context.Background(), "player-4")
		if err != nil || owners[0].Of != r.Of || owners[0].Low != r.Low || owners[0].High != r.High {
			t.Errorf("%s after: %+v, %v, want %+v", age, owners, err, r)
		}
		s, err := past.ScoreAtRank(3)
		if err != nil || s.Of != r.Of || s.Score != past.Curve().KeyAt(3, age) {
			t.Errorf("%s after: %+v, %v", age, s, err)
		}
		half, err := past.ScoreAtPercent(50)
		if err != nil || half.Of != r.Of || half.Rank != (r.Of+1)/2 {
			t.Errorf("%s after: %+v, %v", age, half, err)
		}
		of[r.Of] = true
	}
	if len(of) != 3 || !of[30] { // the forecast goes on for ten minutes
		t.Errorf("of %v, want 30, and more five and ten minutes later", of)
	}
}

// What a message says of a time can be asked for again.
func TestThePastIsToldToTheMillisecond(t *testing.T) {
	ctx := context.Background()
	p := newPastBoard(t, newStore(t), store.Desc)
	p.clock.Advance(250 * time.Millisecond)
	asOf := p.refresh(t, scores{"ann": 1}, jobs.Options{Keep: time.Hour})
	p.refresh(t, scores{"ann": 2}, jobs.Options{Keep: time.Hour})
	_, _, err := p.At(ctx, "", asOf.Add(-time.Millisecond))
	wantText(t, err, store.ErrNotFound, "as of 2026-11-20T12:00:00.249Z or before is kept: the oldest is as of 2026-11-20T12:00:00.250Z")
	_, _, err = p.store.CurveAt(ctx, p.Definition().CurveKey("xp"), asOf.Add(-time.Millisecond))
	wantText(t, err, store.ErrNotFound, "as of 2026-11-20T12:00:00.249Z or before")
	if _, _, err := p.At(ctx, "", asOf); err != nil {
		t.Error(err)
	}
}
