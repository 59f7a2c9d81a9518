package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgtex"

	"github.com/qats-bench/qats/results/table"
)

// pgfCanvas writes a picture for LaTeX, whose text has the font of the document
// that includes it, such as Computer Modern.
type pgfCanvas struct{ *vgtex.Canvas }

// straight is a colour whose components are not multiplied by its opacity. vgtex
// writes components and opacity apart.
type straight struct{ color.NRGBA }

// RGBA implements [color.Color].
func (c straight) RGBA() (r, g, b, a uint32) {
	const wide = 0x101 // from 8 to 16 bits
	return wide * uint32(c.R), wide * uint32(c.G), wide * uint32(c.B), wide * uint32(c.A)
}

// SetColor implements [vg.Canvas].
func (c pgfCanvas) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	c.Canvas.SetColor(straight{color.NRGBAModel.Convert(clr).(color.NRGBA)})
}

// fitText is a command that makes text at most as wide as the figure plans for, which
// is the width in its own font.
const fitText = `\providecommand{\plottext}[2]{\sbox0{#2}\ifdim\wd0>#1\resizebox{#1}{!}{\usebox0}\else\usebox0\fi}
`

// FillString implements [vg.Canvas]. It escapes the characters that are special to LaTeX, and sets
// minus signs in place of hyphens before digits. vgtex centres text by the width of
// the string that it is given, which is that of the escaped one. Text at the left
// edge of the figure is aligned to the left.
func (c pgfCanvas) FillString(face font.Face, at vg.Point, s string) {
	escaped := table.Escape(s)
	if len(s) > 1 && s[0] == '-' && s[1] >= '0' && s[1] <= '9' {
		escaped = "$-$" + escaped[1:]
	}
	width := face.Width(s)
	escaped = fmt.Sprintf("\\plottext{%.4gpt}{%s}", width, escaped)
	if at.X < 8 {
		escaped = fmt.Sprintf("\\hbox to %.4gpt{%s\\hfil}", width, escaped)
	}
	at.X += 0.5 * (width - face.Width(escaped))
	c.Canvas.FillString(face, at, escaped)
}

// encodePGF draws the figure as a pgfpicture of the size of the figure.
func (f *Figure) encodePGF() ([]byte, error) {
	var buf bytes.Buffer
	if err := f.drawOn(pgfCanvas{vgtex.New(f.Width, f.Height)}, &buf); err != nil {
		return nil, err
	}
	begin := "\\begin{pgfpicture}\n"
	_, body, _ := strings.Cut(buf.String(), begin)
	return []byte("% Needs \\usepackage{pgf}; \\input this file. The text has the font of the document.\n" + fitText + begin +
		fmt.Sprintf("  \\pgfpathrectangle{\\pgfpointorigin}{\\pgfpoint{%gpt}{%gpt}}\\pgfusepath{use as bounding box}\n", f.Width, f.Height) +
		body), nil
}
