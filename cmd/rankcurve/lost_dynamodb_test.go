package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	shaky "github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// A forgetter loses the answer of the next write of one row, and lets others post to the
// row until it has forgotten that write, before it is tried again.
type forgetter struct {
	cloud
	mu           sync.Mutex
	board, owner string
	lost         string // the request whose answer was lost
}

func newForgetter(t *testing.T) *forgetter {
	t.Helper()
	f := &forgetter{}
	endpoint := servers.DynamoDB(t)
	proxy := shaky.New(t, endpoint, func(r shaky.Request) shaky.Fault {
		f.mu.Lock()
		defer f.mu.Unlock()
		switch {
		case f.lost != "" && f.lost == r.Sorted():
			f.postAsOthers(rowOf(r))
			f.lost = ""
		case f.board != "" && r.Operation == "UpdateItem" && rowOf(r) == [2]string{f.board, f.owner}:
			f.lost, f.board = r.Sorted(), ""
			return shaky.LostCut
		}
		return shaky.None
	})
	f.cloud = cloudAt(t, proxy.URL)
	f.client = clientOf(endpoint)
	f.bare("table", "create", "--column", "views").ok()
	f.environ = append(f.environ, "RANKCURVE_CONFIG="+f.file("c.yaml", `
boards:
  - name: photos
    shards: 2
    columns: [{name: views, operator: sum}]
    periods: [all, daily]
  - name: games
    shards: 2
    columns: [{name: views, operator: sum}]
`))
	return f
}

func (f *forgetter) forget(board, owner string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.board, f.owner = board, owner
}

// postAsOthers posts what adds nothing to a row.
func (f *forgetter) postAsOthers(row [2]string) {
	st, err := dynamo.Open(context.Background(), f.client, f.table)
	if err != nil {
		f.t.Error(err)
		return
	}
	defer st.Close()
	b, err := rankcurve.Open(context.Background(), st, row[0], rankcurve.WithClock(func() time.Time { return saturday }))
	if err != nil {
		f.t.Error(err)
		return
	}
	for i := range 3 * store.MaxPosts {
		if _, err := b.Post(context.Background(), rankcurve.Post{Owner: row[1], Scores: map[string]int64{"views": 0}, ID: fmt.Sprintf("other-%d", i)}); err != nil {
			f.t.Error(err)
		}
	}
}

// rowOf is the board and the owner whose row a request is about.
func rowOf(r shaky.Request) [2]string {
	var body struct{ Key map[string]struct{ S string } }
	_ = json.Unmarshal(r.Body, &body) // another kind of request has none
	return [2]string{body.Key["b"].S, body.Key["o"].S}
}

// Whoever posts is not told to run a command again whose --id the row knows no more.
func TestAForgottenPostIsNotRunAgain(t *testing.T) {
	f := newForgetter(t)
	f.now = func() time.Time { return saturday }
	f.bare("post", "games", "ann", "views=1", "--id", "one").ok()
	f.forget("games", "ann")
	again := f.bare("post", "games", "ann", "views=5", "--id", "two")
	again.fails(exitFailed, "whether it is stored cannot be told any more", "see what the row is now: `rankcurve", "owner ann --board games --json`")
	if strings.Contains(again.err, "run the same command again") {
		t.Error(again.err)
	}
	f.bare("owner", "ann", "--board", "games", "--json").ok(`"views":"6"`)

	f.bare("post", "photos", "ann", "views=1", "--id", "one").ok()
	f.forget("photos:2026-11-21", "ann")
	again = f.bare("post", "photos", "ann", "views=5", "--id", "two")
	again.fails(exitFailed, "perhaps on photos:2026-11-21 (", "do not run the same command again, for its --id would not be known on photos:2026-11-21: look there first", "post with --id two to the other boards")
	f.bare("owner", "ann", "--board", "photos:2026-11-21", "--json").ok(`"views":"6"`)
}

// A roll-up goes on past a row of which it cannot be told whether it has its share, says
// which and what to post if it has not, and never posts that again by itself.
func TestARollUpPassesWhatItsRowsForgot(t *testing.T) {
	f := newForgetter(t)
	f.now = func() time.Time { return saturday }
	head := "image,time\na.jpg,2026-11-21T09:00:00Z\nb.jpg,2026-11-21T09:00:00Z\n"
	words := []string{"load", "photos", f.file("access.csv", head), "--count-by", "image"}
	f.bare(words...).ok("counted 2 lines")
	for board, flags := range map[string]string{"photos": " --period all", "photos:2026-11-21": ""} {
		head += "a.jpg,2026-11-21T09:00:00Z\na.jpg,2026-11-21T09:00:00Z\nb.jpg,2026-11-21T09:00:00Z\n"
		f.file("access.csv", head)
		f.forget(board, "a.jpg")
		f.bare(words...).fails(exitFailed, "are counted, but for these rows it cannot be told", "post "+board+" a.jpg views=2 --operator sum"+flags+"`", "then run the same command again to go on")
		f.bare(words...).ok("nothing new")
	}
	for _, board := range []string{"photos", "photos:2026-11-21"} {
		f.bare("owner", "a.jpg", "--board", board, "--json").ok(`"views":"5"`)
		f.bare("owner", "b.jpg", "--board", board, "--json").ok(`"views":"3"`)
	}
}
