package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

var keptFrom = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// kept are the generations that the history has, oldest first, each with its minute.
func kept(t *testing.T, st store.Store, key store.CurveKey) string {
	t.Helper()
	found, _, err := st.CurvesBetween(context.Background(), key, time.UnixMilli(0), time.UnixMilli(store.MaxArchived), 0)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, a := range found {
		curve, err := predictor.Decode(a.Data)
		if err != nil || !curve.Meta().AsOf.Equal(a.AsOf) || curve.Meta().Generation != a.Generation {
			t.Errorf("kept %d as of %s: %+v, %v", a.Generation, a.AsOf, curve.Meta(), err)
		}
		text += fmt.Sprintf("%d@%v ", a.Generation, a.AsOf.Sub(keptFrom).Minutes())
	}
	return text
}

// Refreshes of each minute given, with these options.
func refreshAt(t *testing.T, st store.Store, o jobs.Options, minutes ...float64) {
	t.Helper()
	for _, minute := range minutes {
		now := keptFrom.Add(time.Duration(minute * float64(time.Minute)))
		r := jobs.Refresher{Store: st, Holder: "a", Now: func() time.Time { return now }}
		if _, err := r.Refresh(context.Background(), games, "", o); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPublishedCurvesAreKept(t *testing.T) {
	st := newGames(t, 300)
	refreshAt(t, st, jobs.Options{}, 0)
	if got := kept(t, st, gamesKey); got != "" {
		t.Errorf("kept %s, and none was to be", got)
	}
	all := jobs.Options{Keep: 10 * time.Minute}
	refreshAt(t, st, all, 1, 2, 3.5, 11)
	if got := kept(t, st, gamesKey); got != "1@0 2@1 3@2 4@3.5 " { // by the refresh before, nothing is ten minutes old
		t.Errorf("kept %s", got)
	}
	refreshAt(t, st, all, 12.5, 12.6) // ten minutes ago, at 2.6, that of 2 was the newest
	if got := kept(t, st, gamesKey); got != "3@2 4@3.5 5@11 6@12.5 " {
		t.Errorf("kept %s", got)
	}
	some := jobs.Options{Keep: time.Hour, KeepEvery: 5 * time.Minute}
	refreshAt(t, st, some, 13, 14, 15, 16, 19.99, 27, 29, 30)
	if got := kept(t, st, gamesKey); got != "3@2 4@3.5 5@11 6@12.5 9@14 12@19.99 14@29 " {
		t.Errorf("kept %s: of each five minutes the last", got)
	}
	refreshAt(t, st, jobs.Options{}, 31)
	if got := kept(t, st, gamesKey); got != "" {
		t.Errorf("kept %s, and none is to be any more", got)
	}
}

// A clock that is a year ahead for one refresh deletes no past. It goes on where it was.
func TestAClockThatIsFarAheadDeletesNoPast(t *testing.T) {
	const year = 365 * 24 * 60
	st := newGames(t, 300)
	month := jobs.Options{Keep: 30 * 24 * time.Hour}
	refreshAt(t, st, month, 0, 5, 10, year, 15, 20)
	if got := kept(t, st, gamesKey); !strings.HasPrefix(got, "1@0 2@5 3@10 5@15 ") {
		t.Errorf("kept %s", got)
	}
}

// The first curve that is replaced is kept at once, though it is not the last of its day.
func TestThereIsAPastFromTheSecondRefreshOn(t *testing.T) {
	st := newGames(t, 300)
	daily := jobs.Options{Keep: 100 * 24 * time.Hour, KeepEvery: 24 * time.Hour}
	refreshAt(t, st, daily, 0, 1, 2, 3)
	if got := kept(t, st, gamesKey); got != "1@0 " {
		t.Errorf("kept %s", got)
	}
	refreshAt(t, st, daily, 12*60, 12*60+1)
	if got := kept(t, st, gamesKey); got != "1@0 4@3 " {
		t.Errorf("kept %s", got)
	}
}

// With 48 hours and 5 minutes, and one of each, there are 577 at most; here 12 times less.
func TestHowManyCurvesAreKept(t *testing.T) {
	for _, every := range []time.Duration{time.Minute, 100 * time.Second, 5 * time.Minute, 7 * time.Minute} {
		st := newGames(t, 2)
		o, most := jobs.Options{Keep: 4 * time.Hour, KeepEvery: 5 * time.Minute}, 0
		for at := time.Duration(0); at < 10*time.Hour; at += every {
			refreshAt(t, st, o, at.Minutes())
			most = max(most, strings.Count(kept(t, st, gamesKey), "@"))
		}
		if most > 4*12+1 || every <= o.KeepEvery && most < 4*12 {
			t.Errorf("every %s: %d curves are kept, and 49 are to be at most", every, most)
		}
	}
}

// A refresh that finds the board as it was publishes the curve again: it is kept as well.
func TestACurvePublishedAgainIsKept(t *testing.T) {
	var still atomic.Int64
	st, b := large(t, &still), named("large")
	b.Shards = 16
	now := keptFrom
	r := jobs.Refresher{Store: st, Holder: "a", Now: func() time.Time { return now }}
	outcomes := map[jobs.Outcome]int{}
	for range 4 {
		o := jobs.Options{Method: sampler.Counted, Keep: time.Hour}
		report, err := r.Tick(context.Background(), b, "", jobs.Tick{Due: now, Interval: time.Minute, IdleMax: time.Minute}, o)
		if err != nil {
			t.Fatal(err)
		}
		outcomes[report.Outcome]++
		now = now.Add(time.Minute)
	}
	if got := kept(t, st, b.CurveKey(b.Columns[0].Name)); got != "1@0 2@1 3@2 " || outcomes[jobs.Unchanged] == 0 {
		t.Errorf("kept %s after %v", got, outcomes)
	}
}

// forgetful is a store that keeps no history.
type forgetful struct{ store.Store }

func (forgetful) Archive(context.Context, store.CurveKey, store.Archived) (store.Usage, error) {
	return store.Usage{}, errors.New("no room")
}

func (forgetful) PruneArchive(context.Context, store.CurveKey, time.Time) (int, store.Usage, error) {
	return 0, store.Usage{}, errors.New("no way")
}

func TestARefreshIsDoneThoughItsCurveCannotBeKept(t *testing.T) {
	st := newGames(t, 300)
	var log bytes.Buffer
	r := jobs.Refresher{Store: forgetful{st}, Holder: "a", Log: slog.New(slog.NewTextHandler(&log, nil))}
	for _, keep := range []time.Duration{time.Hour, time.Hour, 0} {
		if _, err := r.Refresh(context.Background(), games, "", jobs.Options{Keep: keep}); err != nil {
			t.Fatal(err)
		}
	}
	published(t, st)
	for _, want := range []string{"level=WARN", "not kept", "no room", "not deleted", "no way", "curve=games.time"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}
}
