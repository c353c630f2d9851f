package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

func TestCodes(t *testing.T) {
	limit := store.Limit{Max: ptr(int64(3))}
	for _, c := range []struct {
		err  error
		exit int
		code string
	}{
		{errors.New("x"), exitFailed, "failed"},
		{usagef("x"), exitUsage, "usage"},
		{hintf(usagef("x"), "y"), exitUsage, "usage"},
		{hintf(store.ErrNotFound, "y"), exitNotFound, "not_found"},
		{store.ErrNoColumn, exitNotFound, "not_found"},
		{store.ErrNoTable, exitNotFound, "not_found"},
		{rankcurve.ErrNoCurve, exitNotFound, "no_curve"},
		{errors.Join(rankcurve.ErrNoCurve, store.ErrNotFound), exitNotFound, "no_curve"},
		{errors.Join(store.ErrTooExpensive, rankcurve.ErrNoCurve), exitFailed, "too_expensive"},
		{errors.Join(store.ErrUnknown, store.ErrConflict), exitFailed, "unknown_outcome"},
		{errors.Join(rankcurve.ErrForgotten, store.ErrUnknown), exitFailed, "forgotten"},
		{fmt.Errorf("x: %w", store.ErrConflict), exitFailed, "conflict"},
		{limit.Check(store.Column{Name: "xp"}, 4), exitFailed, "limit"},
		{store.ErrInvalid, exitFailed, "invalid"},
		{store.ErrDenied, exitFailed, "denied"},
		{store.ErrUnavailable, exitFailed, "unavailable"},
		{advicef(store.ErrInUse, "y"), exitFailed, "in_use"},
		{context.Canceled, exitFailed, "stopped"},
		{internalError("x"), exitFailed, "internal"},
	} {
		if exit, code := exitCode(c.err), errorCode(c.err); exit != c.exit || code != c.code {
			t.Errorf("%v exits with %d and is %s, want %d and %s", c.err, exit, code, c.exit, c.code)
		}
	}
	if exitCode(nil) != exitDone {
		t.Error("nothing wrong is no success")
	}
}

// A program that asks for JSON has its errors as JSON, whatever is wrong.
func TestErrorsInJSON(t *testing.T) {
	s := newShell(t)
	s.run("top", "games", "--json").fails(exitNotFound, "no database at", "`rankcurve --db "+s.db()+" load BOARD FILE`")
	s.run("load", "games", s.players(3)).ok()
	limits := s.file("limits.yaml", "boards:\n  - {name: games, columns: [{name: xp, max_score: 100}]}\n")
	late := s.file("late.yaml", "boards:\n  - {name: races, columns: [{name: xp}], periods: [all, daily], late_posts: refuse}\n")
	damaged := s.file("bad.db", strings.Repeat("not a database\n", 1000))
	for line, code := range map[string]string{
		"top nope":                                                  "not_found",
		"around games nobody":                                       "not_found",
		"top games --column gold":                                   "not_found",
		"prune nope":                                                "not_found",
		"score games --rank 1":                                      "no_curve",
		"score games --rank 1 --at 1h":                              "no_curve",
		"rank games --score 1 --mode estimate":                      "no_curve",
		"history games p1":                                          "no_curve",
		"curve show games":                                          "no_curve",
		"verify games":                                              "no_curve",
		"rank games p1 --mode exact --read-budget 0.1":              "too_expensive",
		"post games p1 xp=1 --if-version 7":                         "conflict",
		"post games p1 xp=101 --config " + limits:                   "limit",
		"post races p1 xp=1 --time 2020-01-01 --config " + late:     "late",
		"load games " + s.file("f.csv", "owner,xp\nann,x\nbob,y\n"): "invalid",
		"load games " + s.file("g.csv", "owner\nann\n"):             "invalid",
		"load walks " + s.file("h.csv", "page\n\"\"\n") + " --count-by page": "invalid",
		"top games --db " + damaged: "damaged",
		"top games -n 0":            "usage",
		"top games --nope":          "usage",
		"top":                       "usage",
		"nope":                      "usage",
	} {
		r := s.run(append(strings.Fields(line), "--json")...)
		f := r.failure()
		if f.Code != code || r.out != "" {
			t.Errorf("%s is %q, want %s; %s", line, f.Code, code, r.out)
		}
		at := slices.IndexFunc(errorClasses, func(class errorClass) bool { return class.code == code })
		if want := map[string]int{"usage": exitUsage, "failed": exitFailed}[code]; at >= 0 && r.code != errorClasses[at].exit || at < 0 && r.code != want {
			t.Errorf("%s exits with %d", line, r.code)
		}
	}
	if r := s.run("top", "nope"); !strings.HasPrefix(r.err, "rankcurve: ") {
		t.Errorf("without --json: %s", r.err)
	}
	s.in = panicking{}
	if f := s.run("rank", "games", "--owners-file", "-", "--json").failure(); f.Code != "internal" {
		t.Error(f)
	}
	rows := s.run("rank", "games", "p1", "nobody", "--json").fails(exitNotFound, `owner "nobody"`).rows()
	if len(rows) != 2 || rows[0]["code"] != nil || rows[1]["code"] != "not_found" {
		t.Errorf("%v", rows)
	}
	rows = s.run("hide", "games", "p2", "nobody", "--json").fails(exitNotFound).rows()
	if len(rows) != 2 || rows[0]["code"] != nil || rows[1]["code"] != "not_found" {
		t.Errorf("%v", rows)
	}
	if !wantsJSON([]string{"top", "-json"}) || !wantsJSON([]string{"top", "--json=true"}) || wantsJSON([]string{"top", "--json=false"}) || wantsJSON([]string{"post", "--", "--json"}) || wantsJSON([]string{"top", "json"}) {
		t.Error("words that ask for JSON")
	}
}

// The codes that programs rely on are all in the README.
func TestTheREADMEHasAllCodes(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	codes := append(make([]string, 0, len(errorClasses)+2), otherErrors, "usage")
	for _, class := range errorClasses {
		codes = append(codes, class.code)
	}
	for _, code := range codes {
		if !strings.Contains(string(text), "`"+code+"`") {
			t.Errorf("the README has no `%s`", code)
		}
	}
}
