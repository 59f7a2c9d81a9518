package plots

import (
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sheet holds the parts that all figures share: the heading, a legend below it, and the
// notes at the foot. The panels of a figure stand between them.
type sheet struct {
	title     string
	simulated bool // the rows are
	width     vg.Length
	keys      legend // may have no keys; centred
	notes     []string
	caption   string
	stretches bool // the panel is as high as the page has room
}

// panels draws the panels of a figure below top, on the part of the page above the foot.
type panels func(c draw.Canvas, top vg.Length)

// figure returns the figure whose panels are height high, and as wide as the page.
func (s sheet) figure(height vg.Length, p panels) *Figure {
	return s.laidOut(func(vg.Length) (vg.Length, panels) { return height, p })
}

// laidOut returns the figure whose panels depend on the width of the page: layout returns
// their height and draws them.
func (s sheet) laidOut(layout func(width vg.Length) (vg.Length, panels)) *Figure {
	f := s.page(layout, 0)
	f.with = func(l Layout) (*Figure, error) { return s.adjusted(layout, l) }
	return f
}

// page lays out the figure, as high as its parts or, if height is not 0, so high.
func (s sheet) page(layout func(width vg.Length) (vg.Length, panels), height vg.Length) *Figure {
	foot := newFoot(s.notes, s.width)
	head := vg.Length(headingHeight)
	if s.title == "" && !s.simulated {
		head = 2
	}
	rest, panels := layout(s.width)
	if height == 0 {
		height = head + s.keys.height() + rest + foot.height()
	}
	return &Figure{
		Width:   s.width,
		Height:  height,
		Caption: s.caption,
		Notes:   s.notes,
		draw: func(c draw.Canvas) {
			heading(c, s.title, s.simulated)
			top := c.Max.Y - head
			s.keys.draw(c, c.Min.X+(s.width-s.keys.width)/2, top)
			panels(foot.draw(c), top-s.keys.height())
		},
	}
}

// foot is the strip of notes below a figure, about averages and missing values.
type foot struct{ lines []string }

const (
	footSize vg.Length = 7
	footRow  vg.Length = 8.5
	footPad  vg.Length = 4 // on the left, and above
)

// newFoot breaks the notes, one paragraph, into lines of a figure's width.
func newFoot(notes []string, width vg.Length) foot {
	var f foot
	sty := write(footSize, faint)
	for _, word := range strings.Fields(strings.Join(notes, " ")) {
		n := len(f.lines)
		if n > 0 && sty.Width(f.lines[n-1]+" "+word) <= width-2*footPad {
			f.lines[n-1] += " " + word
			continue
		}
		// fit reduces text down to 6 pt before it cuts it.
		_, word = fit(word, (width-2*footPad)*6/footSize, write(6, faint))
		f.lines = append(f.lines, word)
	}
	return f
}

func (f foot) height() vg.Length {
	if len(f.lines) == 0 {
		return 0
	}
	return footPad + footRow*vg.Length(len(f.lines))
}

// draw writes the strip at the bottom of c and returns the canvas above it.
func (f foot) draw(c draw.Canvas) draw.Canvas {
	for i, line := range f.lines {
		textAt(c, write(footSize, faint), draw.XLeft, c.Min.X+footPad, c.Min.Y+2+footRow*vg.Length(len(f.lines)-1-i), line)
	}
	c.Min.Y += f.height()
	return c
}
