package plots

import (
	"fmt"
	"image/color"
	"math"
	"reflect"
	"testing"
)

// paper are the methods of the paper's tables, which share figures.
var paper = []string{"uncal", "ts", "ir", "tta-ts", "gc-split", "featclip", "hfe-target", "qats"}

// lab converts linear sRGB to CIE L*a*b*, white D65.
func lab(c [3]float64) [3]float64 {
	x := (0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.95047
	y := 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
	z := (0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.08883
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	return [3]float64{116*f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))}
}

// seen is a colour in L*a*b* as seen by an eye with the given matrix.
func seen(c color.RGBA, eye [3][3]float64) [3]float64 {
	var in, out [3]float64
	for i, v := range []uint8{c.R, c.G, c.B} {
		if s := float64(v) / 255; s <= 0.04045 {
			in[i] = s / 12.92
		} else {
			in[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	for i := range out {
		for j := range in {
			out[i] += eye[i][j] * in[j]
		}
		out[i] = min(max(out[i], 0), 1)
	}
	return lab(out)
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// Full protanopia and deuteranopia in linear RGB: Machado, Oliveira and
// Fernandes 2009, table of severity 1.0.
var eyes = map[string][3][3]float64{
	"all cones":  {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"no L cones": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"no M cones": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
}

// TestPaperColoursForEveryEye: every eye can distinguish the methods of the paper.
func TestPaperColoursForEveryEye(t *testing.T) {
	// A difference of 10 in L*a*b* (1976) is about four just noticeable ones.
	const least = 10
	for name, eye := range eyes {
		for i, a := range paper {
			for _, b := range paper[:i] {
				if d := distance(seen(MethodLook(a).Color, eye), seen(MethodLook(b).Color, eye)); d < least {
					t.Errorf("%s: %s and %s differ by %.1f, want %d", name, a, b, d, least)
				}
			}
		}
	}
}

// TestLinesShowOnWhite: no method has a colour that is lost on paper or on a page.
func TestLinesShowOnWhite(t *testing.T) {
	check := func(id string) {
		if c := Contrast(MethodLook(id).Color, hex(0xFFFFFF)); c < LeastContrast {
			t.Errorf("%s: contrast %.2f with white", id, c)
		}
	}
	for _, k := range known {
		check(k.method)
	}
	for i := range 500 {
		check(fmt.Sprint("m", i))
	}
}

// TestContrast has the ends, and two values of the WebAIM contrast checker.
func TestContrast(t *testing.T) {
	for _, c := range []struct {
		a, b uint32
		want float64
	}{{0xFFFFFF, 0x000000, 21}, {0x123456, 0x123456, 1}, {0x777777, 0xFFFFFF, 4.48}, {0x0000FF, 0xFFFFFF, 8.59}} {
		if got := Contrast(hex(c.a), hex(c.b)); math.Abs(got-c.want) > .005 {
			t.Errorf("%06x on %06x: %.3f, want %.2f", c.a, c.b, got, c.want)
		}
	}
}

// TestKnownLooksAreDistinct in colour, and in marker for the methods of the paper.
func TestKnownLooksAreDistinct(t *testing.T) {
	for i, a := range known {
		for _, b := range known[:i] {
			if a.method == b.method {
				t.Errorf("%s is listed twice", a.method)
			}
			if a.look.Color == b.look.Color {
				t.Errorf("%s and %s have one colour", a.method, b.method)
			}
		}
	}
	for i, a := range paper {
		for _, b := range paper[:i] {
			if reflect.DeepEqual(MethodLook(a).Marker, MethodLook(b).Marker) {
				t.Errorf("%s and %s have one marker", a, b)
			}
		}
	}
}

// TestLooksOfOtherMethods come from a hash of the id: they never change, vary in all
// features, and have no known colour.
func TestLooksOfOtherMethods(t *testing.T) {
	want := Look{Color: hex(0x2465A9), Dashes: dotted, Marker: up}
	if got := MethodLook("my-method"); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v as ever", got, want)
	}
	colors, markers := map[color.RGBA]bool{}, map[string]int{}
	ids := []string{"qats-pw3", "qats-pw5", "qats-pw20", "ts2", "vector", "matrix", "dirichlet", "spline", "bbq", "my-method"}
	for _, id := range ids {
		l := MethodLook(id)
		colors[l.Color] = true
		for _, k := range known {
			if l.Color == k.look.Color {
				t.Errorf("%s has the colour of %s", id, k.method)
			}
		}
	}
	if len(colors) != len(ids) {
		t.Errorf("%d colours for %d methods", len(colors), len(ids))
	}
	for i := range 1000 {
		l := MethodLook(fmt.Sprint("m", i))
		markers[fmt.Sprintf("%T%v%v", l.Marker, l.Marker, l.Dashes)]++
	}
	if len(markers) != 40 { // 5 shapes, filled or hollow, 4 dashes
		t.Errorf("%d of 40 pairs of marker and dash in use", len(markers))
	}
}
