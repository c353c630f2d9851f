package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	"github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// lossy opens a store on a DynamoDB endpoint of which choose takes answers away, and
// one on the same table past it.
func lossy(t *testing.T, choose func(faults.Request) faults.Fault) (through, past *dynamo.Store) {
	t.Helper()
	endpoint := servers.DynamoDB(t)
	proxy := faults.New(t, endpoint, choose)
	client := func(url string) *dynamodb.Client {
		return dynamo.NewClient(aws.Config{
			Region: "us-east-1", BaseEndpoint: aws.String(url),
			Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
			}),
		})
	}
	admin, table := client(endpoint), fmt.Sprintf("rankcurve-posts-%d", rand.Uint32())
	if _, err := dynamo.NewTable(admin, table, dynamo.PollEvery(15*time.Millisecond)).Create(context.Background(), []string{"level", "xp", "time", "streak"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = admin.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &table})
	})
	open := func(c *dynamodb.Client) *dynamo.Store {
		st, err := dynamo.Open(context.Background(), c, table)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		return st
	}
	return open(client(proxy.URL)), open(admin)
}

// lostAnswers takes the first answer of one write in so many: by turns the connection
// ends, or it is a 500. The write has been carried out, if its condition held.
func lostAnswers(oneIn int, lost *atomic.Int64) func(faults.Request) faults.Fault {
	var mu sync.Mutex
	seen := map[string]bool{}
	random := rand.New(rand.NewPCG(5, 5))
	return func(r faults.Request) faults.Fault {
		if r.Operation != "UpdateItem" && r.Operation != "DeleteItem" {
			return faults.None
		}
		mu.Lock()
		defer mu.Unlock()
		write := r.Sorted() // each write has a random number in it, its repetition the same
		first := !seen[write]
		seen[write] = true
		if !first || random.IntN(oneIn) != 0 {
			return faults.None
		}
		if lost.Add(1)%2 == 0 {
			return faults.Lost
		}
		return faults.LostCut
	}
}

// Sixteen writers add to the same rows while one answer in twenty is lost: nothing is
// lost and nothing is added twice, with ids and without.
func TestSumsAreExactWhenAnswersAreLost(t *testing.T) {
	const writers, posts = 16, 15
	for _, batched := range []bool{false, true} {
		for _, ids := range []bool{true, false} {
			t.Run(fmt.Sprintf("batched %t, ids %t", batched, ids), func(t *testing.T) {
				var lost atomic.Int64
				through, past := lossy(t, lostAnswers(20, &lost))
				b := newBoard(t, through, runs)
				var writing sync.WaitGroup
				for w := range writers {
					writing.Go(func() {
						for i := range posts {
							p := rankcurve.Post{Owner: "ann", Scores: scores{"xp": int64(w + 1), "streak": int64(i)}}
							if ids {
								p.ID = fmt.Sprintf("%d-%d", w, i)
							}
							for {
								_, err := postWay(b, p, batched)
								if errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrUnknown) {
									continue // ten others were faster; nothing was written
								}
								if err != nil {
									t.Error(err)
								}
								break
							}
						}
					})
				}
				writing.Wait()
				row, _, err := past.Entry(context.Background(), runs, "ann")
				if want := int64(posts * writers * (writers + 1) / 2); err != nil || row.Scores["xp"] != want || row.Version != writers*posts {
					t.Errorf("%+v, %v, want xp %d after %d writes", row, err, want, writers*posts)
				}
				if lost.Load() < 5 {
					t.Errorf("only %d answers were lost", lost.Load())
				}
			})
		}
	}
}

// doubts is a store one of whose puts is carried out or not, is followed by other posts,
// and then has an outcome that it does not know.
type doubts struct {
	store.Store
	carriedOut bool
	others     func(st store.Store)
	after      int // puts, which meet others
	puts       int
}

func (d *doubts) Put(ctx context.Context, b store.Board, e store.Entry) (store.Usage, error) {
	switch d.puts++; {
	case d.puts <= d.after:
		return store.Usage{}, fmt.Errorf("put: %w", store.ErrConflict)
	case d.puts > d.after+1:
		return d.Store.Put(ctx, b, e)
	}
	if d.carriedOut {
		if _, err := d.Store.Put(ctx, b, e); err != nil {
			return store.Usage{}, err
		}
	}
	d.others(d.Store)
	return store.Usage{}, fmt.Errorf("put: %w, %w", store.ErrConflict, store.ErrUnknown)
}

func (d *doubts) PutAll(ctx context.Context, b store.Board, entries []store.Entry) ([]error, store.Usage, error) {
	errs := make([]error, len(entries))
	for i, e := range entries {
		_, errs[i] = d.Put(ctx, b, e)
	}
	return errs, store.Usage{}, nil
}

// Where the store does not know, the row's post ids do, as long as they go back so far;
// without an id, or with too many posts between, the caller is told and nothing is
// added a second time.
func TestAPostOfUnknownOutcomeIsLookedForByItsID(t *testing.T) {
	ctx := context.Background()
	later := func(posts int) func(store.Store) {
		return func(st store.Store) {
			b := newBoard(t, st, runs)
			for i := range posts {
				if _, err := b.Post(ctx, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 100}, ID: "later-" + strconv.Itoa(i)}); err != nil {
					t.Error(err)
				}
			}
		}
	}
	removed := func(st store.Store) {
		row, _, err := st.Entry(ctx, runs, "ann")
		if err == nil {
			_, err = st.Delete(ctx, runs, "ann", row.Version)
		}
		if err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		name       string
		before     int // posts with ids
		id         string
		carriedOut bool
		others     func(store.Store)
		unknown    bool
		xp         int64 // in the end, of which the post adds 1
	}{
		{"applied, a few between", 16, "mine", true, later(5), false, 501},
		{"applied, as many between as are remembered", 16, "mine", true, later(15), false, 1501},
		{"not applied, a few between", 16, "mine", false, later(5), false, 501},
		{"not applied, nothing forgotten yet", 3, "mine", false, later(12), false, 1201},
		{"applied and forgotten", 16, "mine", true, later(16), true, 1601},
		{"not applied and forgotten", 16, "mine", false, later(16), true, 1600},
		{"applied, and the row was made anew", 16, "mine", true, func(st store.Store) { removed(st); later(16)(st) }, false, 1601},
		{"applied, and the row was made anew and has come as far", 3, "mine", true, func(st store.Store) { removed(st); later(16)(st) }, true, 1600},
		{"without an id, applied", 3, "", true, later(1), true, 101},
		{"without an id, not applied", 3, "", false, later(1), true, 100},
		{"applied, and the row is gone", 3, "mine", true, removed, false, 1},
	} {
		for _, batched := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, batched %t", c.name, batched), func(t *testing.T) {
				st := newStore(t)
				for i := range c.before {
					if _, err := newBoard(t, st, runs).Post(ctx, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 0}, ID: "early-" + strconv.Itoa(i)}); err != nil {
						t.Fatal(err)
					}
				}
				b := newBoard(t, &doubts{Store: st, carriedOut: c.carriedOut, others: c.others}, runs)
				posted, err := postWay(b, rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}, ID: c.id}, batched)
				if errors.Is(err, store.ErrUnknown) != c.unknown || (err != nil) != c.unknown {
					t.Errorf("%v, want an unknown outcome: %t", err, c.unknown)
				}
				if !c.unknown && (!posted.Changed || len(posted.Changes) != 1 || *posted.Changes[0].After-value(posted.Changes[0].Before) != 1) {
					t.Errorf("answered %+v", posted)
				}
				if forgotten := c.unknown && c.id != ""; errors.Is(err, rankcurve.ErrForgotten) != forgotten || forgotten && errors.Is(err, store.ErrConflict) {
					t.Errorf("%v, want a forgotten post: %t", err, forgotten)
				}
				wantRow(t, st, c.xp)
				if err != nil { // what the error warns of: sent again, it is applied again
					if _, err := postWay(newBoard(t, st, runs), rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}, ID: c.id}, batched); err != nil {
						t.Error(err)
					}
					wantRow(t, st, c.xp+1)
				}
			})
		}
	}
}

func wantRow(t *testing.T, st store.Store, xp int64) {
	t.Helper()
	row, _, err := st.Entry(context.Background(), runs, "ann")
	if err != nil || row.Scores["xp"] != xp {
		t.Errorf("%+v, %v, want xp %d", row, err, xp)
	}
}

// A post whose last try has an unknown outcome is looked for once more: to be told that it
// met others ten times is proof that it is not stored.
func TestTheLastTryIsLookedForToo(t *testing.T) {
	for _, carriedOut := range []bool{true, false} {
		for _, batched := range []bool{true, false} {
			st := newStore(t)
			d := &doubts{Store: st, carriedOut: carriedOut, others: func(store.Store) {}, after: 9}
			_, err := postWay(newBoard(t, d, runs), rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}, ID: "mine"}, batched)
			if errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrConflict) == carriedOut || (err == nil) != carriedOut {
				t.Errorf("carried out %t, batched %t: %v", carriedOut, batched, err)
			}
			if d.puts != 10 {
				t.Errorf("%d puts", d.puts)
			}
		}
	}
}

// postWay posts alone or in a batch.
func postWay(b *rankcurve.Board, p rankcurve.Post, batched bool) (rankcurve.Posted, error) {
	if !batched {
		return b.Post(context.Background(), p)
	}
	posted, errs, err := b.PostAll(context.Background(), []rankcurve.Post{p})
	return posted[0], errors.Join(errs[0], err)
}

// value is a score, 0 where there is none.
func value(score *int64) int64 {
	if score == nil {
		return 0
	}
	return *score
}

// A row that cannot be decoded fails its owner's posts, and no other's.
func TestPostAllBesideADamagedRow(t *testing.T) {
	ctx, b := context.Background(), newBoard(t, damaged{newStore(t)}, runs)
	posted, errs, err := b.PostAll(ctx, []rankcurve.Post{{Owner: "ann", Scores: scores{"xp": 1}}, {Owner: "bad", Scores: scores{"xp": 1}}, {Owner: "bob", Scores: scores{"xp": 2}}})
	if err != nil || errs[0] != nil || !errors.Is(errs[1], store.ErrCorrupt) || errs[2] != nil {
		t.Fatal(errs, err)
	}
	if !maps.Equal(posted[2].Entry.Scores, scores{"xp": 2}) {
		t.Errorf("%+v", posted[2])
	}
}

// A row that cannot be decoded keeps no other owner from an answer.
func TestRankBesideADamagedRow(t *testing.T) {
	ctx, b := context.Background(), newBoard(t, damaged{newStore(t)}, runs)
	if _, errs, err := b.PostAll(ctx, []rankcurve.Post{{Owner: "ann", Scores: scores{"xp": 1}}, {Owner: "bob", Scores: scores{"xp": 2}}}); err != nil || errors.Join(errs...) != nil {
		t.Fatal(errs, err)
	}
	answers, _, err := b.Rank(ctx, "xp", rankcurve.Exact, "ann", "bad", "nobody", "bob")
	if err != nil {
		t.Fatal(err)
	}
	for i, rank := range []int64{2, 0, 0, 1} {
		if a := answers[i]; a.Rank.Rank != rank || (a.Err == nil) != (rank > 0) {
			t.Errorf("%+v, want rank %d", a, rank)
		}
	}
	if !errors.Is(answers[1].Err, store.ErrCorrupt) || !errors.Is(answers[2].Err, store.ErrNotFound) {
		t.Errorf("%v and %v", answers[1].Err, answers[2].Err)
	}
	results, _, err := b.Owners(ctx, rankcurve.RankIn{}, "bad", "ann")
	if err != nil || !errors.Is(results[0].Err, store.ErrCorrupt) || results[1].Err != nil || results[1].Scores["xp"] != 1 {
		t.Errorf("%+v, %v", results, err)
	}
}

// damaged is a store in which "bad" has a row that cannot be decoded.
type damaged struct{ store.Store }

func (d damaged) Entry(ctx context.Context, b store.Board, owner string) (store.Entry, store.Usage, error) {
	if owner == "bad" {
		return store.Entry{}, store.Usage{}, fmt.Errorf("owner %q: %w", owner, store.ErrCorrupt)
	}
	return d.Store.Entry(ctx, b, owner)
}

func (d damaged) EntriesOf(ctx context.Context, b store.Board, owners []string) ([]store.Entry, store.Usage, error) {
	entries, usage, err := d.Store.EntriesOf(ctx, b, owners)
	if err == nil && slices.Contains(owners, "bad") {
		err = store.Unreadable(map[string]error{"bad": fmt.Errorf("owner bad: %w", store.ErrCorrupt)})
	}
	return entries, usage, err
}
