package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/rankcurve/rankcurve/jobs"
)

// serveWorker serves a worker's metrics and health at an address, if there is one, until
// end is called.
func serveWorker(ctx context.Context, address string, w *jobs.Worker, s serving) (end func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, hintf(fmt.Errorf("serve metrics: %w", err), "name another address with --listen or worker.listen, or none")
	}
	const timeout = 10 * time.Second
	server := &http.Server{Handler: workerPages(w, s), ReadHeaderTimeout: timeout, WriteTimeout: timeout, IdleTimeout: time.Minute}
	s.log.InfoContext(ctx, "metrics and health are served", "address", listener.Addr().String())
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("metrics are not served any more", "error", err)
		}
	}()
	return func() { _ = server.Close() }, nil
}

func workerPages(w *jobs.Worker, s serving) http.Handler {
	pages := http.NewServeMux()
	pages.Handle("GET /metrics", promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{Registry: s.registry}))
	pages.HandleFunc("GET /healthz", func(out http.ResponseWriter, r *http.Request) {
		h := w.Health()
		writeHealth(out, r, h.Alive, h)
	})
	pages.HandleFunc("GET /readyz", func(out http.ResponseWriter, r *http.Request) {
		h := w.Health()
		writeHealth(out, r, h.Ready, h)
	})
	return pages
}

// healthRow is a worker's health in JSON.
type healthRow struct {
	OK      bool     `json:"ok"`
	Columns int      `json:"columns"`
	Reasons []string `json:"reasons"`
}

// writeHealth answers 200 or 503, with the reasons: a line each, or as JSON to whoever
// accepts it.
func writeHealth(out http.ResponseWriter, r *http.Request, ok bool, h jobs.Health) {
	status := http.StatusOK
	if !ok {
		status = http.StatusServiceUnavailable
	}
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		out.Header().Set("Content-Type", "application/json")
		out.WriteHeader(status)
		_ = json.NewEncoder(out).Encode(healthRow{ok, h.Columns, append([]string{}, h.Reasons...)}) // who has left needs no answer
		return
	}
	out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	out.WriteHeader(status)
	word := "ok"
	if !ok {
		word = "not ok"
	}
	fmt.Fprintf(out, "%s, %s\n", word, counting(h.Columns, "column"))
	for _, reason := range h.Reasons {
		fmt.Fprintln(out, reason)
	}
}
