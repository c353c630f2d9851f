package jobs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// A soaked board is one of the simulated day's.
type soaked struct {
	board   store.Board
	plan    jobs.Plan
	since   time.Time // it is there
	oldest  time.Duration
	owners  int
	padding string // of owners' names, which makes a walk dear
	ending  int64  // generation when its last refresh was done
	dropped bool
}

func (s *soaked) key() store.CurveKey { return s.board.CurveKey("xp") }

// allowed is how old the curve may be at a time: twice the interval, which of a quiet board
// is the time between two looks.
func (s *soaked) allowed(now time.Time) time.Duration {
	return 2 * max(s.plan.Schedule.Interval(now), s.plan.IdleMax)
}

// ended says that the last refresh of a board that ends is behind.
func (s *soaked) ended(now time.Time) bool {
	return !s.plan.Ends.IsZero() && now.After(s.plan.Ends.Add(2*s.plan.Schedule.Interval(now)))
}

// tick is the one that a curve is of. After its end a board has one more.
func (s *soaked) tick(asOf time.Time) time.Time {
	if last := s.plan.Ends.Add(time.Minute); !s.plan.Ends.IsZero() && !asOf.Before(last) {
		return last
	}
	return s.plan.Schedule.Last(asOf)
}

// The boards of the simulated day that are not like the others.
const (
	hugeBoard  = "huge"  // whose entries are counted
	quietBoard = "quiet" // nobody posts to, large enough to be looked at and not walked
	endsBoard  = "ends"  // ends after some hours
	goneBoard  = "gone"  // expires, and is dropped
)

// soakedSchedules are those of the boards, most of them the default.
var soakedSchedules = []string{
	"@every 5m", "@every 5m", "@every 5m", "@every 5m", "*/5 * * * *", "@every 4m", "*/10 * * * *", "@every 15m",
	"@hourly", "CRON_TZ=Asia/Tokyo */20 * * * *", "@every 5m", "7,27,47 * * * *",
}

// population makes the boards of a day of so many hours.
func population(t *testing.T, st store.Store, boards, hours int) map[string]*soaked {
	t.Helper()
	all := map[string]*soaked{}
	add := func(name string, owners int, spec string) *soaked {
		s := &soaked{board: named(name), plan: jobs.Plan{Schedule: schedule(t, spec)}, since: time.Now(), owners: owners}
		s.plan.Options.Keep, s.plan.Options.KeepEvery = 2*time.Hour, 30*time.Minute
		all[name] = s
		return s
	}
	add(hugeBoard, 20_000, "@every 10m").plan.Options.Method = sampler.Counted
	quiet := add(quietBoard, 30_000, "@every 5m")
	quiet.board.Shards, quiet.plan.IdleMax, quiet.padding = 1, 15*time.Minute, strings.Repeat("-", 200)
	day := time.Duration(hours) * time.Hour
	ends := add(endsBoard, 25, "@every 5m")
	ends.plan.Ends = time.Now().Add(day/3 + 17*time.Minute)
	add(goneBoard, 25, "@every 5m").board.Expires = time.Now().Add(day / 2).Truncate(time.Second)
	for i := len(all); i < boards; i++ {
		add(fmt.Sprintf("board-%03d", i), 25, soakedSchedules[i%len(soakedSchedules)])
	}
	for _, s := range all {
		s.create(t, st)
	}
	return all
}

// create makes the board, with entries of distinct scores.
func (s *soaked) create(t *testing.T, st store.Store) {
	t.Helper()
	if err := st.CreateBoard(context.Background(), s.board); err != nil {
		t.Fatal(err)
	}
	s.load(t, st, 0, s.owners, func(i int) int64 { return int64(i + 1) })
}

// load gives the owners from one number up to another their scores.
func (s *soaked) load(t *testing.T, st store.Store, from, to int, score func(i int) int64) {
	t.Helper()
	entries := make([]store.Entry, 0, to-from)
	for i := from; i < to; i++ {
		entries = append(entries, store.Entry{Owner: fmt.Sprint("player-", i, s.padding), Scores: map[string]int64{"xp": score(i)}})
	}
	if _, err := st.Load(context.Background(), s.board, entries); err != nil {
		t.Fatal(err)
	}
}

// post changes some scores, and now and then lets the board grow.
func (s *soaked) post(t *testing.T, st store.Store, random *rand.Rand) {
	t.Helper()
	score := func(int) int64 { return int64(random.IntN(1000)) }
	from := random.IntN(s.owners - 5)
	s.load(t, st, from, from+5, score)
	if random.IntN(20) == 0 {
		s.load(t, st, s.owners, s.owners+1, score)
		s.owners++
	}
}

// entries counts the rows that are there.
func (s *soaked) entries(t *testing.T, st store.Store) (total int64) {
	t.Helper()
	for shard := range s.board.Shards {
		q := store.Query{Partition: s.board.Partition("xp", shard), From: store.MaxScore, To: -store.MaxScore}
		for {
			page, err := st.Count(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			total += page.Count
			if q.After = page.Last; q.After == nil {
				break
			}
		}
	}
	return total
}
