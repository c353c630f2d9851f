package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve"
)

// boundedConfig gives views a limit; the text of it can be replaced.
var boundedConfig = strings.Replace(photoConfig, "{name: views, operator: sum}", "{name: views, operator: sum, max_score: 3}", 1)

func (s *shell) configure(config string) {
	s.t.Helper()
	s.environ = []string{"RANKCURVE_CONFIG=" + s.file("c.yaml", config)}
}

// A row that would go beyond a limit stops the count at its chunk; all others of the chunk
// are counted, and with a higher limit the same command goes on.
func TestRollUpKeepsToLimits(t *testing.T) {
	s := newPhotos(t)
	s.configure(boundedConfig)
	log := "image,time,type,bytes\n" + strings.Repeat("a.jpg,2026-11-21T09:00:00Z,view,1\n", 4) + "b.jpg,2026-11-21T09:00:00Z,view,7\na.jpg,2026-11-21T09:00:00Z,like,1\n"
	path := s.file("access.csv", log)
	for range 2 {
		s.countLog(path).fails(exitFailed, `owner "a.jpg"`, `board "photos.view"`, "above the limit of 3", "and 2 rows more", "the lines 2 to 7 are counted for all others", "raise min_score or max_score", "with --skip-refused FILE to count on without them\n")
		s.wantTop("photos.view", "1 b.jpg 1")
		s.wantTop("photos.view:2026-11-21", "1 b.jpg 1")
		s.wantTop("photos.like", "1 a.jpg 1")
	}
	// So many posts that none of the rows knows the chunk's id any more.
	for i := range 17 {
		s.run("post", "photos.view", "b.jpg", "bytes=1", "--id", fmt.Sprint("later-", i)).ok()
	}
	s.file("access.csv", log+"b.jpg,2026-11-21T09:00:00Z,view,7\n")
	s.configure(strings.Replace(boundedConfig, "max_score: 3", "max_score: 4", 1))
	s.countLog(path).ok("counted 7 lines")
	for _, board := range []string{"photos.view", "photos.view:2026-11", "photos.view:2026-11-21"} {
		s.wantTop(board, "1 a.jpg 4", "2 b.jpg 2")
	}
	s.wantTop("photos.like", "1 a.jpg 1")
	s.countLog(path).ok("nothing new")
}

// What no score of the column can have is a fault of the line, before anything is written.
func TestAmountsBeyondTheColumn(t *testing.T) {
	s := newPhotos(t)
	config := strings.Replace(photoConfig, "{name: bytes, operator: sum}", "{name: bytes, operator: sum, min_score: -10, max_score: 1000}", 1)
	s.configure(config)
	for amount, want := range map[string]string{
		"1011":                "f.csv:3: bytes: 1011 is more than a score may have, with the limit of 1000; correct it, or change min_score and max_score",
		"-1011":               "f.csv:3: bytes: -1011 is more than a score may lose, with the limits of -10 and 1000",
		"4611686018427387904": `f.csv:3: bytes: "4611686018427387904" is out of range`,
	} {
		s.countLog(s.file("f.csv", "image,time,type,bytes\na.jpg,2026-11-21,view,1\nb.jpg,2026-11-21,view,"+amount+"\n")).fails(exitFailed, want)
	}
	// Sums that leave an int64's range in the row are refused there, by owner.
	s.configure(photoConfig)
	large := "image,time,type,bytes\na.jpg,2026-11-21,view,4611686018427387903\n"
	path := s.file("large.csv", large)
	s.countLog(path).ok("counted 1 line")
	s.file("large.csv", large+"b.jpg,2026-11-21,view,1\na.jpg,2026-11-21,view,1\n")
	s.countLog(path).fails(exitFailed, `owner "a.jpg"`, "out of range", "the lines 3 to 4 are counted for all others")
	s.run("top", "photos.view", "--column", "bytes").squeezed().ok("1 a.jpg 4,611,686,018,427,387,903", "2 b.jpg 1")
}

// What was left of a chunk is posted, but for what may be stored already.
func TestOutstandingPosts(t *testing.T) {
	posts := func() (all []rankcurve.Post) {
		for _, owner := range []string{"ann", "bob", "cy"} {
			all = append(all, rankcurve.Post{Owner: owner})
		}
		return all
	}
	list := map[string][]string{"games": {"bob", "cy"}}
	for want, log := range map[string]countedLog{
		"ann bob cy": {Lost: map[string][]string{"other": {"ann"}}},
		"bob cy":     {Left: list},
		"ann":        {Lost: list},
		"cy":         {Left: list, Lost: map[string][]string{"games": {"bob"}}},
		"":           {Left: map[string][]string{"other": {"ann"}}},
	} {
		var got []string
		for _, p := range log.outstanding("games", posts()) {
			got = append(got, p.Owner)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%+v: %v, want %s", log, got, want)
		}
	}
}
