package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/guptarohit/asciigraph"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

const curvePlotDescription = `Draws the score at every rank, ranks on a logarithmic axis: in the terminal, or into
an SVG or PNG file with the error band around it.

Examples:

   rankcurve curve plot missions
   rankcurve curve plot missions -o missions.svg`

func (p *program) curvePlotCommand() *cli.Command {
	return &cli.Command{
		Name:        "plot",
		Usage:       "draw the curve in the terminal, or as SVG or PNG",
		ArgsUsage:   "BOARD",
		Description: curvePlotDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "o", Usage: "draw into `FILE`.svg or FILE.png"},
			columnFlag("draw the curve of"),
		},
		Action: p.curvePlot,
	}
}

func (p *program) curvePlot(c *cli.Context) error {
	path := c.String("o")
	kind := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if c.IsSet("o") && kind != "svg" && kind != "png" {
		return usagef("-o %q names neither a .svg nor a .png file", path)
	}
	return p.withCurve(c, func(s shownCurve) error {
		if s.Total() == 0 {
			return fmt.Errorf("board %q had no entries in column %q when its curve was made; there is nothing to draw", s.Meta().Board, s.Meta().Column)
		}
		if !c.IsSet("o") {
			fmt.Fprintln(c.App.Writer, s.terminalPlot(terminalWidth(p.out)))
			return nil
		}
		if err := s.plotFile(path, kind); err != nil {
			return err
		}
		fmt.Fprintf(c.App.Writer, "drew %s\n", path)
		return nil
	})
}

const defaultWidth = 80

func terminalWidth(stream any) int {
	if f, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return max(40, min(width, 160))
		}
	}
	return defaultWidth
}

// terminalPlot draws one value per character column, at ranks in geometric steps.
func (s shownCurve) terminalPlot(width int) string {
	const height, labels = 18, 10
	scale := s.scoreScale()
	decades := math.Log10(float64(max(s.Total(), 2)))
	values := make([]float64, max(20, width-labels))
	for i := range values {
		rank := math.Pow(10, decades*float64(i)/float64(len(values)-1))
		values[i] = scale.place(s.natural(s.KeyAt(int64(math.Round(rank)), 0)))
	}
	drawn := asciigraph.Plot(values, asciigraph.Height(height),
		asciigraph.YAxisValueFormatter(func(y float64) string { return short(scale.value(y)) }))
	first, _, _ := strings.Cut(drawn, "\n")
	margin := strings.IndexAny(first, "┤┼")
	m := s.Meta()
	return drawn + "\n" + rankAxis(max(0, margin), len(values), decades) +
		fmt.Sprintf("\n\n%s of %s by rank; %s, as of %s", m.Column, m.Board, entriesText(s.Total()), m.AsOf.Format("2006-01-02 15:04 UTC"))
}

// rankAxis draws an axis with a mark at 1, 10, 100 and so on.
func rankAxis(margin, width int, decades float64) string {
	axis, labels := []rune("└"+strings.Repeat("─", width)), []rune(strings.Repeat(" ", width+8))
	for d := 0; float64(d) <= decades; d++ {
		at := 1 + int(math.Round(float64(d)/decades*float64(width-1)))
		axis[at] = '┬'
		copy(labels[at:], []rune(short(math.Pow(10, float64(d)))))
	}
	indent := strings.Repeat(" ", margin)
	return indent + string(axis) + "\n" + indent + strings.TrimRight(string(labels), " ")
}

// natural is a key's score as a number for drawing.
func (s shownCurve) natural(key int64) float64 {
	return float64(s.score(key)) / math.Pow(10, float64(s.column.Decimals))
}

// A scoreScale places scores on an axis: linear, or logarithmic on both sides of
// zero (inverse hyperbolic sine), where the best scores are many times the
// typical one.
type scoreScale struct {
	log  bool
	unit float64 // around zero, below which a logarithmic scale is linear
}

// skewed is the ratio of the largest score to the median from which a linear
// scale would press the board against its axis.
const skewed = 20

func (s shownCurve) scoreScale() scoreScale {
	best, worst := math.Abs(s.natural(s.KeyAt(1, 0))), math.Abs(s.natural(s.KeyAt(s.Total(), 0)))
	middle := math.Abs(s.natural(s.KeyAt((s.Total()+1)/2, 0)))
	return scoreScale{max(best, worst) > skewed*middle, max(1, math.Pow(10, -float64(s.column.Decimals)))}
}

func (l scoreScale) place(score float64) float64 {
	if !l.log {
		return score
	}
	return math.Asinh(score / l.unit)
}

func (l scoreScale) value(place float64) float64 {
	if !l.log {
		return place
	}
	return math.Sinh(place) * l.unit
}

// short is a number in a few characters: 950, 1.2k, 7.35M.
func short(n float64) string {
	size := math.Abs(n)
	for _, step := range []struct {
		from   float64
		suffix string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if size >= step.from*0.9995 {
			return humanize.FtoaWithDigits(roundTo(n/step.from, 3), 2) + step.suffix
		}
	}
	return humanize.FtoaWithDigits(roundTo(n, 3), 2)
}

// roundTo keeps so many digits. It goes by way of text: a multiple of a power of ten
// that is worked out is seldom the number nearest to those digits, and shows it.
func roundTo(n float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(n, 'e', digits-1, 64), 64)
	if err != nil {
		return n // cannot be: FormatFloat writes numbers
	}
	return rounded
}
