package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// A tableGallows kills refreshes of a table. All their requests go through it; it draws at
// which of them to kill the process, before the request is carried out or after.
type tableGallows struct {
	cloud
	target string
	client *http.Client

	mu        sync.Mutex
	under     int  // requests under way
	seen      int  // requests of this process
	usual     int  // of an undisturbed refresh
	at        int  // 0: at none
	carried   bool // kill after it is carried out
	condemned *exec.Cmd
}

func newTableGallows(t *testing.T) *tableGallows {
	t.Helper()
	g := &tableGallows{target: servers.DynamoDB(t), client: &http.Client{}}
	server := httptest.NewServer(g)
	t.Cleanup(func() {
		server.Close()
		g.client.CloseIdleConnections()
	})
	g.cloud = cloudAt(t, server.URL)
	g.bare("table", "create", "--column", "xp").ok()
	g.bare("load", "games", g.players(3000)).ok()
	return g
}

func (g *tableGallows) environ() []string { return g.cloud.environ }

// ServeHTTP passes a request on, as a whole even if who has sent it is dead by then:
// dynalite does not outlive one that is cut off.
func (g *tableGallows) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the process died while it sent it
	}
	g.mu.Lock()
	g.seen++
	g.under++
	defer g.done()
	now, carried := g.seen == g.at, g.carried
	g.mu.Unlock()
	if now && !carried {
		g.kill()
		panic(http.ErrAbortHandler)
	}
	status, header, answer, err := g.forward(r, body)
	if now {
		g.kill()
	}
	if err != nil || now {
		panic(http.ErrAbortHandler)
	}
	for name, values := range header {
		w.Header()[name] = values
	}
	w.WriteHeader(status)
	_, _ = w.Write(answer)
}

func (g *tableGallows) done() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.under--
}

func (g *tableGallows) forward(r *http.Request, body []byte) (status int, header http.Header, answer []byte, err error) {
	out, err := http.NewRequest(r.Method, g.target+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	out.Header, out.Host = r.Header.Clone(), r.Host
	in, err := g.client.Do(out)
	if err != nil {
		return 0, nil, nil, err
	}
	defer in.Body.Close()
	answer, err = io.ReadAll(in.Body)
	return in.StatusCode, in.Header, answer, err
}

func (g *tableGallows) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = g.condemned.Process.Kill()
}

// execute runs a refresh that is killed at one of its requests, or at none.
func (g *tableGallows) execute(c *exec.Cmd, at int, carried bool) {
	g.t.Helper()
	g.mu.Lock()
	g.seen, g.at, g.carried, g.condemned = 0, at, carried, c
	err := c.Start() // under the lock, so that whoever kills it finds it begun
	g.mu.Unlock()
	if err != nil {
		g.t.Fatal(err)
	}
	_ = c.Wait()
	eventually(g.t, "the requests that were under way", func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.at = 0
		return g.under == 0
	})
}

func (g *tableGallows) study(c *exec.Cmd) {
	g.t.Helper()
	g.execute(c, 0, false)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.usual = g.seen
	g.t.Logf("a refresh has %d requests", g.usual)
}

func (g *tableGallows) strike(c *exec.Cmd) {
	g.t.Helper()
	at := 1 + rand.IntN(g.usual)
	if rand.IntN(2) == 0 { // the requests after the walk are few, and each is a phase
		at = g.usual - rand.IntN(min(8, g.usual))
	}
	g.execute(c, at, rand.IntN(2) == 0)
}

func (g *tableGallows) left() remnant {
	g.t.Helper()
	r := remnant{rows: map[string]string{}}
	in := &dynamodb.ScanInput{TableName: &g.table}
	for {
		page, err := clientOf(g.target).Scan(g.ctx, in)
		if err != nil {
			g.t.Fatal(err)
		}
		for _, item := range page.Items {
			g.add(&r, item)
		}
		if in.ExclusiveStartKey = page.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			return r
		}
	}
}

// add sorts an item in, by docs/schema.md.
func (g *tableGallows) add(r *remnant, item map[string]types.AttributeValue) {
	text := func(name string) string {
		switch v := item[name].(type) {
		case *types.AttributeValueMemberS:
			return v.Value
		case *types.AttributeValueMemberN:
			return v.Value
		case *types.AttributeValueMemberB:
			return string(v.Value)
		}
		return ""
	}
	number := func(name string) int64 { n, _ := strconv.ParseInt(text(name), 10, 64); return n }
	switch owner, name := text("o"), text("b"); {
	case owner == "#curve" && name == "games.xp":
		r.generation, r.curve = number("n"), []byte(text("c"))
	case owner == "#state" && name == "games.xp":
		r.state = []byte(text("c"))
		if number("k") > 0 {
			g.t.Fatal("the state is in parts, which this test does not read")
		}
	case owner == "#lease" && name == "refresh/games.xp":
		r.fence, r.holder = number("f"), text("h")
	case !strings.HasPrefix(owner, "#"):
		row, err := json.Marshal(item)
		if err != nil {
			g.t.Fatal(err)
		}
		r.rows[owner+" "+name] = string(row)
	}
}
