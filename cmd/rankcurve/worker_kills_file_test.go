package main

import (
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// A fileGallows kills refreshes of an embedded store. It sees each transaction of the
// process in the file, and draws after which one, and how long after, to kill it.
type fileGallows struct {
	t      *testing.T
	path   string
	pauses []time.Duration // of an undisturbed refresh: before each transaction
}

func newFileGallows(t *testing.T, p process) *fileGallows {
	t.Helper()
	return &fileGallows{t: t, path: filepath.Join(p.folder, "rankcurve.db")}
}

func (g *fileGallows) environ() []string { return nil }

func (g *fileGallows) left() (r remnant) {
	g.t.Helper()
	db, err := bbolt.Open(g.path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: patience})
	if err != nil {
		g.t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		r.rows = map[string]string{}
		if err := tx.Bucket([]byte("entries")).ForEach(func(k, v []byte) error {
			r.rows[string(k)] = string(v)
			return nil
		}); err != nil {
			return err
		}
		if curve := tx.Bucket([]byte("curves")).Get([]byte("games\x00xp")); curve != nil {
			const header = 8 + 4 // generation and checksum
			r.generation, r.curve = int64(binary.BigEndian.Uint64(curve)), append([]byte{}, curve[header:]...)
		}
		r.state = append([]byte{}, tx.Bucket([]byte("states")).Get([]byte("games\x00xp"))...)
		var l store.Lease
		if data := tx.Bucket([]byte("leases")).Get([]byte("refresh/games.xp")); data != nil {
			if err := json.Unmarshal(data, &l); err != nil {
				return err
			}
		}
		r.fence = l.Fence
		if !l.Expires.IsZero() { // a later process voids it by that
			r.holder = l.Holder
		}
		return nil
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return r
}

// transaction is the number of the file's last one, in the younger of its two meta pages.
func (g *fileGallows) transaction(f *os.File) (last uint64) {
	const ofMeta, metaBytes = 16 + 48, 8
	for _, page := range []int{0, os.Getpagesize()} {
		var number [metaBytes]byte
		if _, err := f.ReadAt(number[:], int64(page+ofMeta)); err != nil {
			g.t.Fatal(err)
		}
		last = max(last, binary.NativeEndian.Uint64(number[:]))
	}
	return last
}

// watch runs a command to its end, or until the callback says that it is enough, which is
// asked again and again. It returns how many transactions there were.
func (g *fileGallows) watch(c *exec.Cmd, enough func(transactions int, since time.Duration) bool) int {
	g.t.Helper()
	f, err := os.Open(g.path)
	if err != nil {
		g.t.Fatal(err)
	}
	defer f.Close()
	began, first := time.Now(), g.transaction(f)
	if err := c.Start(); err != nil {
		g.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = c.Wait() }()
	for seen := 0; ; runtime.Gosched() { // no sleep: transactions follow one another within a fraction of a millisecond
		if now := int(g.transaction(f) - first); now > seen {
			seen, began = now, time.Now()
		}
		if enough(seen, time.Since(began)) {
			_ = c.Process.Kill()
		}
		select {
		case <-ended:
			return int(g.transaction(f) - first)
		default:
		}
	}
}

// shortPause is for transactions that follow one another faster than they were seen.
const shortPause = 300 * time.Microsecond

func (g *fileGallows) study(c *exec.Cmd) {
	g.t.Helper()
	g.pauses = nil
	last := time.Duration(0)
	total := g.watch(c, func(transactions int, since time.Duration) bool {
		if transactions > len(g.pauses) {
			g.pauses = append(g.pauses, last)
		}
		last = since
		return false
	})
	for len(g.pauses) < total {
		g.pauses = append(g.pauses, shortPause)
	}
	for i, pause := range g.pauses {
		g.pauses[i] = max(pause, shortPause)
	}
	g.t.Logf("a refresh has %d transactions; before each: %v", total, g.pauses)
}

func (g *fileGallows) strike(c *exec.Cmd) {
	g.t.Helper()
	after := rand.IntN(len(g.pauses))
	wait := within(g.pauses[after])
	g.watch(c, func(transactions int, since time.Duration) bool {
		return transactions > after || transactions == after && since >= wait
	})
}
