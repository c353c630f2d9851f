package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
	shaky "github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// What DynamoDB throttles, and a memcached that is away, are on the metrics' page.
func TestBinaryWorkerCountsThrottlesAndFaultsOfMemcached(t *testing.T) {
	p := newProcess(t)
	var throttled atomic.Bool
	proxy := shaky.New(t, servers.DynamoDB(t), func(r shaky.Request) shaky.Fault {
		if r.Operation == "Query" && bytes.Contains(r.Body, []byte("by_xp")) && throttled.CompareAndSwap(false, true) {
			return shaky.Throttled
		}
		return shaky.None
	})
	c := cloudAt(t, proxy.URL)
	c.games(50)
	throttled.Store(false)
	h := p.work(slices.Concat(c.environ, often, []string{"RANKCURVE_CACHE_KIND=memcached", "RANKCURVE_CACHE_MEMCACHED_SERVERS_0=127.0.0.1:1", "RANKCURVE_WORKER_LISTEN=127.0.0.1:0"}))
	h.says("msg=refreshed")
	page := metricsOf(t, h)
	if !strings.Contains(page, `rankcurve_throttles_total{reason="`) || strings.Contains(page, "rankcurve_memcached_faults_total 0") {
		t.Errorf("the page does not tell of them:\n%s", page)
	}
	h.signal(syscall.SIGTERM)
	<-h.ended
}

// A file that has become empty is one that is being written: it is not taken for all defaults.
func TestBinaryWorkerRefusesAFileThatHasBecomeEmpty(t *testing.T) {
	p := newProcess(t)
	s := newShell(t)
	p.run("load", "games", s.players(20)).ok()
	file := filepath.Join(p.folder, "c.yaml")
	if err := os.WriteFile(file, []byte("refresh: {schedule: '@every 1s', idle_max: 0s}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := p.work([]string{"RANKCURVE_CONFIG=" + file})
	h.says("msg=refreshed")
	if err := os.WriteFile(file, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.signal(syscall.SIGHUP)
	h.says("is empty, and was not when the worker began")
	seen := h.said("msg=refreshed")
	eventually(t, "refreshes by the old schedule", func() bool { return h.said("msg=refreshed") >= seen+2 })
	h.signal(syscall.SIGTERM)
	<-h.ended
}

// The worker's store shows throttles whatever the pace is at its start, so that each board has
// one: a reload may set it.
func TestPlanOnATableAlwaysHasAPace(t *testing.T) {
	s := newShell(t)
	for kind, want := range map[string]float64{"dynamodb": unpaced, "bolt": 0} {
		cfg, err := config.Load(s.file(kind+".yaml", "store: {kind: "+kind+"}\nrefresh: {pace: {start: 0, max: 0}}\n"), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if plan, err := planFor(cfg, store.Board{Name: "a", Shards: 1}); err != nil || plan.Options.Pace.Max != want {
			t.Errorf("%s: pace %+v, %v", kind, plan.Options.Pace, err)
		}
	}
}
