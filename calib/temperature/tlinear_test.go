package temperature

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/report"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// directSureness returns s of each row by its definition.
func directSureness(set *data.Set, name string) []float64 {
	s := make([]float64, set.Logits.Rows)
	widest := 0.0
	for i := range s {
		row := slices.Clone(set.Logits.Row(i))
		slices.Sort(row)
		k := len(row)
		sum := 0.0
		for _, l := range row {
			sum += math.Exp(float64(l) - float64(row[k-1]))
		}
		switch name {
		case "t-conf":
			s[i] = 1 / sum
		case "t-entropy":
			s[i] = 1 - math.Exp(directEntropy(row))
		case "t-gap":
			s[i] = float64(row[k-1]) - float64(row[k-2])
			widest = max(widest, s[i])
		}
	}
	if name == "t-gap" {
		for i := range s {
			s[i] /= widest
		}
	}
	return s
}

var linearMethods = []string{"t-conf", "t-entropy", "t-gap"}

// The references are the best of L-BFGS-B from three starts, polished by
// Nelder-Mead (scipy.optimize.minimize, xatol 1e-10, fatol 1e-15), on
// T = a (1-s) + b with a >= 0, b >= 0.001. The error of the parameters is about 1e-7.
// For t-gap the second bound is active.
func TestLinearIsThatOfPython(t *testing.T) {
	set := testset.Lattice(400, 5)
	for _, c := range []struct {
		name      string
		a, b, nll float64
	}{
		{"t-conf", 10.22293579545768, 2.465605472196617, 1.1543114035737956},
		{"t-entropy", 7.735768278723937, 2.1302493731673255, 1.1552595437967037},
		{"t-gap", 4.3087711109481726, 0.001, 1.1614395519754301},
	} {
		f := calibtest.Fit(t, lookup(c.name), set, nil)
		a, b := lineOf(f.Map)
		if !testset.Near([]float64{a, b}, []float64{c.a, c.b}, 2e-6) || !(math.Abs(f.Report.NLL-c.nll) <= 1e-13) || f.Report.Gradient > report.GradTol {
			t.Errorf("%s: %v %v, %+v", c.name, a, b, f.Report)
		}
		if bound := f.Report.AtBound.String() == "b >= 0.001"; bound != (c.name == "t-gap") {
			t.Errorf("%s: bounds %q", c.name, f.Report.AtBound)
		}
	}
}

func TestLinearIsAtMostBruteForce(t *testing.T) {
	for seed := range uint64(3) {
		set := testset.Ranked(150, 3+int(seed), testset.Falling, seed)
		for _, name := range linearMethods {
			f := calibtest.Fit(t, lookup(name), set, nil)
			gotA, gotB := lineOf(f.Map)
			a, b, nll := testset.BruteLine(set, directSureness(set, name), 0)
			if f.Report.NLL > nll+1e-12 || f.Report.NLL < nll-1e-9 || !(math.Abs(gotA-a) <= 1e-3*(1+a)) || !(math.Abs(gotB-b) <= 1e-3*(1+b)) {
				t.Errorf("%s, seed %d: %v %v with %.13g, grid %v %v with %.13g", name, seed, gotA, gotB, f.Report.NLL, a, b, nll)
			}
		}
	}
}

// The temperature of every row is a (1-s) + b, with s by its definition.
func TestLinearTemperaturesFollowTheirDefinition(t *testing.T) {
	set := testset.Lattice(50, 6)
	for _, name := range linearMethods {
		e := lookup(name)
		unit := 0.0
		if name == "t-gap" {
			for i := range 50 {
				unit = max(unit, fit.TopGap(set.Logits.Row(i)))
			}
		}
		text := fmt.Sprintf(`{"qats":1,"method":%q,"version":%d,"options":{},"classes":6,"params":{"a":3,"b":0.5,"unit":%v},"report":{"nll":0,"gradient":0,"iterations":0,"passes":0}}`, name, e.Version, unit)
		m, err := calib.LoadModel(strings.NewReader(text), []calib.Entry{e})
		if err != nil {
			t.Fatal(err)
		}
		got, s := calibtest.Apply(m.Map, set.Logits), directSureness(set, name)
		for i := range s {
			want := calibtest.Apply(calib.Temperature{T: 3*(1-s[i]) + 0.5}, set.Logits.Slice(i, i+1))
			if !testset.Near(got.Row(i), want.Row(0), 1e-13) {
				t.Errorf("%s: row %d: %v, want %v", name, i, got.Row(i), want.Row(0))
			}
		}
	}
}

// With a = 0 the fit is ts to the last bit, with a warning.
func TestLinearContainsTS(t *testing.T) {
	rising := testset.Ranked(400, 4, func(q float64) float64 { return 0.7 + 2*q }, 3)
	scaled := calibtest.Fit(t, calib.TSEntry, rising, nil)
	for _, name := range linearMethods {
		f := calibtest.Fit(t, lookup(name), rising, nil)
		if a, b := lineOf(f.Map); a != 0 || b != scaled.Map.(calib.Temperature).T || f.Report.NLL != scaled.Report.NLL || !strings.Contains(f.Report.Warnings.String(), "equal to TS") {
			t.Errorf("%s: %v %v, %+v; ts %+v", name, a, b, f.Report, scaled)
		}
		if !slices.Equal(calibtest.Apply(f.Map, rising.Logits).Data, calibtest.Apply(scaled.Map, rising.Logits).Data) {
			t.Errorf("%s: other bits than ts", name)
		}
	}
}

func TestTopGapIsTheGapOfTheTwoLargest(t *testing.T) {
	for _, c := range []struct {
		row  []float32
		want float64
	}{
		{[]float32{3}, 0}, {[]float32{3, 5}, 2}, {[]float32{5, 3}, 2}, {[]float32{1, 1}, 0},
		{[]float32{1, 4, 4, 2}, 0}, {[]float32{-1, -4, -2}, 1}, {[]float32{0, 1, 2, 9}, 7}, {[]float32{9, 0, 8.5}, 0.5},
		{[]float32{3e38, -3e38}, 6e38},
	} {
		if got := fit.TopGap(c.row); !(math.Abs(got-c.want) <= 1e-6*c.want) {
			t.Errorf("%v: %v, want %v", c.row, got, c.want)
		}
	}
}

// lineOf returns a and b of a fit of the three methods.
func lineOf(m calib.Map) (a, b float64) {
	switch m := m.(type) {
	case linearMap[byConfidence]:
		return m.A, m.B
	case linearMap[byEntropy]:
		return m.A, m.B
	case linearMap[byGap]:
		return m.A, m.B
	}
	panic("no line")
}
