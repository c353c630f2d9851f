package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
)

// kills is how many refreshes are killed on each store, half of them rolling ones: more
// where RANKCURVE_TEST_KILLS says so, which `make kills` does.
func kills(t *testing.T) int {
	t.Helper()
	n := 16
	if text := os.Getenv("RANKCURVE_TEST_KILLS"); text != "" {
		if _, err := fmt.Sscan(text, &n); err != nil {
			t.Fatal(err)
		}
	}
	return (n + 1) / 2
}

// A remnant is what a store holds, read without the program: of the board "games", its
// rows as they are stored, and what refreshes of its column xp have left.
type remnant struct {
	rows         map[string]string
	generation   int64
	curve, state []byte
	fence        int64
	holder       string // of the lease
}

// A phase of a refresh, told by what it has left.
type phase string

const (
	beforeLease  phase = "before the lease"
	inWalk       phase = "with the lease, before the curve"
	beforeState  phase = "between the curve and its state"
	beforeGiving phase = "after both, with the lease"
	afterAll     phase = "after the lease was given up"
)

var phases = []phase{beforeLease, inWalk, beforeState, beforeGiving, afterAll}

// reached is how far a refresh came between two remnants.
func reached(before, after remnant) phase {
	switch {
	case after.fence == before.fence:
		return beforeLease
	case after.generation == before.generation && after.holder != "":
		return inWalk
	case bytes.Equal(after.state, before.state):
		return beforeState
	case after.holder != "":
		return beforeGiving
	}
	return afterAll
}

// A gallows is a store on which refreshes are killed.
type gallows interface {
	// environ is the program's, by which it finds the store.
	environ() []string
	// left reads the store.
	left() remnant
	// study learns how a refresh goes that nobody disturbs. The command has not begun.
	study(c *exec.Cmd)
	// strike runs a refresh and kills it somewhere, drawn at random.
	strike(c *exec.Cmd)
}

// rolling is an environment by which a refresh walks a few shards and carries the others
// forward.
var rolling = []string{"RANKCURVE_REFRESH_METHOD=counted", "RANKCURVE_REFRESH_WALK=4", "RANKCURVE_REFRESH_HEAD=100"}

// afterKills kills refreshes at random points. After each, the published curve and the state
// are whole, the curve is no older, every row is as it was loaded, byte for byte, and the
// next refresh succeeds, from the state if it is a rolling one.
func afterKills(t *testing.T, p process, g gallows, more []string) {
	t.Helper()
	environ := slices.Concat(g.environ(), often, more)
	once := func() *exec.Cmd {
		c := p.command("worker", "--once")
		c.Env = append(os.Environ(), environ...)
		return c
	}
	refreshed := func() string { // due each second, and free once the lease of a killed one has expired
		t.Helper()
		var r result
		eventually(t, "a refresh", func() bool {
			r = p.runWith(environ, "worker", "--once")
			return strings.Contains(r.out, "1 column refreshed")
		})
		return r.err
	}
	loaded := g.left().rows
	p.runWith(environ, "rebuild", "games", "--full").ok() // rolling refreshes carry on what this one sees
	due := func() { time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second + 5*time.Millisecond))) }
	var cut int
	fell := map[phase]int{}
	newest := g.left()
	for before := newest; reached(before, newest) != afterAll; newest = g.left() { // it may not have been due
		before = newest
		due()
		g.study(once())
	}
	for i := 0; cut < kills(t); i++ { // some draws come after the end
		due()
		c := once()
		g.strike(c)
		if !c.ProcessState.Success() {
			cut++
		}
		now := g.left()
		where := reached(newest, now)
		fell[where]++
		unharmed(t, fmt.Sprintf("kill %d, %s", i, where), now, newest, loaded)
		log := refreshed()
		if len(more) > 0 && !strings.Contains(log, " shards=16 walked=4 ") {
			t.Errorf("after kill %d, %s, the next refresh did not go on from the state:\n%s", i, where, log)
		}
		after := g.left()
		unharmed(t, fmt.Sprintf("after kill %d", i), after, now, loaded)
		if after.generation <= now.generation {
			t.Errorf("after kill %d: generation %d after %d", i, after.generation, now.generation)
		}
		newest = after
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d refreshes were killed before their end; the last generation is %d; the %d rows are untouched", cut, newest.generation, len(loaded))
	for _, ph := range phases {
		t.Logf("%4d killed %s", fell[ph], ph)
		if kills(t) >= 80 && ph != afterAll && fell[ph] == 0 {
			t.Errorf("no refresh was killed %s", ph)
		}
	}
}

// unharmed holds what a store has against what it had.
func unharmed(t *testing.T, when string, now, before remnant, loaded map[string]string) {
	t.Helper()
	if now.generation < before.generation {
		t.Errorf("%s: generation %d after %d", when, now.generation, before.generation)
	}
	curve, err := predictor.Decode(now.curve)
	switch {
	case err != nil:
		t.Errorf("%s: the curve of generation %d: %v", when, now.generation, err)
	case curve.Meta().Generation != now.generation, math.Abs(float64(curve.Total())-float64(len(loaded))) > 0.05*float64(len(loaded)): // rolling ones estimate it
		t.Errorf("%s: the curve of generation %d says generation %d of %d entries, there are %d", when, now.generation, curve.Meta().Generation, curve.Total(), len(loaded))
	}
	if _, err := sampler.DecodeState(now.state); err != nil {
		t.Errorf("%s: the state: %v", when, err)
	}
	if !maps.Equal(now.rows, loaded) {
		t.Errorf("%s: the rows have changed: %s", when, difference(now.rows, loaded))
	}
}

// difference names a few rows that differ.
func difference(rows, loaded map[string]string) (text string) {
	told := 0
	for name := range maps.All(loaded) {
		if rows[name] != loaded[name] && told < 3 {
			told++
			text += fmt.Sprintf("%s was %q and is %q; ", name, loaded[name], rows[name])
		}
	}
	return fmt.Sprintf("%s%d rows, %d were loaded", text, len(rows), len(loaded))
}

// within draws a part of a time.
func within(d time.Duration) time.Duration { return rand.N(max(d, time.Microsecond)) }

func TestBinaryKilledRefreshesOfTheEmbeddedStore(t *testing.T) {
	for name, more := range map[string][]string{"full": nil, "rolling": rolling} {
		t.Run(name, func(t *testing.T) {
			p := newProcess(t)
			s := newShell(t)
			p.run("load", "games", s.players(30_000)).ok()
			afterKills(t, p, newFileGallows(t, p), more)
		})
	}
}

func TestBinaryKilledRefreshesOfATable(t *testing.T) {
	for name, more := range map[string][]string{"full": nil, "rolling": rolling} {
		t.Run(name, func(t *testing.T) {
			p := newProcess(t)
			afterKills(t, p, newTableGallows(t), more)
		})
	}
}

// runWith is run in an environment.
func (p process) runWith(environ []string, words ...string) result {
	p.t.Helper()
	var out, errs strings.Builder
	c := p.command(words...)
	c.Env = append(os.Environ(), environ...)
	c.Stdout, c.Stderr = &out, &errs
	return result{p.t, strings.Join(words, " "), exitStatus(p.t, c.Run()), out.String(), errs.String()}
}
