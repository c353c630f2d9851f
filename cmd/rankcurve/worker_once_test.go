package main

import (
	"strings"
	"testing"
)

// A column that keeps failing is a failure of each round, also where it is not tried again yet.
func TestWorkerOnceFailsWhileAColumnWaitsAfterFailures(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(30)).ok()
	s.environ = []string{"RANKCURVE_REFRESH_READ_BUDGET=1", "RANKCURVE_REFRESH_METHOD=scores"} // one read unit pays for no walk
	for i, want := range []string{"1 failed\n", "1 failed, 1 of them before and not tried again yet"} {
		r := s.run("worker", "--once")
		if r.code != exitFailed || !strings.Contains(r.out, "0 columns refreshed, 0 not due, 0 left to other workers, "+want) || !strings.Contains(r.err, "budget") {
			t.Errorf("round %d: exit code %d\n%s%s", i, r.code, r.out, r.err)
		}
	}
	s.environ = nil
	s.run("rebuild", "games").ok()
	s.run("worker", "--once").ok2(t)
	s.run("worker", "--once", "--listen", "127.0.0.1:0").fails(exitUsage, "--once ends before anybody could ask for metrics; leave --listen out, or --once")
}

func TestWorkerWarnsOfALeaseThatClocksMayOutrun(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.players(30)).ok()
	for lease, warns := range map[string]bool{"2s": true, "6s": false} {
		s.environ = []string{"RANKCURVE_WORKER_LEASE=" + lease}
		if r := s.run("worker", "--once").ok2(t); strings.Contains(r.err, "worker.lease is short") != warns {
			t.Errorf("with a lease of %s: %s", lease, r.err)
		}
	}
}
