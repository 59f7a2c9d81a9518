package plots

import (
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
