package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// A narrowPipe holds one page, of which all but free bytes are taken: a process
// that writes more than that waits until the test reads. So a test can hold it at
// a known place, and signal it there.
type narrowPipe struct {
	t      *testing.T
	r, w   *os.File
	filler int
}

func newNarrowPipe(t *testing.T, free int) *narrowPipe {
	t.Helper()
	const page, setPipeSize = 4096, 1031 // F_SETPIPE_SZ
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	size, _, errno := syscall.Syscall(syscall.SYS_FCNTL, w.Fd(), setPipeSize, page)
	if errno != 0 || size != page {
		t.Skipf("this system has no pipes of one page: %d bytes, %v", size, errno)
	}
	p := &narrowPipe{t, r, w, page - free}
	if _, err := w.Write(bytes.Repeat([]byte("."), p.filler)); err != nil {
		t.Fatal(err)
	}
	return p
}

// waiting is how many bytes are in the pipe beyond the filler.
func (p *narrowPipe) waiting() int {
	const readable = 0x541b // FIONREAD
	var n int32
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, p.r.Fd(), readable, uintptr(unsafe.Pointer(&n))); errno != 0 {
		p.t.Fatal(errno)
	}
	return int(n) - p.filler
}

// rest lets the process go on, and reads what it writes to its end.
func (p *narrowPipe) rest() string {
	p.t.Helper()
	p.w.Close() // the process holds the other one
	data, err := io.ReadAll(p.r)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data[p.filler:])
}

// atRest waits until a process has taken what it was signalled, and all of its threads
// sleep: it waits at the pipe, and could else be read on faster than it takes the signal. Or
// it has ended.
func atRest(t *testing.T, c *exec.Cmd) {
	t.Helper()
	folder := fmt.Sprintf("/proc/%d/", c.Process.Pid)
	eventually(t, "the process to take the signal", func() bool {
		status, err := os.ReadFile(folder + "status")
		if err != nil || !regexp.MustCompile(`(?m)^ShdPnd:\s+0+$`).Match(status) {
			return false
		}
		threads, err := os.ReadDir(folder + "task")
		for _, thread := range threads {
			status, err := os.ReadFile(folder + "task/" + thread.Name() + "/status")
			if err != nil || !regexp.MustCompile(`(?m)^State:\s+[SZ]`).Match(status) {
				return false
			}
		}
		return err == nil && len(threads) > 0
	})
}

// A load that is interrupted after its first batch: the log's first line fits
// the pipe, the second waits there while the signal comes.
func TestBinaryStopsBetweenBatches(t *testing.T) {
	p := newProcess(t)
	s := newShell(t)
	var b strings.Builder
	b.WriteString("owner,xp\n")
	const rows = 3*loadBatch + 1
	for i := range rows {
		fmt.Fprintf(&b, "player-%d,%d\n", i, i)
	}
	path := s.file("big.csv", b.String())
	pipe := newNarrowPipe(t, 150)
	c := p.command("--log-level", "debug", "load", "games", path)
	c.Stderr = pipe.w
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first batch", func() bool { return pipe.waiting() > 0 })
	interrupt(t, c)
	atRest(t, c)
	said := pipe.rest()
	code := exitStatus(t, c.Wait())
	if code != exitFailed || !strings.Contains(said, "of 750,001 rows are stored; run the same command again to finish") || strings.Contains(said, "stopped: 750,001") {
		t.Fatalf("exit code %d: %s", code, said)
	}
	p.run("load", "games", path).ok("loaded 750,001 rows")
	p.run("rank", "games", "player-750000", "player-0", "--mode", "exact", "--read-budget", "1e6").ok("750,000")
}

// A rebuild that is interrupted: the columns that are done have new curves, the
// others keep their old ones. Each report waits in the pipe.
func TestBinaryStopsBetweenColumns(t *testing.T) {
	p := newProcess(t)
	s := newShell(t)
	header, row := "owner", "ann"
	const columns = 16
	for i := range columns {
		header += fmt.Sprintf(",column_%02d", i)
		row += ",1"
	}
	p.run("load", "games", s.file("wide.csv", header+"\n"+row+"\n")).ok()
	p.run("rebuild", "games").ok()
	pipe := newNarrowPipe(t, 500)
	var errs bytes.Buffer
	c := p.command("rebuild", "games", "--json")
	c.Stdout, c.Stderr = pipe.w, &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first report", func() bool { return pipe.waiting() > 0 })
	interrupt(t, c)
	atRest(t, c)
	done := strings.Count(pipe.rest(), "\n")
	if code := exitStatus(t, c.Wait()); code != exitFailed || !strings.Contains(errs.String(), "keeps the curve it had; run the same command again") {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	for i, row := range p.run("curve", "show", "games", "--json").ok().rows() {
		want := 1.0
		if i < done {
			want = 2
		}
		if row["generation"] != want {
			t.Errorf("column %d has generation %v, want %v", i, row["generation"], want)
		}
	}
	if done == 0 || done == columns {
		t.Errorf("%d of %d columns were rebuilt", done, columns)
	}
}

// A second signal ends the process at once, whatever it waits for.
func TestBinaryEndsAtTheSecondSignal(t *testing.T) {
	p := newProcess(t)
	s := newShell(t)
	pipe := newNarrowPipe(t, 10) // not even one line fits
	c := p.command("--log-level", "debug", "load", "games", s.players(10))
	c.Stderr = pipe.w
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	db := p.folder + "/rankcurve.db"
	eventually(t, "the batch to be stored", func() bool { _, err := os.Stat(db); return err == nil })
	interrupt(t, c)
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	eventually(t, "the end", func() bool {
		_ = c.Process.Signal(syscall.SIGTERM) // the first to come after the stop is the second signal
		select {
		case <-ended:
			return true
		default:
			return false
		}
	})
	state := c.ProcessState.Sys().(syscall.WaitStatus)
	if !state.Signaled() {
		t.Errorf("it ended by itself: %v", c.ProcessState)
	}
}
