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

// pdfCanvas is a [vg.Canvas] that writes PDF. It differs from the one of gonum/plot
// in its text: the file embeds only the characters in use, about 20 kB in place of
// 215, and text may have any character of the font, where gonum/plot has cp1252.
type pdfCanvas struct {
	doc   *fpdf.Fpdf
	size  vg.Point
	color []color.Color // by depth of Push
	width []vg.Length
	alpha []uint8
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
	c := &pdfCanvas{doc: doc, size: vg.Point{X: w, Y: h}, color: []color.Color{color.Black}, width: []vg.Length{1}, alpha: []uint8{255}}
	// The origin of vg is the lower left corner, that of fpdf the upper left one.
	c.Push()
	c.Translate(vg.Point{Y: h})
	c.Scale(1, -1)
	vg.Initialize(c)
	return c, doc.Error()
}

// Size implements [vg.CanvasSizer].
func (c *pdfCanvas) Size() (w, h vg.Length) { return c.size.X, c.size.Y }

// SetLineWidth implements [vg.Canvas].
func (c *pdfCanvas) SetLineWidth(w vg.Length) {
	c.width[len(c.width)-1] = w
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
	c.color[len(c.color)-1] = clr
	v := color.NRGBAModel.Convert(clr).(color.NRGBA)
	r, g, b := int(v.R), int(v.G), int(v.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	if top := len(c.alpha) - 1; c.alpha[top] != v.A {
		c.alpha[top] = v.A
		c.doc.SetAlpha(float64(v.A)/255, "Normal")
	}
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
	c.color = append(c.color, c.color[len(c.color)-1])
	c.width = append(c.width, c.width[len(c.width)-1])
	c.alpha = append(c.alpha, c.alpha[len(c.alpha)-1])
	c.doc.TransformBegin()
}

// Pop implements [vg.Canvas]. It tells the document the colour of text again,
// because the document does not keep it with the other properties.
func (c *pdfCanvas) Pop() {
	c.doc.TransformEnd()
	top := len(c.color) - 1
	c.color, c.width, c.alpha = c.color[:top], c.width[:top], c.alpha[:top]
	v := color.NRGBAModel.Convert(c.color[top-1]).(color.NRGBA)
	c.doc.SetTextColor(int(v.R), int(v.G), int(v.B))
}

// Stroke implements [vg.Canvas].
func (c *pdfCanvas) Stroke(p vg.Path) {
	if c.width[len(c.width)-1] > 0 {
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
			c.arc(s)
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

// arc adds an arc as cubic curves of at most a quarter turn.
func (c *pdfCanvas) arc(s vg.PathComp) {
	at := func(a float64) (x, y float64) {
		return s.Pos.X.Points() + s.Radius.Points()*math.Cos(a), s.Pos.Y.Points() + s.Radius.Points()*math.Sin(a)
	}
	n := max(1, math.Ceil(math.Abs(s.Angle)/(math.Pi/2)-1e-9))
	step := s.Angle / n
	k := 4. / 3 * math.Tan(step/4) * s.Radius.Points()
	x, y := at(s.Start)
	c.doc.LineTo(x, y)
	for i := range int(n) {
		a := s.Start + float64(i)*step
		x0, y0 := at(a)
		x1, y1 := at(a + step)
		c.doc.CurveBezierCubicTo(x0-k*math.Sin(a), y0+k*math.Cos(a), x1+k*math.Sin(a+step), y1-k*math.Cos(a+step), x1, y1)
	}
}

// FillString implements [vg.Canvas].
func (c *pdfCanvas) FillString(face font.Face, at vg.Point, s string) {
	c.Push()
	defer c.Pop()
	c.Translate(at)
	c.Scale(1, -1)
	c.doc.SetFont(pdfFont, "", face.Font.Size.Points())
	c.doc.Text(0, 0, s)
}

// DrawImage implements [vg.Canvas]. No figure has an image.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) { panic("images are not drawn") }

// WriteTo implements [io.WriterTo].
func (c *pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	c.Pop()
	var buf bytes.Buffer
	if err := c.doc.Output(&buf); err != nil {
		return 0, err
	}
	return buf.WriteTo(w)
}
