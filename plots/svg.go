package plots

import (
	"bytes"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgText is a text as vgsvg writes it.
var svgText = regexp.MustCompile(`<text x="([^"]*)" y="([^"]*)" transform="scale\(1, -1\)"\s*style="([^"]*)">([^<]*)</text>`)

// encodeSVG draws the figure as SVG whose text does not depend on the fonts of the
// reader. Text is drawn by the outlines of its characters: an outline is defined once
// in a file and used wherever the character stands. Each text keeps its words as an
// aria-label, for screen readers and for searching.
func (f *Figure) encodeSVG() ([]byte, error) {
	var buf bytes.Buffer
	if err := f.drawOn(vgsvg.New(f.Width, f.Height), &buf); err != nil {
		return nil, err
	}
	used := map[rune]bool{}
	var failed error
	out := svgText.ReplaceAllFunc(buf.Bytes(), func(element []byte) []byte {
		part := svgText.FindSubmatch(element)
		outlined, err := outlineText(html.UnescapeString(string(part[4])), string(part[1]), string(part[2]), string(part[3]), used)
		if err != nil && failed == nil {
			failed = err
		}
		return []byte(outlined)
	})
	if failed != nil {
		return nil, failed
	}
	defs, err := outlines(used)
	if err != nil {
		return nil, err
	}
	head := []byte("xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n")
	return bytes.Replace(out, head, append(head, defs...), 1), nil
}

// Inline returns the figure as an element of an HTML page: the SVG with the class figure,
// and with the caption as its label for readers that do not see it.
func (f *Figure) Inline() (string, error) {
	data, err := f.encode(SVG)
	_, element, _ := strings.Cut(string(data), "<svg ") // without the XML declaration
	return fmt.Sprintf(`<svg class="figure" role="img" aria-label="%s" %s`, html.EscapeString(f.Caption), strings.TrimSpace(element)), err
}

// typeface is the font of all figures: Liberation Sans, which is as wide as Arial
// and Helvetica.
func typeface() font.Face {
	sty := write(smallSize, ink)
	return sty.Handler.Cache().Lookup(sty.Font, sty.Font.Size)
}

// outlineText is the element of a text at (x, y) with the style of vgsvg. It adds
// the characters to used.
func outlineText(s, x, y, style string, used map[rune]bool) (string, error) {
	size, fill := 0.0, "#000000"
	for _, item := range strings.Split(style, ";") {
		name, value, _ := strings.Cut(item, ":")
		switch name {
		case "font-size":
			size, _ = strconv.ParseFloat(strings.TrimSuffix(value, "px"), 64)
		case "fill":
			fill = value
		}
	}
	face := typeface().Face
	em := fixed.Int26_6(face.UnitsPerEm())
	var b strings.Builder
	fmt.Fprintf(&b, `<g role="img" aria-label="%s" fill="%s" transform="scale(1, -1) translate(%s, %s) scale(%.5g)">`,
		html.EscapeString(s), fill, x, y, size/float64(em))
	var buf sfnt.Buffer
	at, before := 0, sfnt.GlyphIndex(0)
	for i, r := range s {
		glyph, err := face.GlyphIndex(&buf, r)
		if err != nil {
			return "", err
		}
		if kern, err := face.Kern(&buf, before, glyph, em, 0); i > 0 && err == nil {
			at += int(kern)
		}
		if r != ' ' {
			used[r] = true
			fmt.Fprintf(&b, `<use xlink:href="#%s" x="%d"/>`, glyphID(r), at)
		}
		advance, err := face.GlyphAdvance(&buf, glyph, em, 0)
		if err != nil {
			return "", err
		}
		at, before = at+int(advance), glyph
	}
	b.WriteString("</g>")
	return b.String(), nil
}

// glyphID names the outline of a character. Figures in one page share the names
// and the outlines.
func glyphID(r rune) string { return fmt.Sprintf("glyph-%x", r) }

// outlines defines the outlines of characters, in units of the font.
func outlines(used map[rune]bool) ([]byte, error) {
	if len(used) == 0 {
		return nil, nil
	}
	face := typeface().Face
	em := fixed.Int26_6(face.UnitsPerEm())
	var buf sfnt.Buffer
	var b bytes.Buffer
	b.WriteString("<defs>\n")
	for _, r := range slices.Sorted(maps.Keys(used)) {
		glyph, err := face.GlyphIndex(&buf, r)
		if err != nil {
			return nil, err
		}
		segments, err := face.LoadGlyph(&buf, glyph, em, nil)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, `<path id="%s" d="`, glyphID(r))
		for _, s := range segments {
			op, points := "M", 1
			switch s.Op {
			case sfnt.SegmentOpLineTo:
				op = "L"
			case sfnt.SegmentOpQuadTo:
				op, points = "Q", 2
			case sfnt.SegmentOpCubeTo:
				op, points = "C", 3
			}
			b.WriteString(op)
			for i, p := range s.Args[:points] {
				if i > 0 {
					b.WriteByte(' ')
				}
				fmt.Fprintf(&b, "%d %d", int(p.X), int(p.Y))
			}
		}
		b.WriteString("Z\"/>\n")
	}
	b.WriteString("</defs>\n")
	return b.Bytes(), nil
}

// printable replaces the characters that the font of the figures lacks by question
// marks, and control characters by spaces. The font has the Latin, Greek, Cyrillic
// and Hebrew letters.
func printable(s string) string {
	face := typeface().Face
	var buf sfnt.Buffer
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		if glyph, err := face.GlyphIndex(&buf, r); err != nil || glyph == 0 {
			return '?'
		}
		return r
	}, s)
}
