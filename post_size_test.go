package rankcurve_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// A row that DynamoDB would not take is refused on all stores, by the post that would make
// it, and by no other of a batch.
func TestAPostOfTooLargeARow(t *testing.T) {
	ctx := context.Background()
	onBackends(t, func(t *testing.T, on backend) {
		t.Helper()
		b := newBoard(t, on, runs)
		post := func(bytes int, name string) rankcurve.Post {
			return rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}, Attributes: map[string]string{name: strings.Repeat("x", bytes)}, ID: name}
		}
		if _, err := b.Post(ctx, post(300_000, "replay")); err != nil {
			t.Fatal(err)
		}
		for _, batched := range []bool{false, true} {
			_, err := postWay(b, post(120_000, "ghost"), batched)
			if !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), `"replay" of 300007 bytes, "ghost" of 120006 bytes: shorten them`) {
				t.Errorf("batched %t: %v", batched, err)
			}
			wantRow(t, on, 1)
		}
		_, errs, err := b.PostAll(ctx, []rankcurve.Post{post(10, "one"), post(120_000, "ghost"), post(10, "two")})
		if err != nil || errs[0] != nil || !errors.Is(errs[1], store.ErrInvalid) || errs[2] != nil {
			t.Errorf("%v, %v", errs, err)
		}
		wantRow(t, on, 3)
		row, _, err := on.Entry(ctx, runs, "ann")
		if _, there := row.Attributes["ghost"]; err != nil || there || len(row.Attributes) != 3 {
			t.Errorf("%d attributes, %v", len(row.Attributes), err)
		}
	})
}

// A family refuses it before any of its boards has it.
func TestAFamilyPostOfTooLargeARow(t *testing.T) {
	ctx, st, c := context.Background(), &writes{Store: newStore(t)}, newClock()
	f := newFamily(t, st, missions(), c)
	post := rankcurve.Post{Owner: "ann", Scores: scores{"xp": 1}, Attributes: map[string]string{"replay": strings.Repeat("x", 300_000)}}
	if _, err := f.Post(ctx, time.Time{}, post); err != nil {
		t.Fatal(err)
	}
	c.Advance(24 * time.Hour) // a row of today's board has room
	post.Attributes = map[string]string{"ghost": strings.Repeat("x", 120_000)}
	st.puts = 0
	var fanOut *rankcurve.FanOutError
	if _, err := f.Post(ctx, time.Time{}, post); !errors.Is(err, store.ErrInvalid) || errors.As(err, &fanOut) || st.puts > 0 {
		t.Errorf("%v after %d puts", err, st.puts)
	}
	wantXP(t, st, "ann", 1, "missions", "missions:2026-W47")
	wantXP(t, st, "ann", 0, "missions:2026-11-21")
}
