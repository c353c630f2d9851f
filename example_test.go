package rankcurve_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

// jumps opens a board of long jumps in a new file, and says how to close it.
func jumps() (b *rankcurve.Board, remove func()) {
	folder, err := os.MkdirTemp("", "rankcurve")
	if err != nil {
		log.Fatal(err)
	}
	st, err := bolt.Open(filepath.Join(folder, "rankcurve.db"))
	if err != nil {
		log.Fatal(err)
	}
	b, err = rankcurve.New(context.Background(), st, store.Board{
		Name:    "jumps",
		Shards:  4,
		Columns: []store.Column{{Name: "metres", Order: store.Desc, Operator: store.Best, Decimals: 2}},
	})
	if err != nil {
		log.Fatal(err)
	}
	results := map[string]int64{"ann": 823, "bob": 895, "cid": 774, "dan": 823}
	posts := make([]rankcurve.Post, 0, len(results))
	for owner, metres := range results {
		posts = append(posts, rankcurve.Post{Owner: owner, Scores: map[string]int64{"metres": metres}})
	}
	if _, _, err := b.PostAll(context.Background(), posts); err != nil {
		log.Fatal(err)
	}
	return b, func() { st.Close(); os.RemoveAll(folder) }
}

func ExampleNew() {
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
		Name:    "missions",
		Shards:  16,
		Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Sum}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Definition().Name, b.Definition().Columns[0])
	// Output: missions xp:desc:sum:0
}

func ExampleOpen() {
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

	_, err = rankcurve.Open(context.Background(), st, "missions")
	fmt.Println(err)
	// Output: open board "missions": not found: the store has no boards yet; run `rankcurve load missions FILE` to make this one, or `rankcurve demo` to see one
}

func ExampleBoard_Post() {
	b, remove := jumps()
	defer remove()
	post := rankcurve.Post{
		Owner:      "ann",
		Scores:     map[string]int64{"metres": 901}, // 9.01 in units of 10^-2
		Attributes: map[string]string{"club": "Owls"},
		ID:         "round 2, attempt 1",
	}
	for range 2 { // sent twice, it counts once
		posted, err := b.Post(context.Background(), post)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(posted.Changed, store.FormatScore(posted.Entry.Scores["metres"], 2), posted.Entry.Attributes["club"])
	}
	// Output:
	// true 9.01 Owls
	// false 9.01 Owls
}

func ExampleBoard_Top() {
	b, remove := jumps()
	defer remove()
	top, err := b.Top(context.Background(), "metres", 4)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range top.Rows {
		fmt.Println(row.Rank, row.Owner, store.FormatScore(row.Score, top.Column.Decimals))
	}
	// Output:
	// 1 bob 8.95
	// 2 ann 8.23
	// 2 dan 8.23
	// 4 cid 7.74
}

func ExampleBoard_Rank() {
	b, remove := jumps()
	defer remove()
	answers, _, err := b.Rank(context.Background(), "metres", rankcurve.Auto, "cid", "eve", "dan")
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range answers {
		if a.Err != nil {
			fmt.Println(a.Err)
			continue
		}
		fmt.Printf("%s is %d of %d\n", a.Owner, a.Rank.Rank, a.Of)
	}
	// Output:
	// cid is 4 of 4
	// owner "eve" is not on board "jumps": not found
	// dan is 2 of 4
}

func ExampleBoard_Around() {
	b, remove := jumps()
	defer remove()
	around, err := b.Around(context.Background(), "metres", rankcurve.Auto, "ann", 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range slices.Concat(around.Better, []rankcurve.Rank{around.Pivot}, around.Worse) {
		fmt.Println(r.Rank, r.Owner)
	}
	// Output:
	// 1 bob
	// 2 ann
	// 2 dan
}

func ExampleBoard_Page() {
	b, remove := jumps()
	defer remove()
	for q := (rankcurve.PageQuery{Size: 3}); ; {
		page, err := b.Page(context.Background(), q)
		if err != nil {
			log.Fatal(err)
		}
		for _, row := range page.Rows {
			fmt.Println(row.Rank, row.Owner)
		}
		if q.Cursor = page.Cursor; q.Cursor == "" {
			break
		}
		fmt.Println("next page")
	}
	// Output:
	// 1 bob
	// 2 ann
	// 2 dan
	// next page
	// 4 cid
}

// A refresh of package jobs publishes curves; this one is made by hand, of a million
// scores.
func ExampleBoard_ScoreAtRank() {
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
	ctx := context.Background()
	b, err := rankcurve.New(ctx, st, store.Board{
		Name:    "missions",
		Shards:  1,
		Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Sum}},
	})
	if err != nil {
		log.Fatal(err)
	}
	keys := make([]int64, 1_000_000)
	for i := range keys {
		keys[i] = int64(len(keys) - i)
	}
	meta := predictor.Meta{Board: "missions", Column: "xp", Generation: 1, AsOf: time.Unix(1795000000, 0)}
	_, curve, err := predictor.Build(meta, predictor.PointsOf(keys), predictor.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := st.Publish(ctx, store.CurveKey{Board: "missions", Column: "xp"}, store.Published{Generation: 1, Data: curve}); err != nil {
		log.Fatal(err)
	}

	at, err := b.ScoreAtRank(ctx, "xp", 1000)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(at.Score, "takes rank", at.Rank, "of", at.Of)
	r, _, err := b.RankOfScore(ctx, "xp", rankcurve.Estimate, at.Score)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the top %.1f %%\n", r.Percent)
	// Output:
	// 999001 takes rank 1000 of 1000000
	// the top 0.1 %
}
