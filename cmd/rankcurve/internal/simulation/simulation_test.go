package simulation

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/cmd/rankcurve/internal/churn"
)

// small is a run of a second or two.
func small(m churn.Model) Options {
	return Options{
		Model: m, Board: churn.Lognormal, Store: Memory, Entries: 50_000, Shards: 8, Walk: 2,
		Ticks: 6, Every: 5 * time.Minute, Seed: 1,
	}
}

func simulate(t *testing.T, o Options) Result {
	t.Helper()
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The partitions in memory answer and bill as those of the embedded store do: not only the
// errors are the same but the read units.
func TestMemoryAndBoltGiveTheSameFigures(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for _, m := range []churn.Model{churn.Season, churn.Growth} {
		o := small(m)
		memory := simulate(t, o)
		o.Store = Bolt
		if bolt := simulate(t, o); !reflect.DeepEqual(memory, bolt) {
			t.Errorf("model %s: memory %+v\nbolt %+v", m, memory, bolt)
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestTheSameSeedGivesTheSameFigures(t *testing.T) {
	o := small(churn.Calm)
	first := simulate(t, o)
	if again := simulate(t, o); !reflect.DeepEqual(first, again) {
		t.Errorf("%+v\n%+v", first, again)
	}
	o.Seed = 2
	if other := simulate(t, o); reflect.DeepEqual(first.All, other.All) {
		t.Error("another seed gives the same figures")
	}
}

func TestASimulationThatIsStoppedLeavesNothing(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	ctx, cancel := context.WithCancel(context.Background())
	o := small(churn.Busy)
	o.Store = Bolt
	o.Progress = func(ticks int) {
		if left, err := os.ReadDir(temporary); err != nil || len(left) != 1 {
			t.Errorf("tick %d: the board is in %v, %v", ticks, left, err)
		}
		if ticks == 2 {
			cancel()
		}
	}
	if _, err := Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped simulation returns %v", err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Both ways that refresh may read as much as the other, to a walk that is not due yet.
func TestWaysReadAsMuch(t *testing.T) {
	if testing.Short() {
		t.Skip("arithmetic of some seconds; run without -short")
	}
	o := small(churn.Calm)
	o.Ticks = 24
	r := simulate(t, o)
	if r.Period < 2 || r.FullTotal > r.RollingTotal*1.2 || r.FullTotal < r.RollingTotal*0.8-r.FullUnits {
		t.Errorf("a walk of %.0f read units every %.1f ticks takes %.0f, refreshes of %.0f take %.0f", r.FullUnits, r.Period, r.FullTotal, r.RollingUnits, r.RollingTotal)
	}
}

// A board at rest is a board known: the shards' last counts add up to it.
func TestABoardAtRestIsKnown(t *testing.T) {
	o := small(churn.Bursts) // none in 6 ticks
	r := simulate(t, o)
	if r.All.RollingSum != 0 {
		t.Errorf("the sum of all shards is off by %g", r.All.RollingSum)
	}
	if r.All.FullWalk > 0.002 || r.All.Ours > 0.002 || r.All.Inside < 0.95 {
		t.Errorf("the full walk is off by %g, the curve by %g with %g inside its band", r.All.FullWalk, r.All.Ours, r.All.Inside)
	}
}

func TestSyntheticBoards(t *testing.T) {
	o := small(churn.Growth)
	o.Store, o.Entries, o.Board, o.Shards = Synthetic, 200_000, churn.Atom, 16
	r := simulate(t, o)
	if want := int64(200_000 * 1.06); r.Entries < want-1000 || r.Entries > want+1000 {
		t.Errorf("%d entries after 6 ticks of growth, want about %d", r.Entries, want)
	}
	if r.All.Answers < 150*(o.Ticks-r.WarmUp) || r.All.Ours > 0.01 || r.All.Inside < 0.95 || r.All.RollingSum > 0.2 || r.All.FreshShards < r.All.Ours {
		t.Errorf("%+v", r.All)
	}
	for _, m := range []churn.Model{churn.Season, churn.Bursts} {
		o.Model = m
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "use a, b, d or f, or --store memory") {
			t.Errorf("model %s: %v", m, err)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		change func(o *Options)
		want   string
	}{
		{func(o *Options) { o.Entries = 1000 }, "--entries: 1000 is not in 50000..20000000"},
		{func(o *Options) { o.Entries = 1e9 }, "--entries: 1000000000 is not in"},
		{func(o *Options) { o.Shards = 1 }, "--shards: 1 is not in 2..1296"},
		{func(o *Options) { o.Walk = 0 }, "--walk: 0 is not in 1..7: some of the 8 shards, not all"},
		{func(o *Options) { o.Walk = 8 }, "--walk: 8 is not in 1..7"},
		{func(o *Options) { o.Ticks = 1 }, "--ticks: 1 is not in"},
		{func(o *Options) { o.Every = time.Millisecond }, "--every: 1ms is not in"},
		{func(o *Options) { o.Store = "redis" }, `--store: "redis" is none of memory, bolt, synthetic`},
		{func(o *Options) { o.Ticks, o.Shards = 0, 2000 }, "--shards: 2000 is not in 2..1296\n--ticks: 0"},
	} {
		o := small(churn.Calm)
		c.change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	o := small(churn.Calm)
	o.Store, o.Entries = Synthetic, 1e9
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
}

func TestWarmUp(t *testing.T) {
	o := Options{Shards: 64, Walk: 4, Ticks: 100}
	if got := o.warmUp(); got != 32 {
		t.Errorf("two rotations of 16 ticks are %d", got)
	}
	if o.Ticks = 40; o.warmUp() != 20 {
		t.Errorf("of 40 ticks %d are left out", o.warmUp())
	}
	if o = (Options{Shards: 10, Walk: 4, Ticks: 100}); o.warmUp() != 6 {
		t.Errorf("two rotations of 3 ticks are %d", o.warmUp())
	}
}
