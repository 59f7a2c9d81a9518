package data_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// filled returns logits of 40 rows of 5 classes with a number in the place of some. Row 3 has one class left.
func filled(scale, fill float64) func(i, j int) float64 {
	open := noise(5)
	return func(i, j int) float64 {
		if j != i%5 && (i == 3 || i%4 == 1 && j%2 == 0) {
			return fill
		}
		return scale * open(i, j)
	}
}

// A large finite number in the place of masked classes is read, counted and said as -Inf is.
func TestFillsAreMaskedClasses(t *testing.T) {
	want, form, err := formOf(t, data.AnyKind, 40, 5, filled(1, math.Inf(-1)))
	if err != nil || len(form.Notes) != 0 || want.Masked() == 0 {
		t.Fatal(want.Masked(), form, err)
	}
	for _, fill := range []float64{-1e9, -1e30, float64(float32(-1e30)), -math.MaxFloat32, -math.MaxFloat64, -65504, -0x1.fep127, -0x1.dcp29, -3e5, -1e20, -1e38} {
		got, form, err := formOf(t, data.AnyKind, 40, 5, filled(1, fill))
		if err != nil {
			t.Errorf("%g: %v", fill, err)
			continue
		}
		if len(form.Notes) != 1 || !strings.Contains(form.Notes[0].String(), "count as -Inf: the fill of masked classes") || form.OffsetLost {
			t.Errorf("%g: %+v", fill, form)
		}
		for i, l := range got.Logits.Data {
			if l != want.Logits.Data[i] {
				t.Fatalf("%g: element %d is %g, want %g", fill, i, l, want.Logits.Data[i])
			}
		}
	}
}

// What looks like a fill and is none stays as it is.
func TestNumbersThatAreNoFills(t *testing.T) {
	raw := noise(6)
	zeros := func(code, by float64) func(i, j int) float64 { // multiples of log-probabilities with exact zeros
		return func(i, j int) float64 {
			r := rand.New(rand.NewPCG(9, uint64(i)))
			p, sum := [5]float64{}, 0.0
			for j := range p {
				if j == 0 || r.IntN(2) == 0 {
					p[j] = 10 + 1e-4*r.Float64() // nearly equal: the others are hardly apart
					sum += p[j]
				}
			}
			if p[j] == 0 {
				return by * math.Log(code)
			}
			return by * math.Log(p[j]/sum)
		}
	}
	for name, c := range map[string]struct {
		k  int
		at func(i, j int) float64
	}{
		"a number that is not far below":    {5, filled(1, -4000)},
		"a number above -1000":              {5, filled(1e-6, -900)},
		"large scores":                      {5, filled(1e7, -3e9)},
		"large scores with -1e9 among them": {5, filled(1e9, -1e9)},
		"several numbers":                   {5, func(i, j int) float64 { return raw(i, j) - 1e6*float64(i%7)*float64(j/4) }},
		"two classes: no row says how far":  {2, func(i, j int) float64 { return -1e5 * float64(i%2*j) }},
		"a constant that is not the least": {5, func(i, j int) float64 {
			return [5]float64{raw(i, 0), -1e6, -2e6, raw(i, 1), raw(i, 2)}[j] + float64(j/2%2*i)
		}},
		"rows of one number":                  {5, func(i, j int) float64 { return []float64{raw(i, j), -1e6}[i/39] }},
		"codes of zeros, x 16":                {5, zeros(0x1p-126, 16)},
		"codes of zeros, x 1024":              {5, zeros(0x1p-126, 1024)},
		"codes of zeros of others, x 4096":    {5, zeros(1e-12, 4096)},
		"codes of zeros in float64, x 1 / .3": {5, zeros(1e-300, 1/.3)},
	} {
		set, form, err := formOf(t, data.AnyKind, 40, c.k, c.at)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if set.Masked() > 0 || slices.ContainsFunc(form.Notes, func(n data.Note) bool { return strings.Contains(n.Text, "fill") }) {
			t.Errorf("%s: %d masked, %v", name, set.Masked(), form.Notes)
		}
	}
}

// Known fills do for two classes, and a fill at the label is an error as -Inf is.
func TestFillsOfTwoClasses(t *testing.T) {
	set, form, err := formOf(t, data.AnyKind, 40, 2, func(i, j int) float64 {
		if i%8 == 0 && j == 1 {
			return -1e9
		}
		return noise(7)(i, j)
	})
	if err != nil || set.Masked() != 5 || len(form.Notes) != 1 {
		t.Error(set.Masked(), form, err)
	}
	if _, _, err := formOf(t, data.AnyKind, 40, 2, func(i, j int) float64 { return []float64{1, -1e9}[i/39] + 0*float64(j) }); err == nil || !strings.Contains(err.Error(), "no class is left") {
		t.Errorf("a row of fills: %v", err)
	}
}
