package dynamo_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	"github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// between fails the first write of an operation in some way, and has something done
// before it is tried again.
func between(t *testing.T, operation string, fault faults.Fault, act func()) func(faults.Request) faults.Fault {
	t.Helper()
	first, hit := faults.First(operation, fault), false
	return func(r faults.Request) faults.Fault {
		if r.Operation == operation && hit {
			hit = false
			act()
		}
		f := first(r)
		if f != faults.None {
			hit = true
		}
		return f
	}
}

// overwrite puts ann's row so many times.
func overwrite(t *testing.T, st *dynamo.Store, times int) {
	t.Helper()
	for range times {
		e, _, err := st.Entry(bg, board(1), "ann")
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
			return
		}
		e.Owner, e.Scores = "ann", map[string]int64{"xp": e.Scores["xp"] + 100}
		if _, err := st.Put(bg, board(1), e); err != nil {
			t.Error(err)
		}
	}
}

// A put whose answer was lost is known again in the row, although others have written
// over it; one that was not carried out is a conflict for certain; and one that the
// row may have forgotten is neither.
func TestPutThatOthersWroteOver(t *testing.T) {
	faulty, sound, choose := behind(t, servers.DynamoDB(t))
	for _, c := range []struct {
		name             string
		versions         int // before
		fault            faults.Fault
		others           int
		fails, uncertain bool
	}{
		{"new row, lost", 0, faults.LostCut, 1, false, false},
		{"lost", 5, faults.LostCut, 1, false, false},
		{"lost, and others wrote until the sets turned", 10, faults.Lost, 14, false, false},
		{"lost as the first of a set", 15, faults.LostCut, 31, false, false},
		{"lost as the last of a set", 14, faults.LostCut, 16, false, false},
		{"not carried out", 5, faults.Cut, 1, true, false},
		{"not carried out, and others wrote until the sets turned", 14, faults.Refused, 16, true, false},
		{"new row, not carried out", 0, faults.Cut, 3, true, false},
		{"forgotten", 14, faults.LostCut, 17, true, true},
		{"not carried out, and forgotten", 14, faults.Cut, 18, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			choose.Store(nil)
			if e, _, err := sound.Entry(bg, board(1), "ann"); err == nil {
				if _, err := sound.Delete(bg, board(1), "ann", e.Version); err != nil {
					t.Fatal(err)
				}
			}
			overwrite(t, sound, c.versions)
			mine := ann(7)
			mine.Version = int64(c.versions)
			fault := between(t, "UpdateItem", c.fault, func() { overwrite(t, sound, c.others) })
			choose.Store(&fault)
			_, err := faulty.Put(bg, board(1), mine)
			if errors.Is(err, store.ErrConflict) != c.fails || errors.Is(err, store.ErrUnknown) != c.uncertain || err == nil == c.fails {
				t.Errorf("%v, want a conflict: %t, an unknown outcome: %t", err, c.fails, c.uncertain)
			}
			if c.uncertain && !strings.Contains(err.Error(), "may have been stored") {
				t.Errorf("%v does not say what may be", err)
			}
		})
	}
}

// A row that has been made anew is not deleted by the second attempt to delete the old
// one, whatever version it has come to.
func TestDeleteOfARowThatWasMadeAnew(t *testing.T) {
	faulty, sound, choose := behind(t, servers.DynamoDB(t))
	for _, c := range []struct {
		name             string
		fault            faults.Fault
		others           int // writes between the attempts
		fails, uncertain bool
		left             int64 // the version that is there after it
	}{
		{"lost, made anew up to another version", faults.LostCut, 1, false, false, 1},
		{"lost, made anew up to the same version", faults.LostCut, 3, false, false, 3},
		{"lost, made anew up to a later version", faults.Lost, 9, false, false, 9},
		{"lost, made anew and forgotten", faults.LostCut, 33, true, true, 33},
		{"not carried out, changed", faults.Refused, 1, true, false, 4},
		{"not carried out, changed and forgotten", faults.Cut, 40, true, true, 43},
	} {
		t.Run(c.name, func(t *testing.T) {
			choose.Store(nil)
			if e, _, err := sound.Entry(bg, board(1), "ann"); err == nil {
				if _, err := sound.Delete(bg, board(1), "ann", e.Version); err != nil {
					t.Fatal(err)
				}
			}
			overwrite(t, sound, 3)
			fault := between(t, "DeleteItem", c.fault, func() { overwrite(t, sound, c.others) })
			choose.Store(&fault)
			_, err := faulty.Delete(bg, board(1), "ann", 3)
			if errors.Is(err, store.ErrConflict) != c.fails || errors.Is(err, store.ErrUnknown) != c.uncertain || err == nil == c.fails {
				t.Errorf("%v, want a conflict: %t, an unknown outcome: %t", err, c.fails, c.uncertain)
			}
			if e, _, err := sound.Entry(bg, board(1), "ann"); err != nil || e.Version != c.left {
				t.Errorf("%+v, %v is there, want version %d", e, err, c.left)
			}
		})
	}
}

// A write without any answer says that it may be stored.
func TestWritesWithoutAnAnswerSayThatTheyMayBeStored(t *testing.T) {
	faulty, sound, choose := behind(t, servers.DynamoDB(t), dynamo.Attempts(2))
	for _, c := range []struct {
		fault     faults.Fault
		uncertain bool
	}{{faults.LostCut, true}, {faults.Lost, true}, {faults.Throttled, false}} {
		always := func(faults.Request) faults.Fault { return c.fault }
		choose.Store(&always)
		_, err := faulty.Put(bg, board(1), ann(1))
		if err == nil || errors.Is(err, store.ErrUnknown) != c.uncertain {
			t.Errorf("fault %d: %v, want an unknown outcome: %t", c.fault, err, c.uncertain)
		}
	}
	if e, _, err := sound.Entry(bg, board(1), "ann"); err != nil || e.Version != 1 {
		t.Errorf("%+v, %v", e, err)
	}
}

// A row remembers at least its last 16 writes, and never more than 32.
func TestRowsForgetOldWrites(t *testing.T) {
	admin := client(servers.DynamoDB(t))
	table := newTable(t, admin, "xp", "time")
	st := open(t, admin, table)
	for version := 1; version <= 70; version++ {
		overwrite(t, st, 1)
		out, err := admin.GetItem(bg, &dynamodb.GetItemInput{TableName: &table, ConsistentRead: aws.Bool(true), Key: map[string]types.AttributeValue{"o": s("ann"), "b": s("missions")}})
		if err != nil {
			t.Fatal(err)
		}
		tokens := 0
		for _, name := range []string{"y", "z"} {
			if set, ok := out.Item[name].(*types.AttributeValueMemberBS); ok {
				tokens += len(set.Value)
			}
		}
		if tokens < min(version, 17) || tokens > min(version, 32) {
			t.Errorf("version %d has %d tokens", version, tokens)
		}
	}
}

// Between the attempts of a write, none of the store's other writes of the row is sent: so
// however many they are, and however long it takes, the row has its token still. Rows of
// others are written meanwhile.
func TestALostWriteIsLookedForBeforeOthersOfItsRow(t *testing.T) {
	const writers, puts = 16, 5
	faulty, sound, choose := behind(t, servers.DynamoDB(t))
	var mu sync.Mutex
	var open string // the write whose answer was lost and which was not sent again yet
	var lost, early int
	random := rand.New(rand.NewPCG(3, 3))
	fault := func(r faults.Request) faults.Fault {
		if r.Operation != "UpdateItem" || !strings.Contains(string(r.Body), `{"S":"ann"}`) {
			return faults.None
		}
		mu.Lock()
		defer mu.Unlock()
		switch {
		case open == r.Sorted():
			open = ""
			return faults.None
		case open != "":
			early++
		case random.IntN(5) == 0:
			open = r.Sorted()
			lost++
			return faults.LostCut
		}
		return faults.None
	}
	choose.Store(&fault)
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for range puts {
				for {
					e, _, err := sound.Entry(bg, board(1), "ann")
					if err != nil && !errors.Is(err, store.ErrNotFound) {
						t.Error(err)
						return
					}
					row := ann(e.Scores["xp"] + 1)
					row.Version = e.Version
					_, err = faulty.Put(bg, board(1), row)
					if err == nil {
						break
					}
					if !errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrUnknown) {
						t.Error(err)
						return
					}
				}
				other := ann(1)
				other.Owner = fmt.Sprintf("writer-%d", w)
				if _, err := faulty.Load(bg, board(1), []store.Entry{other}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	e, _, err := sound.Entry(bg, board(1), "ann")
	if err != nil || e.Version != writers*puts || e.Scores["xp"] != writers*puts {
		t.Errorf("%+v, %v, want %d", e, err, writers*puts)
	}
	if early > 0 || lost < 5 {
		t.Errorf("%d writes were lost, and %d others sent before they were tried again", lost, early)
	}
}
