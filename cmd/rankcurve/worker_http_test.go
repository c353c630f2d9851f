package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

// The two pages tell a worker that is not ready from one that is of no more use.
func TestWorkerPagesTellHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, err := bolt.Open(filepath.Join(t.TempDir(), "empty.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		st := &silent{Store: file, released: make(chan struct{})}
		registry := prometheus.NewRegistry()
		w := jobs.NewWorker(jobs.Refresher{Store: st}, settingsOf(config.Default()), jobs.NewMetrics(registry))
		pages := workerPages(w, serving{registry: registry, log: slog.New(slog.DiscardHandler)})
		page := func(path, accept string) (int, string) {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Header.Set("Accept", accept)
			out := httptest.NewRecorder()
			pages.ServeHTTP(out, r)
			return out.Code, out.Body.String()
		}
		want := func(path string, code int, text string) {
			t.Helper()
			if got, body := page(path, ""); got != code || !strings.Contains(body, text) {
				t.Errorf("%s: %d %s, want %d and %q", path, got, body, code, text)
			}
		}
		want("/readyz", http.StatusServiceUnavailable, "not ok, 0 columns\nthe boards are not listed yet\n")
		want("/healthz", http.StatusOK, "ok, 0 columns")
		var row healthRow
		if code, body := page("/readyz", "application/json"); code != http.StatusServiceUnavailable || json.Unmarshal([]byte(body), &row) != nil || row.OK || len(row.Reasons) != 1 {
			t.Errorf("as JSON: %d %s", code, body)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx, time.Second) }()
		time.Sleep(time.Second)
		want("/readyz", http.StatusOK, "ok, 0 columns\n")
		st.hangs.Store(true)
		time.Sleep(5 * time.Minute)
		want("/readyz", http.StatusServiceUnavailable, "the boards were last listed 5m")
		want("/healthz", http.StatusOK, "ok, 0 columns")
		time.Sleep(6 * time.Minute)
		want("/healthz", http.StatusServiceUnavailable, "no try to list the boards has ended for 11m")
		cancel()
		close(st.released)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		want("/readyz", http.StatusServiceUnavailable, "the worker ends")
	})
}

// A silent store lists its boards only once it is released, whatever its caller waits for.
type silent struct {
	store.Store
	hangs    atomic.Bool
	released chan struct{}
}

func (s *silent) Boards(ctx context.Context) ([]store.Board, error) {
	if s.hangs.Load() {
		<-s.released
	}
	return s.Store.Boards(ctx)
}
