package jobs

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/robfig/cron/v3"

	"github.com/rankcurve/rankcurve/store"
)

// A listing is a store that can list its boards, and no more.
type listing struct {
	store.Store
	boards []store.Board
}

func (l listing) Boards(context.Context) ([]store.Board, error) { return l.boards, nil }

// Leisurely times are those of a schedule that cannot be told before a channel is closed.
type leisurely struct {
	cron.Schedule
	until <-chan struct{}
}

// Next implements cron.Schedule.
func (l leisurely) Next(t time.Time) time.Time {
	<-l.until
	return l.Schedule.Next(t)
}

// Who asks how a worker is does not wait until thousands of new columns are scheduled: a
// probe that does would have the worker killed.
func TestHealthDoesNotWaitForTheScheduling(t *testing.T) {
	daily, err := ParseSchedule("@daily", "")
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{})
	daily.times = leisurely{daily.times, asked}
	columns := []store.Column{{Name: "aa"}, {Name: "bb"}, {Name: "cc"}}
	w := NewWorker(Refresher{Store: listing{boards: []store.Board{{Name: "games", Shards: 1, Columns: columns}}}}, Settings{
		Plan: func(store.Board) (Plan, error) { return Plan{Schedule: daily}, nil }, Concurrent: 1,
	}, NewMetrics(prometheus.NewRegistry()))
	w.stopping = true // nothing is refreshed
	w.cron.Start()
	defer w.cron.Stop()
	done, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		w.sync(t.Context())
	}()
	go func() {
		defer close(told)
		for w.Health().Columns < len(columns) {
			time.Sleep(time.Millisecond)
		}
	}()
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Error("health has no answer while columns are scheduled")
	}
	close(asked)
	<-done
	<-told
	if n := len(w.cron.Entries()); n != len(columns) {
		t.Errorf("%d columns are scheduled, want %d", n, len(columns))
	}
}
