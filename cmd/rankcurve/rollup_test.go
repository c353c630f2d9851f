package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

const photoConfig = `
boards:
  - name: photos
    shards: 2
    columns: [{name: views, operator: sum}, {name: bytes, operator: sum}]
    periods: [all, monthly, daily]
    expire_after: {daily: 30d}
`

// newPhotos is a shell with a family of photo boards, on a Saturday.
func newPhotos(t *testing.T) *shell {
	t.Helper()
	s := newShell(t)
	s.now = func() time.Time { return saturday }
	s.environ = []string{"RANKCURVE_CONFIG=" + s.file("c.yaml", photoConfig)}
	return s
}

const accessLogHead = `image,time,type,bytes
a.jpg,2026-11-21T09:00:00Z,view,1000
b.jpg,2026-11-21T09:00:01Z,view,500
a.jpg,2026-11-21T09:00:02Z,view,1000
a.jpg,2026-11-20T23:59:59Z,download,90000
`

var countPhotos = []string{"--count-by", "image", "--sum", "bytes", "--type-column", "type"}

func (s *shell) countLog(path string, more ...string) result {
	s.t.Helper()
	return s.run(append(append([]string{"load", "photos", path}, countPhotos...), more...)...)
}

func (s *shell) wantTop(board string, want ...string) {
	s.t.Helper()
	if got := strings.Join(strings.Split(strings.TrimSpace(s.run("top", board).squeezed().ok().out), "\n")[1:], "; "); got != strings.Join(want, "; ") {
		s.t.Errorf("top of %s is %q, want %q", board, got, want)
	}
}

// A log becomes boards by type and period; counting it again adds nothing, under
// another name too, and lines at its end are counted alone.
func TestRollUp(t *testing.T) {
	s := newPhotos(t)
	path := s.file("access.csv", accessLogHead)
	s.countLog(path).ok("counted 4 lines of "+path+" into 6 boards (photos.download, photos.download:2026-11, photos.download:2026-11-20, photos.view, photos.view:2026-11, photos.view:2026-11-21)", "next: rankcurve --db "+s.db()+" worker --once, for all of them that are due\n")
	want := func() {
		t.Helper()
		for _, board := range []string{"photos.view", "photos.view:2026-11", "photos.view:2026-11-21"} {
			s.wantTop(board, "1 a.jpg 2", "2 b.jpg 1")
		}
		s.wantTop("photos.download:2026-11-20", "1 a.jpg 1")
		s.run("top", "photos.view", "--column", "bytes").squeezed().ok("1 a.jpg 2,000", "2 b.jpg 500")
	}
	want()
	s.run("boards", "photos").squeezed().ok("photos.download all 2", "photos.view:2026-11-21 daily 2")
	s.countLog(path).ok("nothing new: " + path + " is counted up to line 5")
	s.countLog(s.file("access.csv.1", accessLogHead)).ok("nothing new")
	want()
	grown := s.file("access.csv", accessLogHead+"b.jpg,2026-11-21T09:00:03Z,view,500\nb.jpg,2026-11-21T09:00:04Z,view,\nc.jpg,2026-11-21T09:00")
	s.countLog(grown).ok("counted 2 lines", "the lines up to 5 were counted before", "the last line has no line break at its end yet")
	s.wantTop("photos.view", "1 b.jpg 3", "2 a.jpg 2")
	s.run("top", "photos.view", "--column", "bytes").squeezed().ok("1 a.jpg 2,000", "2 b.jpg 1,000")
	grown = s.file("access.csv", accessLogHead+"b.jpg,2026-11-21T09:00:03Z,view,500\nb.jpg,2026-11-21T09:00:04Z,view,\nc.jpg,2026-11-21T09:00:05Z,view,1\n")
	if out := s.countLog(grown, "--json").ok().out; out != `{"log":"`+grown+`","boards":["photos.view","photos.view:2026-11","photos.view:2026-11-21"],"lines":1,"up_to":8,"gone":0,"refused":0,"older":false,"waiting":false,"no_index":[]}`+"\n" {
		t.Error(out)
	}
	s.wantTop("photos.view", "1 b.jpg 3", "2 a.jpg 2", "3 c.jpg 1")
	s.countLog(grown).ok("nothing new: " + grown + " is counted up to line 8")
	b, err := s.store().Board(s.ctx, "photos.view:2026-11-21")
	if want := time.Date(2026, 12, 22, 0, 0, 0, 0, time.UTC); err != nil || b.Family != "photos.view" || b.Period != store.Daily || !b.Expires.Equal(want) {
		t.Errorf("%+v, %v", b, err)
	}
}

// The same from NDJSON and standard input, without a configuration, in a column of
// another name and decimals of the log's.
func TestRollUpMakesABoard(t *testing.T) {
	s := newShell(t)
	s.in = strings.NewReader(`{"user":"ann","km":1.25,"tags":["x",{"y":null}],"ok":true}
{"km":"2.5","user":7}

{"user":"ann","km":null}
`)
	s.run("load", "walks", "-", "--count-by", "user", "--column", "walks", "--sum", "km", "--shards", "3").ok("counted 3 lines of standard input into 1 board (walks)")
	s.run("top", "walks").squeezed().ok("RANK OWNER WALKS\n1 ann 2\n2 7 1\n")
	s.run("top", "walks", "--column", "km").squeezed().ok("1 7 2.5\n2 ann 1.25\n")
	s.run("boards").squeezed().ok("walks all 3 walks:desc:sum:0 km:desc:sum:2")
	s.run("load", "walks", s.file("w.csv", "user,km\nann,3.5\n"), "--count-by", "user", "--sum", "km").ok("counted 1 line")
	s.run("top", "walks").squeezed().ok("1 ann 3\n")
	s.run("load", "plain", s.file("p.csv", "owner,km\nann,3.5\n"), "--json").ok(`{"boards":["plain"],"rows":1,"left_out":[],"no_index":[]}` + "\n")
	s.run("load", "sizes", s.file("w.csv", "user,Size (KB)\nann,3.5\nann,1\n"), "--count-by", "user", "--sum", "size=Size (KB)").ok("counted 2 lines")
	s.run("top", "sizes", "--column", "size").squeezed().ok("RANK OWNER SIZE\n1 ann 4.5\n")
	s.run("load", "sizes", s.file("w.ndjson", `{"user":"bob","Size (KB)":7}`+"\n"), "--count-by", "user", "--sum", "size=Size (KB)").ok("counted 1 line")
	s.run("top", "sizes", "--column", "size").squeezed().ok("1 bob 7\n")
	s.run("load", "distances", s.file("w.csv", "owner,km\nann,3.5\n"), "--sum", "km").ok("counted 1 line")
	s.run("top", "distances").squeezed().ok("RANK OWNER KM\n1 ann 3.5\n")
}

func TestLinesOfLongAgo(t *testing.T) {
	s := newPhotos(t)
	path := s.file("old.csv", "image,time,type,bytes\na.jpg,2026-09-01,view,1\na.jpg,2026-11-21,view,1\n")
	s.countLog(path).ok("counted 2 lines", "1 line of long ago left out of boards that have expired")
	s.wantTop("photos.view", "1 a.jpg 2")
	s.wantTop("photos.view:2026-09", "1 a.jpg 1")
	s.run("top", "photos.view:2026-09-01").fails(exitNotFound, `board "photos.view:2026-09-01" expired at 2026-10-02T00:00:00Z`)
	s.environ = []string{"RANKCURVE_CONFIG=" + s.file("strict.yaml", strings.Replace(photoConfig, "periods", "late_posts: refuse\n    late_grace: 1d\n    periods", 1))}
	s.countLog(s.file("late.csv", "image,time,type,bytes\nx.jpg,2026-11-19,view,1\nx.jpg,2026-11-20,view,1\n")).fails(exitFailed,
		"late.csv:2: time: board photos:2026-11-19 ended at 2026-11-20T00:00:00Z, and late posts are refused")
	if out := s.run("top", "photos.view").ok().out; strings.Contains(out, "x.jpg") {
		t.Errorf("a refused log was counted:\n%s", out)
	}
}

func TestLogsThatCannotBeCounted(t *testing.T) {
	s := newPhotos(t)
	for want, log := range map[string]string{
		"f.csv:3: time: \"yesterday\" is no time":                                       "image,time,type,bytes\na,2026-11-21,view,1\na,yesterday,view,1\n",
		"f.csv:2: time: \"2026-11-22\" is in the future":                                "image,time,type,bytes\na,2026-11-22,view,1\n",
		"f.csv:2: image: is empty; give every line an owner":                            "image,time,type,bytes\n,2026-11-21,view,1\n",
		"f.csv:2: image: owner \"#a\" starts with #":                                    "image,time,type,bytes\n#a,2026-11-21,view,1\n",
		"f.csv:2: type: \"GET /\" names no board":                                       "image,time,type,bytes\na,2026-11-21,GET /,1\n",
		"f.csv:2: type: \"\" names no board":                                            "image,time,type,bytes\na,2026-11-21,,1\n",
		"is too long: with it, the board's name would be over 128 bytes":                "image,time,type,bytes\na,2026-11-21," + strings.Repeat("v", 112) + ",1\n",
		"f.csv:2: bytes: \"many\" is not a number":                                      "image,time,type,bytes\na,2026-11-21,view,many\n",
		"f.csv:2: bytes: \"1.5\" has 1 decimal, the column keeps 0":                     "image,time,type,bytes\na,2026-11-21,view,1.5\n",
		"f.csv:3: the line has 3 fields, the header 4":                                  "image,time,type,bytes\na,2026-11-21,view,1\na,2026-11-21,view\n",
		"f.csv:1: image: there is no such column (there are: owner, time, type, bytes)": "owner,time,type,bytes\na,2026-11-21,view,1\n",
		"f.csv:1: a: is the name of columns 1 and 2":                                    "a,a\n1,2\n",
		"f.csv: there is no header that ends in a line break":                           "image,time,type,bytes",
		"f.csv:3: bare \" in non-quoted":                                                "image,time,type,bytes\na,2026-11-21,view,1\na\"b\",2026-11-21,view,1\n",
		"is no JSON object":                                                             "{\"image\":\"a\",\"time\":0,\"type\":\"view\"}\nnull\n",
		"f.csv:1: image: [1] is neither a text nor a number":                            "{\"image\":[1],\"time\":0,\"type\":\"view\"}\n",
		"f.csv:1: image: is there twice":                                                "{\"image\":\"a\",\"image\":\"b\",\"time\":0,\"type\":\"view\"}\n",
	} {
		more := []string{}
		if log[0] == '{' {
			more = []string{"--format", "ndjson"}
		}
		code := exitFailed
		s.countLog(s.file("f.csv", log), more...).fails(code, want)
	}
	var kinds strings.Builder
	kinds.WriteString("image,time,type,bytes\n")
	for i := range maxKinds + 1 {
		fmt.Fprintf(&kinds, "a,2026-11-21,t%d,1\n", i)
	}
	s.countLog(s.file("kinds.csv", kinds.String())).fails(exitFailed, "line 202: type has more than 200 different types", "is --type-column the right one?")
	if _, err := os.Stat(s.db()); err == nil {
		t.Error("the database was made for logs that cannot be counted")
	}
}

func TestRollUpUsage(t *testing.T) {
	s := newPhotos(t)
	log := s.file("access.csv", accessLogHead)
	for line, want := range map[string]string{
		"--type-column type": "nothing is counted or summed up; add --count-by NAME or --sum NAME",
		"--count-by=":        "--count-by is empty",
		"--count-by image --sum bytes --sum bytes":       "--sum names the column bytes twice",
		"--count-by image --sum bytes=":                  `--sum "bytes=" names no column`,
		"--count-by image --sum =bytes":                  `--sum "=bytes" names no column`,
		"--count-by image --period daily":                "--period does not go with a log",
		"--sum bytes --column views":                     "--column names the one column that --count-by counts in",
		"--count-by image --column views --column bytes": "--column names the one column that --count-by counts in",
		"--count-by image --column bytes --sum bytes":    "--column and --sum name bytes both",
		"--count-by image --column views:asc":            "--column views: the board has views:desc:sum:0",
		"--count-by image --sum bytes --sum views":       "has no column left to count lines in",
	} {
		s.run(append([]string{"load", "photos", log}, strings.Fields(line)...)...).fails(exitUsage, want)
	}
	s.run("load", "photos", log, "--count-by", "image", "--sum", "gold").fails(exitNotFound, `no column "gold"`)
	s.run("load", "photos", log, "--count-by", "image", "--shards", "5").fails(exitFailed, "leave the flag out")
	s.run("load", "photos:2026-11", log, "--count-by", "image").fails(exitUsage, "name the family, photos")
	s.run("load", "a/b", log, "--count-by", "image").fails(exitUsage, `"a/b" is not a board name`)
	s.run("load", "new", log, "--count-by", "image", "--column", "X").fails(exitUsage, `"X" is not a column name`)
	s.countLog(log).ok()
	s.run("load", "photos", log, "--count-by", "image").fails(exitUsage, "this log was counted into photos before, by owners in image, lines in views, sum of bytes, types in type")
	s.environ = nil
	s.countLog(log).fails(exitUsage, "was made for a family with", "set its periods in the configuration")
}
