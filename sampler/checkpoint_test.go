package sampler_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// A dying store gives a walk so many requests, and then ends it. It notes what they
// were for.
type dying struct {
	store.Partitions
	end context.CancelFunc

	mu     sync.Mutex
	left   int
	ends   int // rows of the board's ends
	shards int // pages of whole shards
	counts int
	median int
}

func newDying(st store.Partitions, requests int) (*dying, context.Context) {
	ctx, end := context.WithCancel(context.Background())
	return &dying{Partitions: st, end: end, left: requests}, ctx
}

func (d *dying) spend(of *int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left--; d.left < 0 {
		d.end()
		return fmt.Errorf("on purpose: %w", context.Canceled)
	}
	*of++
	return nil
}

func (d *dying) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	of := &d.ends
	if q.Limit == 0 {
		of = &d.shards
	}
	if err := d.spend(of); err != nil {
		return store.Page{}, err
	}
	return d.Partitions.Rows(ctx, q)
}

func (d *dying) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	of := &d.counts
	if q.Limit > 0 {
		of = &d.median
	}
	if err := d.spend(of); err != nil {
		return store.CountPage{}, err
	}
	return d.Partitions.Count(ctx, q)
}

func (d *dying) requests() int { return d.ends + d.shards + d.counts + d.median }

const never = 1 << 40 // requests

// A life is one walk, to its end or not.
type life struct {
	*dying
	walk sampler.Walk
	err  error
	kept *sampler.Checkpoint // at the end, by way of its encoding
	size int
}

// live walks, from a checkpoint if there is one, until it is done or has made so many
// requests.
func (s *season) live(st store.Partitions, at time.Time, o sampler.Options, from *sampler.Checkpoint, requests int) life {
	s.t.Helper()
	d, ctx := newDying(st, requests)
	defer d.end()
	l := life{dying: d}
	o.AsOf, o.Resume, o.SaveEvery = at, from, time.Hour
	o.Save = func(_ context.Context, c sampler.Checkpoint) {
		c.Generation, c.Saved = 7, at
		if !c.Last {
			s.t.Error("saved under way, in less than an hour")
		}
		data, err := c.Encode()
		if err != nil {
			s.t.Error(err)
			return
		}
		back, err := sampler.DecodeCheckpoint(data)
		if err != nil || back.Generation != 7 || !back.Saved.Equal(at) || !back.AsOf.Equal(c.AsOf) || back.Units != c.Units {
			s.t.Errorf("%+v became %+v: %v", c, back, err)
		}
		l.kept, l.size = &back, len(data)
	}
	l.walk, l.err = sampler.New(d, s.board, column, o).Walk(ctx, s.state)
	if l.err != nil && !errors.Is(l.err, context.Canceled) {
		s.t.Fatal(l.err)
	}
	return l
}

// resumed are walks that can be gone on with: what is prepared before, and how they are.
var resumed = []struct {
	name    string
	prepare func(s *season)
	options sampler.Options
}{
	{"counted, cold", func(*season) {}, sampler.Options{Method: sampler.Counted, Head: 300}},
	{"counted, cold and whole", func(s *season) { s.walk(-1, sampler.Options{Method: sampler.Counted, Head: 300}) }, sampler.Options{Method: sampler.Counted, Head: 300, Full: true}},
	{"counted again", func(s *season) { s.walk(-1, sampler.Options{Method: sampler.Counted, Head: 300}) }, sampler.Options{Method: sampler.Counted, Head: 300}},
	{"counted again, with intervals to split", func(s *season) {
		s.walk(-1, sampler.Options{Method: sampler.Counted, Head: 300})
		for i := range s.scores {
			if i%4 == 0 {
				s.scores[i] = 3000 + int64(i)%7000
			}
		}
	}, sampler.Options{Method: sampler.Counted, Head: 300}},
	{"rolling, cold", func(*season) {}, sampler.Options{Method: sampler.Counted, Head: 300, ReadBudget: 100, Fraction: 0.2}},
	{"rolling", func(s *season) {
		for at := range 6 {
			s.walk(at-10, sampler.Options{Method: sampler.Counted, Head: 300, ReadBudget: 100, Fraction: 0.2})
			s.gain(0.01)
		}
	}, sampler.Options{Method: sampler.Counted, Head: 300, ReadBudget: 100, Fraction: 0.2}},
	{"rolling through all", func(s *season) { s.walk(-1, sampler.Options{Method: sampler.Counted, Head: 300}) }, sampler.Options{Method: sampler.Counted, Head: 300, Shards: 4, Full: true}},
}

// A walk that is stopped anywhere, and gone on with by another, has the points of one that
// was not; and nothing but the ends, and the places of medians, is read twice.
func TestAWalkThatIsGoneOnWithSeesWhatOneThatIsNotStoppedSees(t *testing.T) {
	for _, tc := range resumed {
		t.Run(tc.name, func(t *testing.T) {
			s := newSeason(t, 16, draw(40_000, lognormal))
			tc.prepare(s)
			st := s.store()
			whole := s.live(st, dawn, tc.options, nil, never)
			if whole.err != nil || whole.kept != nil || whole.walk.Resumed != 0 {
				t.Fatalf("%v; kept %v, resumed %d", whole.err, whole.kept, whole.walk.Resumed)
			}
			if whole.walk.Method == sampler.Rolling && whole.walk.Walked < 3 {
				t.Fatalf("%d shards are walked", whole.walk.Walked)
			}
			random := rand.New(rand.NewPCG(1, 2))
			kept, largest := 0, 0
			for range 40 {
				stopAt := random.IntN(whole.requests())
				stopped := s.live(st, dawn, tc.options, nil, stopAt)
				if stopped.err == nil {
					t.Fatalf("stopped after %d of %d requests, it was done", stopAt, whole.requests())
				}
				if stopped.kept == nil {
					if stopped.counts > 0 || stopped.shards > 0 && stopped.ends == whole.ends && whole.walk.Method == sampler.Rolling {
						t.Fatalf("after %d requests nothing was kept: %d counts, %d shards", stopAt, stopped.counts, stopped.shards)
					}
					continue
				}
				kept, largest = kept+1, max(largest, stopped.size)
				at := dawn
				if whole.walk.Method != sampler.Rolling {
					at = dawn.Add(time.Minute)
				}
				rest := s.live(st, at, tc.options, stopped.kept, never)
				if rest.err != nil {
					t.Fatal(rest.err)
				}
				if !slices.Equal(rest.walk.Points, whole.walk.Points) || rest.walk.Entries != whole.walk.Entries || !rest.walk.AsOf.Equal(dawn) || rest.walk.Horizon != whole.walk.Horizon {
					t.Fatalf("stopped after %d of %d requests, %d points of %d entries as of %v; want %d of %d as of %v", stopAt, whole.requests(),
						len(rest.walk.Points), rest.walk.Entries, rest.walk.AsOf, len(whole.walk.Points), whole.walk.Entries, dawn)
				}
				if !slices.Equal(rest.walk.State.Cutpoints, whole.walk.State.Cutpoints) || rest.walk.Intervals != whole.walk.Intervals || rest.walk.Walked != whole.walk.Walked {
					t.Fatalf("the next walk starts elsewhere: %+v", rest.walk.State)
				}
				if stopped.counts+rest.counts != whole.counts || stopped.shards+rest.shards != whole.shards {
					t.Fatalf("%d + %d counts and %d + %d shards, of %d and %d", stopped.counts, rest.counts, stopped.shards, rest.shards, whole.counts, whole.shards)
				}
				if n := rest.walk.Resumed; n < 1 || n < stopped.counts || rest.walk.ResumedOf < n || rest.walk.ResumedOf != whole.walk.ResumedOf {
					t.Fatalf("resumed %d of %d, with %d counts and %d shards before", n, rest.walk.ResumedOf, stopped.counts, stopped.shards)
				}
				if got, want := rest.walk.State.Units, whole.walk.State.Units; got < 0.9*want || got > 1.1*want {
					t.Fatalf("the next walk is told that this one took %.0f read units, and not %.0f", got, want)
				}
			}
			t.Logf("%d requests, %s; %d of 40 stopped walks were gone on with; a checkpoint has %d bytes at most", whole.requests(), whole.walk.Usage, kept, largest)
			if kept < 10 {
				t.Errorf("only %d of 40", kept)
			}
		})
	}
}

// A walk that dies again and again comes to its end, as long as each life is longer than
// it takes to read the ends.
func TestAWalkThatDiesAgainAndAgainIsDoneAtLast(t *testing.T) {
	for _, tc := range resumed {
		t.Run(tc.name, func(t *testing.T) {
			s := newSeason(t, 16, draw(40_000, lognormal))
			tc.prepare(s)
			st := s.store()
			whole := s.live(st, dawn, tc.options, nil, never)
			var from *sampler.Checkpoint
			lives, long := 0, whole.ends+3+whole.counts/20
			for {
				l := s.live(st, dawn, tc.options, from, long)
				lives++
				if l.kept != nil {
					from = l.kept
				}
				if l.err == nil {
					if !slices.Equal(l.walk.Points, whole.walk.Points) {
						t.Error("the points are others")
					}
					break
				}
				if lives > whole.requests() {
					t.Fatal("it is never done")
				}
			}
			t.Logf("%d lives of %d requests, for %d", lives, long, whole.requests())
			if lives < 2 {
				t.Error("it never died")
			}
		})
	}
}

// Rolling walks of which each is stopped, and gone on with later, take the shards for what
// they are: some seen then, some now.
func TestShardsThatWereSeenBeforeHaveTheirOwnTime(t *testing.T) {
	s := newSeason(t, 16, draw(40_000, lognormal))
	o := sampler.Options{Method: sampler.Counted, Head: 300, Shards: 5, Fraction: 0.1}
	s.walk(-1, sampler.Options{Method: sampler.Counted, Head: 300, Shards: 5, Fraction: 0.1, Full: true})
	var m measured
	for i := range 10 {
		s.gain(0.01)
		at := dawn.Add(time.Duration(i) * tick)
		later := at.Add(tick / 3)
		stopped := s.live(s.store(), at, o, nil, 16+1+i%4)
		s.gain(0.003)
		rest := s.live(s.store(), later, o, stopped.kept, never)
		if rest.err != nil || rest.walk.Walked != 5 || rest.walk.ResumedOf != 5 || rest.walk.Resumed != stopped.shards || !rest.walk.AsOf.Equal(later) {
			t.Fatalf("%d shards, %d of %d from before, as of %v: %v", rest.walk.Walked, rest.walk.Resumed, rest.walk.ResumedOf, rest.walk.AsOf, rest.err)
		}
		times := map[time.Time]int{}
		for _, sighting := range rest.walk.State.History.Sightings {
			if !sighting.At.Before(at) {
				times[sighting.At]++
			}
		}
		if times[at] != stopped.shards || times[later] != 5-stopped.shards || len(times) != 2 {
			t.Fatalf("seen at %v, %d of them before", times, stopped.shards)
		}
		m.compare(rest.walk.Points, s.sorted(), false)
		s.state = rest.walk.State
	}
	t.Logf("%.0f places: mean error %.3f %%, %.1f %% inside", m.n, 100*m.err/m.n, 100*m.inside/m.n)
	if m.n < 500 || m.inside < 0.95*m.n {
		t.Errorf("%.1f %% of %.0f inside", 100*m.inside/m.n, m.n)
	}
}

// All shards of which some were seen before: that is no exact count.
func TestAllShardsSeenAtTwoTimesAreNotExact(t *testing.T) {
	s := newSeason(t, 16, draw(40_000, lognormal))
	o := sampler.Options{Method: sampler.Counted, Head: 300, Shards: 4, Full: true}
	stopped := s.live(s.store(), dawn, o, nil, 25)
	s.gain(0.05)
	rest := s.live(s.store(), dawn.Add(time.Minute), o, stopped.kept, never)
	if rest.walk.Walked != 16 || rest.walk.Resumed != 9 || !slices.ContainsFunc(rest.walk.Points, func(p point) bool { return p.Error > 0 }) {
		t.Errorf("%d shards, %d of them seen before, and no point has an error", rest.walk.Walked, rest.walk.Resumed)
	}
}

// Counts of before and of now lie between what the board was and what it is.
func TestABoardThatChangedMeanwhileIsCountedAsOfBefore(t *testing.T) {
	s := newSeason(t, 16, draw(40_000, lognormal))
	o := sampler.Options{Method: sampler.Counted, Head: 300}
	s.walk(-1, o)
	whole := s.live(s.store(), dawn, o, nil, never)
	stopped := s.live(s.store(), dawn, o, nil, whole.requests()/2)
	before := s.sorted()
	for range 3000 {
		s.scores = append(s.scores, lognormal(s.random))
		s.shards = append(s.shards, s.random.IntN(16))
	}
	after := s.sorted()
	rest := s.live(s.store(), dawn.Add(time.Minute), o, stopped.kept, never)
	if rest.err != nil || !rest.walk.AsOf.Equal(dawn) || rest.walk.Resumed < stopped.counts/2 || rest.counts > whole.counts {
		t.Fatalf("as of %v, %d of %d counts resumed, %d made: %v", rest.walk.AsOf, rest.walk.Resumed, stopped.counts, rest.counts, rest.err)
	}
	old := 0
	for _, p := range rest.walk.Points {
		least, most := betterIn(before, p.Key), betterIn(after, p.Key)
		if p.Better < least || p.Better > most {
			t.Errorf("%d better than %d, which has %d then and %d now", p.Better, p.Key, least, most)
		}
		if p.Better < most {
			old++
		}
	}
	if old == 0 || rest.walk.Entries < 40_000 || rest.walk.Entries >= 43_000 {
		t.Errorf("%d points of the past; %d entries", old, rest.walk.Entries)
	}
}

func betterIn(bestFirst []int64, key int64) int64 {
	i := slices.IndexFunc(bestFirst, func(k int64) bool { return k <= key })
	if i < 0 {
		i = len(bestFirst)
	}
	return int64(i)
}

// What was walked of another board, or in another way, is not gone on with.
func TestAWalkOfOthersIsNotGoneOnWith(t *testing.T) {
	s := newSeason(t, 16, draw(40_000, lognormal))
	o := sampler.Options{Method: sampler.Counted, Head: 300}
	whole := s.live(s.store(), dawn, o, nil, never)
	stopped := s.live(s.store(), dawn, o, nil, whole.requests()/2)
	anew := func(name string, at time.Time, change func(s *season, o *sampler.Options)) {
		t.Run(name, func(t *testing.T) {
			s, o := newSeason(t, 16, draw(40_000, lognormal)), o
			change(s, &o)
			rest := s.live(s.store(), at, o, stopped.kept, never)
			if rest.err != nil || rest.walk.Resumed != 0 || !rest.walk.AsOf.Equal(at) {
				t.Errorf("%d pieces resumed, as of %v: %v", rest.walk.Resumed, rest.walk.AsOf, rest.err)
			}
		})
	}
	if rest := s.live(s.store(), dawn, o, stopped.kept, never); rest.walk.Resumed == 0 {
		t.Error("as it was, it is not gone on with either")
	}
	anew("another board", dawn, func(s *season, _ *sampler.Options) { s.board.ID = "another" })
	anew("other shards", dawn, func(s *season, _ *sampler.Options) {
		s.board.Shards = 12
		for i := range s.shards {
			s.shards[i] %= 12
		}
	})
	anew("another method", dawn, func(_ *season, o *sampler.Options) { o.Method = sampler.Auto })
	anew("full", dawn, func(_ *season, o *sampler.Options) { o.Full = true })
	anew("fewer shards", dawn, func(_ *season, o *sampler.Options) { o.Shards = 4 })
	anew("another head", dawn, func(_ *season, o *sampler.Options) { o.Head = 200 })
	anew("another budget", dawn, func(_ *season, o *sampler.Options) { o.ReadBudget = 1e6 })
	anew("a clock that is behind", dawn.Add(-time.Second), func(*season, *sampler.Options) {})
}

// The budget is of what a walk reads itself: one that overruns it by half is stopped, and
// the next goes on.
func TestTheBudgetIsForWhatIsReadNow(t *testing.T) {
	s := newSeason(t, 16, draw(40_000, lognormal))
	o := sampler.Options{Method: sampler.Counted, Head: 300, ReadBudget: 300, AsOf: dawn, SaveEvery: time.Hour}
	var kept *sampler.Checkpoint
	o.Save = func(_ context.Context, c sampler.Checkpoint) { kept = &c }
	_, err := sampler.New(s.store(), s.board, column, o).Walk(t.Context(), sampler.State{})
	if !errors.Is(err, store.ErrTooExpensive) || kept == nil || kept.Units < 300 {
		t.Fatalf("%v; kept %v", err, kept != nil)
	}
	o.Resume = kept
	walk, err := sampler.New(s.store(), s.board, column, o).Walk(t.Context(), sampler.State{})
	if err != nil || walk.Walked != 16 || walk.Usage.ReadUnits() > 300 || walk.State.Units < 450 {
		t.Errorf("%d shards, %s, %.0f read units in all: %v", walk.Walked, walk.Usage, walk.State.Units, err)
	}
}

// A slow store answers after a while, unless the walk has ended.
type slow struct{ store.Partitions }

func (s slow) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	if err := wait(ctx); err != nil {
		return store.Page{}, err
	}
	return s.Partitions.Rows(ctx, q)
}

func (s slow) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	if err := wait(ctx); err != nil {
		return store.CountPage{}, err
	}
	return s.Partitions.Count(ctx, q)
}

func wait(ctx context.Context) error {
	select {
	case <-time.After(time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestAWalkIsSavedNowAndThenAndAtItsEarlyEnd(t *testing.T) {
	s := newSeason(t, 16, draw(40_000, lognormal))
	st := s.store()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var at []time.Duration
		var last sampler.Checkpoint
		o := sampler.Options{Method: sampler.Counted, Head: 300, Parallel: 2, Save: func(_ context.Context, c sampler.Checkpoint) {
			if len(at) > 0 && c.Units <= last.Units {
				t.Errorf("after %v nothing new is saved: %v, %v before", time.Since(began), c.Units, last.Units)
			}
			if c.Last != (time.Since(began) >= 125*time.Second) {
				t.Errorf("after %v it is the last: %t", time.Since(began), c.Last)
			}
			at, last = append(at, time.Since(began)), c
			time.Sleep(3 * time.Second) // a slow store, which keeps nobody from walking
		}}
		ctx, end := context.WithTimeout(context.Background(), 125*time.Second)
		defer end()
		_, err := sampler.New(slow{st}, s.board, column, o).Walk(ctx, sampler.State{})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		// The pilot takes a second and the ends some 20; the last is of the end itself.
		if n := len(at); n < 9 || n > 12 || at[n-1] < 125*time.Second || at[0]%(10*time.Second) != 0 || at[1]-at[0] != 10*time.Second {
			t.Errorf("saved at %v", at)
		}
		saved := len(at)
		time.Sleep(time.Minute)
		if len(at) != saved {
			t.Error("saved after the walk's end")
		}
	})
}

// stuck answers no count any more after a while.
type stuck struct {
	slow
	until time.Time
}

func (s stuck) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	if time.Now().After(s.until) {
		<-ctx.Done()
		return store.CountPage{}, ctx.Err()
	}
	return s.slow.Count(ctx, q)
}

// What a save on the way was not worth, the last one may be: it comes though nothing is
// new since.
func TestTheLastSaveComesThoughNothingIsNew(t *testing.T) {
	s := newSeason(t, 16, draw(40_000, lognormal))
	st := s.store()
	synctest.Test(t, func(t *testing.T) {
		var saved []sampler.Checkpoint
		o := sampler.Options{Method: sampler.Counted, Head: 300, Save: func(_ context.Context, c sampler.Checkpoint) { saved = append(saved, c) }}
		ctx, end := context.WithTimeout(t.Context(), 2*time.Minute)
		defer end()
		_, err := sampler.New(stuck{slow{st}, time.Now().Add(time.Minute)}, s.board, column, o).Walk(ctx, sampler.State{})
		n := len(saved)
		if !errors.Is(err, context.DeadlineExceeded) || n < 2 || saved[n-2].Last || !saved[n-1].Last || saved[n-1].Units != saved[n-2].Units {
			t.Errorf("%v; saved %d times", err, n)
		}
	})
}

type point = predictor.Point
