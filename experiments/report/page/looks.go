package page

import (
	"fmt"
	"html/template"
	"image/color"
	"math"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/plots"
)

// The backgrounds of the two themes, as page.css has them.
var (
	white = color.RGBA{R: 255, G: 255, B: 255, A: 255}
	black = color.RGBA{R: 0x16, G: 0x1a, B: 0x20, A: 255}
)

// leastContrast is the contrast of lines and markers with the background (WCAG 2.2,
// 1.4.11).
const leastContrast = 3.0

// colors returns the style of the methods: the custom properties --m0, --m1, ...,
// with a value for each theme.
func colors(methods []methodEntry) template.CSS {
	var light, dark strings.Builder
	for i, m := range methods {
		c := lookOf(m.ID)
		fmt.Fprintf(&light, "--m%d:%s;", i, hex(readable(c, white)))
		fmt.Fprintf(&dark, "--m%d:%s;", i, hex(inDark(c)))
	}
	return template.CSS(":root{" + light.String() + "}@media screen and (prefers-color-scheme:dark){:root{" + dark.String() + "}}")
}

// lookOf returns the colour of a method in figures.
func lookOf(method string) color.RGBA { return plots.MethodLook(method).Color }

// pageHead puts the word of the banner on each printed page.
func pageHead(word string) template.CSS {
	return template.CSS(`@media print{@page{margin:16mm 12mm;@top-right{content:"` + word + `";font:bold 10pt sans-serif}}}`)
}

// readable mixes a colour with the opposite of the background until it has enough
// contrast. It gets there, since black and white have a contrast far above it.
func readable(c, background color.RGBA) color.RGBA {
	target := white
	if background == white {
		target = black
	}
	for contrast(c, background) < leastContrast {
		c = color.RGBA{R: mix(c.R, target.R), G: mix(c.G, target.G), B: mix(c.B, target.B), A: 255}
	}
	return c
}

func mix(a, b uint8) uint8 { return uint8(math.Round(.85*float64(a) + .15*float64(b))) }

// inDark returns the colour of a method in the dark theme. Greys get the opposite lightness, so
// that black is not one of them there.
func inDark(c color.RGBA) color.RGBA {
	if c.R == c.G && c.G == c.B {
		c = opposite(c)
	}
	return readable(c, black)
}

// opposite returns the colour of the dark theme that stands for one of the light theme. White
// becomes the background and black the ink; between them the lightness falls where it rose,
// and a hue stays what it is.
func opposite(c color.RGBA) color.RGBA {
	ends := [3][2]float64{{float64(black.R), 0xe8}, {float64(black.G), 0xeb}, {float64(black.B), 0xee}}
	own := [3]float64{float64(c.R), float64(c.G), float64(c.B)}
	most, least := max(own[0], own[1], own[2]), min(own[0], own[1], own[2])
	var other [3]uint8
	for i, v := range own {
		turned := 1 - (most+least-v)/255 // the hue of c in the lightness of its complement
		other[i] = uint8(math.Round(ends[i][0] + turned*(ends[i][1]-ends[i][0])))
	}
	return color.RGBA{R: other[0], G: other[1], B: other[2], A: 255}
}

// contrast returns the contrast ratio of two colours (WCAG 2.2), from 1 to 21.
func contrast(a, b color.RGBA) float64 {
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
	return .2126*linear(c.R) + .7152*linear(c.G) + .0722*linear(c.B)
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// dashes returns the dashes of the lines of a method, as stroke-dasharray has them.
func dashes(method string) string {
	var parts []string
	for _, d := range plots.MethodLook(method).Dashes {
		parts = append(parts, strconv.FormatFloat(float64(d)*1.4, 'g', 3, 64))
	}
	return strings.Join(parts, " ")
}
