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
}

// figure returns the figure whose panels are height high. panels draws them below top,
// on the part of the page above the foot.
func (s sheet) figure(height vg.Length, panels func(c draw.Canvas, top vg.Length)) *Figure {
	f := newFoot(s.notes, s.width)
	return &Figure{
		Width:   s.width,
		Height:  headingHeight + s.keys.height() + height + f.height(),
		Caption: s.caption,
		Notes:   s.notes,
		draw: func(c draw.Canvas) {
			heading(c, s.title, s.simulated)
			top := c.Max.Y - headingHeight
			s.keys.draw(c, c.Min.X+(s.width-s.keys.width)/2, top)
			panels(f.draw(c), top-s.keys.height())
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
