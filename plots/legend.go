package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// key is one item of a legend: a sample and its label.
type key struct {
	label  string
	sample func(c draw.Canvas, r vg.Rectangle)
}

// legend is a strip of keys in columns above the panels, where it overlaps nothing.
// (The legend of gonum/plot is a single column within the data area.)
type legend struct {
	keys  []key
	width vg.Length // of the strip
	dots  bool      // samples are markers alone
}

const (
	legendRow    vg.Length = 11
	legendSample vg.Length = 18 // width of a sample
	legendDot    vg.Length = 6  // of a marker alone
	legendPad    vg.Length = 3  // between a sample and its text
	legendGap    vg.Length = 10 // between columns
)

// sample returns the width of a sample.
func (l legend) sample() vg.Length {
	if l.dots {
		return legendDot
	}
	return legendSample
}

// columns returns the widths of the columns. There are as many columns as fit, but
// no more than the number of rows needs. Keys run along the rows.
func (l legend) columns() []vg.Length {
	if len(l.keys) == 0 {
		return nil
	}
	for n := len(l.keys); ; n-- {
		widths := make([]vg.Length, n)
		var sum vg.Length
		for i, k := range l.keys {
			w := l.sample() + legendPad + write(smallSize, ink).Width(k.label)
			if old := widths[i%n]; w > old {
				widths[i%n] = w
				sum += w - old
			}
		}
		sum += legendGap * vg.Length(n-1)
		switch {
		case n == 1:
			return []vg.Length{min(widths[0], l.width)}
		case sum <= l.width && l.rows(n) < l.rows(n-1):
			return widths
		}
	}
}

// rows returns the number of rows of n columns.
func (l legend) rows(n int) int { return (len(l.keys) + n - 1) / n }

// height returns the height of the strip.
func (l legend) height() vg.Length {
	if len(l.keys) == 0 {
		return 0
	}
	return legendRow * vg.Length(l.rows(len(l.columns())))
}

// draw draws the strip with its upper left corner at (left, top), centred.
func (l legend) draw(c draw.Canvas, left, top vg.Length) {
	widths := l.columns()
	n := len(widths)
	if n == 0 {
		return
	}
	starts := make([]vg.Length, n)
	sum := -vg.Length(legendGap)
	for j, w := range widths {
		starts[j] = sum + legendGap
		sum = starts[j] + w
	}
	left += (l.width - sum) / 2
	for i, k := range l.keys {
		x := left + starts[i%n]
		y := top - legendRow*vg.Length(i/n+1)
		k.sample(c, between(x, y+1.5, x+l.sample(), y+legendRow-1.5))
		sty, s := fit(k.label, widths[i%n]-l.sample()-legendPad+0.01, write(smallSize, ink))
		textAt(c, sty, draw.XLeft, x+l.sample()+legendPad, y+3, s)
	}
}
