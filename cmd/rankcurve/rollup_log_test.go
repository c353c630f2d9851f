package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/store"
)

// A views log is an access log that a test writes, with the sums that it must come to.
type viewsLog struct {
	text  strings.Builder
	lines int
	bad   bool // there are lines without an owner, which are counted nowhere
	at    int  // line of the file
	wrong []int
	want  map[string]map[string]int64 // views by board and owner
	bytes map[string]map[string]int64
}

func newViewsLog() *viewsLog {
	l := &viewsLog{want: map[string]map[string]int64{}, bytes: map[string]map[string]int64{}}
	l.text.WriteString("owner,time,type,bytes\n")
	return l
}

// grow adds lines of 41 owners, 2 types and 3 days of 2 months in 2024.
func (l *viewsLog) grow(lines int) {
	for range lines {
		i := l.lines
		l.lines++
		if l.at++; l.bad && i%997 == 5 {
			l.text.WriteString(",2024-04-30T12:00:00Z,view,1\n")
			l.wrong, l.at = append(l.wrong, l.at+1), l.at+1
		}
		owner, kind, size := fmt.Sprintf("p%d", i*i%41), []string{"view", "like"}[i%5/4], int64(i%1000)
		day := []string{"2024-04-30", "2024-05-01", "2024-05-02"}[i*7/5%3]
		fmt.Fprintf(&l.text, "%s,%sT12:00:00Z,%s,%d\n", owner, day, kind, size)
		for _, board := range []string{"photos." + kind, "photos." + kind + ":" + day[:7], "photos." + kind + ":" + day} {
			if l.want[board] == nil {
				l.want[board], l.bytes[board] = map[string]int64{}, map[string]int64{}
			}
			l.want[board][owner]++
			l.bytes[board][owner] += size
		}
	}
}

// check compares every board of a store with the sums of the log.
func (l *viewsLog) check(t *testing.T, st store.Store) {
	t.Helper()
	boards, err := st.Boards(context.Background())
	if err != nil || len(boards) != len(l.want) {
		t.Fatalf("%d boards, %v, want %d", len(boards), err, len(l.want))
	}
	for _, b := range boards {
		for owner, views := range l.want[b.Name] {
			e, _, err := st.Entry(context.Background(), b, owner)
			if err != nil || e.Scores["views"] != views || e.Scores["bytes"] != l.bytes[b.Name][owner] {
				t.Errorf("%s on %s has %v, %v, want %d views and %d bytes", owner, b.Name, e.Scores, err, views, l.bytes[b.Name][owner])
			}
		}
	}
}

const viewsConfig = `
boards:
  - name: photos
    shards: 2
    columns: [{name: views, operator: sum}, {name: bytes, operator: sum}]
    periods: [all, monthly, daily]
`
