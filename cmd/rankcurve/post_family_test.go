package main

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	shaky "github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

const periodLimitsConfig = `
boards:
  - name: missions
    shards: 2
    columns: [{name: xp, operator: sum, max_score: 1000, max_score_of: {daily: 100}}]
    periods: [all, weekly, daily]
`

// A post beyond the limit of one board is on none, and is told once.
func TestALimitRefusesAFamilyPostAsAWhole(t *testing.T) {
	s := newFamilies(t)
	s.environ = []string{"RANKCURVE_CONFIG=" + s.file("c.yaml", periodLimitsConfig)}
	tops := func() (all string) {
		t.Helper()
		for _, period := range []string{"all", "weekly", "daily"} {
			all += s.run("top", "missions", "--period", period).squeezed().ok().out
		}
		return all
	}
	for day := range 10 {
		s.run("post", "missions", "ann", "xp=95", "--time", saturday.AddDate(0, 0, -1-day).Format(time.RFC3339)).ok()
	}
	s.run("post", "missions", "ann", "xp=10").ok()
	before := tops()
	for _, command := range []string{"post missions ann xp=60", "post missions ann xp=60 --id x", "post missions ann xp=60 --time 2026-11-21T09:00:00Z"} {
		r := s.run(strings.Fields(command)...).fails(exitFailed, `board "missions": column "xp": score 1020 is above the limit of 1000`)
		if strings.Count(r.err, "1020") != 1 || strings.Contains(r.err, "again") || strings.Contains(r.err, "own names") || r.out != "" {
			t.Errorf("%s: %s%s", command, r.out, r.err)
		}
	}
	s.run("post", "missions", "bob", "xp=101").fails(exitFailed, `board "missions:2026-11-21": column "xp": score 101 is above the limit of 100`)
	s.run("post", "missions", "bob", "xp=101", "--period", "weekly").ok("posted: bob on missions:2026-W47")
	s.run("post", "missions", "bob", "xp=101", "--period", "daily").fails(exitFailed, "above the limit of 100")
	if after := tops(); after != strings.Replace(before, "1 ann 485\n", "1 ann 485\n2 bob 101\n", 1) {
		t.Errorf("from\n%sto\n%s", before, after)
	}
	s.run("load", "missions", s.file("f.csv", "owner,xp\ncy,101\n")).fails(exitFailed, "f.csv:2: xp: score 101 is above the limit of 100")
	s.run("load", "missions", s.file("f.csv", "owner,xp\ncy,101\n"), "--period", "all").ok()
}

const threeConfig = `
boards:
  - name: missions
    shards: 2
    columns: [{name: xp, operator: sum}]
    periods: [all, weekly, daily]
`

// missionsCloud is a cloud whose requests are counted by operation; choose may fault them.
func missionsCloud(t *testing.T, choose func(shaky.Request) shaky.Fault) (cloud, *shaky.Proxy) {
	t.Helper()
	proxy := shaky.New(t, servers.DynamoDB(t), choose)
	c := cloudAt(t, proxy.URL)
	c.bare("table", "create", "--column", "xp").ok()
	c.environ = append(c.environ, "RANKCURVE_CONFIG="+c.file("c.yaml", threeConfig))
	return c, proxy
}

// A process that posts to boards that are there writes their rows, and nothing else: a
// write that is refused is paid for too.
func TestAPostWritesItsRowsAlone(t *testing.T) {
	c, proxy := missionsCloud(t, func(shaky.Request) shaky.Fault { return shaky.None })
	c.bare("post", "missions", "ann", "xp=5").ok()
	for _, step := range []struct {
		line   string
		writes int
	}{{"post missions ann xp=5 --id a", 3}, {"post missions bob xp=5", 3}, {"post missions ann xp=5 --period daily", 1}, {"post missions ann xp=5 --id a", 0}} {
		before := map[string]int{}
		for _, operation := range []string{"", "UpdateItem", "PutItem", "DeleteItem", "GetItem", "DescribeTable"} {
			before[operation] = proxy.Requests(operation)
		}
		c.bare(strings.Fields(step.line)...).ok()
		did := func(operation string) int { return proxy.Requests(operation) - before[operation] }
		if did("UpdateItem") != step.writes || did("") != did("UpdateItem")+did("GetItem")+did("DescribeTable") {
			t.Errorf("%s: %d UpdateItem, %d PutItem, %d DeleteItem of %d requests, want %d UpdateItem and else reads alone", step.line, did("UpdateItem"), did("PutItem"), did("DeleteItem"), did(""), step.writes)
		}
	}
}

// A process that is killed between its writes leaves a post on some boards; the same
// command again puts it on the others, and changes those no more.
func TestBinaryKilledBetweenTheBoardsOfAFamily(t *testing.T) {
	var writes, holdFrom atomic.Int64
	c, _ := missionsCloud(t, func(r shaky.Request) shaky.Fault {
		if r.Operation != "UpdateItem" {
			return shaky.None
		}
		if n, from := writes.Add(1), holdFrom.Load(); from > 0 && n >= from {
			return shaky.Slow
		}
		return shaky.None
	})
	p := newProcess(t)
	xp := func(board string) (score int64) {
		t.Helper()
		row := c.bare("owner", "ann", "--board", board, "--json").ok().rows()[0]
		_, err := fmt.Sscan(fmt.Sprint(row["scores"].(map[string]any)["xp"]), &score)
		if err != nil {
			t.Fatal(err)
		}
		return score
	}
	const at = "2024-05-04T09:30:00Z"
	boards := []string{"missions", "missions:2024-W18", "missions:2024-05-04"}
	c.bare("post", "missions", "ann", "xp=5", "--time", at).ok()
	for hold := int64(1); hold <= 3; hold++ {
		before := xp("missions")
		words := []string{"post", "missions", "ann", "xp=5", "--id", fmt.Sprint("killed-", hold), "--time", at}
		started := writes.Load()
		holdFrom.Store(started + hold)
		run := p.command(words...)
		run.Env = append(os.Environ(), c.environ...)
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "three writes", func() bool { return writes.Load() >= started+3 })
		eventually(t, "those that are let through", func() bool {
			there := int64(0)
			for _, board := range boards {
				there += (xp(board) - before) / 5
			}
			return there == hold-1
		})
		_ = run.Process.Kill()
		_ = run.Wait()
		holdFrom.Store(0)
		for range 2 {
			c.bare(words...).ok()
			for _, board := range boards {
				if got := xp(board); got != before+5 {
					t.Errorf("killed at write %d: %d on %s, want %d", hold, got, board, before+5)
				}
			}
		}
	}
}

// A post that may be on a board is not said to be missing there, nor to be sent there again.
func TestAFamilyPostOfUnknownOutcomeSaysWhatToDo(t *testing.T) {
	var lost atomic.Value
	lost.Store("")
	c, _ := missionsCloud(t, func(r shaky.Request) shaky.Fault {
		if board := lost.Load().(string); board != "" && r.Operation == "UpdateItem" && strings.Contains(string(r.Body), board) {
			return shaky.LostCut
		}
		return shaky.None
	})
	c.now = func() time.Time { return saturday }
	c.bare("post", "missions", "ann", "xp=5").ok()
	lost.Store("missions:2026-W47")
	c.bare("post", "missions", "ann", "xp=5").fails(exitFailed, `post to family "missions": stored on missions, missions:2026-11-21, perhaps on missions:2026-W47 (`,
		"; look first with `rankcurve rank missions:2026-W47 ann`, and post to the boards that have it not by their own names; give a post an --id")
	c.bare("post", "missions", "ann", "xp=5", "--id", "a b").fails(exitFailed, "perhaps on missions:2026-W47 (",
		"; run the same command again with --id 'a b' --time 2026-11-21T09:30:00Z: where it is stored it changes nothing")
	lost.Store("")
	c.now = func() time.Time { return saturday.Add(24 * time.Hour) }
	c.bare("post", "missions", "ann", "xp=5", "--id", "a b", "--time", "2026-11-21T09:30:00Z").ok("unchanged: ann on missions has xp=15", "unchanged: ann on missions:2026-11-21 has xp=15", "unchanged: ann on missions:2026-W47 has xp=15")
}
