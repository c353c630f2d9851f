package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Rows that the AWS command line wrote with scores that the column cannot hold are
// left out, with a warning; the board goes on.
func TestOneBadRowDoesNotTakeABoardDown(t *testing.T) {
	c := newCloud(t)
	c.games(300)
	// p1 is the best, with 3000, and each has 10 less than the one before.
	for i, score := range []string{"2999.5", "1500.25", "5.5", "1E30"} {
		c.put(fmt.Sprint("bad", i), &types.AttributeValueMemberN{Value: score})
	}
	top := c.bare("top", "games", "-n", "300").warns("warning: 3 rows of games.xp cannot be ranked and were left out, such as: owner \"bad", "`aws dynamodb delete-item --endpoint-url "+c.endpoint+" --region eu-west-1 --table-name "+c.table)
	top.has("output", top.out, []string{"RANK   OWNER      XP\n   1   p1      3,000\n", " 300   p300"})
	for _, method := range []string{"scores", "counted"} {
		c.bare("rebuild", "games", "--full", "--method", method).warns("of games.xp cannot be ranked and were left out", "docs/schema.md")
		for _, mode := range []string{"estimate", "exact", "auto"} {
			before, r := 0.0, c.bare("rank", "games", "p1", "p2", "p20", "p150", "p151", "p152", "p299", "p300", "--mode", mode, "--json")
			if mode == "estimate" {
				r.ok() // reads no rows that could be left out
			} else {
				r.warns("of games.xp cannot be ranked and were left out")
			}
			for _, row := range r.rows() {
				rank := row["rank"].(float64)
				if rank <= before {
					t.Errorf("%s after %s: %v has rank %v after %v", mode, method, row["owner"], rank, before)
				}
				before = rank
			}
			if before < 300 || before > 303 {
				t.Errorf("%s after %s: p300 has rank %v, beside 3 rows that may be counted", mode, method, before)
			}
		}
	}
	// The rows of many owners are read, and who is there twice is told once.
	for _, words := range [][]string{{"rank", "games", "p1", "p2", "p300", "--mode", "exact"}, {"owner", "p1", "p2", "p300", "--board", "games", "--ranks", "--mode", "exact"}} {
		if r := c.bare(words...).warns("of games", "cannot be ranked and were left out, such as: owner \"bad"); strings.Count(r.err, "warning:") != 1 || !strings.Contains(r.out, "p300") {
			t.Errorf("%v warns more than once, or answers in part: %s%s", words, r.err, r.out)
		}
	}
	c.bare("post", "games", "p1", "xp=3100").ok("posted")
	c.bare("rank", "games", "bad1").fails(exitFailed, `owner "bad1"`, "attribute xp", "`aws dynamodb update-item --endpoint-url "+c.endpoint+" --region eu-west-1 --table-name "+c.table)
}
