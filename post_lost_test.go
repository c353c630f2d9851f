package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
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
	many, past := lossyMany(t, 1, choose)
	return many[0], past
}

// lossyMany opens so many stores on the endpoint, as so many processes would.
func lossyMany(t *testing.T, stores int, choose func(faults.Request) faults.Fault) (through []*dynamo.Store, past *dynamo.Store) {
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
	for range stores {
		through = append(through, open(client(proxy.URL)))
	}
	return through, open(admin)
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

// Sixteen writers of one store add to the same row while one answer in twenty is lost:
// nothing is lost and nothing is added twice, with ids and without, whatever the machine is
// busy with: the store lets no other write of theirs come between the attempts of one.
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
								if err != nil { // an unknown outcome is none that there may be here
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

// Sixteen processes do the same. Between two attempts of one, the others may write more
// than a row remembers: then the error says so. What is known to be stored is added once,
// and each of the others once or not at all.
func TestSumsOfSixteenProcessesWhenAnswersAreLost(t *testing.T) {
	const writers, posts = 16, 15
	for _, ids := range []bool{true, false} {
		t.Run(fmt.Sprintf("ids %t", ids), func(t *testing.T) {
			var lost atomic.Int64
			through, past := lossyMany(t, writers, lostAnswers(20, &lost))
			var mu sync.Mutex
			var stored, writes int64 // known to be
			var unknown []int64
			var writing sync.WaitGroup
			for w, st := range through {
				b := newBoard(t, st, runs)
				writing.Go(func() {
					for i := range posts {
						xp, id := int64(w*posts+i+1), ""
						if ids {
							id = fmt.Sprintf("%d-%d", w, i)
						}
						err := postUntilKnown(b, rankcurve.Post{Owner: "ann", Scores: scores{"xp": xp}, ID: id})
						mu.Lock()
						switch {
						case err == nil:
							stored, writes = stored+xp, writes+1
						case errors.Is(err, store.ErrUnknown) && errors.Is(err, rankcurve.ErrForgotten) == ids:
							unknown = append(unknown, xp)
						default:
							t.Error(err)
						}
						mu.Unlock()
					}
				})
			}
			writing.Wait()
			row, _, err := past.Entry(context.Background(), runs, "ann")
			if err != nil || !sumOfSome(unknown, row.Scores["xp"]-stored, int(row.Version-writes)) {
				t.Errorf("%+v, %v, want xp %d after %d writes and some of %d", row, err, stored, writes, unknown)
			}
			t.Logf("%d answers were lost, and %d of %d posts could not be told of", lost.Load(), len(unknown), writers*posts)
			if lost.Load() < 5 {
				t.Errorf("only %d answers were lost", lost.Load())
			}
		})
	}
}

// postUntilKnown posts until it is stored, or the error is another than that it met others.
func postUntilKnown(b *rankcurve.Board, p rankcurve.Post) error {
	for {
		_, err := b.Post(context.Background(), p)
		if !errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrUnknown) {
			return err
		}
	}
}

// sumOfSome says whether so many of the summands make a sum.
func sumOfSome(summands []int64, sum int64, many int) bool {
	reached := map[[2]int64]bool{{0, 0}: true} // sums, and of how many
	for _, summand := range summands {
		for _, r := range slices.Collect(maps.Keys(reached)) {
			reached[[2]int64{r[0] + summand, r[1] + 1}] = true
		}
	}
	return reached[[2]int64{sum, int64(many)}]
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
