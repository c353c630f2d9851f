package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // for machines without zones, such as an empty container

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

const workerDescription = `Refreshes the curves of all boards of the store by their schedules (refresh.schedule),
until it is stopped. It finds the boards in the store's registry, new ones within a minute;
boards that are not in the configuration have its defaults. On DynamoDB any number of workers may
run: each time that a column is due, one of them does the work, and when it dies another takes over.

Boards that expired an hour ago or longer are dropped, once a day (worker.prune), as
"rankcurve prune" does.

SIGHUP makes it read the configuration anew; a bad one is refused, and the old one kept.
SIGTERM or SIGINT ends it within ten seconds, a second one at once. With worker.listen
it serves /metrics for Prometheus, /healthz and /readyz.

Examples:

   rankcurve worker
   rankcurve worker --listen 127.0.0.1:9464
   rankcurve worker --once                     refresh what is due, and exit: 1 if any failed`

func (p *program) workerCommand() *cli.Command {
	return &cli.Command{
		Name:        "worker",
		Usage:       "refresh all boards by their schedules",
		Description: workerDescription,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "once", DisableDefaultText: true, Usage: "refresh every column that is due, once, and exit"},
			&cli.StringFlag{Name: "listen", Usage: "serve metrics and health at `HOST:PORT` (default: worker.listen)"},
		},
		Action: p.workerAction,
	}
}

// How the ten seconds are shared that a worker may take to end.
const (
	endGrace   = 7 * time.Second // for refreshes to be given up, and their leases
	closeGrace = 2 * time.Second // for the store
)

func (p *program) workerAction(c *cli.Context) (err error) {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	if c.Bool("once") && c.IsSet("listen") {
		return usagef("--once ends before anybody could ask for metrics; leave --listen out, or --once")
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP) // which would end the program, also before there is something to reload
	defer signal.Stop(hangup)
	cfg, err := p.workerConfig(c)
	if err != nil {
		return err
	}
	log := p.workerLog(c, cfg.Log)
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	metrics := jobs.NewMetrics(registry)
	st, err := openStore(c.Context, cfg, access{
		mustExist: true, patient: true, pace: sampler.Pace{Max: unpaced}, log: log, // boards may get a pace at a reload
		onThrottle: metrics.Throttled, onCacheFault: metrics.CacheFault, onList: metrics.Listed,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeWithin(st, closeGrace)) }()
	lease, _ := cfg.Worker.Lease.Duration() // Load has refused what is none
	if lease < clocksDiffer {
		log.WarnContext(c.Context, "worker.lease is short: workers whose clocks differ by as much take over from one that lives, and both do the work; 1m suits most", "lease", lease)
	}
	r := jobs.Refresher{Store: st, Holder: holder(), Now: p.clock(), Log: log, LeaseTTL: lease}
	w := jobs.NewWorker(r, settingsOf(cfg), metrics)
	if c.Bool("once") {
		return once(c, w)
	}
	return p.runWorker(c, cfg, w, serving{registry, metrics, log, hangup, p.saysNothing(c)})
}

// workerConfig is the configuration with the worker's own flags.
func (p *program) workerConfig(c *cli.Context) (config.Config, error) {
	said, err := overrides(c)
	if err != nil {
		return config.Config{}, err
	}
	if c.IsSet("listen") {
		said["worker.listen"] = c.String("listen")
	}
	return p.configWith(c, said)
}

// serving is what a worker at work needs beside itself.
type serving struct {
	registry *prometheus.Registry
	metrics  *jobs.Metrics
	log      *slog.Logger
	hangup   <-chan os.Signal
	unsaid   bool // the configuration file was empty at the start
}

func (p *program) runWorker(c *cli.Context, cfg config.Config, w *jobs.Worker, s serving) error {
	ctx := c.Context
	end, err := serveWorker(ctx, cfg.Worker.Listen, w, s)
	if err != nil {
		return err
	}
	defer end()
	reloads := p.reloads(c, cfg, w, s)
	defer reloads()
	s.log.InfoContext(ctx, "worker begins", "version", versionText(), "store", string(cfg.Store.Kind), "boards_configured", len(cfg.Boards))
	context.AfterFunc(ctx, func() {
		s.log.Info("worker ends; refreshes under way are given up, a second signal does not wait for it")
	})
	return w.Run(ctx, endGrace)
}

// once is the round of --once.
func once(c *cli.Context, w *jobs.Worker) error {
	s, err := w.Once(c.Context)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return advicef(err, "stopped; the columns that were not done keep the curves they had; run the same command again")
		}
		return err
	}
	n := func(outcomes ...jobs.Outcome) (sum int) {
		for _, o := range outcomes {
			sum += s.Outcomes[o]
		}
		return sum
	}
	failed := fmt.Sprintf("%d failed", len(s.Failed))
	if waiting := n(jobs.Backoff); waiting > 0 {
		failed += fmt.Sprintf(", %d of them before and not tried again yet", waiting)
	}
	fmt.Fprintf(c.App.Writer, "%s refreshed, %d not due, %d left to other workers, %s\n",
		counting(n(jobs.Refreshed, jobs.Unchanged), "column"), n(jobs.Done, jobs.Quiet), n(jobs.Held, jobs.Lost), failed)
	if len(s.Dropped) > 0 {
		fmt.Fprintf(c.App.Writer, "%s dropped that had expired\n", counting(len(s.Dropped), "board"))
	}
	return notRebuilt(s.Failed, n(jobs.Outcomes()...))
}

// workerLog tells what a worker does, its errors too, for nobody else hears of them: from
// info up, where --log-level does not say otherwise.
func (p *program) workerLog(c *cli.Context, cfg config.Log) *slog.Logger {
	if !c.IsSet("log-level") {
		p.level.Set(slog.LevelInfo)
	}
	options := &slog.HandlerOptions{Level: &p.level}
	if cfg.Format == config.LogJSON {
		options.ReplaceAttr = inSeconds
		return slog.New(slog.NewJSONHandler(p.err, options))
	}
	return slog.New(slog.NewTextHandler(p.err, options))
}

// inSeconds gives a duration its unit in JSON, which would be a bare number of nanoseconds.
func inSeconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		return slog.Float64(a.Key+"_seconds", a.Value.Duration().Seconds())
	}
	return a
}

// clocksDiffer is how far clocks of machines may well be apart that are set by the network.
// A lease must be longer by far: one that is behind would take it for expired.
const clocksDiffer = 5 * time.Second

// settingsOf are those of a configuration.
func settingsOf(cfg config.Config) jobs.Settings {
	jitter, _ := cfg.Worker.Jitter.Duration() // Load has refused what is none
	prune, _ := cfg.Worker.Prune.Duration()
	return jobs.Settings{
		Concurrent:         cfg.Worker.Concurrent,
		ReadUnitsPerSecond: float64(cfg.Worker.ReadUnitsPerSecond),
		Jitter:             jitter,
		PruneEvery:         prune,
		Plan:               func(b store.Board) (jobs.Plan, error) { return planFor(cfg, b) },
	}
}

// planFor is how a board of the registry is refreshed.
func planFor(cfg config.Config, b store.Board) (jobs.Plan, error) {
	if configured, isConfigured := cfg.Board(b.Name); isConfigured {
		if err := b.Same(configured); err != nil {
			return jobs.Plan{}, contradiction(err)
		}
	}
	r := cfg.Refresh(b.Name)
	times, err := jobs.ParseSchedule(r.Schedule, r.Timezone)
	if err != nil {
		return jobs.Plan{}, fmt.Errorf("refresh.schedule: %w", err)
	}
	idle, err := r.IdleMax.Duration()
	if err != nil {
		return jobs.Plan{}, fmt.Errorf("refresh.idle_max: %w", err)
	}
	plan := jobs.Plan{Schedule: times, IdleMax: idle, Options: refreshOptions(cfg, b.Name)}
	if pace := &plan.Options.Pace; cfg.Store.Kind == config.KindDynamoDB && pace.Max <= 0 {
		pace.Max = unpaced // the worker's store shows throttles, which only a pace bears
	}
	if span, isPeriod := b.Span(); isPeriod && !span.End.IsZero() {
		plan.Ends = span.End
		if family, ok := cfg.Family(b.Family); ok {
			plan.Ends = plan.Ends.Add(family.Grace)
		}
	}
	return plan, nil
}

// unpaced is what a partition gives, in read units a second.
const unpaced = 3000

// closeWithin closes a store, and does not wait longer for what it waits for.
func closeWithin(st store.Store, patience time.Duration) error {
	closed := make(chan error, 1)
	go func() { closed <- st.Close() }()
	select {
	case err := <-closed:
		return err
	case <-time.After(patience):
		return fmt.Errorf("the store was still busy after %s; what it was writing may or may not be there", patience)
	}
}
