package main

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	shaky "github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// stopMidChunk counts a log whose chunk a limit stops in the middle: it is begun, and
// some of its posts are stored.
func stopMidChunk(s *shell, config, log string) (path string) {
	s.t.Helper()
	s.configure(strings.Replace(config, "{name: views, operator: sum}", "{name: views, operator: sum, max_score: 1}", 1))
	path = s.file("access.csv", log)
	s.countLog(path).fails(exitFailed, "above the limit of 1")
	s.configure(config)
	return path
}

// The lines of a chunk that was begun must be in the file when it is gone on with: some
// of them are in the sums.
func TestABegunChunkThatChangedIsRefused(t *testing.T) {
	s := newPhotos(t)
	path := stopMidChunk(s, photoConfig, accessLogHead)
	s.file("access.csv", strings.Replace(accessLogHead, "b.jpg,2026-11-21T09:00:01Z", "c.jpg,2026-11-21T09:00:01Z", 1))
	s.countLog(path).fails(exitFailed, "the lines 2 to 5 were being counted when that was stopped at 2026-11-21T09:30:00Z, and are not in the file any more", "give it back what it had there")
	s.wantTop("photos.view", "1 b.jpg 1")
	s.file("access.csv", accessLogHead)
	s.countLog(path).ok("counted 4 lines")
	s.wantTop("photos.view", "1 a.jpg 2", "2 b.jpg 1")
}

// A chunk that was begun in time is ended after its periods' grace too; lines behind it
// are late.
func TestABegunChunkIsNotLate(t *testing.T) {
	s, now := newPhotos(t), saturday
	s.now = func() time.Time { return now }
	strict := strings.Replace(photoConfig, "periods", "late_posts: refuse\n    late_grace: 1d\n    periods", 1)
	path := stopMidChunk(s, strict, accessLogHead)
	now = now.Add(60 * time.Hour)
	s.file("access.csv", accessLogHead+"z.jpg,2026-11-21T09:00:03Z,view,1\n")
	s.countLog(path).fails(exitFailed, "access.csv:6: time: board photos:2026-11-21 ended at 2026-11-22T00:00:00Z, and late posts are refused")
	s.file("access.csv", accessLogHead)
	s.countLog(path).ok("counted 4 lines")
	s.wantTop("photos.view:2026-11-21", "1 a.jpg 2", "2 b.jpg 1")
}

// A counter that was held up past its lease stops when another has taken the log over:
// rows forget ids, so what it still holds could be counted twice.
func TestACounterPastItsLeaseStops(t *testing.T) {
	var held atomic.Bool
	var reached sync.Once
	waiting, released := make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	endpoint := servers.DynamoDB(t)
	proxy := shaky.New(t, endpoint, func(r shaky.Request) shaky.Fault {
		if held.Load() && r.Operation == "UpdateItem" && strings.Contains(string(r.Body), `"S":"photos"`) {
			reached.Do(func() { close(waiting) })
			<-released
		}
		return shaky.None
	})
	t.Cleanup(release)
	first := cloudAt(t, proxy.URL)
	first.bare("table", "create", "--column", "views").ok()
	config := first.file("c.yaml", "boards:\n  - name: photos\n    shards: 2\n    columns: [{name: views, operator: sum}]\n    periods: [all, daily]\n")
	log := first.file("access.csv", "image,time\na.jpg,2024-05-01\na.jpg,2024-05-01\n")
	words := []string{"--config", config, "load", "photos", log, "--count-by", "image"}
	held.Store(true)
	ended := make(chan result, 1)
	go func() { ended <- first.bare(words...) }()
	<-waiting

	other := shaky.New(t, endpoint, func(shaky.Request) shaky.Fault { return shaky.None })
	second := newShell(t)
	for _, variable := range first.environ {
		second.environ = append(second.environ, strings.Replace(variable, proxy.URL, other.URL, 1))
	}
	first.endLeases()
	second.bare(words...).ok("counted 2 lines")
	for i := range 17 {
		second.bare("--config", config, "post", "photos:2024-05-01", "a.jpg", "views=0", "--id", fmt.Sprint("later-", i)).ok()
	}
	release()
	(<-ended).fails(exitFailed, "0 of 2 lines are counted on all boards, and those up to line 3 on some perhaps; another process has taken the log over")
	for _, board := range []string{"photos", "photos:2024-05-01"} {
		second.bare("--config", config, "top", board).squeezed().ok("1 a.jpg 2\n")
	}
}
