package main

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A progress shows how far a piece of work is, on standard error and only if it
// is a terminal: in a log, a bar is noise.
type progress struct {
	bar *progressbar.ProgressBar // nil: silent
	of  *program
}

const barInterval = 100 * time.Millisecond

// progress begins a bar. A total of -1 says that it is not known.
func (p *program) progress(label string, total int64, bytes bool) *progress {
	return p.progressOf("rows", label, total, bytes)
}

// progressOf begins a bar of other things than rows.
func (p *program) progressOf(things, label string, total int64, bytes bool) *progress {
	if !p.isTerminal(p.err) {
		return &progress{of: p}
	}
	return &progress{of: p, bar: progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(p.err),
		progressbar.OptionSetDescription(label),
		progressbar.OptionShowBytes(bytes),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString(things),
		progressbar.OptionThrottle(barInterval),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionSetWidth(24),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "━", SaucerPadding: "╌", BarStart: "", BarEnd: ""}),
	)}
}

func (g *progress) set(n int64) {
	if g.bar != nil {
		_ = g.bar.Set64(n) // beyond the total it only says so
	}
}

// setOf moves the bar of a work whose total comes to light on the way.
func (g *progress) setOf(done, total int) {
	if g.bar != nil {
		g.bar.ChangeMax(total)
		_ = g.bar.Set(done)
	}
}

// end takes the bar away: what follows on standard output says what was done.
func (g *progress) end() {
	if g.bar != nil {
		_ = g.bar.Clear()
		_ = g.bar.Close()
		fmt.Fprint(g.of.err, "\r")
	}
}
