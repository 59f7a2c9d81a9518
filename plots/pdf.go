package plots

import (
	"bytes"
	"image"
	"image/color"
	"io"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas is a [vg.Canvas] that writes PDF. It differs from the one of gonum/plot in its
// text: the file embeds only the characters in use, about 20 kB of 215, and text may have
// any character of the font. gonum/plot has only cp1252.
type pdfCanvas struct {
	doc   *fpdf.Fpdf
	size  vg.Point
	state []pdfState // by depth of Push
}

// pdfState is what Push keeps and Pop restores.
type pdfState struct {
	color color.NRGBA
	width vg.Length
}

// pdfFont is the name of the font in a document.
const pdfFont = "LiberationSans"

// newPDF returns an empty page. The document has a constant in place of the date
// that a PDF must have, and its parts in sorted order, so that the same figure gives
// the same bytes.
func newPDF(w, h vg.Length) (*pdfCanvas, error) {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: w.Points(), Ht: h.Points()}})
	constant := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	doc.SetCatalogSort(true)
	doc.SetCreationDate(constant)
	doc.SetModificationDate(constant)
	doc.SetMargins(0, 0, 0)
	var raw bytes.Buffer
	if _, err := typeface().Face.WriteSourceTo(nil, &raw); err != nil {
		return nil, err
	}
	doc.AddUTF8FontFromBytes(pdfFont, "", raw.Bytes())
	doc.AddPage()
	c := &pdfCanvas{doc: doc, size: vg.Point{X: w, Y: h}, state: []pdfState{{color.NRGBA{A: 255}, 1}}}
	// The origin of vg is the lower left corner, that of fpdf the upper left one.
	c.Push()
	c.Translate(vg.Point{Y: h})
	c.Scale(1, -1)
	vg.Initialize(c)
	return c, doc.Error()
}

// Size implements [vg.CanvasSizer].
func (c *pdfCanvas) Size() (w, h vg.Length) { return c.size.X, c.size.Y }

func (c *pdfCanvas) top() *pdfState { return &c.state[len(c.state)-1] }

// SetLineWidth implements [vg.Canvas].
func (c *pdfCanvas) SetLineWidth(w vg.Length) {
	c.top().width = w
	c.doc.SetLineWidth(w.Points())
}

// SetLineDash implements [vg.Canvas].
func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	dashes := make([]float64, len(pattern))
	for i, d := range pattern {
		dashes[i] = d.Points()
	}
	c.doc.SetDashPattern(dashes, offset.Points())
}

// SetColor implements [vg.Canvas].
func (c *pdfCanvas) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	v := color.NRGBAModel.Convert(clr).(color.NRGBA)
	r, g, b := int(v.R), int(v.G), int(v.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	if c.top().color.A != v.A {
		c.doc.SetAlpha(float64(v.A)/255, "Normal")
	}
	c.top().color = v
}

// Rotate implements [vg.Canvas].
func (c *pdfCanvas) Rotate(radians float64) {
	c.doc.TransformRotate(-radians*180/math.Pi, 0, 0)
}

// Translate implements [vg.Canvas].
func (c *pdfCanvas) Translate(pt vg.Point) { c.doc.TransformTranslate(pt.X.Points(), pt.Y.Points()) }

// Scale implements [vg.Canvas].
func (c *pdfCanvas) Scale(x, y float64) { c.doc.TransformScale(100*x, 100*y, 0, 0) }

// Push implements [vg.Canvas].
func (c *pdfCanvas) Push() {
	c.state = append(c.state, *c.top())
	c.doc.TransformBegin()
}

// Pop implements [vg.Canvas].
func (c *pdfCanvas) Pop() {
	c.doc.TransformEnd()
	c.state = c.state[:len(c.state)-1]
}

// Stroke implements [vg.Canvas].
func (c *pdfCanvas) Stroke(p vg.Path) {
	if c.top().width > 0 {
		c.path(p, "D")
	}
}

// Fill implements [vg.Canvas].
func (c *pdfCanvas) Fill(p vg.Path) { c.path(p, "F") }

func (c *pdfCanvas) path(p vg.Path, style string) {
	var start vg.Point
	for _, s := range p {
		x, y := s.Pos.X.Points(), s.Pos.Y.Points()
		switch s.Type {
		case vg.MoveComp:
			start = s.Pos
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.ArcComp:
			if math.Abs(s.Angle) < 2*math.Pi-1e-9 {
				c.doc.SetErrorf("an arc of %.4g radians: only whole circles can be drawn", s.Angle)
				return
			}
			c.doc.ArcTo(x, y, s.Radius.Points(), s.Radius.Points(), 0, 0, 360)
		case vg.CurveComp:
			a, b := s.Control[0], s.Control[len(s.Control)-1]
			if len(s.Control) == 1 { // quadratic
				c.doc.CurveTo(a.X.Points(), a.Y.Points(), x, y)
			} else {
				c.doc.CurveBezierCubicTo(a.X.Points(), a.Y.Points(), b.X.Points(), b.Y.Points(), x, y)
			}
		case vg.CloseComp:
			c.doc.LineTo(start.X.Points(), start.Y.Points())
			c.doc.ClosePath()
		}
	}
	c.doc.DrawPath(style)
}

// FillString implements [vg.Canvas]. It tells the document the colour, because Pop does not
// restore the colour of its text.
func (c *pdfCanvas) FillString(face font.Face, at vg.Point, s string) {
	c.Push()
	defer c.Pop()
	c.Translate(at)
	c.Scale(1, -1)
	v := c.top().color
	c.doc.SetTextColor(int(v.R), int(v.G), int(v.B))
	c.doc.SetFont(pdfFont, "", face.Font.Size.Points())
	c.doc.Text(0, 0, s)
}

// DrawImage implements [vg.Canvas]. An image is an error, since no figure has one.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) {
	c.doc.SetErrorf("images cannot be drawn")
}

// WriteTo implements [io.WriterTo]. It returns the first error of drawing: the methods of
// [vg.Canvas] return none.
func (c *pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	c.Pop()
	var buf bytes.Buffer
	if err := c.doc.Output(&buf); err != nil {
		return 0, err
	}
	return buf.WriteTo(w)
}
