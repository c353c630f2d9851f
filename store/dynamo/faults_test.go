package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	"github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

func board(shards int) store.Board {
	return store.Board{Name: "missions", Shards: shards, Columns: []store.Column{
		{Name: "xp", Order: store.Desc, Operator: store.Sum},
		{Name: "time", Order: store.Asc, Operator: store.Best, Decimals: 2},
	}}
}

func ann(xp int64) store.Entry {
	return store.Entry{Owner: "ann", Scores: map[string]int64{"xp": xp, "time": 8230}}
}

// behind opens a store behind a proxy whose faults can be changed, and one on the
// same table past it.
func behind(t *testing.T, endpoint string, opts ...dynamo.Option) (faulty, sound *dynamo.Store, choose *atomic.Pointer[func(faults.Request) faults.Fault]) {
	t.Helper()
	choose = new(atomic.Pointer[func(faults.Request) faults.Fault])
	proxy := faults.New(t, endpoint, func(r faults.Request) faults.Fault {
		if f := choose.Load(); f != nil {
			return (*f)(r)
		}
		return faults.None
	})
	admin := client(endpoint)
	table := newTable(t, admin, "xp", "time")
	return open(t, client(proxy.URL), table, opts...), open(t, admin, table), choose
}

// What a write does when its first answer is lost: it is done once, and says so.
func TestWritesWhoseAnswerIsLost(t *testing.T) {
	faulty, sound, choose := behind(t, servers.DynamoDB(t), dynamo.Timeout(300*time.Millisecond))
	key := store.CurveKey{Board: "missions", Column: "xp"}
	now := time.UnixMilli(1795219200000)
	lease, generation := store.Lease{}, int64(1)
	steps := []struct {
		name, operation string
		run             func() error
	}{
		{"CreateBoard", "PutItem", func() error { return faulty.CreateBoard(bg, board(1)) }},
		{"Put", "UpdateItem", func() error { _, err := faulty.Put(bg, board(1), ann(1)); return err }},
		{"Load", "UpdateItem", func() error { _, err := faulty.Load(bg, board(1), []store.Entry{ann(2)}); return err }},
		{"version", "GetItem", func() error {
			e, _, err := faulty.Entry(bg, board(1), "ann")
			if err == nil && (e.Version != 2 || e.Scores["xp"] != 2) {
				err = fmt.Errorf("entry is %+v, want version 2 and xp 2", e)
			}
			return err
		}},
		{"Delete", "DeleteItem", func() error { _, err := faulty.Delete(bg, board(1), "ann", 2); return err }},
		{"Publish", "PutItem", func() error {
			_, err := faulty.Publish(bg, key, store.Published{Generation: generation, Data: []byte("x")})
			return err
		}},
		{"SaveState", "PutItem", func() error { _, err := faulty.SaveState(bg, key, []byte("x")); return err }},
		{"Acquire", "PutItem", func() (err error) {
			lease, err = faulty.Acquire(bg, "refresh", "a", now, time.Minute)
			return err
		}},
		{"Renew", "PutItem", func() error { _, err := faulty.Renew(bg, lease, now, time.Minute); return err }},
		{"Release", "PutItem", func() error { return faulty.Release(bg, lease) }},
	}
	for _, fault := range []faults.Fault{faults.Lost, faults.LostCut, faults.Truncated, faults.WrongChecksum, faults.SlowButCarried, faults.Refused, faults.Cut} {
		for _, step := range steps {
			first := faults.First(step.operation, fault)
			choose.Store(&first)
			if err := step.run(); err != nil {
				t.Errorf("fault %d: %s: %v", fault, step.name, err)
			}
		}
		choose.Store(nil)
		if _, _, err := sound.Entry(bg, board(1), "ann"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("fault %d: the entry is still there: %v", fault, err)
		}
		generation++
	}
}

// A first attempt is refused by a 500 that does not say whether it was carried
// out, and another writes the same content in between: that is a conflict, not our
// own success.
func TestAnothersWriteIsNotTakenForOurs(t *testing.T) {
	faulty, sound, choose := behind(t, servers.DynamoDB(t))
	first := faults.First("UpdateItem", faults.Refused)
	between := func(r faults.Request) faults.Fault {
		fault := first(r)
		if fault != faults.None {
			if _, err := sound.Put(bg, board(1), ann(5)); err != nil {
				t.Error(err)
			}
		}
		return fault
	}
	choose.Store(&between)
	if _, err := faulty.Put(bg, board(1), ann(5)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("error %v, want ErrConflict", err)
	}
}

// A read whose body was changed on its way is read again, never believed.
func TestDamagedAnswersAreReadAgain(t *testing.T) {
	faulty, sound, choose := behind(t, servers.DynamoDB(t))
	want := ann(77)
	if _, err := sound.Put(bg, board(1), want); err != nil {
		t.Fatal(err)
	}
	for _, fault := range []faults.Fault{faults.WrongBody, faults.WrongChecksum, faults.Truncated} {
		for _, operation := range []string{"GetItem", "Query", "BatchGetItem"} {
			first := faults.First(operation, fault, fault)
			choose.Store(&first)
			e, _, err := faulty.Entry(bg, board(1), "ann")
			if err != nil || !maps.Equal(e.Scores, want.Scores) {
				t.Errorf("fault %d of %s: entry %+v, %v", fault, operation, e, err)
			}
			page, err := faulty.Rows(bg, store.Query{Partition: board(1).Partition("xp", 0), From: 100, To: 0})
			if err != nil || len(page.Rows) != 1 || page.Rows[0].Key != 77 {
				t.Errorf("fault %d of %s: page %+v, %v", fault, operation, page, err)
			}
			many, _, err := faulty.EntriesOf(bg, board(1), []string{"ann"})
			if err != nil || !maps.Equal(many[0].Scores, want.Scores) {
				t.Errorf("fault %d of %s: entries %+v, %v", fault, operation, many, err)
			}
		}
	}
}

func TestThrottles(t *testing.T) {
	faulty, _, choose := behind(t, servers.DynamoDB(t), dynamo.Attempts(3))
	q := store.Query{Partition: board(1).Partition("xp", 0), From: 100, To: 0}
	always := func(r faults.Request) faults.Fault {
		if r.Operation == "Query" {
			return faults.Throttled
		}
		return faults.ThrottledBare
	}
	choose.Store(&always)
	_, _, err := faulty.Entry(bg, board(1), "ann")
	if !errors.Is(err, store.ErrThrottled) || !strings.Contains(err.Error(), "tried 3 times") || !strings.Contains(err.Error(), "Rate exceeded") {
		t.Errorf("error %v, want ErrThrottled after 3 tries with its message", err)
	}
	choose.Store(nil)
	if err := faulty.CreateBoard(bg, board(1)); err != nil {
		t.Fatal(err)
	}
	choose.Store(&always)
	page, err := faulty.Rows(bg, q)
	var sdk *types.ProvisionedThroughputExceededException
	if !errors.Is(err, store.ErrThrottled) || !errors.As(err, &sdk) || !strings.Contains(err.Error(), "IndexReadKeyRangeThroughputExceeded of arn:") {
		t.Errorf("error %v, want ErrThrottled with its reason, and the SDK's error behind it", err)
	}
	if page.Usage.Requests != 3 {
		t.Errorf("%d requests, want 3", page.Usage.Requests)
	}
}

func TestShowThrottles(t *testing.T) {
	faulty, _, choose := behind(t, servers.DynamoDB(t), dynamo.ShowThrottles())
	first := faults.First("GetItem", faults.Refused, faults.Throttled)
	choose.Store(&first)
	_, u, err := faulty.Entry(bg, board(1), "ann")
	if !errors.Is(err, store.ErrThrottled) || u.Requests != 2 {
		t.Errorf("%v after %d requests, want the first throttle, at the second", err, u.Requests)
	}
	if _, _, err := faulty.Entry(bg, board(1), "ann"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("error %v, want ErrNotFound", err)
	}
}

// A read gives up with its context; a write that is under way is not waited for
// but carried through, and Close waits for it.
func TestSlowAnswers(t *testing.T) {
	faulty, sound, choose := behind(t, servers.DynamoDB(t), dynamo.Timeout(time.Minute)) // is not what ends it here
	slow := func(faults.Request) faults.Fault { return faults.Slow }
	choose.Store(&slow)
	ctx, cancel := context.WithTimeout(bg, 20*time.Millisecond)
	defer cancel()
	if _, _, err := faulty.Entry(ctx, board(1), "ann"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Entry: %v, want DeadlineExceeded", err)
	}
	arrived := make(chan struct{})
	released := make(chan struct{})
	holding := func(r faults.Request) faults.Fault {
		close(arrived)
		<-released
		return faults.None
	}
	choose.Store(&holding)
	ctx, cancel = context.WithCancel(bg)
	done := make(chan error)
	go func() { _, err := faulty.Put(ctx, board(1), ann(3)); done <- err }()
	<-arrived
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Put: %v, want Canceled", err)
	}
	closed := make(chan struct{})
	go func() { _ = faulty.Close(); close(closed) }()
	select {
	case <-closed:
		t.Error("Close did not wait for the write")
	default:
	}
	close(released)
	<-closed
	if e, _, err := sound.Entry(bg, board(1), "ann"); err != nil || e.Scores["xp"] != 3 {
		t.Errorf("the write was not carried through: %+v, %v", e, err)
	}
}

// busy is a time in which a busy machine answers too: what is not to fail must not be slow.
const busy = time.Second

func TestSlowAttemptsAreTriedAgain(t *testing.T) {
	faulty, _, choose := behind(t, servers.DynamoDB(t), dynamo.Timeout(busy))
	first := faults.First("GetItem", faults.Slow, faults.Slow)
	choose.Store(&first)
	_, u, err := faulty.Entry(bg, board(1), "ann")
	if !errors.Is(err, store.ErrNotFound) || u.Requests < 3 {
		t.Errorf("%v after %d requests, want ErrNotFound after 3", err, u.Requests)
	}
}

func TestNoAnswerInTime(t *testing.T) {
	faulty, _, choose := behind(t, servers.DynamoDB(t), dynamo.Attempts(2), dynamo.Timeout(busy))
	slow := func(faults.Request) faults.Fault { return faults.Slow }
	choose.Store(&slow)
	_, _, err := faulty.Entry(bg, board(1), "ann")
	says(t, err, store.ErrUnavailable, "tried 2 times", "no answer in time", faulty.Table())
}

func TestUnavailable(t *testing.T) {
	faulty, _, choose := behind(t, servers.DynamoDB(t), dynamo.Attempts(2))
	for _, fault := range []faults.Fault{faults.Refused, faults.Cut, faults.Truncated, faults.WrongChecksum} {
		always := func(faults.Request) faults.Fault { return fault }
		choose.Store(&always)
		if _, _, err := faulty.Entry(bg, board(1), "ann"); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "tried 2 times") {
			t.Errorf("fault %d: %v, want ErrUnavailable after 2 tries", fault, err)
		}
	}
}
