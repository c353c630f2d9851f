package jobs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rankcurve/rankcurve/store"
)

// Metrics are what a worker counts, for Prometheus. Make them with NewMetrics; all
// methods are safe for concurrent use.
type Metrics struct {
	ticks, late, requests, units, resumed         *prometheus.CounterVec
	took                                          *prometheus.HistogramVec
	lastTook, walked, failures, lease             *prometheus.GaugeVec
	asOf, interval                                *prometheus.GaugeVec
	size, knots, entries, generation              *prometheus.GaugeVec
	auditMedian, auditMax, auditCovered, auditees *prometheus.GaugeVec
	audited, inBand                               *prometheus.CounterVec
	throttles, reloads, worse                     *prometheus.CounterVec
	worseAt                                       *prometheus.GaugeVec
	cacheFaults, pruned, pruneFailures            prometheus.Counter
	registryUnits                                 prometheus.Counter
	columns, running, waiting, registry, skew     prometheus.Gauge
	refused                                       *prometheus.GaugeVec
}

// byColumn are the labels of what is told of each column apart.
var byColumn = []string{"board", "column"}

// NewMetrics registers the metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rankcurve_" + name, Help: help}, labels)
		registry.MustRegister(v)
		return v
	}
	gauges := func(name, help string) *prometheus.GaugeVec {
		v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "rankcurve_" + name, Help: help}, byColumn)
		registry.MustRegister(v)
		return v
	}
	gauge := func(name, help string) prometheus.Gauge {
		v := prometheus.NewGauge(prometheus.GaugeOpts{Name: "rankcurve_" + name, Help: help})
		registry.MustRegister(v)
		return v
	}
	m := &Metrics{
		ticks:    counters("ticks_total", "Times a column was due, by what became of it; missed is one that passed while the worker was stopped.", "board", "column", "outcome"),
		late:     counters("ticks_late_total", "Ticks that waited longer for their turn than a quarter of their interval.", byColumn...),
		requests: counters("refresh_requests_total", "Requests that refreshes have made.", byColumn...),
		units:    counters("refresh_read_units_total", "Read units that refreshes have consumed.", byColumn...),
		resumed:  counters("refresh_resumed_total", "Refreshes that went on from where one that died had stopped.", byColumn...),
		worse:    counters("curves_worse_total", "Curves that look worse than those they have replaced: with fewer entries, or a wider band.", "board", "column", "reason"),
		audited:  counters("audited_owners_total", "Owners of all audits.", byColumn...),
		inBand:   counters("audited_in_band_total", "Owners of all audits whose rank was in the band.", byColumn...),
		lastTook: gauges("refresh_last_duration_seconds", "How long the last refresh took."),
		walked:   gauges("refresh_shards_walked", "Shards that the last refresh walked; the others were carried forward."),
		failures: gauges("refresh_failures", "Refreshes that have failed in a row; 0 once one succeeds."),
		lease:    gauges("lease_held", "1 while this worker has the column's lease, else 0."),
		asOf:     gauges("curve_as_of_timestamp_seconds", "As-of time of the published curve; time() minus it is the curve's age."),
		interval: gauges("curve_interval_seconds", "How often the curve is due: its schedule's interval, or that of a quiet board."),
		size:     gauges("curve_bytes", "Size of the published curve."),
		knots:    gauges("curve_knots", "Knots of the published curve."),
		entries:  gauges("curve_entries", "Entries of the board, by the published curve."),

		generation:   gauges("curve_generation", "Generation of the published curve."),
		auditMedian:  gauges("audit_error_median", "Median error of the last audit, as a part of the rank."),
		auditMax:     gauges("audit_error_max", "Largest error of the last audit, as a part of the rank."),
		auditCovered: gauges("audit_coverage", "Part of the owners of the last audit whose rank was in the band; 0.95 or more is promised."),
		auditees:     gauges("audit_owners", "Owners of the last audit."),
		throttles:    counters("throttles_total", "Requests that DynamoDB has throttled, by its reason.", "reason"),
		reloads:      counters("config_reloads_total", "Reloads of the configuration: taken, or refused with the old one kept.", "result"),
		columns:      gauge("worker_columns", "Columns that this worker refreshes."),
		running:      gauge("worker_running", "Ticks under way."),
		waiting:      gauge("worker_waiting", "Ticks that wait for their turn."),
		registry:     gauge("worker_registry_timestamp_seconds", "When the boards were last listed."),
		skew:         gauge("clock_skew_seconds", "How far this machine's clock is ahead of DynamoDB's, negative if it is behind; 0 if the store has no clock."),
	}
	counter := func(name, help string) prometheus.Counter {
		v := prometheus.NewCounter(prometheus.CounterOpts{Name: "rankcurve_" + name, Help: help})
		registry.MustRegister(v)
		return v
	}
	m.pruned = counter("boards_pruned_total", "Boards that this worker has dropped after they had expired.")
	m.pruneFailures = counter("prune_failures_total", "Times that boards which have expired could not be dropped.")
	m.registryUnits = counter("registry_read_units_total", "Read units that lists of the boards have consumed, one each minute, on DynamoDB.")
	m.cacheFaults = prometheus.NewCounter(prometheus.CounterOpts{Name: "rankcurve_memcached_faults_total", Help: "Faults of memcached; the store has answered in its place."})
	m.took = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "rankcurve_refresh_duration_seconds", Help: "How long refreshes took, by what became of them.",
		Buckets: []float64{0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600},
	}, []string{"outcome"})
	m.worseAt = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "rankcurve_curve_worse_timestamp_seconds", Help: "When a curve was last published here that looks worse than the one before.",
	}, []string{"board", "column", "reason"})
	m.refused = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "rankcurve_boards_refused", Help: "Boards of the registry that are not taken as they are there: the configuration contradicts them, or their definition cannot be read.",
	}, []string{"reason"})
	registry.MustRegister(m.cacheFaults, m.took, m.refused, m.worseAt)
	for _, reason := range refusalReasons {
		m.refused.WithLabelValues(string(reason))
	}
	for _, result := range []string{reloadTaken, reloadRefused} {
		m.reloads.WithLabelValues(result)
	}
	return m
}

// The results of a reload.
const (
	reloadTaken   = "taken"
	reloadRefused = "refused"
)

// Throttled counts a request that was throttled, for a reason as DynamoDB tells it.
func (m *Metrics) Throttled(reason string) { m.throttles.WithLabelValues(reason).Inc() }

// CacheFault counts a fault of memcached.
func (m *Metrics) CacheFault() { m.cacheFaults.Inc() }

// Listed counts the read units of a list of the boards.
func (m *Metrics) Listed(units float64) { m.registryUnits.Add(units) }

// Reloaded counts a reload of the configuration.
func (m *Metrics) Reloaded(taken bool) {
	result := reloadRefused
	if taken {
		result = reloadTaken
	}
	m.reloads.WithLabelValues(result).Inc()
}

// places puts what is counted of a column on the page, at 0: to Prometheus a counter that
// comes with its first rise has not risen. Of the outcomes of ticks it puts those alone that
// are trouble.
func (m *Metrics) places(key store.CurveKey, plan Plan) {
	counters := []*prometheus.CounterVec{m.late, m.requests, m.units, m.resumed}
	if plan.Options.Audit > 0 {
		counters = append(counters, m.audited, m.inBand)
	}
	for _, v := range counters {
		v.WithLabelValues(key.Board, key.Column)
	}
	for _, o := range []Outcome{Failed, Running, missedOutcome} {
		m.ticks.WithLabelValues(key.Board, key.Column, string(o))
	}
	for _, reason := range []Worse{FewerEntries, WiderBand} {
		m.worse.WithLabelValues(key.Board, key.Column, string(reason))
	}
	m.failures.WithLabelValues(key.Board, key.Column)
}

// outcome counts a tick.
func (m *Metrics) outcome(c *workedColumn, o Outcome, times int) {
	m.ticks.WithLabelValues(c.key.Board, c.key.Column, string(o)).Add(float64(times))
}

// ticked takes over what became of a tick.
func (m *Metrics) ticked(c *workedColumn, t TickReport, interval time.Duration) {
	board, column := c.key.Board, c.key.Column
	set := func(v *prometheus.GaugeVec, value float64) { v.WithLabelValues(board, column).Set(value) }
	m.outcome(c, t.Outcome, 1)
	m.spent(c, t)
	set(m.failures, float64(t.Failures()))
	set(m.interval, interval.Seconds())
	if curve := t.Curve; curve != nil {
		set(m.asOf, float64(curve.Meta().AsOf.UnixMilli())/1000)
		set(m.size, float64(t.Size))
		set(m.knots, float64(curve.Knots()))
		set(m.entries, float64(curve.Total()))
		set(m.generation, float64(curve.Meta().Generation))
	}
	switch t.Outcome {
	case Refreshed:
		set(m.lastTook, t.Duration.Seconds())
		set(m.walked, float64(t.Walked))
		if t.Worse != "" {
			m.worse.WithLabelValues(board, column, string(t.Worse)).Inc()
			m.worseAt.WithLabelValues(board, column, string(t.Worse)).Set(float64(t.Curve.Meta().AsOf.Unix()))
		}
		if t.Resumed > 0 {
			m.resumed.WithLabelValues(board, column).Inc()
		}
		fallthrough
	case Unchanged, Failed:
		m.took.WithLabelValues(string(t.Outcome)).Observe(t.Duration.Seconds())
	}
	if t.Audit.Owners > 0 {
		set(m.auditMedian, t.Audit.Median)
		set(m.auditMax, t.Audit.Max)
		set(m.auditCovered, t.Audit.Coverage)
		set(m.auditees, float64(t.Audit.Owners))
		m.audited.WithLabelValues(board, column).Add(float64(t.Audit.Owners))
		m.inBand.WithLabelValues(board, column).Add(float64(t.Audit.Inside))
	}
}

// spent takes over what a tick has cost.
func (m *Metrics) spent(c *workedColumn, t TickReport) {
	m.requests.WithLabelValues(c.key.Board, c.key.Column).Add(float64(t.Usage.Requests))
	m.units.WithLabelValues(c.key.Board, c.key.Column).Add(t.Usage.ReadUnits())
}

// ends is for a column whose last refresh is done: its curve gets old from now on, and is
// meant to.
func (m *Metrics) ends(c *workedColumn) {
	m.asOf.DeleteLabelValues(c.key.Board, c.key.Column)
	m.interval.DeleteLabelValues(c.key.Board, c.key.Column)
}

// forget takes a column off the page.
func (m *Metrics) forget(c *workedColumn) {
	labels := prometheus.Labels{"board": c.key.Board, "column": c.key.Column}
	for _, v := range []interface{ DeletePartialMatch(prometheus.Labels) int }{
		m.ticks, m.late, m.requests, m.units, m.resumed, m.worse, m.lastTook, m.walked, m.failures, m.lease, m.asOf, m.interval,
		m.worseAt, m.audited, m.inBand, m.size, m.knots, m.entries, m.generation, m.auditMedian, m.auditMax, m.auditCovered, m.auditees,
	} {
		v.DeletePartialMatch(labels)
	}
}
