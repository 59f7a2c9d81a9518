package plots

import (
	"fmt"
	"hash/fnv"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes. Papers can include the figures unscaled.
const (
	columnWidth = 3.3 * vg.Inch // one column of a two-column page
	pageWidth   = 6.9 * vg.Inch // both columns

	titleSize  vg.Length = 9 // points: axis and panel titles
	smallSize  vg.Length = 8 // numbers, legends, headings
	letterSize vg.Length = 6 // of single blocks

	axisWidth  vg.Length = 0.6
	tickLength vg.Length = 2.5
	curveWidth vg.Length = 1.1
	markerSize vg.Length = 2.1 // radius
)

// Colours for everything that is not a method.
var (
	ink       = hex(0x000000)
	faint     = hex(0x595959) // less important text; contrast 7:1 on white
	gridColor = hex(0xE4E4E4)
	stripe    = hex(0xF4F4F4) // every second category
	barColor  = hex(0xC4C9D0)
	barEdge   = hex(0x3C4654)

	crossColor = hex(0x8A9099) // single values behind a mean
	overFill   = hex(0xF3B48C) // confidence above accuracy
	underFill  = hex(0x8CC0E8) // confidence below accuracy
	alarm      = hex(0xB00020) // the word "simulated"
)

// Look is how a method is drawn in every figure. It has three features, because not every
// eye can tell twenty colours apart.
type Look struct {
	Color  color.RGBA
	Dashes []vg.Length      // nil for a solid line
	Marker draw.GlyphDrawer // filled or hollow
}

// Dash patterns, in points.
var (
	solid   []vg.Length
	dashed  = []vg.Length{4, 1.5}
	dotted  = []vg.Length{1.2, 1.2}
	dashDot = []vg.Length{4, 1.3, 1.2, 1.3}
)

// known are the fixed looks, in the order of table columns. The methods of the
// paper have the palette of Okabe and Ito (2008), without its yellow. The uncalibrated
// network is grey, as in the paper's figures. The other methods have colours from the
// palettes of Tol (2021). Those that would be hard to see on white are darker than there.
var known = []struct {
	method string
	look   Look
}{
	{"uncal", Look{hex(0x7A7A7A), solid, hollow(circle)}},
	{"ts", Look{hex(0xC38700), solid, box}},
	{"ir", Look{hex(0x4999C6), dashed, up}},
	{"tta-ts", Look{hex(0x009E73), dashed, diamond}},
	{"adats", Look{hex(0x3A9082), dotted, hollow(diamond)}},
	{"gc-split", Look{hex(0xCC79A7), solid, down}},
	{"gc", Look{hex(0x999933), dotted, hollow(down)}},
	{"featclip", Look{hex(0x0072B2), dashDot, hollow(box)}},
	{"hfe", Look{hex(0x555555), dotted, up}},
	{"hfe-target", Look{hex(0x000000), dotted, hollow(up)}},
	{"qats", Look{hex(0xC24E00), solid, circle}},
	{"qats-pw", Look{hex(0x882255), dashed, circle}},
	{"qats-pw2", Look{hex(0xAA4499), dashed, hollow(circle)}},
	{"qats-pw4", Look{hex(0xCC6677), dashed, diamond}},
	{"qats-pw10", Look{hex(0x661100), dotted, hollow(diamond)}},
	{"qats-pws", Look{hex(0x994F88), dashDot, circle}},
	{"qats-pw-free", Look{hex(0x771155), dotted, down}},
	{"qats-free", Look{hex(0x332288), dashed, box}},
	{"qats-transductive", Look{hex(0x6F4C9B), dashDot, hollow(down)}},
	{"ts-guo50", Look{hex(0xA66F00), dashed, hollow(box)}},
	{"ts-ecegrid", Look{hex(0xAB8A21), dotted, box}},
	{"ir-top", Look{hex(0x4477AA), dotted, up}},
	{"irova", Look{hex(0x6590BC), dashDot, hollow(up)}},
	{"hts", Look{hex(0x117733), solid, hollow(diamond)}},
}

// MethodLook returns the look of a method. It depends on the id alone: a known
// method has a fixed look, any other method one from a hash of the id. The other
// methods of the figure, and their order, do not matter.
func MethodLook(method string) Look {
	for _, k := range known {
		if k.method == method {
			return k.look
		}
	}
	h := fnv.New64a()
	h.Write([]byte(method))
	u := mix(h.Sum64())
	dashes := [][]vg.Length{solid, dashed, dotted, dashDot}
	shapes := []draw.GlyphDrawer{circle, box, up, down, diamond}
	look := Look{
		Color:  hue(float64(u%360), 0.25+0.05*float64(u>>16%5)),
		Dashes: dashes[u>>24%4],
		Marker: shapes[u>>32%5],
	}
	if u>>40%2 == 1 {
		look.Marker = hollow(look.Marker)
	}
	return look
}

// mix spreads the bits of an FNV sum, whose high bits hardly differ between ids
// that differ in the last letter (the finaliser of MurmurHash3, Appleby 2011).
func mix(u uint64) uint64 {
	u = (u ^ u>>33) * 0xff51afd7ed558ccd
	u = (u ^ u>>33) * 0xc4ceb9fe1a85ec53
	return u ^ u>>33
}

// Outline returns the marker as a path of SVG around the origin, of radius 1, and whether
// it has a centre of the colour of the background: the same outline at half its size.
func (l Look) Outline() (path string, hollow bool) {
	marker := l.Marker
	if r, ok := marker.(ring); ok {
		marker, hollow = r.outer, true
	}
	polygon, ok := marker.(shape)
	if !ok {
		return "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0z", hollow
	}
	var b strings.Builder
	for i, p := range polygon {
		fmt.Fprintf(&b, "%c%g %g", "ML"[min(i, 1)], p.X, -p.Y) // in SVG y points down
	}
	return b.String() + "z", hollow
}

// hue returns a colour of the hue h, in degrees, around the grey of the given level
// in [0, 1], or a darker one with enough contrast with white.
func hue(h, level float64) color.RGBA {
	channel := func(shift float64) uint8 {
		v := level + float64(0.3*math.Cos((h-shift)*math.Pi/180))
		return uint8(math.Round(255 * min(max(v, 0), 1)))
	}
	c := color.RGBA{R: channel(0), G: channel(120), B: channel(240), A: 255}
	for Contrast(c, hex(0xFFFFFF)) < LeastContrast {
		darker := func(v uint8) uint8 { return uint8(math.Round(.95 * float64(v))) }
		c = color.RGBA{R: darker(c.R), G: darker(c.G), B: darker(c.B), A: 255}
	}
	return c
}

// LeastContrast is the contrast of the lines and markers of methods with their background
// (WCAG 2.2, 1.4.11).
const LeastContrast = 3

// Contrast returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2).
func Contrast(a, b color.RGBA) float64 {
	hi, lo := luminance(a), luminance(b)
	if hi < lo {
		hi, lo = lo, hi
	}
	return (hi + .05) / (lo + .05)
}

func luminance(c color.RGBA) float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= .04045 {
			return x / 12.92
		}
		return math.Pow((x+.055)/1.055, 2.4)
	}
	return float64(.2126*linear(c.R)) + float64(.7152*linear(c.G)) + float64(.0722*linear(c.B))
}

func hex(rgb uint32) color.RGBA {
	return color.RGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 255}
}

// line is the stroke of a method's curves.
func (l Look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: curveWidth, Dashes: l.Dashes}
}

// glyph is the marker of a method's points.
func (l Look) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.Color, Radius: markerSize, Shape: l.Marker}
}

// write is the style of text of a size, centred at x, with its lower edge at y.
func write(size vg.Length, clr color.Color) text.Style {
	return text.Style{
		Color:   clr,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign:  draw.XCenter,
		YAlign:  draw.YBottom,
		Handler: plot.DefaultTextHandler,
	}
}

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

// dot draws the marker alone in a legend, for figures without lines.
func (l Look) dot(c draw.Canvas, r vg.Rectangle) {
	c.DrawGlyph(l.glyph(), vg.Point{X: r.Max.X - 3, Y: (r.Min.Y + r.Max.Y) / 2})
}
