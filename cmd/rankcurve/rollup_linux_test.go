package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/store/bolt"
)

// A count that is killed in the middle, again and again while the log grows, comes to
// the same sums in the end, and to a list of its refused lines that has each once. Each time it is killed when it waits to log a later line
// than the last time.
func TestBinaryIsKilledWhileItCounts(t *testing.T) {
	p, s, log := newProcess(t), newShell(t), newViewsLog()
	log.bad = true
	list := s.folder + "/refused.ndjson"
	cfg := s.file("c.yaml", viewsConfig)
	words := []string{"--config", cfg, "load", "photos", s.folder + "/access.csv", "--count-by", "owner", "--sum", "bytes", "--type-column", "type", "--skip-refused", list}
	killed := 0
	for free := 120; free < 3000; free += 330 {
		log.grow(rollupChunk/5 + free) // so that the chunk that is under way is not the last
		s.file("access.csv", log.text.String())
		pipe := newNarrowPipe(t, free)
		c := p.command(append([]string{"--log-level", "debug"}, words...)...)
		c.Stderr = pipe.w
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		eventually(t, "the first lines of the log, or the end", func() bool { return pipe.waiting() > free/2 || len(ended) > 0 })
		if err := c.Process.Kill(); err == nil {
			killed++
		}
		<-ended
		pipe.r.Close()
	}
	if killed < 5 {
		t.Errorf("it was killed %d times", killed)
	}
	log.grow(10) // so that there is something to count, which has a refused line or not
	s.file("access.csv", log.text.String())
	if r := p.run(words...); r.code != exitDone || !strings.Contains(r.out, "counted ") {
		t.Errorf("exit code %d, %s", r.code, r.err)
	}
	p.run(words...).ok("nothing new: ", fmt.Sprintf("is counted up to line %d,", (log.at+1)/1000))
	listed := s.listed(list)
	got := make([]int, 0, len(listed))
	for _, one := range listed {
		got = append(got, one.Line)
	}
	if !slices.Equal(got, log.wrong) {
		t.Errorf("%d lines are listed, %v, want %d, %v", len(got), got, len(log.wrong), log.wrong)
	}
	st, err := bolt.Open(p.folder + string(os.PathSeparator) + "rankcurve.db")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	log.check(t, st)
}
