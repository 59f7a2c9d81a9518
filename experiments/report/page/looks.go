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

// The background and the ink of the dark theme, as page.css has them.
var (
	black = color.RGBA{R: 0x16, G: 0x1a, B: 0x20, A: 255}
	ink   = color.RGBA{R: 0xe8, G: 0xeb, B: 0xee, A: 255}
)

// colors returns the style of the methods: the custom properties --m0, --m1, ...,
// with a value for each theme.
func colors(methods []methodEntry) template.CSS {
	var light, dark strings.Builder
	for i, m := range methods {
		c := lookOf(m.ID)
		fmt.Fprintf(&light, "--m%d:%s;", i, hex(c))
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

// inDark returns the colour of a method in the dark theme: its own one, mixed with white until
// it has enough contrast. Greys get the opposite lightness, so that black is not one of them there.
func inDark(c color.RGBA) color.RGBA {
	if c.R == c.G && c.G == c.B {
		c = opposite(c)
	}
	lighter := func(v uint8) uint8 { return uint8(math.Round(.85*float64(v) + .15*255)) }
	for plots.Contrast(c, black) < plots.LeastContrast {
		c = color.RGBA{R: lighter(c.R), G: lighter(c.G), B: lighter(c.B), A: 255}
	}
	return c
}

// opposite returns the colour of the dark theme that stands for one of the light theme. White
// becomes the background and black the ink; between them the lightness falls where it rose,
// and a hue stays what it is.
func opposite(c color.RGBA) color.RGBA {
	ends := [3][2]float64{{float64(black.R), float64(ink.R)}, {float64(black.G), float64(ink.G)}, {float64(black.B), float64(ink.B)}}
	own := [3]float64{float64(c.R), float64(c.G), float64(c.B)}
	most, least := max(own[0], own[1], own[2]), min(own[0], own[1], own[2])
	var other [3]uint8
	for i, v := range own {
		turned := 1 - (most+least-v)/255 // the hue of c in the lightness of its complement
		other[i] = uint8(math.Round(ends[i][0] + turned*(ends[i][1]-ends[i][0])))
	}
	return color.RGBA{R: other[0], G: other[1], B: other[2], A: 255}
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
