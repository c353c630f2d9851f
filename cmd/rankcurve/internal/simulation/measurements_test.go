//go:build promises

package simulation

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dustin/go-humanize"

	"github.com/rankcurve/rankcurve/cmd/rankcurve/internal/churn"
)

// measurements are results on their way into the documentation.
type measurements struct {
	mu      sync.Mutex
	results map[churn.Model]map[churn.Board]Result
}

func (m *measurements) add(model churn.Model, board churn.Board, r Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.results == nil {
		m.results = map[churn.Model]map[churn.Board]Result{}
	}
	if m.results[model] == nil {
		m.results[model] = map[churn.Board]Result{}
	}
	m.results[model][board] = r
}

// Between these lines stands what was measured.
const (
	begins = "<!-- make simulate writes from here -->\n"
	ends   = "<!-- to here -->\n"
)

func (m *measurements) write(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), begins)
	_, after, closed := strings.Cut(rest, ends)
	if !found || !closed {
		t.Fatalf("%s has no lines %q and %q to write between", path, begins, ends)
	}
	if err := os.WriteFile(path, []byte(before+begins+m.tables()+ends+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (m *measurements) tables() string {
	var b strings.Builder
	for _, model := range churn.Models() {
		fmt.Fprintf(&b, "\n**%s: %s**\n\n", model, model.Text())
		b.WriteString("| board, depth | full walk | forecast | fresh shards | rolling sum | curve | gain | at age 1 | in band | at age 1 | width | at age 1 |\n")
		b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
		for _, board := range churn.Boards() {
			r, measured := m.results[model][board]
			if !measured {
				fmt.Fprintf(&b, "| %s: failed | | | | | | | | | | | |\n", board)
				continue
			}
			for _, band := range r.Bands {
				if band.From >= deepFrom {
					fmt.Fprintf(&b, "| %s, %s |%s\n", board, depthOf(band), cells(band))
				}
			}
			fmt.Fprintf(&b, "| %s, all from 10,000 |%s\n| %s, all |%s\n", board, cells(r.Deep), board, cells(r.All))
		}
	}
	return b.String() + "\n"
}

func depthOf(b Band) string {
	if b.To == 0 {
		return humanize.Comma(b.From) + " .."
	}
	return humanize.Comma(b.From) + " .. " + humanize.Comma(b.To)
}

func cells(b Band) string {
	gain := "exact"
	if g, ok := b.Gain(); ok {
		gain = fmt.Sprintf("%.1f", g)
	}
	percent := func(part float64) string { return humanize.Commaf(rounded(100*part)) + " %" }
	share := func(part float64) string { return fmt.Sprintf("%.1f %%", 100*part) }
	return fmt.Sprintf(" %s | %s | %s | %s | **%s** | %s | %s | %s | %s | %s | %s |",
		percent(b.FullWalk), percent(b.FullWalkForecast), percent(b.FreshShards), percent(b.RollingSum), percent(b.Ours), gain, percent(b.OursAged),
		share(b.Inside), share(b.InsideAged), percent(b.Width), percent(b.WidthAged))
}

// rounded keeps two figures.
func rounded(v float64) float64 {
	n, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	if err != nil {
		return v // cannot be: FormatFloat writes numbers
	}
	return n
}
