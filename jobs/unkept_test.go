package jobs_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
)

// A stateless store keeps no states.
type stateless struct{ store.Store }

func (stateless) SaveState(context.Context, store.CurveKey, []byte) (store.Usage, error) {
	return store.Usage{}, store.ErrUnavailable
}

// A curve whose state cannot be kept is published, and its refresh has not failed: a worker
// that backed off would let it get old for what makes the next walk dearer and no more.
func TestAStateThatIsNotKeptIsWarnedOf(t *testing.T) {
	st := newGames(t, 3000)
	var log bytes.Buffer
	r := jobs.Refresher{Store: stateless{st}, Holder: "a", Log: slog.New(slog.NewTextHandler(&log, nil))}
	for generation := range int64(3) {
		report, err := r.Refresh(context.Background(), games, "", jobs.Options{})
		if err != nil || report.Generation != generation+1 || published(t, st).Meta().Generation != generation+1 {
			t.Fatalf("%+v, %v", report, err)
		}
	}
	if n := strings.Count(log.String(), "walk state is not kept"); n != 3 || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("warned %d times of 3:\n%s", n, &log)
	}
}
