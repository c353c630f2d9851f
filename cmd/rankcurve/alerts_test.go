package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// promtool runs Prometheus's own judge of rules.
func promtool(t *testing.T, words ...string) {
	t.Helper()
	out, err := exec.Command(servers.Promtool(t), words...).CombinedOutput()
	if err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(words, " "), err, out)
	}
}

// The alerts are rules that Prometheus takes. Each fires on series that should make it
// fire, none on those of workers that are well: alerts_test.yaml has the series.
func TestAlertsFireAndStaySilent(t *testing.T) {
	promtool(t, "check", "rules", deploy+"alerts.yaml")
	promtool(t, "test", "rules", deploy+"alerts_test.yaml")
}

// Every alert is tested, and on series that are labelled as the worker's are.
func TestAlertsAreTestedOnSeriesOfTheWorker(t *testing.T) {
	text := deployed(t, "alerts_test.yaml")
	for _, alert := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(deployed(t, "alerts.yaml"), -1) {
		if !strings.Contains(text, `exp_samples: [{labels: 'ALERTS{alertname="`+alert[1]) && !strings.Contains(text, `- {labels: 'ALERTS{alertname="`+alert[1]) {
			t.Errorf("no series of alerts_test.yaml makes %s fire", alert[1])
		}
	}
	var tests struct {
		Tests []struct {
			Series []struct{ Series string } `yaml:"input_series"`
		}
	}
	if err := yaml.Unmarshal([]byte(text), &tests); err != nil {
		t.Fatal(err)
	}
	var l listener
	jobs.NewMetrics(&l)
	for _, one := range tests.Tests {
		for _, s := range one.Series {
			name, labels, _ := strings.Cut(strings.TrimSuffix(s.Series, "}"), "{")
			var got []string
			for _, label := range regexp.MustCompile(`(\w+)="`).FindAllStringSubmatch(labels, -1) {
				if label[1] != "instance" {
					got = append(got, label[1])
				}
			}
			if want, there := l.labels[name]; !there || !slices.Equal(got, want) {
				t.Errorf("%s: the worker's has the labels %v", s.Series, want)
			}
		}
	}
}

// aPage is the page of metrics of a worker that has refreshed and audited a board.
func aPage(t *testing.T) string {
	t.Helper()
	s := newShell(t)
	s.run("load", "games", s.players(300)).ok()
	cfg := config.Default()
	cfg.RefreshDefaults.Audit, cfg.Worker.Jitter = 20, "0s"
	registry := prometheus.NewRegistry()
	metrics := jobs.NewMetrics(registry)
	metrics.Throttled("KeyRangeThroughputExceeded")
	w := jobs.NewWorker(jobs.Refresher{Store: s.store(), Holder: "test"}, settingsOf(cfg), metrics)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx, 10*time.Second) }()
	pages := workerPages(w, serving{registry: registry})
	var page string
	eventually(t, "a refresh", func() bool {
		out := httptest.NewRecorder()
		pages.ServeHTTP(out, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		page = out.Body.String()
		return strings.Contains(page, "rankcurve_audit_coverage{")
	})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return page
}

// The dashboard's expressions are ones that Prometheus takes, and each shows something of
// a worker's own page.
func TestDashboardShowsAWorkersPage(t *testing.T) {
	servers.Promtool(t)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(deployed(t, "grafana.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	type series struct {
		Series string `json:"series"`
		Values string `json:"values"`
	}
	type sample struct {
		Labels string  `json:"labels"`
		Value  float64 `json:"value"`
	}
	type shown struct {
		Expr    string   `json:"expr"`
		At      string   `json:"eval_time"`
		Samples []sample `json:"exp_samples"`
	}
	type test struct {
		Interval string   `json:"interval"`
		Series   []series `json:"input_series"`
		Shown    []shown  `json:"promql_expr_test"`
	}
	one := test{Interval: "1m"}
	for _, line := range strings.Split(aPage(t), "\n") {
		if at := strings.LastIndexByte(line, ' '); at > 0 && strings.HasPrefix(line, "rankcurve_") {
			name, value := line[:at], line[at+1:]
			if strings.HasSuffix(name, "}") {
				name = strings.TrimSuffix(name, "}") + `,instance="a"}`
			} else {
				name += `{instance="a"}`
			}
			one.Series = append(one.Series, series{name, value + "x30"})
		}
	}
	variables := strings.NewReplacer("$board", "games", "$__rate_interval", "5m")
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			one.Shown = append(one.Shown, shown{"count(" + variables.Replace(target.Expr) + ") > bool 0", "20m", []sample{{"{}", 1}}})
		}
	}
	if len(one.Series) < 40 || len(one.Shown) < 20 {
		t.Errorf("%d series, %d expressions", len(one.Series), len(one.Shown))
	}
	data, err := json.Marshal(map[string]any{"evaluation_interval": "1m", "tests": []test{one}}) // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dashboard.yaml")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "test", "rules", path)
}
