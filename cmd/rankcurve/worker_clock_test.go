package main

import (
	"strings"
	"testing"
	"time"

	shaky "github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// A worker on a machine whose clock is so far behind that DynamoDB refuses its signatures
// starts, works by DynamoDB's time, and says so.
func TestAWorkerWithAWrongClockGoesByTheTables(t *testing.T) {
	proxy := shaky.New(t, servers.DynamoDB(t), func(shaky.Request) shaky.Fault { return shaky.None })
	c := cloudAt(t, proxy.URL)
	c.environ = append(c.environ, withMemcached(servers.NewMemcached(t).Addr)...)
	c.games(20)
	const behind = 20 * time.Minute
	proxy.SetClock(behind)
	before := time.Now().Add(behind)
	worked := c.bare("worker", "--once")
	if worked.code != exitDone || !strings.Contains(worked.err, "behind the store's") || !strings.Contains(worked.out, "1 column refreshed") {
		t.Errorf("exit code %d:\n%s%s", worked.code, worked.out, worked.err)
	}
	text := c.bare("curve", "show", "games", "--json").ok().rows()[0]["as_of"].(string)
	asOf, err := time.Parse(time.RFC3339, text)
	if err != nil || asOf.Before(before.Add(-10*time.Second)) || asOf.After(time.Now().Add(behind+10*time.Second)) {
		t.Errorf("the curve is as of %s, %v, and by the table it was %s", text, err, before)
	}
}
