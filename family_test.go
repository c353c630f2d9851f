package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// missions is a family of three periods.
func missions() rankcurve.FamilyDefinition {
	return rankcurve.FamilyDefinition{
		Name: "missions", Shards: 2,
		Columns:     []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Sum}},
		Periods:     []store.Period{store.Always, store.Weekly, store.Daily},
		ExpireAfter: map[store.Period]time.Duration{store.Daily: 30 * 24 * time.Hour},
	}
}

func newFamily(t *testing.T, st store.Store, def rankcurve.FamilyDefinition, c *clock) *rankcurve.Family {
	t.Helper()
	f, err := rankcurve.NewFamily(st, def, rankcurve.WithClock(c.Now))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// writes is a store that adds up what writes cost, and fails those of one board.
type writes struct {
	store.Store
	fails   string // the name of the board whose puts fail
	lost    bool   // they are carried out, and their answers lost
	mu      sync.Mutex
	usage   store.Usage
	puts    int
	created int
}

var errCut = errors.New("the line was cut")

func (w *writes) Put(ctx context.Context, b store.Board, e store.Entry) (store.Usage, error) {
	w.mu.Lock()
	w.puts++
	fails, lost := w.fails, w.lost
	w.mu.Unlock()
	if b.Name == fails && !lost {
		return store.Usage{}, errCut
	}
	u, err := w.Store.Put(ctx, b, e)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.usage.Add(u)
	if b.Name == fails && err == nil {
		err = fmt.Errorf("%w: %w", errCut, store.ErrUnknown)
	}
	return u, err
}

func (w *writes) CreateBoard(ctx context.Context, b store.Board) error {
	w.mu.Lock()
	w.created++
	w.mu.Unlock()
	return w.Store.CreateBoard(ctx, b)
}

func xpOf(t *testing.T, st store.Store, board, owner string) int64 {
	t.Helper()
	def, err := st.Board(context.Background(), board)
	if errors.Is(err, store.ErrNotFound) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := st.Entry(context.Background(), def, owner)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	return e.Scores["xp"]
}

// boardsAtStart are those of the clock's first moment, 2026-11-20.
var boardsAtStart = []string{"missions", "missions:2026-W47", "missions:2026-11-20"}

func wantXP(t *testing.T, st store.Store, owner string, want int64, boards ...string) {
	t.Helper()
	for _, name := range boards {
		if got := xpOf(t, st, name, owner); got != want {
			t.Errorf("%s has %d on %s, want %d", owner, got, name, want)
		}
	}
}

// A post to three boards is three conditional writes, and nothing else is written
// once the boards are there.
func TestAFamilyPostIsOneWriteForEachBoard(t *testing.T) {
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		st, ctx := &writes{Store: on.Store}, context.Background()
		f := newFamily(t, st, missions(), newClock())
		posted, err := f.Post(ctx, time.Time{}, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 5}, ID: "one"})
		if err != nil || len(posted) != 3 {
			t.Fatalf("%+v, %v", posted, err)
		}
		if st.created != 3 || st.puts != 3 {
			t.Errorf("the first post made %d boards and %d puts, want 3 and 3", st.created, st.puts)
		}
		st.usage, st.puts, st.created = store.Usage{}, 0, 0
		if posted, err = f.Post(ctx, time.Time{}, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 7}, ID: "two"}); err != nil {
			t.Fatal(err)
		}
		if st.created != 0 || st.puts != 3 || st.usage.Requests != 3 || st.usage.TableWrites != 3 {
			t.Errorf("a later post made %d boards, %d puts of %s", st.created, st.puts, st.usage)
		}
		for i, p := range posted {
			if p.Board.Name != boardsAtStart[i] || p.Posted.Entry.Scores["xp"] != 12 || p.Board.Family != "missions" {
				t.Errorf("board %d: %+v", i, p)
			}
		}
		wantXP(t, st, "ann", 12, boardsAtStart...)
		daily, err := st.Board(ctx, boardsAtStart[2])
		if want := time.Date(2026, 12, 21, 0, 0, 0, 0, time.UTC); err != nil || !daily.Expires.Equal(want) || daily.Period != store.Daily {
			t.Errorf("the daily board is %+v, %v, want one that expires at %s", daily, err, want)
		}
	})
}

func TestAFamilyRefusesWhatNoBoardTakes(t *testing.T) {
	st, c := &writes{Store: newStore(t)}, newClock()
	f := newFamily(t, st, missions(), c)
	version := int64(1)
	for name, p := range map[string]rankcurve.Post{
		"a column that is not there": {Owner: "ann", Scores: scores{"gold": 1}},
		"nothing":                    {Owner: "ann"},
		"no owner":                   {Scores: scores{"xp": 1}},
		"a version":                  {Owner: "ann", Scores: scores{"xp": 1}, Version: &version},
	} {
		_, err := f.Post(context.Background(), time.Time{}, p)
		var fanOut *rankcurve.FanOutError
		if err == nil || errors.As(err, &fanOut) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, at := range []time.Time{c.Now().Add(6 * time.Minute), time.Unix(-1, 0), time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)} {
		if _, err := f.Post(context.Background(), at, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}}); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("at %s: %v", at, err)
		}
	}
	if st.puts+st.created > 0 {
		t.Errorf("%d puts, %d boards", st.puts, st.created)
	}
}

// A board answers until it expires, and from then on is not found, by whatever way it
// is asked, before it is dropped and after.
func TestABoardExpires(t *testing.T) {
	ctx, st, c := context.Background(), newStore(t), newClock()
	f := newFamily(t, st, missions(), c)
	if _, err := f.Post(ctx, time.Time{}, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}}); err != nil {
		t.Fatal(err)
	}
	opened := c.Now()
	kept, err := f.Open(ctx, store.Daily, opened)
	if err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Date(2026, 12, 20, 23, 59, 59, 0, time.UTC).Sub(opened))
	if top, err := kept.Top(ctx, "", 1); err != nil || len(top.Rows) != 1 {
		t.Fatalf("before its end: %+v, %v", top, err)
	}
	if dropped, err := rankcurve.Prune(ctx, st, "", c.Now()); err != nil || len(dropped) > 0 {
		t.Fatalf("dropped %v, %v", dropped, err)
	}
	if _, err := f.Post(ctx, time.Time{}, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}}); err != nil {
		t.Fatal(err) // makes another daily board, by which the time that they are kept is known
	}
	c.Advance(time.Second)
	ask := func(when string) {
		t.Helper()
		want := `board "missions:2026-11-20" expired at 2026-12-21T00:00:00Z and is gone`
		questions := map[string]func() error{
			"top":    func() error { _, err := kept.Top(ctx, "", 1); return err },
			"rank":   func() error { _, _, err := kept.Rank(ctx, "xp", rankcurve.Exact, "ann"); return err },
			"owners": func() error { _, _, err := kept.Owners(ctx, rankcurve.RankIn{}, "ann"); return err },
			"page":   func() error { _, err := kept.Page(ctx, rankcurve.PageQuery{}); return err },
			"around": func() error { _, err := kept.Around(ctx, "", rankcurve.Exact, "ann", 1); return err },
			"post": func() error {
				_, err := kept.Post(ctx, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}})
				return err
			},
			"open": func() error { _, err := f.Open(ctx, store.Daily, opened); return err },
			"open 2": func() error {
				_, err := rankcurve.Open(ctx, st, "missions:2026-11-20", rankcurve.WithClock(c.Now))
				return err
			},
			"make": func() error { _, err := f.Make(ctx, store.Daily.At(opened)); return err },
		}
		for name, question := range questions {
			if err := question(); !errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v", when, name, err)
			}
		}
	}
	ask("before it is dropped")
	beside := &damagedBoard{Store: st, board: "missions:2026-12-01"}
	if dropped, err := rankcurve.Prune(ctx, beside, "others", c.Now()); err != nil || len(dropped) > 0 {
		t.Errorf("of another family: dropped %v, %v", dropped, err)
	}
	dropped, err := rankcurve.Prune(ctx, beside, "missions", c.Now())
	var some *store.UnreadableError
	if !errors.As(err, &some) || len(dropped) != 1 || dropped[0].Name != "missions:2026-11-20" {
		t.Fatalf("dropped %v, %v", dropped, err)
	}
	ask("after it was dropped")
	wantXP(t, st, "ann", 2, "missions")
	for label, want := range map[string]string{"missions:2026-12-19": "nobody has posted to it", "missions:2027-W01": "begins at 2027-01-04"} {
		if _, err := rankcurve.Open(ctx, st, label, rankcurve.WithClock(c.Now)); !errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", label, err)
		}
	}
}

func TestWhatIsNoFamily(t *testing.T) {
	for want, change := range map[string]func(*rankcurve.FamilyDefinition){
		`name: "missions:2026-11" is the name of a monthly board`: func(d *rankcurve.FamilyDefinition) { d.Name = "missions:2026-11" },
		"too long for a family":                                   func(d *rankcurve.FamilyDefinition) { d.Name = strings.Repeat("m", store.MaxBoard-5) },
		"periods: there are none":                                 func(d *rankcurve.FamilyDefinition) { d.Periods = nil },
		"periods[3]: \"hourly\" is none of":                       func(d *rankcurve.FamilyDefinition) { d.Periods = append(d.Periods, "hourly") },
		"periods[3]: daily is there twice":                        func(d *rankcurve.FamilyDefinition) { d.Periods = append(d.Periods, store.Daily) },
		"expire_after.all":                                        func(d *rankcurve.FamilyDefinition) { d.ExpireAfter[store.Always] = time.Hour },
		"expire_after.monthly":                                    func(d *rankcurve.FamilyDefinition) { d.ExpireAfter[store.Monthly] = time.Hour },
		"expire_after.daily: 1ms":                                 func(d *rankcurve.FamilyDefinition) { d.ExpireAfter[store.Daily] = time.Millisecond },
		"late_posts: \"maybe\" is neither":                        func(d *rankcurve.FamilyDefinition) { d.Late = "maybe" },
		"late_grace: -1s is negative":                             func(d *rankcurve.FamilyDefinition) { d.Grace = -time.Second },
		"columns[0].operator: \"add\" is none":                    func(d *rankcurve.FamilyDefinition) { d.Columns[0].Operator = "add" },
		`name: "missions." ends in a point`:                       func(d *rankcurve.FamilyDefinition) { d.Name = "missions." },
		`shards: 0 is not in 1..`:                                 func(d *rankcurve.FamilyDefinition) { d.Shards = 0 },
	} {
		def := missions()
		change(&def)
		if _, err := rankcurve.NewFamily(nil, def); !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	f := newFamily(t, newStore(t), missions(), newClock())
	if _, err := f.Open(context.Background(), store.Monthly, time.Time{}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("a period that it has not: %v", err)
	}
}

// Boards are made for the periods of the family, and for those that have begun: one of next
// year would fill up with nobody looking at it, and without an expiry stay for ever.
func TestBoardsOfOtherPeriodsAreNotMade(t *testing.T) {
	ctx, st, c := context.Background(), newStore(t), newClock() // 2026-11-20T12:00:00Z
	def := missions()
	f := newFamily(t, st, def, c)
	forged := store.Weekly.At(c.Now())
	forged.Label = "2027-W30"
	longer := store.Daily.At(c.Now())
	longer.End = longer.End.AddDate(1, 0, 0)
	midnight := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for want, s := range map[string]store.Span{
		`no period "monthly"`:                      store.Monthly.At(c.Now()),
		`no period ""`:                             {},
		"missions:2031-W47 begins at 2031-11-17":   store.Weekly.At(time.Date(2031, 11, 20, 0, 0, 0, 0, time.UTC)),
		"missions:2026-11-21 begins at 2026-11-21": store.Daily.At(midnight),
		`"2027-W30" from 2026-11-16`:               forged,
		"to 2027-11-21T00:00:00Z is no daily span": longer,
	} {
		if _, err := f.Make(ctx, s); !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("make %+v: %v, want %q", s, err, want)
		}
		if err := def.Takes(s, c.Now()); !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("takes %+v: %v, want %q", s, err, want)
		}
	}
	if boards, err := st.Boards(ctx); err != nil || len(boards) > 0 {
		t.Errorf("%v are there, %v", boards, err)
	}
	c.Advance(midnight.Add(-5 * time.Minute).Sub(c.Now())) // as far as clocks may differ
	for _, s := range []store.Span{store.Daily.At(midnight), store.Weekly.At(c.Now()).Previous(), store.Always.At(midnight)} {
		if b, err := f.Make(ctx, s); err != nil || b.Definition().Name != s.Board("missions") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// What a definition and limits are made of stays the caller's, and may be changed.
func TestAFamilySharesNothingWithItsCaller(t *testing.T) {
	ctx, st, c := context.Background(), newStore(t), newClock()
	limit, limits := new(int64(100)), map[string]store.Limit{}
	limits["xp"] = store.Limit{Max: limit}
	def := missions()
	def.Limits = map[store.Period]map[string]store.Limit{store.Daily: {"xp": {Max: new(int64(50))}}}
	f, err := rankcurve.NewFamily(st, def, rankcurve.WithClock(c.Now), rankcurve.WithLimits(limits))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []rankcurve.FamilyDefinition{def, f.Definition()} {
		d.Columns[0].Name, d.Periods[0], d.ExpireAfter[store.Daily] = "gold", "bogus", time.Second
		*d.Limits[store.Daily]["xp"].Max = 1
		d.Limits[store.Always] = map[string]store.Limit{"xp": {Max: new(int64(1))}}
	}
	*limit = 1
	limits["xp"] = store.Limit{Max: limit}
	for _, day := range []int64{40, 40} {
		if posted, err := f.Post(ctx, time.Time{}, rankcurve.Post{Owner: "ann", Scores: scores{"xp": day}}); err != nil || len(posted) != 3 {
			t.Fatal(posted, err)
		}
		c.Advance(24 * time.Hour)
	}
	wantXP(t, st, "ann", 80, "missions", "missions:2026-W47")
	wantXP(t, st, "ann", 40, "missions:2026-11-20", "missions:2026-11-21")
	if _, err := f.Post(ctx, time.Time{}, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 40}}); !errors.Is(err, store.ErrLimit) {
		t.Errorf("beyond 100: %v", err)
	}
	want := missions()
	if got := f.Definition(); !slices.Equal(got.Columns, want.Columns) || !slices.Equal(got.Periods, want.Periods) || !maps.Equal(got.ExpireAfter, want.ExpireAfter) || *got.Limits[store.Daily]["xp"].Max != 50 {
		t.Errorf("%+v, want %+v", got, want)
	}
}
