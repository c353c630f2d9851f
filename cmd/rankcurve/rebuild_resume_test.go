package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	shaky "github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// A weir is a DynamoDB endpoint that lets so many queries of an index pass and holds back
// the others, until it is opened. It counts what is saved of a walk.
type weir struct {
	endpoint     string
	left, passed atomic.Int64
	open         atomic.Bool
	held, saved  atomic.Int64
}

func newWeir(t *testing.T) *weir {
	t.Helper()
	w := &weir{}
	w.open.Store(true)
	w.endpoint = shaky.New(t, servers.DynamoDB(t), func(r shaky.Request) shaky.Fault {
		switch {
		case r.Operation == "PutItem" && bytes.Contains(r.Body, []byte("games.xp/walk")):
			w.saved.Add(1)
		case r.Operation == "Query" && bytes.Contains(r.Body, []byte("by_xp")):
			if w.open.Load() || w.left.Add(-1) >= 0 {
				w.passed.Add(1)
				return shaky.None
			}
			w.held.Add(1)
			return shaky.Slow
		}
		return shaky.None
	}).URL
	return w
}

// shut lets so many more queries pass.
func (w *weir) shut(left int64) {
	w.left.Store(left)
	w.saved.Store(0)
	w.held.Store(0)
	w.open.Store(false)
}

// countedSmall are options by which a small board is counted, at its ends in part.
var countedSmall = []string{"RANKCURVE_REFRESH_METHOD=counted", "RANKCURVE_REFRESH_HEAD=300"}

// A rebuild that is killed, or interrupted, in the middle of its walk is gone on with by the
// next, which reads what is missing and says so; the one after that walks anew.
func TestBinaryARebuildGoesOnWhereOneWasStopped(t *testing.T) {
	p := newProcess(t)
	w := newWeir(t)
	c := cloudAt(t, w.endpoint)
	c.bare("table", "create", "--column", "xp").ok()
	c.bare("load", "games", c.players(9000)).ok()
	environ := slices.Concat(c.environ, countedSmall)
	begin := func(words ...string) (*exec.Cmd, *strings.Builder) {
		t.Helper()
		var said strings.Builder
		run := p.command(append([]string{"rebuild", "games"}, words...)...)
		run.Env, run.Stdout, run.Stderr = append(os.Environ(), environ...), &said, &said
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		return run, &said
	}
	rebuild := func(words ...string) map[string]any {
		t.Helper()
		return p.runWith(environ, append([]string{"rebuild", "games", "--json"}, words...)...).ok().rows()[0]
	}
	whole := rebuild()
	queries := w.passed.Load()
	number := func(row map[string]any, name string) float64 { return row[name].(float64) }
	if whole["resumed"] != 0.0 || number(whole, "resumed_of") < 300 {
		t.Fatalf("a rebuild that nothing was before: %v", whole)
	}

	for generation, stop := range []func(run *exec.Cmd){
		func(run *exec.Cmd) { // a checkpoint is saved after ten seconds
			eventually(t, "a checkpoint", func() bool { return w.saved.Load() > 0 })
			if err := run.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		},
		func(run *exec.Cmd) { interrupt(t, run) },
	} {
		w.shut(queries * 2 / 3)
		run, said := begin("--full")
		eventually(t, "the queries that are held back", func() bool { return w.held.Load() > 0 })
		stop(run)
		if err := run.Wait(); err == nil {
			t.Fatalf("it was done: %s", said)
		}
		w.open.Store(true)
		c.endLeases()
		if w.saved.Load() == 0 {
			t.Error("no checkpoint was saved")
		}
		row := rebuild("--full")
		t.Logf("resumed %v of %v counts: %v read units in %v requests, and %v in %v for all", row["resumed"], row["resumed_of"], row["read_units"], row["requests"], whole["read_units"], whole["requests"])
		if n := number(row, "resumed"); n < number(row, "resumed_of")/3 || number(row, "read_units") > 0.8*number(whole, "read_units") || number(row, "entries") != 9000 || number(row, "generation") != float64(2+generation) {
			t.Errorf("%v", row)
		}
	}

	w.shut(queries * 2 / 3)
	run, said := begin()
	eventually(t, "the queries that are held back", func() bool { return w.held.Load() > 0 })
	interrupt(t, run)
	_ = run.Wait()
	if !strings.Contains(said.String(), "stopped; games.xp keeps the curve it had; run the same command again") {
		t.Errorf("it said %s", said)
	}
	w.open.Store(true)
	for _, again := range []bool{true, false} {
		r := p.runWith(environ, "rebuild", "games").ok(fmt.Sprintf("generation %d of 9,000 entries", map[bool]int{true: 4, false: 5}[again]))
		if strings.Contains(r.out, "resumed: ") != again || again && !strings.Contains(r.out, " counts had been done by a refresh that was stopped; the curve is as of 20") {
			t.Errorf("it said %s", r.out)
		}
	}
	p.runWith(environ, "rank", "games", "p700", "--mode", "estimate").ok("p700")
}
