package main

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"github.com/dustin/go-humanize"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The drawing's measures and colours.
const (
	drawWidth  = 22 * vg.Centimeter
	drawHeight = 13 * vg.Centimeter
	drawDPI    = 150
	bold       = 3 // a golang.org/x/image/font.Weight
)

var (
	ink      = color.NRGBA{0x1f, 0x29, 0x37, 0xff}
	quiet    = color.NRGBA{0x6b, 0x72, 0x80, 0xff}
	gridLine = color.NRGBA{0xe5, 0xe7, 0xeb, 0xff}
	lineBlue = color.NRGBA{0x1d, 0x4e, 0xd8, 0xff}
	bandBlue = color.NRGBA{0x60, 0xa5, 0xfa, 0x70}
)

// plotFile draws the curve into a file.
func (s shownCurve) plotFile(path, kind string) error {
	p, err := s.plot()
	if err != nil {
		return fmt.Errorf("draw %s: %w", path, err)
	}
	return writeFile(path, func(w io.Writer) error {
		if kind == "svg" {
			return drawSVG(w, func(c draw.Canvas) { s.paint(p, c) })
		}
		target := vgimg.NewWith(vgimg.UseWH(drawWidth, drawHeight), vgimg.UseDPI(drawDPI))
		s.paint(p, draw.New(target))
		_, err := vgimg.PngCanvas{Canvas: target}.WriteTo(w)
		return err
	})
}

// drawSVG names fonts that are everywhere behind the one that was measured with.
func drawSVG(w io.Writer, paint func(draw.Canvas)) error {
	target, drawn := vgsvg.New(drawWidth, drawHeight), new(bytes.Buffer)
	paint(draw.New(target))
	if _, err := target.WriteTo(drawn); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(drawn.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	return err
}

// paint fills a whole canvas: background, headline, plot.
func (s shownCurve) paint(p *plot.Plot, c draw.Canvas) {
	const margin = vg.Centimeter * 3 / 4
	c.SetColor(color.White)
	c.Fill(c.Path())
	inner := draw.Crop(c, margin, -margin, margin, -margin)
	p.Draw(draw.Crop(inner, 0, 0, 0, -s.headline(inner)))
}

// headline writes what is drawn over the plot and returns the height it took.
func (s shownCurve) headline(c draw.Canvas) vg.Length {
	const title, subtitle = 15, 10
	m := s.Meta()
	at := vg.Point{X: c.Min.X, Y: c.Max.Y - vg.Points(title)}
	style := words(title, ink)
	style.Font.Weight = bold
	c.FillText(style, at, fmt.Sprintf("%s: %s by rank", m.Board, m.Column))
	at.Y -= vg.Points(title + 4)
	c.FillText(words(subtitle, quiet), at, fmt.Sprintf("%s, generation %s, as of %s; %s knots in %s",
		entriesText(s.Total()), humanize.Comma(m.Generation), m.AsOf.Format("2006-01-02 15:04 UTC"), humanize.Comma(int64(s.Knots())), humanize.IBytes(uint64(len(s.data)))))
	return vg.Points(2*title + subtitle + 10)
}

// words is how text is written.
func words(size float64, c color.Color) text.Style {
	return text.Style{
		Color: c, Handler: plot.DefaultTextHandler,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)},
	}
}

// A place is a point of the curve as it is drawn: ranks and a score.
type place struct{ rank, low, high, score float64 }

// places are the knots, and points between them where they are far apart.
func (s shownCurve) places() []place {
	const between = 400
	keys := make([]int64, 0, between+s.Knots())
	for _, v := range s.Vertices() {
		keys = append(keys, v.Key)
	}
	decades := math.Log10(float64(s.Total()))
	for i := range between {
		keys = append(keys, s.KeyAt(int64(math.Pow(10, decades*float64(i)/(between-1))), 0))
	}
	slices.SortFunc(keys, func(a, b int64) int { return int(min(1, max(-1, b-a))) })
	worst := s.KeyAt(s.Total(), 0)
	keys = slices.DeleteFunc(slices.Compact(keys), func(key int64) bool { return key < worst }) // where nobody is
	last := float64(s.Total())
	places := make([]place, 0, len(keys)+1)
	for _, key := range keys {
		e := s.Held(key, 0)
		clamp := func(better int64) float64 { return min(float64(better)+1, last) }
		places = append(places, place{min(s.Better(key)+1, last), clamp(e.Low), clamp(e.High), s.natural(key)})
	}
	end := places[len(places)-1] // those who share the worst score
	return append(places, place{last, last, last, end.score})
}

func (s shownCurve) plot() (*plot.Plot, error) {
	p := plot.New()
	places := s.places()
	line, err := plotter.NewLine(xys(places, func(a place) float64 { return a.rank }))
	if err != nil {
		return nil, err
	}
	line.LineStyle = draw.LineStyle{Color: lineBlue, Width: vg.Points(1.6)}
	lows, highs := xys(places, func(a place) float64 { return a.low }), xys(places, func(a place) float64 { return a.high })
	slices.Reverse(highs)
	band, err := plotter.NewPolygon(append(lows, highs...))
	if err != nil {
		return nil, err
	}
	band.Color = bandBlue
	band.LineStyle = draw.LineStyle{Color: bandBlue, Width: vg.Points(0.5)}
	grid := plotter.NewGrid()
	grid.Vertical = draw.LineStyle{Color: gridLine, Width: vg.Points(0.6)}
	grid.Horizontal = grid.Vertical
	p.Add(grid, band, line)
	s.axes(p, s.scoreScale()) // Add has widened them to fit its data
	p.Legend.Add("score at rank", line)
	p.Legend.Add("where the true rank lies", band)
	return p, nil
}

func xys(places []place, rank func(place) float64) plotter.XYs {
	points := make(plotter.XYs, len(places))
	for i, a := range places {
		points[i] = plotter.XY{X: rank(a), Y: a.score}
	}
	return points
}

// axes sets what stands around the curve.
func (s shownCurve) axes(p *plot.Plot, scale scoreScale) {
	p.X.Label.Text = "rank" // the headline names the other one
	best, worst := s.natural(s.KeyAt(1, 0)), s.natural(s.KeyAt(s.Total(), 0))
	p.X.Min, p.X.Max = 1, max(2, float64(s.Total()))
	p.Y.Min, p.Y.Max = min(best, worst), max(best, worst)
	if p.Y.Min == p.Y.Max {
		p.Y.Min, p.Y.Max = p.Y.Min-1, p.Y.Max+1
	}
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, decadeTicks{}
	p.Y.Scale, p.Y.Tick.Marker = scale, scale
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Color, axis.Tick.Color = quiet, gridLine
		axis.Width = vg.Points(0.8)
		label, ticks := words(10.5, ink), words(9, quiet)
		label.XAlign, label.YAlign = axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign
		label.Rotation = axis.Label.TextStyle.Rotation
		ticks.XAlign, ticks.YAlign = axis.Tick.Label.XAlign, axis.Tick.Label.YAlign
		axis.Label.TextStyle, axis.Tick.Label = label, ticks
		axis.Padding = 0
		axis.Label.Padding = vg.Points(6)
	}
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(4)
	legend := words(9.5, ink)
	legend.XAlign, legend.YAlign = p.Legend.TextStyle.XAlign, p.Legend.TextStyle.YAlign
	p.Legend.TextStyle = legend
	p.Legend.XOffs, p.Legend.YOffs = -vg.Points(8), -vg.Points(8)
}

// decadeTicks marks 1, 10, 100 and so on.
type decadeTicks struct{}

// Ticks implements plot.Ticker.
func (decadeTicks) Ticks(_, last float64) []plot.Tick {
	var ticks []plot.Tick
	for value := 1.0; value <= last; value *= 10 {
		ticks = append(ticks, plot.Tick{Value: value, Label: humanize.Comma(int64(value))})
	}
	return ticks
}

// Normalize implements plot.Normalizer.
func (l scoreScale) Normalize(least, most, score float64) float64 {
	return (l.place(score) - l.place(least)) / (l.place(most) - l.place(least))
}

// Ticks implements plot.Ticker: round numbers, or powers of ten.
func (l scoreScale) Ticks(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	add := func(value float64) {
		if value >= least && value <= most {
			ticks = append(ticks, plot.Tick{Value: value, Label: short(value)})
		}
	}
	if !l.log {
		for _, t := range (plot.DefaultTicks{}).Ticks(least, most) {
			if t.Label != "" {
				add(t.Value)
			}
		}
		return ticks
	}
	steps := []float64{1}
	if most > 0 && least > 0 && most/least < 1e4 { // few powers of ten
		steps = []float64{1, 2, 5}
	}
	add(0)
	for value := l.unit; value <= max(most, -least); value *= 10 {
		for _, step := range steps {
			add(value * step)
			add(-value * step)
		}
	}
	return ticks
}
