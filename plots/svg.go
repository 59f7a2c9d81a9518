package plots

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A text and a colour as vgsvg writes them. It has no other door to either of them.
var (
	svgText   = regexp.MustCompile(`<text x="([^"]*)" y="([^"]*)" transform="scale\(1, -1\)"\s*style="([^"]*)">([^<]*)</text>`)
	svgColour = regexp.MustCompile(`#[0-9A-F]{6}`)
)

// svgLabel is a text of a figure: where its baseline begins, its size in points and its
// colour.
type svgLabel struct {
	text string
	x, y string
	size float64
	fill string
}

// svg draws the figure as SVG, with an element for each text. paint says how each colour is written.
func (f *Figure) svg(paint func(color.RGBA) string, element func(svgLabel) (string, error)) ([]byte, error) {
	var buf bytes.Buffer
	if err := f.drawOn(vgsvg.New(f.Width, f.Height), &buf); err != nil {
		return nil, err
	}
	painted := func(name []byte) []byte {
		n, _ := strconv.ParseUint(string(name[1:]), 16, 32) // the pattern has six digits
		return []byte(paint(hex(uint32(n))))
	}
	var out bytes.Buffer
	data := buf.Bytes()
	for {
		at := svgText.FindSubmatchIndex(data)
		if at == nil {
			out.Write(svgColour.ReplaceAllFunc(data, painted))
			return out.Bytes(), nil
		}
		out.Write(svgColour.ReplaceAllFunc(data[:at[0]], painted))
		part := func(i int) string { return string(data[at[2*i]:at[2*i+1]]) }
		label := svgLabel{text: html.UnescapeString(part(4)), x: part(1), y: part(2), fill: paint(hex(0))}
		for item := range strings.SplitSeq(part(3), ";") {
			switch name, value, _ := strings.Cut(item, ":"); name {
			case "font-size":
				label.size, _ = strconv.ParseFloat(strings.TrimSuffix(value, "px"), 64)
			case "fill":
				label.fill = string(painted([]byte(value)))
			}
		}
		text, err := element(label)
		if err != nil {
			return nil, err
		}
		out.WriteString(text)
		data = data[at[1]:]
	}
}

// literal writes a colour as a file has it.
func literal(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// encodeSVG draws the figure as SVG whose text does not depend on the fonts of the
// reader. Text is drawn by the outlines of its characters: an outline is defined once
// in a file and used wherever the character stands. Each text keeps its words as an
// aria-label, for screen readers and for searching.
func (f *Figure) encodeSVG() ([]byte, error) {
	used := map[rune]bool{}
	out, err := f.svg(literal, func(l svgLabel) (string, error) { return l.outlined(used) })
	if err != nil {
		return nil, err
	}
	defs, err := outlines(used)
	if err != nil {
		return nil, err
	}
	head := []byte("xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n")
	return bytes.Replace(out, head, append(head, defs...), 1), nil
}

// Inline returns the figure as an element of an HTML page: the SVG with the class figure,
// and with the caption as its label for readers that do not see it. Its text can be selected
// and searched. A reader may not have the font of the figures, so each text is stretched to
// its width in that font: it is not clipped and covers no other text. The element has no
// ids, so a page may have several figures. paint says how each colour is written, such as by the
// name of a custom property.
func (f *Figure) Inline(paint func(color.RGBA) string) (string, error) {
	data, err := f.svg(paint, func(l svgLabel) (string, error) { return l.inFont(), nil })
	if err != nil {
		return "", fmt.Errorf("figure: %w", err)
	}
	_, element, _ := strings.Cut(string(data), "<svg ") // without the XML declaration
	return fmt.Sprintf(`<svg class="figure" role="img" aria-label="%s" font-family="Liberation Sans, Arial, Helvetica, sans-serif" %s`,
		html.EscapeString(f.Caption), strings.TrimSpace(element)), nil
}

// inFont is the element of a text in a font, stretched to its width in the font of the
// figures.
func (l svgLabel) inFont() string {
	width := write(vg.Length(l.size), ink).Width(l.text).Points()
	return fmt.Sprintf(`<text x="%s" y="%s" transform="scale(1, -1)" font-size="%.5g" fill="%s" textLength="%.5g" lengthAdjust="spacingAndGlyphs">%s</text>`,
		l.x, l.y, l.size, l.fill, width, html.EscapeString(l.text))
}

// typeface is the font of all figures: Liberation Sans, which is as wide as Arial
// and Helvetica.
func typeface() font.Face {
	sty := write(smallSize, ink)
	return sty.Handler.Cache().Lookup(sty.Font, sty.Font.Size)
}

// outlined is the element of a text as outlines. It adds the characters to used.
func (l svgLabel) outlined(used map[rune]bool) (string, error) {
	face := typeface().Face
	em := fixed.Int26_6(face.UnitsPerEm())
	var b strings.Builder
	fmt.Fprintf(&b, `<g role="img" aria-label="%s" fill="%s" transform="scale(1, -1) translate(%s, %s) scale(%.5g)">`,
		html.EscapeString(l.text), l.fill, l.x, l.y, l.size/float64(em))
	var buf sfnt.Buffer
	at, before := 0, sfnt.GlyphIndex(0)
	for i, r := range l.text {
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

// glyphID names the outline of a character.
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
