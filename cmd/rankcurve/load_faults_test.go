package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Each file is refused as a whole, with the fault's line, column, and what to do.
func TestLoadFaults(t *testing.T) {
	for name, c := range map[string]struct {
		file, content, want string
		flags               []string
	}{
		"no owner column":    {file: "f.csv", content: "id,xp\nann,1\n", want: "f.csv:1: owner: there is no such column (there are: id, xp); the first line must be a header, with the owners' column named owner"},
		"no header":          {file: "f.csv", content: "ann,1\nbob,2\n", want: "f.csv:1: owner: there is no such column (there are: ann, 1)"},
		"header twice":       {file: "f.csv", content: "owner,xp,xp\nann,1,2\n", want: "f.csv:1: xp: is the name of columns 2 and 3 of the header; give each its own"},
		"not a number":       {file: "f.csv", content: "owner,xp\nann,1\nbob,ten\n", want: `f.csv:3: xp: "ten" is not a number; write digits, with a point before decimals, such as 1200 or -3.5`},
		"thousands":          {file: "f.csv", content: "owner,xp\nann,\"1,200\"\n", want: `f.csv:2: xp: "1,200" is not a number`},
		"decimal comma":      {file: "f.csv", content: "owner,xp\nann,\"1,5\"\n", want: `f.csv:2: xp: "1,5" is not a number`},
		"NaN":                {file: "f.csv", content: "owner,xp\nann,NaN\n", want: `f.csv:2: xp: "NaN" is not a number`},
		"plus":               {file: "f.csv", content: "owner,xp\nann,+5\n", want: `f.csv:2: xp: "+5" is not a number`},
		"exponent":           {file: "f.csv", content: "owner,xp\nann,1e3\n", want: `f.csv:2: xp: "1e3" is written with an exponent; write its digits out: 1000`},
		"exponent in JSON":   {file: "f.ndjson", content: `{"owner":"ann","xp":1.5E-2}`, want: `f.ndjson:1: xp: "1.5E-2" is written with an exponent; write its digits out: 0.015`},
		"huge exponent":      {file: "f.csv", content: "owner,xp\nann,1e999\n", want: `f.csv:2: xp: "1e999" is written with an exponent`},
		"infinite exponent":  {file: "f.csv", content: "owner,xp\nann,1e400\n", want: `f.csv:2: xp: "1e400" is written with an exponent, and is out of range: the limit is ±4611686018427387903; use a larger unit, and write the digits out`},
		"large exponent":     {file: "f.csv", content: "owner,xp\nann,-4.611686018427387901e18\n", want: "write its digits out: -4611686018427387901\n"},
		"tiny exponent":      {file: "f.csv", content: "owner,xp\nann,1e-400\n", want: `"1e-400" is written with an exponent, and has more decimals than the 18 that a score keeps; round it`},
		"zero's exponent":    {file: "f.csv", content: "owner,xp\nann,0e999\n", want: "write its digits out: 0\n"},
		"huge number":        {file: "f.csv", content: "owner,xp\nann," + strings.Repeat("9", 5000) + "\n", want: `f.csv:2: xp: "` + strings.Repeat("9", 40) + `..." is out of range`},
		"huge text":          {file: "f.csv", content: "owner,xp\nann," + strings.Repeat("x", 5000) + "\n", want: `f.csv:2: xp: "` + strings.Repeat("x", 40) + `..." is not a number`},
		"huge exponential":   {file: "f.csv", content: "owner,xp\nann,0." + strings.Repeat("1", 5000) + "e3\n", want: `f.csv:2: xp: "0.` + strings.Repeat("1", 38) + `..." is written with an exponent, and has more decimals`},
		"huge key":           {file: "f.ndjson", content: "{\"owner\":\"ann\",\"xp\":1}\n{\"owner\":\"bob\",\"" + strings.Repeat("k", 5000) + "\":1}", want: "f.ndjson:2: " + strings.Repeat("k", 40) + "...: the board is made"},
		"too many decimals":  {file: "f.csv", content: "owner,xp\nann,1.25\nbob,1.125\n", flags: []string{"--column", "xp:2"}, want: `f.csv:3: xp: "1.125" has 3 decimals, the column keeps 2; round it, or load a new board whose column keeps more`},
		"19 decimals":        {file: "f.csv", content: "owner,xp\nann,0.1234567890123456789\n", want: `f.csv:2: xp: "0.1234567890123456789" has 19 decimals, a score keeps 18 at most; round it`},
		"out of range":       {file: "f.csv", content: "owner,xp\nann,4611686018427387904\n", want: `f.csv:2: xp: "4611686018427387904" is out of range, the limit is ±4611686018427387903; use fewer decimals or a larger unit`},
		"far out of range":   {file: "f.csv", content: "owner,xp\nann,-99999999999999999999\n", want: `f.csv:2: xp: "-99999999999999999999" is out of range`},
		"range by decimals":  {file: "f.csv", content: "owner,xp\nann,46116860184273879\nbob,0.125\n", want: `f.csv:2: xp: "46116860184273879" is out of range, the limit is ±4611686018427387.903`},
		"empty owner":        {file: "f.csv", content: "owner,xp\n,1\n", want: "f.csv:2: owner: is empty; give every row an owner"},
		"owner of system":    {file: "f.csv", content: "owner,xp\n#ann,1\n", want: `f.csv:2: owner "#ann" starts with #, which is kept for the system; rename it`},
		"long owner":         {file: "f.csv", content: "owner,xp\n" + strings.Repeat("x", 256) + ",1\n", want: "f.csv:2: owner of 256 bytes is too long"},
		"owner not UTF-8":    {file: "f.csv", content: "owner,xp\n\xff,1\n", want: "is not UTF-8"},
		"owner twice":        {file: "f.csv", content: "owner,xp\nann,1\nbob,2\nann,3\n", want: `f.csv:4: owner: "ann" stands on line 2 already; an owner may stand once in a file: keep one of the lines 2 and 4`},
		"owner twice, JSON":  {file: "f.ndjson", content: "{\"owner\":\"ann\",\"xp\":1}\n\n{\"owner\":\"a\\u006en\",\"xp\":1}", want: `f.ndjson:3: owner: "ann" stands on line 1 already`},
		"unknown column":     {file: "f.csv", content: "owner,xp,gold\nann,1,2\n", flags: []string{"known"}, want: `f.csv:1: gold: board "known" has no such column (it has: xp); take it out of the file, or name the columns to load with --column`},
		"unknown key":        {file: "f.ndjson", content: "{\"owner\":\"ann\",\"xp\":1}\n{\"owner\":\"bob\",\"gold\":1}", want: "f.ndjson:2: gold: the board is made with the columns of the first object (xp), and this is none of them; name all columns with --column, or take it out of the file"},
		"column not in file": {file: "f.csv", content: "owner,xp\nann,1\n", flags: []string{"--column", "time"}, want: "f.csv:1: time: there is no such column (there are: xp); correct --column"},
		"field too few":      {file: "f.csv", content: "owner,xp,time\nann,1\n", want: "f.csv:2: the line has 2 fields, the header 3; separate them by commas"},
		"field too many":     {file: "f.csv", content: "owner,xp\nann,1,2\n", want: "f.csv:2: the line has 3 fields, the header 2"},
		"semicolons":         {file: "f.csv", content: "owner,xp\nann;1\n", want: "f.csv:2: the line has 1 field, the header 2"},
		"open quote":         {file: "f.csv", content: "owner,xp\n\"ann,1\n", want: "f.csv:2: extraneous or missing \" in quoted-field; put quotes around the whole field"},
		"bare quote":         {file: "f.csv", content: "owner,xp\nan\"n,1\n", want: "f.csv:2: bare \" in non-quoted-field"},
		"no score":           {file: "f.csv", content: "owner,xp,time\nann,,\n", want: "f.csv:2: the row has no score in xp, time; give it one, or leave the row out"},
		"after a long field": {file: "f.csv", content: "owner,xp,time\nann,1,\"2\n\"\nbob,x,\n", want: `f.csv:4: xp: "x" is not a number`},
		"bad JSON":           {file: "f.ndjson", content: "{\"owner\":\"ann\",\"xp\":1}\n{\"owner\":\"bob\",\"xp\":}", want: "f.ndjson:2: not JSON: invalid character '}' looking for beginning of value; write one object per line"},
		"cut JSON":           {file: "f.ndjson", content: "{\"owner\":\"ann\",\"xp\":1", want: "f.ndjson:1: not JSON: unexpected end of JSON input"},
		"two on a line":      {file: "f.ndjson", content: `{"owner":"a","xp":1} {"owner":"b","xp":1}`, want: "f.ndjson:1: not JSON: invalid character '{' after top-level value"},
		"no object":          {file: "f.ndjson", content: "{\"owner\":\"ann\",\"xp\":1}\n12", want: "f.ndjson:2: is no JSON object"},
		"no owner":           {file: "f.ndjson", content: "{\"owner\":\"ann\",\"xp\":1}\n{\"xp\":1}", want: "f.ndjson:2: owner: is missing; give every object an owner"},
		"owner no name":      {file: "f.ndjson", content: `{"owner":1.5,"xp":1}`, want: "f.ndjson:1: owner: 1.5 is not a name; write a string"},
		"two owners":         {file: "f.ndjson", content: `{"owner":"a","owner":"b","xp":1}`, want: "f.ndjson:1: owner: is there twice in one object; keep one"},
		"two values":         {file: "f.ndjson", content: `{"owner":"a","xp":1,"xp":2}`, want: "f.ndjson:1: xp: is there twice in one object; keep one"},
		"null":               {file: "f.ndjson", content: `{"owner":"a","xp":null}`, want: "f.ndjson:1: xp: null is not a number; write a number, or leave the key out"},
		"true":               {file: "f.ndjson", content: `{"owner":"a","xp":true}`, want: "f.ndjson:1: xp: true is not a number"},
		"nested":             {file: "f.ndjson", content: `{"owner":"a","xp":{"a":["}",1]}}`, want: `f.ndjson:1: xp: {"a":["}",1]} is not a number`},
		"text in JSON":       {file: "f.ndjson", content: `{"owner":"a","xp":"lots"}`, want: `f.ndjson:1: xp: "lots" is not a number`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			board, flags := "games", c.flags
			if len(flags) == 1 { // into a board that is there
				board, flags = flags[0], nil
				s.run("load", board, s.players(1)).ok()
			}
			path := s.file(c.file, c.content)
			r := s.run(append([]string{"load", board, path}, flags...)...).fails(exitFailed, c.want)
			if lines := strings.Count(r.err, "\n"); lines != 1 || !strings.HasPrefix(r.err, "rankcurve: "+path+":") || len(r.err) > 500 {
				t.Errorf("one fault is told as %q", r.err)
			}
			if _, err := os.Stat(s.db()); board == "games" && !errors.Is(err, os.ErrNotExist) {
				t.Error("a load that was refused has made a database")
			}
		})
	}
}

func TestLoadTellsTenFaultsAndHowManyMore(t *testing.T) {
	s := newShell(t)
	var b strings.Builder
	b.WriteString("owner,xp\n")
	for i := range 25 {
		fmt.Fprintf(&b, "p%d,x%d\n", i, i)
	}
	r := s.run("load", "games", s.file("f.csv", b.String())).fails(exitFailed, "nothing was written, because of:\n", `f.csv:2: xp: "x0"`, `f.csv:11: xp: "x9"`, "and 15 more\n")
	if lines := strings.Count(r.err, "\n"); lines != 12 || strings.Contains(r.err, `"x10"`) {
		t.Errorf("%d lines: %s", lines, r.err)
	}
}

func TestLoadTellsFaultsOfOneRowTogether(t *testing.T) {
	s := newShell(t)
	s.run("load", "games", s.file("f.csv", "owner,xp,time\n,x,1e5\n")).fails(exitFailed, "f.csv:2: owner: is empty", `f.csv:2: xp: "x"`, `f.csv:2: time: "1e5"`)
}

// Whatever a line holds, it is read or refused, never a panic; what is read is
// what the standard library reads.
func FuzzNDJSON(f *testing.F) {
	for _, seed := range []string{`{"owner":"a","xp":1}`, `{}`, `{"owner":"\u00e9\\\"","x":"{","y":-1.5e+3}`, `{"a":[{"b":"]"}],"owner":7}`, `[]`, `"`, "{\"owner\":\"\xff\"}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, _, err := newNDJSON(strings.NewReader(text))
		for err == nil {
			_, err = r.read()
		}
	})
}

// A file that is checked twice, because its decimals make a score large, has each
// fault told once.
func TestLoadTellsAFaultOnce(t *testing.T) {
	s := newShell(t)
	path := s.file("f.csv", "owner,xp\na,5\nb,1.55\nc,abc\nd,12345678901234567\n")
	r := s.run("load", "games", path).fails(exitFailed, `f.csv:4: xp: "abc" is not a number`)
	if strings.Count(r.err, "\n") != 1 || strings.Contains(r.err, "because of") {
		t.Errorf("one fault is told as %q", r.err)
	}
}

func TestLoadTellsALongHeaderInShort(t *testing.T) {
	s := newShell(t)
	r := s.run("load", "games", s.file("f.csv", "owner,"+strings.Repeat("x", 5000)+"\nann,1\n")).fails(exitFailed, strings.Repeat("x", 40)+"...", "rename them in the file")
	if len(r.err) > 500 {
		t.Errorf("%d bytes for one name", len(r.err))
	}
}
