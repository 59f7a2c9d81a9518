package all

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/binning"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/isotonic"
	"github.com/qats-bench/qats/data"
)

// The fitted pairs of the three methods are those of plain sums over sorted or binned
// rows.
func TestTopLabelFitsAreThoseOfPlainSums(t *testing.T) {
	set := testset.Lattice(400, 5)
	raw := calibtest.Softmax(t, set.Logits)
	n := set.Logits.Rows
	conf, hit := make([]float64, n), make([]float64, n)
	for i := range n {
		top := fit.TopClass(set.Logits.Row(i))
		conf[i] = raw.Row(i)[top]
		if int(set.Labels[i]) == top {
			hit[i] = 1
		}
	}
	_, binned := calibtest.TopLabels(calib.Unmixed(calibtest.Fit(t, binning.HBTopEntry, set, map[string]any{"bins": 4}).Map).(calib.TopLabel), set)
	_, isotonic := calibtest.TopLabels(calib.Unmixed(calibtest.Fit(t, isotonic.IRTopEntry, set, nil).Map).(calib.TopLabel), set)
	for i := range n {
		rows, hits := 0.0, 0.0
		for j := range n {
			if math.Ceil(4*conf[j]) == math.Ceil(4*conf[i]) {
				rows++
				hits += hit[j]
			}
		}
		if binned[i] != hits/rows {
			t.Fatalf("hb-top, row %d: %v, want %v of %v", i, binned[i], hits, rows)
		}
		// max over a <= i of min over b >= i of the mean of rows a..b, by confidence
		want := math.Inf(-1)
		order := make([]int, n)
		for j := range order {
			order[j] = j
		}
		slices.SortFunc(order, func(a, b int) int {
			if conf[a] < conf[b] {
				return -1
			}
			return 1
		})
		if i%37 != 0 {
			continue
		}
		at := slices.Index(order, i)
		for a := 0; a <= at; a++ {
			least, sum := math.Inf(1), 0.0
			for b := a; b < n; b++ {
				sum += hit[order[b]]
				if b >= at {
					least = min(least, sum/float64(b-a+1))
				}
			}
			want = max(want, least)
		}
		if !(math.Abs(isotonic[i]-want) <= 1e-12) {
			t.Fatalf("ir-top, row %d: %v, want %v", i, isotonic[i], want)
		}
	}
}

func TestCancelledTopLabelFitEndsAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{"ir-top", "hb-top", "spline"} {
		entry, _ := Lookup(name)
		if _, err := calib.FitInput(ctx, entry.Method, calib.Input{Cal: testset.Lattice(300, 4)}); err != context.Canceled {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The confidence of a top-label method is the same for rows that differ by rounding alone.
func TestRoundingCopiesHaveTheSameConfidence(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 20 {
		rows, copies := testset.RoundingCopies(rng, 4)
		cal := &data.Set{Logits: rows, Labels: make([]int32, rows.Rows)}
		for i := range cal.Labels {
			cal.Labels[i] = int32(fit.TopClass(rows.Row(i)))
			if rng.IntN(3) == 0 {
				cal.Labels[i] = rng.Int32N(4)
			}
		}
		for _, name := range []string{"ir-top", "spline", "hb-top"} {
			m := calibtest.Fit(t, entry(name), cal, nil).Map.(calib.TopLabel)
			_, a := calibtest.TopLabels(m, &data.Set{Logits: rows})
			_, b := calibtest.TopLabels(m, &data.Set{Logits: copies})
			for i := range a {
				if a[i] != b[i] {
					t.Errorf("%s, row %d: %v, and %v for a copy", name, i, a[i], b[i])
				}
			}
		}
	}
}

// Calibration rows with one class that is not masked change no method that reads a confidence, wherever they stand. A set of
// such rows alone, right as they are, has a map.
func TestCertainRowsAreLeftOut(t *testing.T) {
	set, test := testset.Drawn(200, 4, 2, 1), testset.Drawn(40, 4, 2, 2)
	with, certain := &data.Set{Logits: data.NewMatrix(300, 4), Labels: make([]int32, 300)}, testset.Drawn(100, 4, 1, 3)
	for i := range 100 {
		for j := range 4 {
			if j != int(certain.Labels[i]) {
				certain.Logits.Row(i)[j] = data.Masked
			}
		}
	}
	for i := range 300 { // every third row is certain
		from, at := set, i-i/3-1
		if i%3 == 0 {
			from, at = certain, i/3
		}
		copy(with.Logits.Row(i), from.Logits.Row(at))
		with.Labels[i] = from.Labels[at]
	}
	for _, e := range ofConfidence() {
		conf := func(cal *data.Set) []float64 {
			_, list := calibtest.TopLabels(calibtest.Fit(t, e, cal, nil).Map.(calib.TopLabel), test)
			return list
		}
		if a, b := conf(set), conf(with); !slices.Equal(a, b) {
			t.Errorf("%s: %v with certain rows, %v without", e.Name, b[:3], a[:3])
		}
		for i, c := range conf(certain) {
			if !(c >= 0 && c <= 1) {
				t.Errorf("%s of certain rows alone, row %d: %v", e.Name, i, c)
			}
		}
	}
}
