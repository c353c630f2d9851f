package main

import (
	"bytes"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	shaky "github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// stillTable is a table that answers nothing about an index, and once it is shut nothing
// about leases either.
func stillTable(t *testing.T) (c cloud, walked, released *atomic.Int32, shut *atomic.Bool) {
	t.Helper()
	walked, released, shut = &atomic.Int32{}, &atomic.Int32{}, &atomic.Bool{}
	var open atomic.Bool
	open.Store(true)
	proxy := shaky.New(t, servers.DynamoDB(t), func(r shaky.Request) shaky.Fault {
		switch {
		case open.Load():
		case r.Operation == "Query" && bytes.Contains(r.Body, []byte("by_xp")):
			walked.Add(1)
			return shaky.Slow
		case shut.Load() && bytes.Contains(r.Body, []byte("#lease")):
			released.Add(1)
			return shaky.Slow
		}
		return shaky.None
	})
	c = cloudAt(t, proxy.URL)
	c.games(50)
	open.Store(false)
	return c, walked, released, shut
}

// A second signal ends a worker that still waits for the store.
func TestBinaryWorkerEndsAtOnceAtTheSecondSignal(t *testing.T) {
	p := newProcess(t)
	c, walked, released, shut := stillTable(t)
	h := p.work(slices.Concat(c.environ, often))
	eventually(t, "the walk", func() bool { return walked.Load() > 0 })
	shut.Store(true)
	h.signal(syscall.SIGTERM)
	h.says("a second signal does not wait for it")
	eventually(t, "the lease to be given up", func() bool { return released.Load() > 0 })
	eventually(t, "the end", func() bool {
		_ = h.command.Process.Signal(syscall.SIGTERM) // the first to come after the stop is the second signal
		return h.hasEnded()
	})
	status, isUnix := h.command.ProcessState.Sys().(syscall.WaitStatus)
	if !isUnix || !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %s, and not by the second signal:\n%s", h.command.ProcessState, h)
	}
}

// SIGHUP, which a worker reads its configuration at, does not end a round of --once.
func TestBinaryWorkerOnceOutlivesAHangup(t *testing.T) {
	p := newProcess(t)
	c, walked, _, _ := stillTable(t)
	time.Sleep(time.Second) // so that the board is due again
	h := p.work(slices.Concat(c.environ, often), "--once")
	eventually(t, "the walk", func() bool { return walked.Load() > 0 })
	h.signal(syscall.SIGHUP)
	h.signal(syscall.SIGTERM)
	<-h.ended
	if code := h.command.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(h.String(), "run the same command again") {
		t.Errorf("it ended with %s:\n%s", h.command.ProcessState, h)
	}
}
