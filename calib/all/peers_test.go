package all

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// peers holds probabilities that the code of the authors of a method computed, or code
// that others use; the recipes are in the file.
type peers struct {
	Parts string // fold of each calibration row, for three folds and the seed 7
	Cases []struct {
		Method    string
		Options   map[string]any
		By        string // whose code
		Tolerance float64
		Want      [][]float64
	}
}

// Methods are fitted to rows 0 to 399 of the lattice of five classes and applied to
// rows 400 to 407.
func TestAgreesWithItsAuthors(t *testing.T) {
	var f peers
	testset.Read(t, "testdata/peers.json", &f)
	all := testset.Lattice(408, 5)
	cal, test := all.Rows(0, 400), all.Rows(400, 408)
	for i, part := range fit.Folds(cal, 3, 7) {
		if int(f.Parts[i]-'0') != part {
			t.Fatalf("row %d is in fold %d, in the reference %c", i, part, f.Parts[i])
		}
	}
	for _, c := range f.Cases {
		name := strings.TrimSpace(c.Method + " by " + c.By)
		e, ok := Lookup(c.Method)
		if !ok {
			t.Fatalf("no method %q", c.Method)
		}
		m, err := calibtest.Method(e, c.Options)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		in := calib.Input{Cal: cal, Seed: 7}
		if m.Contract().Target != 0 {
			in.Target = &data.Set{Logits: test.Logits}
		}
		fitted, err := calib.FitInput(context.Background(), m, in)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fitted.Map = calib.Unmixed(fitted.Map)
		var got [][]float64
		if top, ok := fitted.Map.(calib.TopLabel); ok {
			_, conf := calibtest.TopLabels(top, test)
			for _, p := range conf {
				got = append(got, []float64{p})
			}
		} else {
			q, err := fitted.Probabilities(test)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for i := range q.Rows {
				got = append(got, q.Row(i))
			}
		}
		worst := 0.0
		for i, row := range c.Want {
			if len(got[i]) != len(row) {
				t.Fatalf("%s: row %d has %d numbers, want %d", name, i, len(got[i]), len(row))
			}
			for j, p := range row {
				worst = max(worst, math.Abs(got[i][j]-p))
			}
		}
		t.Logf("%s %v: largest difference %.1e", name, c.Options, worst)
		if len(c.Want) != test.Logits.Rows || !(worst <= c.Tolerance) {
			t.Errorf("%s: largest difference %.1e, want at most %g", name, worst, c.Tolerance)
		}
	}
}
