package plots

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// span is the range of an axis, and its ticks.
type span struct {
	min, max float64
	ticks    []float64
	bare     bool                   // ticks without numbers, because the neighbouring panel has them
	hidden   bool                   // no line and no ticks
	label    func(v float64) string // text at a tick; nil for its number
}

// text is what stands at a tick.
func (s span) text(v float64) string {
	if s.label != nil {
		return s.label(v)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// holding widens s so that it contains the values.
func (s span) holding(values ...float64) span {
	for _, v := range values {
		s.min, s.max = min(s.min, v), max(s.max, v)
	}
	return s
}

// onePoint is the least reach of an axis of differences, in points, in each direction, so
// that noise does not fill the figure.
const onePoint = 1

// roomy widens a span of differences by a margin and sets about n ticks. The span
// reaches at least least in each direction.
func (s span) roomy(n int, least float64) span {
	s.min, s.max = min(s.min, -least), max(s.max, least)
	room := 0.06 * (s.max - s.min)
	s.min, s.max = s.min-room, s.max+room
	s.ticks = ticks(s.min, s.max, n)
	return s
}

// panel draws layers over x and y so that the data area is exactly area. Ticks and numbers
// are outside. The figure draws the titles, so that the titles of panels above each other
// are aligned.
func panel(c draw.Canvas, area vg.Rectangle, x, y span, layers ...plot.Plotter) {
	p := plot.New()
	p.Add(layers...)
	p.BackgroundColor = nil // a panel must not hide the labels of its neighbour
	for _, a := range []struct {
		axis *plot.Axis
		span
	}{{&p.X, x}, {&p.Y, y}} {
		a.axis.Min, a.axis.Max = a.min, a.max
		a.axis.Padding = 0
		a.axis.Width = axisWidth
		a.axis.Tick.Width = axisWidth
		a.axis.Tick.Length = tickLength
		a.axis.Tick.Label.Font = write(smallSize, ink).Font
		marks := make(plot.ConstantTicks, len(a.ticks))
		for i, v := range a.ticks {
			marks[i].Value = v
			if !a.bare {
				marks[i].Label = a.text(v)
			}
		}
		if a.bare {
			a.axis.Tick.Length *= 2 // gonum halves ticks without a label
		}
		a.axis.Tick.Marker = marks
	}
	if y.hidden {
		p.HideY()
	}
	// The extent of ticks and numbers hardly depends on the size, so correcting the outer
	// rectangle by the error converges in one or two steps.
	outer := draw.Canvas{Canvas: c.Canvas, Rectangle: area}
	for range 4 {
		got := p.DataCanvas(outer)
		outer.Min = outer.Min.Add(area.Min.Sub(got.Min))
		outer.Max = outer.Max.Add(area.Max.Sub(got.Max))
	}
	p.Draw(outer)
}

// between returns the rectangle between the lower left corner (x0, y0) and the upper
// right corner (x1, y1).
func between(x0, y0, x1, y1 vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x0, Y: y0}, Max: vg.Point{X: x1, Y: y1}}
}

// onePanel is the data area of a figure with a single panel that ends at top, above the
// numbers and the title of the x axis, and right of those of the y axis. right and below are
// its distances from the right and the lower edge.
func onePanel(c draw.Canvas, y span, right, below, top vg.Length) vg.Rectangle {
	left := vg.Length(leftMargin)
	for _, v := range y.ticks {
		left = max(left, write(smallSize, ink).Width(y.text(v))+18)
	}
	return between(c.Min.X+left, c.Min.Y+below, c.Max.X-right, top)
}

// drawFunc is a [plot.Plotter] without a type of its own.
type drawFunc func(c draw.Canvas, x, y func(float64) vg.Length)

// Plot implements [plot.Plotter].
func (f drawFunc) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	f(c, x, y)
}

// rect fills a rectangle given by two opposite corners.
func rect(c draw.Canvas, fill color.Color, x0, y0, x1, y1 vg.Length) {
	c.FillPolygon(fill, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

// stroke is a solid line.
func stroke(clr color.Color, width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: clr, Width: width}
}

// gridLines draws faint lines at the ticks of y, except on the x axis.
func gridLines(s span) drawFunc {
	return func(c draw.Canvas, _, y func(float64) vg.Length) {
		for _, v := range s.ticks {
			if v == s.min {
				continue
			}
			c.StrokeLine2(stroke(gridColor, axisWidth), c.Min.X, y(v), c.Max.X, y(v))
		}
	}
}

// gridColumns draws faint lines at the ticks of x, except on the y axis.
func gridColumns(s span) drawFunc {
	return func(c draw.Canvas, x, _ func(float64) vg.Length) {
		for _, v := range s.ticks {
			if v == s.min {
				continue
			}
			c.StrokeLine2(stroke(gridColor, axisWidth), x(v), c.Min.Y, x(v), c.Max.Y)
		}
	}
}

// zeroLine is perfect calibration.
var zeroLine drawFunc = func(c draw.Canvas, _, y func(float64) vg.Length) {
	c.StrokeLine2(stroke(ink, 0.7), c.Min.X, y(0), c.Max.X, y(0))
}

// titles writes the titles of the axes of the only panel of a figure, whose area is area.
func titles(c draw.Canvas, area vg.Rectangle, x, y string) {
	xTitle(c, (area.Min.X+area.Max.X)/2, c.Min.Y+2, x)
	yTitle(c, area, y)
}

// xTitle writes the title of an x axis, its baseline centred at (x, y).
func xTitle(c draw.Canvas, x, y vg.Length, s string) {
	c.FillText(write(titleSize, ink), vg.Point{X: x, Y: y}, s)
}

// textAt writes s at (x, y), to the right of it (XLeft), to the left of it (XRight) or
// centred.
func textAt(c draw.Canvas, sty text.Style, align text.XAlignment, x, y vg.Length, s string) {
	sty.XAlign = align
	c.FillText(sty, vg.Point{X: x, Y: y}, s)
}

// turned writes s at (x, y) with a quarter turn to the left.
func turned(c draw.Canvas, sty text.Style, x, y vg.Length, s string) {
	sty.Rotation = math.Pi / 2
	c.FillText(sty, vg.Point{X: x, Y: y}, s)
}

// yTitle writes the title of the y axis of an area, turned, at the left edge of the figure.
// It is as long as the axis at most.
func yTitle(c draw.Canvas, area vg.Rectangle, s string) {
	sty, s := fit(s, area.Max.Y-area.Min.Y, write(titleSize, ink))
	turned(c, sty, c.Min.X+10, (area.Min.Y+area.Max.Y)/2, s)
}

// heading writes the title at the top left, and "simulated" at the top right if the
// rows are simulated.
func heading(c draw.Canvas, title string, fromSimulation bool) {
	y := c.Max.Y - headingHeight + 3
	right := c.Max.X - 1
	if fromSimulation {
		sty := write(smallSize, alarm)
		textAt(c, sty, draw.XRight, right, y, simulated)
		right -= sty.Width(simulated) + 6
	}
	sty, s := fit(title, right-c.Min.X-2, write(smallSize, faint))
	textAt(c, sty, draw.XLeft, c.Min.X+2, y, s)
}

const headingHeight vg.Length = 14

// fit returns a style in which s is at most width wide. It reduces the size of s
// down to 6 pt; if that is not enough, it cuts s.
func fit(s string, width vg.Length, from text.Style) (sty text.Style, cut string) {
	const least = 6
	sty = from
	if w := sty.Width(s); w > width {
		sty.Font.Size = max(least, sty.Font.Size*width/w)
	}
	cut = s
	for rest := []rune(s); len(rest) > 0 && sty.Width(cut) > width; {
		rest = rest[:len(rest)-1]
		cut = string(rest) + ".."
	}
	return sty, cut
}

// ticks returns about n multiples of 1, 2 or 5 times a power of ten in [lo, hi],
// where lo < hi.
func ticks(lo, hi float64, n int) []float64 {
	raw := (hi - lo) / float64(n)
	unit := math.Pow10(int(math.Floor(math.Log10(raw))))
	step := 10.0
	for _, s := range []float64{1, 2, 5} {
		if s*unit >= raw*0.999 {
			step = s
			break
		}
	}
	var out []float64
	for i := math.Ceil(lo/(step*unit) - 1e-9); float64(i*step)*unit <= hi+1e-9*(hi-lo); i++ {
		// Round, so that the label of 3 x 0.1 is 0.3.
		v, _ := strconv.ParseFloat(strconv.FormatFloat(float64(i*step)*unit, 'g', 12, 64), 64)
		out = append(out, v+0) // -0 + 0 is 0
	}
	return out
}
