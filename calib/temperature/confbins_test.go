package temperature

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// Four bins of 100 rows in the order of falling confidence,
// order = np.argsort(-softmax(z, 1).max(1)). bts: in each bin exp(u) at
//
//	minimize_scalar(nll of z exp(-u), bounds=(-4, 4), method="bounded", options={"xatol": 1e-13}),
//
// whose u has an error of about the root of the machine epsilon, 1e-8. cbt: brentq
// as in TestECIsThatOfPython.
func TestBinsAreThoseOfPython(t *testing.T) {
	set := testset.Lattice(400, 5)
	for _, c := range []struct {
		name string
		want []float64
		tol  float64
	}{
		{"bts", []float64{2.2855409132044597, 3.9443121062165387, 3.957465743078939, 6.527145404859989}, 1e-6},
		{"cbt", []float64{2.047509709940708, 2.9273668702994775, 2.7196940973648926, 7.062391277423818}, 1e-11},
	} {
		f := calibtest.Fit(t, lookup(c.name), set, map[string]any{"bins": 4})
		if got := f.Map.(binnedMap).T; !testset.Near(got, c.want, c.tol) {
			t.Errorf("%s: %.12g, want %.12g", c.name, got, c.want)
		}
		if len(f.Report.Warnings) > 0 {
			t.Errorf("%s: %q", c.name, f.Report.Warnings)
		}
	}
}

// With one bin, bts is ts and cbt is ec.
func TestOneBinIsTSOrEC(t *testing.T) {
	set := testset.Lattice(300, 4)
	one := map[string]any{"bins": 1}
	if a, b := calibtest.Fit(t, BTSEntry, set, one), calibtest.Fit(t, calib.TSEntry, set, nil); a.Map.(binnedMap).T[0] != b.Map.(calib.Temperature).T || a.Report.NLL != b.Report.NLL {
		t.Errorf("bts %+v, ts %+v", a, b)
	}
	if a, b := calibtest.Fit(t, CBTEntry, set, one), calibtest.Fit(t, ECEntry, set, nil); a.Map.(binnedMap).T[0] != b.Map.(calib.Temperature).T {
		t.Errorf("cbt %+v, ec %+v", a, b)
	}
}

// The NLL of bts is at most that of ts. It falls when each bin is split into two, if
// all bins have a minimum.
func TestMoreBinsFitCloser(t *testing.T) {
	set := testset.Ranked(960, 5, func(q float64) float64 { return 6 - 2*q }, 4)
	last := calibtest.Fit(t, calib.TSEntry, set, nil).Report.NLL
	for _, bins := range []int{2, 4, 8, 16} {
		r := calibtest.Fit(t, BTSEntry, set, map[string]any{"bins": bins}).Report
		if r.NLL > last || len(r.Warnings) > 0 {
			t.Errorf("%d bins: NLL %v, before %v; %q", bins, r.NLL, last, r.Warnings)
		}
		last = r.NLL
	}
}

// The rows of a bin are those between two ranks. Rows of equal confidence share a
// bin for any order of their classes. The sizes of bins differ by at most one.
func TestBinsHaveEqualMass(t *testing.T) {
	for _, n := range []int{1, 2, 7, 100, 101} {
		set := testset.Lattice(n, 5)
		tails, err := fit.Tails(context.Background(), set.Logits)
		if err != nil {
			t.Fatal(err)
		}
		const bins = 7
		m := binnedMap{Edges: massEdges(fit.NewECDF(tails), bins), T: make([]float64, bins)}
		counts := make([]int, bins)
		for _, tail := range tails {
			counts[m.bin(tail)]++
		}
		if n >= bins && slices.Max(counts)-slices.Min(counts) > 1 {
			t.Errorf("n = %d: %v", n, counts)
		}
	}
	edges := massEdges(fit.ECDF{1, 1, 1, 1, 2, 2}, 3) // ranks 2 and 4
	if m := (binnedMap{Edges: edges}); !slices.Equal(edges, []float64{1, 2}) || m.bin(0.5) != 0 || m.bin(1) != 1 || m.bin(1.5) != 1 || m.bin(2) != 2 || m.bin(9) != 2 {
		t.Errorf("edges %v", edges)
	}
}

// A bin whose rows are all right has the temperature of ts, and so has an empty bin.
func TestBinsWithoutMinimumHaveTheTemperatureOfTS(t *testing.T) {
	set := testset.Lattice(400, 5)
	for i := range set.Labels {
		row := slices.Clone(set.Logits.Row(i))
		slices.Sort(row)
		if row[4]-row[3] > 3 {
			set.Labels[i] = int32(fit.TopClass(set.Logits.Row(i)))
		}
	}
	f, scaled := calibtest.Fit(t, BTSEntry, set, map[string]any{"bins": 10}), calibtest.Fit(t, calib.TSEntry, set, nil)
	if got, want := f.Map.(binnedMap).T[0], scaled.Map.(calib.Temperature).T; got != want {
		t.Errorf("T of a bin without errors is %v, ts %v", got, want)
	}
	if got := f.Report.Warnings.String(); !strings.Contains(got, "all rows are right in") || f.Report.NLL > scaled.Report.NLL {
		t.Errorf("%+v", f.Report)
	}
	equal := fit.Pick(set, []int{3, 3, 3})
	equal.Labels = []int32{0, 1, int32(fit.TopClass(set.Logits.Row(3)))}
	for _, name := range []string{"bts", "cbt"} {
		f := calibtest.Fit(t, lookup(name), equal, nil)
		if got := f.Report.Warnings.String(); !strings.Contains(got, "14 of 15 bins are empty") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestBinMethodsRejectBadOptions(t *testing.T) {
	for _, name := range []string{"bts", "cbt"} {
		e := lookup(name)
		for _, bins := range []int{0, -3, 1000 + 1} {
			if _, err := calibtest.Method(e, map[string]any{"bins": bins}); err == nil || !strings.Contains(err.Error(), "bins: ") {
				t.Errorf("%s with %d bins: %v", name, bins, err)
			}
		}
	}
}

func BenchmarkFitBinned(b *testing.B) {
	set := testset.Simulated(25000, 1000, 5, 1.6, 1)
	for _, name := range []string{"bts", "cbt", "ec", "t-conf"} {
		b.Run("method="+name+"/n=25000/k=1000", func(b *testing.B) {
			b.SetBytes(4 * 25000 * 1000)
			for b.Loop() {
				calibtest.FitInput(b, lookup(name), calib.Input{Cal: set, Target: &data.Set{}}, nil)
			}
		})
	}
}

// meanGap returns the largest difference between confidence and accuracy over
// the bins of m.
func meanGap(m binnedMap, set *data.Set) float64 {
	q := calibtest.Apply(m, set.Logits)
	gap, count := make([]float64, len(m.T)), make([]float64, len(m.T))
	for i, tail := range calib.NewUnscaled(set.Logits).Tails() {
		top, b := fit.TopClass(set.Logits.Row(i)), m.bin(tail)
		gap[b] += q.Row(i)[top]
		if set.Labels[i] == int32(top) {
			gap[b]--
		}
		count[b]++
	}
	most := 0.0
	for b := range gap {
		most = max(most, math.Abs(gap[b])/max(count[b], 1))
	}
	return most
}

// cbt leaves no gap in any of its bins.
func TestCBTLeavesNoGap(t *testing.T) {
	set := testset.Ranked(1500, 6, testset.Falling, 8)
	f := calibtest.Fit(t, CBTEntry, set, nil)
	if len(f.Report.AtBound) > 0 {
		t.Fatal(f.Report)
	}
	// 0.01 is what an accuracy of 1 is short of.
	if got := meanGap(f.Map.(binnedMap), set); got > 0.01 {
		t.Errorf("gap %v", got)
	}
}

// Bounds and warnings of bins have their numbers, from 1 on.
func TestBinsAreNumberedFromOne(t *testing.T) {
	set := &data.Set{Logits: testset.Rows([][]float32{{1, 0}, {2, 0}, {3, 0}, {4, 0}}), Labels: []int32{0, 1, 1, 0}}
	calls := 0
	m, r, err := fitBins(t.Context(), set, 2, 1, func(context.Context, *data.Set) (float64, calib.Report, error) {
		calls++
		return 1, calib.Report{NLL: float64(calls), Passes: 3, AtBound: report.Bounds{report.AtLeast("T", 0, 0.001)}, Warnings: report.Warnings{{Text: "odd"}}}, nil
	})
	if err != nil || len(m.T) != 2 {
		t.Fatal(m, err)
	}
	if r.AtBound.String() != "bin 1: T >= 0.001; bin 2: T >= 0.001" || r.Warnings.String() != "bin 1: odd; bin 2: odd" || r.Passes != 4 || r.NLL != 1.5 {
		t.Errorf("%+v", r)
	}
}
