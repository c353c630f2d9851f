package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// listed reads a list of refused lines, as line, board, and the beginning of the reason.
func (s *shell) listed(path string) (lines []refusedLine) {
	s.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	for text := range bytes.Lines(data) {
		var one refusedLine
		if err := json.Unmarshal(text, &one); err != nil || !bytes.HasSuffix(text, []byte("\n")) {
			s.t.Errorf("line %q of the list: %v", text, err)
		}
		lines = append(lines, one)
	}
	return lines
}

func (s *shell) wantListed(path string, want ...string) {
	s.t.Helper()
	listed := s.listed(path)
	got := make([]string, 0, len(listed))
	for _, one := range listed {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%d %s %s | %s", one.Line, one.Board, strings.TrimSpace(strings.FieldsFunc(one.Reason, func(r rune) bool { return r == ';' || r == '(' })[0]), one.Text)))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		s.t.Errorf("listed are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const logWithRefused = `image,time,type,bytes
a.jpg,2026-11-21T09:00:00Z,view,1
,2026-11-21T09:00:00Z,view,1
a.jpg,yesterday,view,1
a.jpg,2026-11-21T09:40:00Z,view,1
a"x.jpg,2026-11-21T09:00:00Z,view,1
"b.jpg,2026-11-21T09:00:00Z,view,1
b.jpg,2026-11-21T09:00:00Z,view,1
b.jpg,2026-11-19T09:00:00Z,view,1
b.jpg,2026-11-21T09:00:00Z,GET /,1
b.jpg,2026-11-21T09:00:00Z,view
b.jpg,2026-11-21T09:00:00Z,view,2000
c.jpg,2026-11-21T09:00:00Z,view,"1"
b.jpg,2026-11-21T09:00:00Z,view,x
`

var wantRefused = []string{
	`3  image: is empty | ,2026-11-21T09:00:00Z,view,1`,
	`4  time: "yesterday" is no time | a.jpg,yesterday,view,1`,
	`5  time: "2026-11-21T09:40:00Z" is in the future | a.jpg,2026-11-21T09:40:00Z,view,1`,
	`6  bare " in non-quoted-field | a"x.jpg,2026-11-21T09:00:00Z,view,1`,
	`7  extraneous or missing " in quoted-field | "b.jpg,2026-11-21T09:00:00Z,view,1`,
	`9  time: board photos:2026-11-19 ended at 2026-11-20T00:00:00Z, and late posts are refused | b.jpg,2026-11-19T09:00:00Z,view,1`,
	`10  type: "GET /" names no board | b.jpg,2026-11-21T09:00:00Z,GET /,1`,
	`11  the line has 3 fields, the header 4 | b.jpg,2026-11-21T09:00:00Z,view`,
	`12  bytes: 2000 is more than a score may have, with the limit of 1000 | b.jpg,2026-11-21T09:00:00Z,view,2000`,
	`14  bytes: "x" is not a number | b.jpg,2026-11-21T09:00:00Z,view,x`,
}

// newStrictPhotos is a shell whose photos have limits, and take no late posts.
func newStrictPhotos(t *testing.T) *shell {
	t.Helper()
	s := newPhotos(t)
	strict := strings.Replace(photoConfig, "periods", "late_posts: refuse\n    late_grace: 1d\n    periods", 1)
	s.configure(strings.NewReplacer("{name: bytes, operator: sum}", "{name: bytes, operator: sum, max_score: 1000}", "{name: views, operator: sum}", "{name: views, operator: sum, max_score: 3}").Replace(strict))
	return s
}

// With a list, what cannot be counted is listed, each line once, and the others are
// counted; the log is then counted for good, with the list or without.
func TestRefusedLinesAreListed(t *testing.T) {
	s := newStrictPhotos(t)
	path, list := s.file("access.csv", logWithRefused), s.folder+"/refused.ndjson"
	s.countLog(path).fails(exitFailed, "or count the other lines: --skip-refused FILE lists those that cannot be")
	r := s.countLog(path, "--skip-refused", list).warns("10 lines of " + path + " refused, and listed in " + list)
	r.has("output", r.out, []string{"counted 3 lines"})
	s.wantListed(list, wantRefused...)
	for range 2 {
		for _, board := range []string{"photos.view", "photos.view:2026-11-21"} {
			s.wantTop(board, "1 a.jpg 1", "1 b.jpg 1", "1 c.jpg 1")
		}
		s.countLog(path).ok("nothing new: " + path + " is counted up to line 14")
		s.countLog(path, "--skip-refused", list).ok("nothing new")
		s.wantListed(list, wantRefused...)
	}
	grown := s.file("access.csv", logWithRefused+"d.jpg,2026-11-21T09:00:00Z,view,1\n,,,\n")
	if rows := s.countLog(grown, "--skip-refused", list, "--json").warns("1 line").rows(); rows[0]["refused"] != 1.0 || rows[0]["lines"] != 1.0 || rows[0]["up_to"] != 16.0 {
		t.Errorf("%v", rows)
	}
	more := append(append([]string{}, wantRefused...), `16  type: "" names no board | ,,,`)
	s.wantListed(list, more...)
	other := s.file("other.csv", "image,time,type,bytes\n,2026-11-21T09:00:00Z,view,7\n")
	s.countLog(other, "--skip-refused", list).warns("1 line")
	s.wantListed(list, append(more, `2  image: is empty | ,2026-11-21T09:00:00Z,view,7`)...)
	if lines := s.listed(list); lines[0].ID == lines[11].ID || lines[11].Log != other {
		t.Errorf("logs are not told apart: %v", lines[11])
	}
}

// A row that does not take its share keeps no other from it, and its lines are listed with
// the boards that they are not in.
func TestSharesThatRowsRefuseAreListed(t *testing.T) {
	s := newStrictPhotos(t)
	head := "image,time,type,bytes\na.jpg,2026-11-20T09:00:00Z,view,1\na.jpg,2026-11-20T09:00:00Z,view,1\n"
	path, list := s.file("access.csv", head), s.folder+"/refused.ndjson"
	s.countLog(path).ok("counted 2 lines")
	s.file("access.csv", head+"a.jpg,2026-11-21T09:00:00Z,view,1\nb.jpg,2026-11-21T09:00:00Z,view,1\na.jpg,2026-11-21T09:00:00Z,view,1\n")
	want := make([]string, 0, 4)
	for _, line := range []int{4, 6} {
		for _, board := range []string{"photos.view", "photos.view:2026-11"} {
			want = append(want, fmt.Sprintf(`%d %s post to board %q for owner "a.jpg": column "views": score 4 is above the limit of 3 | a.jpg,2026-11-21T09:00:00Z,view,1`, line, board, board))
		}
	}
	s.countLog(path).fails(exitFailed, "above the limit of 3") // begun without a list, and ended with one
	s.countLog(path, "--skip-refused", list).warns("2 lines")
	s.wantListed(list, want...)
	s.wantTop("photos.view", "1 a.jpg 2", "2 b.jpg 1")
	s.wantTop("photos.view:2026-11-21", "1 a.jpg 2", "2 b.jpg 1")
	s.countLog(path).ok("nothing new")
	s.countLog(path, "--skip-refused", list).ok("nothing new")
	s.wantListed(list, want...)
}

// An atWord does something when a run logs a thing.
type atWord struct {
	bytes.Buffer
	word string
	do   func()
}

func (a *atWord) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(a.word)) {
		a.do()
	}
	return a.Buffer.Write(b)
}

// listUntil counts a log with a list, and does something when the run logs a thing.
func (s *shell) listUntil(ctx context.Context, word string, do func(), path, list string) (code int, errs string) {
	s.t.Helper()
	at := &atWord{word: word, do: do}
	p := program{in: s.in, out: &bytes.Buffer{}, err: at, environ: s.environ, isTerminal: func(any) bool { return false }, now: s.now}
	code = p.run(ctx, append([]string{"rankcurve", "--log-level", "debug", "--db", s.db(), "load", "photos", path, "--skip-refused", list}, countPhotos...))
	return code, at.String()
}

// killedAt counts a log with a list, and leaves the database as it is when that is killed
// as it logs a thing. The list is the one of its end.
func (s *shell) killedAt(word, path, list string) (database []byte) {
	s.t.Helper()
	keep := func() {
		data, err := os.ReadFile(s.db())
		if err != nil {
			s.t.Error(err)
		}
		database = data
	}
	if code, errs := s.listUntil(context.Background(), word, keep, path, list); code != exitDone || database == nil {
		s.t.Fatalf("exit code %d, %s", code, errs)
	}
	s.file("boards.db", string(database))
	return database
}

// A run that is killed after lines were listed, and before its journal has them, is gone
// on with: what is listed is not counted, though it could be by now, and is listed once.
func TestWhatIsListedStaysRefused(t *testing.T) {
	s, now := newStrictPhotos(t), saturday
	s.now = func() time.Time { return now }
	path, list := s.file("access.csv", logWithRefused), s.folder+"/refused.ndjson"
	killed := s.killedAt("lines refused", path, list)
	s.run("top", "photos.view").fails(exitNotFound)
	now = now.Add(20 * time.Minute) // no line is of the future any more
	s.countLog(path, "--skip-refused", list).warns("10 lines")
	s.wantListed(list, wantRefused...)
	s.wantTop("photos.view", "1 a.jpg 1", "1 b.jpg 1", "1 c.jpg 1")

	// A line that was corrected since is another.
	s.file("boards.db", string(killed))
	corrected := strings.Replace(logWithRefused, "a.jpg,yesterday", "a.jpg,2026-11-21", 1)
	s.countLog(s.file("access.csv", corrected), "--skip-refused", list).warns("9 lines")
	s.wantListed(list, wantRefused...)
	s.wantTop("photos.view", "1 a.jpg 2", "2 b.jpg 1", "2 c.jpg 1")
}

// A chunk that was begun is ended as it was begun, whatever the time and the flags are by
// then: its refused lines stay refused.
func TestABegunChunkKeepsItsRefusedLines(t *testing.T) {
	s, now := newStrictPhotos(t), saturday
	s.now = func() time.Time { return now }
	path, list := s.file("access.csv", logWithRefused), s.folder+"/refused.ndjson"
	ctx, cancel := context.WithCancel(context.Background())
	code, errs := s.listUntil(ctx, "board counted", cancel, path, list)
	if code != exitFailed || !strings.Contains(errs, "stopped: 0 of 3 lines are counted on all boards, and those up to line 14 on some perhaps; run the same command again") {
		t.Fatalf("exit code %d, %s", code, errs)
	}
	s.wantListed(list, wantRefused...)
	stopped, err := os.ReadFile(s.db())
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{nil, {"--skip-refused", list}, {"--skip-refused", s.folder + "/other.ndjson"}} {
		s.file("boards.db", string(stopped))
		now = now.Add(20 * time.Minute)
		s.countLog(path, more...).ok("counted 3 lines")
		for _, board := range []string{"photos.view", "photos.view:2026-11", "photos.view:2026-11-21"} {
			s.wantTop(board, "1 a.jpg 1", "1 b.jpg 1", "1 c.jpg 1")
		}
		s.wantListed(list, wantRefused...)
		s.countLog(path).ok("nothing new")
	}
}

// The list is no file of something else, and half a line of a run that was killed is cut.
func TestTheListOfRefusedLines(t *testing.T) {
	s := newPhotos(t)
	head := "image,time,type,bytes\n,2026-11-21,view,1\na.jpg,2026-11-21,view,1\n"
	path := s.file("access.csv", head)
	for name, content := range map[string]string{"some.csv": head, "log.ndjson": `{"id":"ann","line":3}` + "\n", "open.ndjson": `{"id":"ann","reason":"x"}`, "notes.txt": "x"} {
		other := s.file(name, content)
		s.countLog(path, "--skip-refused", other).fails(exitUsage, other+" is there, and its line 1 is none of a list of refused lines; name another file")
		if data, err := os.ReadFile(other); err != nil || string(data) != content {
			t.Errorf("%s was changed: %q, %v", name, data, err)
		}
	}
	s.countLog(path, "--skip-refused", path).fails(exitUsage, "is the log itself")
	s.countLog(path, "--skip-refused", "").fails(exitUsage, `--skip-refused "" is no file`)
	s.run("load", "photos", path, "--skip-refused", "x").fails(exitUsage, "nothing is counted or summed up")
	s.countLog(path, "--skip-refused", s.folder+"/none/x").fails(exitFailed, "make the folder")

	list := s.file("refused.ndjson", "")
	s.countLog(path, "--skip-refused", list).warns("1 line")
	s.wantListed(list, "2  image: is empty | ,2026-11-21,view,1")
	whole, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	for name, torn := range map[string]string{"half": string(whole) + string(whole[:30]), "a byte": string(whole) + "{", "no end": strings.TrimSuffix(string(whole), "\n")} {
		s.file("refused.ndjson", torn)
		head += ",2026-11-21,view,1\n"
		s.file("access.csv", head)
		s.countLog(path, "--skip-refused", list).warns("1 line")
		if lines := s.listed(list); len(lines) != 2 || lines[1].Line != strings.Count(head, "\n") {
			t.Errorf("%s: %v", name, lines)
		}
	}
	s.wantTop("photos.view", "1 a.jpg 1")
}

// Where no line can be counted, a flag is wrong more likely than all of the log, which is
// counted once.
func TestALogOfRefusedLinesAloneIsRefused(t *testing.T) {
	s := newPhotos(t)
	log, list := "image,time,type,bytes\n"+strings.Repeat("a.jpg,21 Nov,view,1\n", 11), s.folder+"/refused.ndjson"
	s.countLog(s.file("access.csv", log), "--skip-refused", list).fails(exitFailed, `access.csv:2: time: "21 Nov" is no time`, "none of the 11 lines can be counted")
	if _, err := os.Stat(list); err == nil {
		t.Error("a list was made")
	}
	s.countLog(s.file("few.csv", "image,time,type,bytes\n,21 Nov,view,1\n"), "--skip-refused", list).warns("1 line").has("output", "", nil)
	s.countLog(s.file("access.csv", log+"a.jpg,2026-11-21,view,1\n"), "--skip-refused", list).warns("11 lines")
	s.wantTop("photos.view", "1 a.jpg 1")
}
