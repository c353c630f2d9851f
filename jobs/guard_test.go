package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
)

// Workers that all wake at the same second do not all begin then.
func TestTicksBeginSpreadOverTheJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := make([]string, 0, 30)
		for i := range 30 {
			names = append(names, fmt.Sprintf("board-%d", i))
		}
		st := newBoards(t, 5, names...)
		time.Sleep(time.Minute)
		s := settled(jobs.Plan{Schedule: schedule(t, "@every 10m")})
		s.Jitter = 40 * time.Second
		h := newHand(t, st, s).work()
		time.Sleep(15 * time.Minute)
		h.stop()
		due := time.Date(2000, 1, 1, 0, 10, 0, 0, time.UTC)
		early, late := 0, 0
		for _, name := range names {
			switch after := publishedOf(t, st, name).Meta().AsOf.Sub(due); {
			case after < 0 || after > 41*time.Second:
				t.Errorf("%s began %s after it was due", name, after)
			case after < 20*time.Second:
				early++
			default:
				late++
			}
		}
		if early < 3 || late < 3 { // by chance: less than once in a million runs
			t.Errorf("%d began in the first twenty seconds and %d in the next", early, late)
		}
	})
}

// A curve from a clock that is a little ahead is the tick done; one from far ahead is no proof.
func TestACurveFromTheFutureIsBelievedForAMinute(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2026, 11, 21, 12, 0, 1, 0, time.UTC)
	for ahead, want := range map[time.Duration]jobs.Outcome{30 * time.Second: jobs.Done, 2 * time.Minute: jobs.Refreshed} {
		st := newBoards(t, 20, "games")
		at := func(d time.Duration) jobs.Refresher {
			return jobs.Refresher{Store: st, Holder: d.String(), Now: func() time.Time { return now.Add(d) }}
		}
		tick := jobs.Tick{Due: now.Truncate(time.Minute), Interval: 5 * time.Minute}
		if _, err := at(ahead).Tick(ctx, named("games"), "xp", tick, jobs.Options{}); err != nil {
			t.Fatal(err)
		}
		if report, err := at(0).Tick(ctx, named("games"), "xp", tick, jobs.Options{}); err != nil || report.Outcome != want {
			t.Errorf("a curve from %s ahead: %s, %v; want %s", ahead, report.Outcome, err, want)
		}
	}
}

// A walk whose lease another has taken ends at the next renewal, not at its end.
func TestALostLeaseEndsTheWalk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := faulty{newBoards(t, 50, "slow"), "slow", func(ctx context.Context) error { return sleeping(ctx, time.Hour) }}
		h := newHand(t, st, settled(jobs.Plan{Schedule: schedule(t, "@daily")})).work()
		time.Sleep(30 * time.Second)
		if _, err := st.Acquire(t.Context(), "refresh/slow.xp", "other", time.Now().Add(5*time.Minute), 10*time.Minute); err != nil {
			t.Fatal(err)
		}
		time.Sleep(25 * time.Second)
		if h.count(jobs.Lost) != 1 {
			t.Errorf("it walks on without its lease: %s", h.log)
		}
		h.stop()
	})
}

// A tardy store answers about leases when its caller has given up.
type tardy struct {
	store.Store
	asked chan struct{}
}

func (s tardy) Acquire(ctx context.Context, name, holder string, now time.Time, ttl time.Duration) (store.Lease, error) {
	close(s.asked)
	if err := sleeping(ctx, 2*time.Second); err != nil { // the answer comes too late for who has left
		lease, lost := s.Store.Acquire(context.WithoutCancel(ctx), name, holder, now, ttl)
		return store.Lease{}, errors.Join(err, lost, fmt.Errorf("the answer that %s was given is lost", lease.Name))
	}
	return s.Store.Acquire(ctx, name, holder, now, ttl)
}

// A lease that is given while the worker ends is given up again.
func TestALeaseThatIsGivenAtTheEndIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := tardy{newBoards(t, 50, "a"), make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-st.asked
			cancel()
		}()
		report, err := (jobs.Refresher{Store: st, Holder: "ending"}).Tick(ctx, named("a"), "xp", jobs.Tick{Due: time.Now(), Interval: time.Minute}, jobs.Options{})
		if report.Outcome != jobs.Stopped || !errors.Is(err, context.Canceled) {
			t.Errorf("%s, %v", report.Outcome, err)
		}
		if _, err := st.Store.Acquire(t.Context(), "refresh/a.xp", "other", time.Now(), time.Minute); err != nil {
			t.Errorf("the lease is still held: %v", err)
		}
	})
}
