package jobs_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// Ranks in a table, whose rows another program wrote, are counted at a pace, and the
// price is what was predicted.
func TestVerifyOnDynamoDB(t *testing.T) {
	board := store.Board{Name: "games", Shards: 4, Columns: []store.Column{{Name: "score", Order: store.Desc, Operator: store.Set}}}
	st, client, table := openDynamo(t, servers.DynamoDB(t), board)
	scores := datasets[8].generate(6000) // 30 % on one score
	putItems(t, client, table, board, scores)
	pace := sampler.Pace{Max: 3000}
	refresh(t, st, board, jobs.Options{Method: sampler.Counted, Head: 200, Pace: pace})

	v, err := jobs.Verifier{Store: st, Pace: pace}.Verify(context.Background(), board, curveOf(t, st, board), jobs.VerifyOptions{Sample: 150, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	rankOf := truthOf(board, scores)
	for _, c := range v.Checks {
		var i int
		if _, err := fmt.Sscanf(c.Owner, "player-%d", &i); err != nil || c.Score != scores[i] || c.Rank != rankOf(fmt.Sprintf("owner-%d", i)) {
			t.Fatalf("%+v: %v", c, err)
		}
	}
	if v.Entries != 6000 || v.Total().Owners < 135 || v.Total().Coverage() < 0.95 {
		t.Errorf("%d entries, %+v", v.Entries, v.Total())
	}
	if took := v.Usage.ReadUnits(); took < 0.85*v.Predicted || took > 1.1*v.Predicted || v.Usage.TableReads < 50 {
		t.Errorf("%.0f read units predicted, %s", v.Predicted, v.Usage)
	}
}
