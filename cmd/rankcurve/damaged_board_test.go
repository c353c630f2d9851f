package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.etcd.io/bbolt"
)

// damageBoard leaves half of a board's definition in the file.
func (s *shell) damageBoard(name string) {
	s.t.Helper()
	db, err := bbolt.Open(s.db(), 0o600, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		boards := tx.Bucket([]byte("boards"))
		data := slices.Clone(boards.Get([]byte(name)))
		return boards.Put([]byte(name), data[:len(data)/2])
	})
	if err := errors.Join(err, db.Close()); err != nil {
		s.t.Fatal(err)
	}
}

// A board whose definition cannot be read keeps no other from being listed, pruned,
// refreshed or opened.
func TestBesideADamagedBoard(t *testing.T) {
	s := newShell(t)
	s.board(5)
	s.run("load", "weekly", s.players(5)).ok()
	s.damageBoard("games")
	remedy := []string{`decode board "games"`, "put back a copy of the database"}
	if r := s.run("boards").fails(exitFailed, remedy...); !strings.Contains(r.out, "\nweekly ") {
		t.Errorf("the other board is not listed: %s", r.out)
	}
	rows := s.run("boards", "--json").fails(exitFailed, remedy...).rows()
	if len(rows) != 2 || rows[0]["board"] != "weekly" || rows[1]["board"] != "games" || rows[1]["error"] == nil || rows[1]["code"] != "damaged" {
		t.Errorf("rows %v", rows)
	}
	s.run("boards", "weekly").ok("weekly ")
	s.run("boards", "games").fails(exitFailed, remedy...)
	s.run("boards", "nobody").fails(exitNotFound, "nobody")
	s.run("prune").fails(exitFailed, remedy...)
	s.run("prune", "games").fails(exitFailed, remedy...)
	s.run("prune", "weekly").ok("no board has expired")
	s.run("rank", "weakly", "p1").fails(exitNotFound, "the boards are weekly")
	s.run("rank", "games", "p1").fails(exitFailed, remedy...)
	if r := s.run("owner", "p1").fails(exitFailed, remedy...); !strings.Contains(r.out, "weekly ") {
		t.Errorf("the row on the other board is not told: %s", r.out)
	}
	r := s.run("worker", "--once")
	if r.has("error", r.err, remedy); r.code != exitFailed || !strings.Contains(r.out, "1 column refreshed") {
		t.Errorf("the other board is not refreshed: exit code %d, %s", r.code, r.out)
	}
}

// Of a family, a damaged board keeps nobody from being moderated on the others, and no
// command takes the family for less than it is.
func TestAFamilyBesideADamagedBoard(t *testing.T) {
	s := newPhotos(t)
	now := saturday
	s.now = func() time.Time { return now }
	s.run("post", "photos", "ann", "views=5").ok()
	s.run("post", "photos", "cheat", "views=7").ok()
	s.damageBoard("photos:2026-11-21")
	if r := s.run("hide", "photos", "cheat").fails(exitFailed, `decode board "photos:2026-11-21"`, "put back"); strings.Contains(r.out, "hidden on all boards") {
		t.Errorf("it is said to be hidden everywhere: %s", r.out)
	}
	s.wantTop("photos:2026-11", "1 ann 5")
	s.run("boards", "photos").fails(exitFailed, `decode board "photos:2026-11-21"`)

	bare := newShell(t) // one that has no configuration of the family
	bare.folder = s.folder
	bare.now = s.now
	bare.run("hide", "photos", "ann").fails(exitFailed, `decode board "photos:2026-11-21"`)
	s.wantEmpty("photos:2026-11")
	for _, line := range []string{"post photos ann views=1"} {
		bare.run(strings.Fields(line)...).fails(exitUsage, "none is configured under the name photos")
	}
}

// On DynamoDB the error has the command that takes the damaged item away, with which the
// board can be made anew.
func TestTableBesideADamagedBoard(t *testing.T) {
	c := newCloud(t)
	c.bare("table", "create", "--column", "xp", "--column", "old").ok()
	c.bare("load", "games", c.players(3)).ok()
	c.bare("load", "weekly", c.players(3)).ok()
	key := map[string]types.AttributeValue{"o": &types.AttributeValueMemberS{Value: "#board"}, "b": &types.AttributeValueMemberS{Value: "games"}}
	item := map[string]types.AttributeValue{"o": key["o"], "b": key["b"], "j": &types.AttributeValueMemberS{Value: "{"}}
	if _, err := c.client.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: &c.table, Item: item}); err != nil {
		t.Fatal(err)
	}
	remedy := [...]string{`decode board "games"`, "`aws dynamodb delete-item --endpoint-url " + c.endpoint + " --region eu-west-1 --table-name " + c.table, `'{"b":{"S":"games"},"o":{"S":"#board"}}'`}
	if r := c.bare("boards").fails(exitFailed, remedy[:]...); !strings.Contains(r.out, "weekly ") {
		t.Errorf("the other board is not listed: %s", r.out)
	}
	if r := c.bare("table", "sync").fails(exitFailed, remedy[0], "nor which indexes are stale"); strings.Contains(r.out, "by_old") {
		t.Errorf("an index that may be the damaged board's is called stale: %s", r.out)
	}
	c.bare("table", "describe").ok(append(remedy[:], "warning: ")...)
	if _, err := c.client.DeleteItem(context.Background(), &dynamodb.DeleteItemInput{TableName: &c.table, Key: key}); err != nil {
		t.Fatal(err)
	}
	c.bare("load", "games", c.players(3)).ok()
	c.bare("boards").ok("games ", "weekly ")
	c.bare("table", "sync").ok("stale: index by_old")
}
