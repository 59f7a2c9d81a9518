package plots

import (
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
