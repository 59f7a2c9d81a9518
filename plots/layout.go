package plots

import (
	"fmt"

	"gonum.org/v1/plot/vg"
)

// Layout adjusts a figure to the paper that it is for. The zero Layout changes nothing.
type Layout struct {
	Width, Height float64 // of the page in inches; 0 for that of the kind
	Heading       *string // the line above the figure; empty for none; nil for that of the kind
}

// The limits of a page that is asked for.
const (
	leastWidth = 1.5 * vg.Inch
	leastPanel = 60 // height that a panel keeps, with its axis
)

// With returns the figure in another layout. Text keeps its size, and the panels take the
// room. Where the rows or the number of panels decide the height, another height is an
// error. A figure of simulated rows says so without a heading too.
func (f *Figure) With(l Layout) (*Figure, error) {
	g, err := f.with(l)
	if err != nil {
		return nil, err
	}
	g.Caption, g.Notes, g.with = f.Caption, f.Notes, f.with
	return g, nil
}

// adjusted lays out the sheet again.
func (s sheet) adjusted(layout func(width vg.Length) (vg.Length, panels), l Layout) (*Figure, error) {
	width, height := vg.Length(l.Width)*vg.Inch, vg.Length(l.Height)*vg.Inch
	switch {
	case width != 0 && width < leastWidth:
		return nil, fmt.Errorf("a width of %g inches is too narrow: at least %g", l.Width, float64(leastWidth/vg.Inch))
	case height != 0 && !s.stretches:
		return nil, fmt.Errorf("the rows and panels of this figure decide its height; give only a width")
	}
	if l.Heading != nil {
		s.title = printable(*l.Heading)
	}
	if width != 0 {
		s.keys.width += width - s.width
		s.width = width
	}
	f := s.page(layout, 0)
	if height == 0 {
		return f, nil
	}
	rest, _ := layout(s.width)
	if least := f.Height - rest + leastPanel; height < least {
		return nil, fmt.Errorf("a height of %g inches is too low: at least %.2f for the legend, the notes and a panel", l.Height, float64(least/vg.Inch))
	}
	return s.page(layout, height), nil
}
