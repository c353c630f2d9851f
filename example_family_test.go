package rankcurve_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

// One post to the boards of all time, of the week and of the day. After an error, the
// same post with the same time and id is sent again.
func ExampleFamily() {
	folder, err := os.MkdirTemp("", "rankcurve-example-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	st, err := bolt.Open(filepath.Join(folder, "boards.db"))
	if err != nil {
		panic(err)
	}
	defer st.Close()

	ctx := context.Background()
	family, err := rankcurve.NewFamily(st, rankcurve.FamilyDefinition{
		Name: "missions", Shards: 16,
		Columns:     []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Sum}},
		Periods:     []store.Period{store.Always, store.Weekly, store.Daily},
		ExpireAfter: map[store.Period]time.Duration{store.Weekly: 36500 * 24 * time.Hour},
	})
	if err != nil {
		panic(err)
	}
	at := time.Date(2024, 5, 4, 9, 30, 0, 0, time.UTC)
	posted, err := family.Post(ctx, at, rankcurve.Post{Owner: "ann", Scores: map[string]int64{"xp": 250}, ID: "mission-7"})
	var some *rankcurve.FanOutError
	if errors.As(err, &some) {
		fmt.Println("to be sent again, for", some.Failed, some.Unknown)
	}
	for _, p := range posted {
		fmt.Println(p.Board.Name, p.Posted.Entry.Scores["xp"])
	}
	weekly, err := family.Open(ctx, store.Weekly, at)
	if err != nil {
		panic(err)
	}
	top, err := weekly.Top(ctx, "xp", 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(top.Rows)
	// Output:
	// missions 250
	// missions:2024-W18 250
	// missions:2024-05-04 250
	// [{1 ann 250}]
}
