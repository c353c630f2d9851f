package config

import (
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
)

// Worker sets up what refreshes boards by their schedules.
type Worker struct {
	Listen             string // HOST:PORT of metrics and health; empty: none
	Concurrent         int    // refreshes at once
	ReadUnitsPerSecond int    // of all refreshes together; 0 is no limit
	Jitter             Age    // a refresh begins up to so long after it is due
	Lease              Age    // how long a column stays locked after its worker has died
	Prune              Age    // boards that have expired are dropped so often; 0s is never
}

// Log says how a worker logs.
type Log struct {
	Format LogFormat
}

// LogFormat is the form of a log's lines.
type LogFormat string

const (
	LogText LogFormat = "text" // key=value
	LogJSON LogFormat = "json"
)

// Bounds of a worker's keys.
const (
	maxConcurrent = 256
	maxJitter     = 10 * time.Minute
	minLease      = time.Second
	maxLease      = 10 * time.Minute
)

// faults with keys from the root.
func (w Worker) faults() (faults []fault) {
	report := func(key, format string, args ...any) {
		faults = append(faults, fault{key: "worker." + key, text: fmt.Sprintf(format, args...)})
	}
	if _, _, err := net.SplitHostPort(w.Listen); w.Listen != "" && err != nil {
		report("listen", "%q is not HOST:PORT; write it like 127.0.0.1:9464, or leave it empty for none", w.Listen)
	}
	if w.Concurrent < 1 || w.Concurrent > maxConcurrent {
		report("concurrent", "%d is not in 1..%d; 4 suits most tables", w.Concurrent, maxConcurrent)
	}
	if w.ReadUnitsPerSecond < 0 {
		report("read_units_per_second", "%d is negative; use 0 for no limit", w.ReadUnitsPerSecond)
	}
	if jitter, err := w.Jitter.Duration(); err != nil {
		report("jitter", "%v", err)
	} else if jitter > maxJitter {
		report("jitter", "%s is more than 10m; 5s suits most", w.Jitter)
	}
	if lease, err := w.Lease.Duration(); err != nil {
		report("lease", "%v", err)
	} else if lease < minLease || lease > maxLease {
		report("lease", "%q is not in 1s..10m; 1m suits most", w.Lease)
	}
	if _, err := w.Prune.Duration(); err != nil {
		report("prune", "%v, or 0s for never", err)
	}
	return faults
}

// faults with keys from the root.
func (l Log) faults() (faults []fault) {
	if formats := []LogFormat{LogText, LogJSON}; !slices.Contains(formats, l.Format) {
		faults = append(faults, fault{key: "log.format", text: fmt.Sprintf("%q is not a format; use one of %v", l.Format, formats)})
	}
	return faults
}

// scheduleFaults are those of when a board is refreshed, with keys below refresh.
func (r Refresh) scheduleFaults() (faults []fault) {
	report := func(key, format string, args ...any) {
		faults = append(faults, fault{key: key, text: fmt.Sprintf(format, args...)})
	}
	if _, err := jobs.ParseSchedule("@hourly", r.Timezone); err != nil {
		report("timezone", "%v, or leave it at UTC", err)
	} else if _, err := jobs.ParseSchedule(r.Schedule, r.Timezone); err != nil {
		report("schedule", "%v; write a cron expression such as */10 * * * *, or @every 5m", err)
	}
	if _, err := r.IdleMax.Duration(); err != nil {
		report("idle_max", "%v, or 0s for a refresh each time", err)
	}
	return faults
}
