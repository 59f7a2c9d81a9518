package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// shape is a filled polygon around the origin, in units of the radius. gonum/plot
// has no diamond and no triangle that points down, and the curve is visible through
// its hollow glyphs.
type shape []vg.Point

// The markers, of about equal area.
var (
	circle  = draw.CircleGlyph{}
	box     = shape{{X: -.85, Y: -.85}, {X: .85, Y: -.85}, {X: .85, Y: .85}, {X: -.85, Y: .85}}
	diamond = shape{{X: 0, Y: -1.25}, {X: 1.25, Y: 0}, {X: 0, Y: 1.25}, {X: -1.25, Y: 0}}
	up      = shape{{X: -1.15, Y: -.8}, {X: 1.15, Y: -.8}, {X: 0, Y: 1.2}}
	down    = shape{{X: -1.15, Y: .8}, {X: 1.15, Y: .8}, {X: 0, Y: -1.2}}
)

// DrawGlyph implements [draw.GlyphDrawer].
func (s shape) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	pts := make([]vg.Point, len(s))
	for i, p := range s {
		pts[i] = at.Add(p.Scale(sty.Radius))
	}
	c.FillPolygon(sty.Color, pts)
}

// ring is a marker with a white centre.
type ring struct{ outer draw.GlyphDrawer }

func hollow(g draw.GlyphDrawer) draw.GlyphDrawer { return ring{g} }

// DrawGlyph implements [draw.GlyphDrawer].
func (r ring) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	r.outer.DrawGlyph(c, sty, at)
	sty.Color = color.White
	sty.Radius *= 0.5
	c.SetColor(sty.Color)
	r.outer.DrawGlyph(c, sty, at)
}
