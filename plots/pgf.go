package plots

import (
	"bytes"
	"fmt"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgtex"

	"github.com/qats-bench/qats/results/table"
)

// pgfCanvas writes a picture for LaTeX, whose text has the font of the document
// that includes it, such as Computer Modern.
type pgfCanvas struct{ *vgtex.Canvas }

// FillString implements [vg.Canvas]. It escapes what is special to LaTeX, and sets
// minus signs in place of hyphens before digits. vgtex centres text by the width of
// the string that it is given, which is that of the escaped one.
func (c pgfCanvas) FillString(face font.Face, at vg.Point, s string) {
	escaped := table.Escape(s)
	if len(s) > 1 && s[0] == '-' && s[1] >= '0' && s[1] <= '9' {
		escaped = "$-$" + escaped[1:]
	}
	at.X += 0.5 * (face.Width(s) - face.Width(escaped))
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
	return []byte("% Needs \\usepackage{pgf}; \\input this file. The text has the font of the document.\n" + begin +
		fmt.Sprintf("  \\pgfpathrectangle{\\pgfpointorigin}{\\pgfpoint{%gpt}{%gpt}}\\pgfusepath{use as bounding box}\n", f.Width, f.Height) +
		body), nil
}
