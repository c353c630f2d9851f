package jobs_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

func TestRefreshIsAudited(t *testing.T) {
	st, board := load(t, datasets[3], datasets[3].generate(60_000))
	var log bytes.Buffer
	r := jobs.Refresher{Store: st, Holder: "a", Log: slog.New(slog.NewTextHandler(&log, nil))}
	o := jobs.Options{Method: sampler.Counted, Head: 500}
	plain, err := r.Refresh(context.Background(), board, "", o)
	if err != nil {
		t.Fatal(err)
	}
	if plain.Audit != (jobs.Audit{}) || strings.Contains(log.String(), "audit") {
		t.Errorf("nobody asked for an audit: %+v, %s", plain.Audit, &log)
	}
	o.Audit = 100
	whole, err := r.Refresh(context.Background(), board, "", o)
	if a := whole.Audit; err != nil || a.Owners < 90 || a.Owners > 100 || a.DownTo != 0 || a.Coverage < 0.9 || a.Max == 0 || a.Median > a.Max || a.Max > 0.1 {
		t.Errorf("%+v, %v", whole.Audit, err)
	}
	for _, want := range []string{"audit_owners=", "audit_error_median=", "audit_error_max=", "audit_coverage=", "audit_down_to=0", "audit_read_units="} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in the log: %s", want, &log)
		}
	}
	o.AuditBudget = 150
	small, err := r.Refresh(context.Background(), board, "", o)
	if a := small.Audit; err != nil || a.Owners < 90 || a.DownTo < 100 || a.DownTo > 30_000 || a.Usage.ReadUnits() > 150 {
		t.Errorf("on 150 read units: %+v, %v", small.Audit, err)
	}
}

// What is wrong with an audit is no reason to call a refresh failed that has published.
func TestAFailedAuditFailsNoRefresh(t *testing.T) {
	for name, budget := range map[string]float64{"read the owners' scores": 0, "takes about 13 read units, the budget is 1": 1} {
		t.Run(name, func(t *testing.T) {
			st := newGames(t, 3000)
			var log bytes.Buffer
			r := jobs.Refresher{Store: unread{st}, Holder: "a", Log: slog.New(slog.NewTextHandler(&log, nil))}
			report, err := r.Refresh(context.Background(), games, "", jobs.Options{Audit: 50, AuditBudget: budget})
			if err != nil || report.Generation != 1 || report.Audit.Owners != 0 {
				t.Errorf("%+v, %v", report, err)
			}
			if generation := published(t, st).Meta().Generation; generation != 1 {
				t.Errorf("generation %d is published", generation)
			}
			if text := log.String(); !strings.Contains(text, `level=WARN msg="audit failed`) || !strings.Contains(text, name) || !strings.Contains(text, "msg=refreshed") {
				t.Errorf("log: %s", text)
			}
		})
	}
}

// late is a store on which as many players again finish as soon as a curve is published.
type late struct{ store.Store }

func (l late) Publish(ctx context.Context, k store.CurveKey, p store.Published) (store.Usage, error) {
	u, err := l.Store.Publish(ctx, k, p)
	if err != nil {
		return u, err
	}
	entries := make([]store.Entry, 3000)
	for i := range entries {
		entries[i] = store.Entry{Owner: fmt.Sprintf("late-%d", i), Scores: map[string]int64{"time": int64(i + 1)}}
	}
	_, err = l.Load(ctx, games, entries)
	return u, err
}

func TestAuditWarnsOfAWrongCurve(t *testing.T) {
	st := newGames(t, 3000)
	var log bytes.Buffer
	r := jobs.Refresher{Store: late{st}, Holder: "a", Log: slog.New(slog.NewTextHandler(&log, nil))}
	report, err := r.Refresh(context.Background(), games, "", jobs.Options{Audit: 100})
	if err != nil || report.Audit.Coverage > 0.5 {
		t.Errorf("%+v, %v", report.Audit, err)
	}
	if text := log.String(); !strings.Contains(text, "audit found the curve's band too narrow") || !strings.Contains(text, "promised are 95 %") {
		t.Errorf("log: %s", text)
	}
}
