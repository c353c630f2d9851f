package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
	"github.com/rankcurve/rankcurve/store/dynamo"
)

// A board in a DynamoDB table, which `rankcurve table create --column xp` makes. One Store
// of a table serves all of a process.
func ExampleNew_dynamoDB() {
	ctx := context.Background()
	cfg, err := config.LoadDefaultConfig(ctx, config.WithRegion("eu-west-1"))
	if err != nil {
		log.Fatal(err)
	}
	st, err := dynamo.Open(ctx, dynamo.NewClient(cfg), "rankcurve", dynamo.Attempts(3), dynamo.Timeout(2*time.Second))
	if err != nil {
		log.Fatal(err) // errors.Is(err, store.ErrNoTable): there is none of this name
	}
	defer st.Close()
	b, err := rankcurve.New(ctx, st, store.Board{
		Name:    "missions",
		Shards:  16,
		Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Sum}},
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := b.Post(ctx, rankcurve.Post{Owner: "ann", Scores: map[string]int64{"xp": 250}, ID: "mission-7"}); err != nil {
		log.Fatal(err)
	}
}

// A post is sent again while its outcome is not known, but for one that its row could not
// tell from a new one any more.
func ExampleBoard_Post_again() {
	b, remove := jumps()
	defer remove()
	send := func(ctx context.Context, p rankcurve.Post) error {
		for {
			_, err := b.Post(ctx, p)
			switch {
			case errors.Is(err, rankcurve.ErrForgotten):
				return err // look at the row
			case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrUnknown):
				if ctx.Err() == nil {
					continue // its ID keeps it from being applied twice
				}
			}
			return err
		}
	}
	fmt.Println(send(context.Background(), rankcurve.Post{Owner: "ann", Scores: map[string]int64{"metres": 901}, ID: "round 2"}))
	// Output: <nil>
}

func ExampleBoard_Owners() {
	b, remove := jumps()
	defer remove()
	results, _, err := b.Owners(context.Background(), rankcurve.RankIn{Columns: []string{"metres"}}, "cid", "eve")
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		if errors.Is(r.Err, store.ErrNotFound) {
			fmt.Println(r.Owner, "has not jumped")
			continue
		}
		fmt.Println(r.Owner, store.FormatScore(r.Scores["metres"], 2), "is place", r.Ranks[0].Rank.Rank)
	}
	// Output:
	// cid 7.74 is place 4
	// eve has not jumped
}

// Who is hidden is in no view, and keeps the row.
func ExampleBoard_Hide() {
	ctx := context.Background()
	b, remove := jumps()
	defer remove()
	best := func() string {
		top, err := b.Top(ctx, "metres", 1)
		if err != nil {
			log.Fatal(err)
		}
		return top.Rows[0].Owner
	}
	done, err := b.Hide(ctx, "bob", "eve")
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range done {
		fmt.Println(m.Owner, m.Changed, errors.Is(m.Err, store.ErrNotFound))
	}
	fmt.Println("best:", best())
	if _, err := b.Unhide(ctx, "bob"); err != nil {
		log.Fatal(err)
	}
	fmt.Println("best:", best())
	// Output:
	// bob true false
	// eve false true
	// best: ann
	// best: bob
}

// What nobody can jump is refused.
func ExampleWithLimits() {
	folder, err := os.MkdirTemp("", "rankcurve")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	st, err := bolt.Open(filepath.Join(folder, "rankcurve.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	b, err := rankcurve.New(context.Background(), st, store.Board{
		Name:    "jumps",
		Shards:  4,
		Columns: []store.Column{{Name: "metres", Order: store.Desc, Operator: store.Best, Decimals: 2}},
	}, rankcurve.WithLimits(map[string]store.Limit{"metres": {Min: new(int64(0)), Max: new(int64(950))}}))
	if err != nil {
		log.Fatal(err)
	}
	_, err = b.Post(context.Background(), rankcurve.Post{Owner: "ann", Scores: map[string]int64{"metres": 1234}})
	fmt.Println(errors.Is(err, store.ErrLimit))
	fmt.Println(err)
	// Output:
	// true
	// post to board "jumps" for owner "ann": column "metres": score 12.34 is above the limit of 9.5: invalid
}

// Refreshes keep the curves that they publish, if they are told for how long. The board of
// an hour ago answers from the curve of that time.
func ExampleBoard_At() {
	ctx, now := context.Background(), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	b, st, remove := climb(clock)
	defer remove()
	refresher := jobs.Refresher{Store: st, Holder: "example", Now: clock}
	for _, xp := range []int64{100, 300} { // eve climbs past the others
		if _, err := b.Post(ctx, rankcurve.Post{Owner: "eve", Scores: map[string]int64{"xp": xp}}); err != nil {
			log.Fatal(err)
		}
		if _, err := refresher.Refresh(ctx, b.Definition(), "xp", jobs.Options{Keep: 48 * time.Hour}); err != nil {
			log.Fatal(err)
		}
		now = now.Add(time.Hour)
	}
	past, _, err := b.At(ctx, "xp", now.Add(-2*time.Hour))
	if err != nil {
		log.Fatal(err)
	}
	r, err := past.RankOfScore(150)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("two hours ago 150 was place %d of %d\n", r.Rank, r.Of)

	moved, _, err := b.History(ctx, "xp", 150, time.Time{}, time.Time{})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range moved {
		fmt.Println(a.AsOf.UTC().Format("15:04"), a.Rank.Rank)
	}
	// Output:
	// two hours ago 150 was place 2 of 3
	// 12:00 2
	// 13:00 3
}

// climb opens a board of two owners in a new file, and says how to close it.
func climb(clock func() time.Time) (b *rankcurve.Board, st store.Store, remove func()) {
	folder, err := os.MkdirTemp("", "rankcurve")
	if err != nil {
		log.Fatal(err)
	}
	st, err = bolt.Open(filepath.Join(folder, "rankcurve.db"))
	if err != nil {
		log.Fatal(err)
	}
	b, err = rankcurve.New(context.Background(), st, store.Board{
		Name:    "climb",
		Shards:  1,
		Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Set}},
	}, rankcurve.WithClock(clock), rankcurve.WithCurvePoll(0))
	if err != nil {
		log.Fatal(err)
	}
	for owner, xp := range map[string]int64{"ann": 200, "bob": 150} {
		if _, err := b.Post(context.Background(), rankcurve.Post{Owner: owner, Scores: map[string]int64{"xp": xp}}); err != nil {
			log.Fatal(err)
		}
	}
	return b, st, func() { st.Close(); os.RemoveAll(folder) }
}
