package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/metrics/scoring"
)

// reference300 is the set of testdata/vectors.json, whose recipe states it.
func reference300() (data.Probs, *data.Set) {
	const n, k = 300, 4
	p, set := data.NewProbs(n, k), &data.Set{Labels: make([]int32, n)}
	softmax := func(dst, l []float64) {
		sum := 0.0
		for j, v := range l {
			dst[j] = math.Exp(v)
			sum += dst[j]
		}
		for j := range dst {
			dst[j] /= sum
		}
	}
	shift := []float64{.3, 0, -.2, 0}
	for i := range n {
		l, flat := make([]float64, k), make([]float64, k)
		for j := range k {
			l[j] = 4 * float64((37*i+101*j+7*i*j)%293) / 293
			if j == i%k {
				l[j] += 2.5
			}
			flat[j] = l[j]/1.7 + shift[j]
		}
		softmax(p.Row(i), l)
		softmax(flat, flat)
		u, sum, y := (float64((61*i+17)%n)+.5)/n, flat[0], 0
		for y+1 < k && sum < u {
			y++
			sum += flat[y]
		}
		set.Labels[i] = int32(y)
	}
	return p, set
}

// vectorValues computes all outputs of the two metrics of whole vectors.
func vectorValues(t *testing.T, p data.Probs, set *data.Set, seed uint64) map[string]float64 {
	t.Helper()
	s, err := FromProbs(p, set)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.CrossFit(t.Context(), p, seed); err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, e := range []Entry{decompositionTSEntry, variationalLpEntry} {
		list, err := e.Compute(s, seed)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range e.Names() {
			values[name] = list[i]
		}
	}
	return values
}

func TestVectorMetricsHaveTheValuesOfTheAuthorsCode(t *testing.T) {
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var ref struct{ Values map[string]float64 }
	if err := json.Unmarshal(text, &ref); err != nil {
		t.Fatal(err)
	}
	p, set := reference300()
	got := vectorValues(t, p, set, 1)
	if len(ref.Values) != len(got) {
		t.Errorf("%d values, and %d of the reference", len(got), len(ref.Values))
	}
	for name, want := range ref.Values {
		tol := 1e-8 // the accuracy of the reference's temperature
		if strings.HasSuffix(name, "_vector") {
			tol = 1e-13
		}
		near(t, name, got[name], want, tol)
	}
}

// TestATemperatureDoesNotChangeTheRefinement: the best temperature undoes any other, so
// only the calibration loss sees it.
func TestATemperatureDoesNotChangeTheRefinement(t *testing.T) {
	p, set := reference300()
	cold := data.NewProbs(p.Rows, p.Cols)
	for i := range p.Rows {
		for j, v := range p.Row(i) {
			cold.Row(i)[j] = math.Pow(v, 2.5)
		}
		softmax.Normalise(cold.Row(i))
	}
	a, b := vectorValues(t, p, set, 7), vectorValues(t, cold, set, 7)
	for _, name := range []string{"nll_refinement", "brier_refinement"} {
		near(t, name, b[name], a[name], 1e-12)
	}
	if b["nll_calibration"] < a["nll_calibration"]+.1 || b["l1_vector"] < a["l1_vector"]+.1 {
		t.Errorf("a temperature of 0.4: %v, before %v", b, a)
	}
}

// TestScaleIsTheMinimumOfTheNLL, found by golden section.
func TestScaleIsTheMinimumOfTheNLL(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 1))
	for _, power := range []float64{.05, .7, 1, 6} {
		p, set := randomProbs(rng, 200, 5)
		for i := range p.Rows {
			row := p.Row(i)
			for j := range row {
				row[j] = math.Pow(row[j], power)
			}
			softmax.Normalise(row)
			if rng.Float64() < .5 {
				set.Labels[i] = int32(argmaxOf(row))
			}
		}
		c := crossFit{probs: p, labels: set.Labels, part: make([]uint8, 200), recalibrated: data.NewProbs(200, 5)}
		for i := range c.part {
			c.part[i] = uint8(i % folds)
			c.held[i%folds]++
		}
		for i := range p.Data {
			c.recalibrated.Data[i] = math.Log(p.Data[i])
		}
		nll := func(u float64) float64 {
			s, sum := math.Exp(u), 0.0
			for i := range p.Rows {
				if c.part[i] == 2 {
					continue
				}
				z := 0.0
				for _, l := range c.recalibrated.Row(i) {
					z += math.Exp(s * l)
				}
				sum += math.Log(z) - s*c.recalibrated.Row(i)[set.Labels[i]]
			}
			return sum
		}
		lo, hi := -6., 6.
		for range 80 {
			a, b := lo+.382*(hi-lo), hi-.382*(hi-lo)
			if nll(a) < nll(b) {
				hi = b
			} else {
				lo = a
			}
		}
		for _, start := range []float64{1, .01, 300} {
			near(t, "logarithm of the scale", math.Log(c.scale(t.Context(), 2, start)), lo, 1e-6)
		}
	}
}

// A small scale has the relative exactness of a large one. If all rows outside a fold are
// right, also by a tie, their scale is the largest one.
func TestScaleAtTheEndsOfItsRange(t *testing.T) {
	for _, c := range []struct{ gap, want float64 }{{-1e5, math.Log(3) / 1e5}, {-1e-5, math.Log(3) / 1e-5}, {-3, math.Log(3) / 3}} {
		labels := make([]int32, 4)
		labels[1] = 1 // three of four rows are right, so the odds are 3
		f := crossFit{probs: data.NewProbs(4, 2), labels: labels, part: make([]uint8, 4), recalibrated: data.NewProbs(4, 2)}
		for i := range 4 {
			f.recalibrated.Row(i)[1] = c.gap
		}
		for _, start := range []float64{1, 1e-6, 1e6} {
			if got := f.scale(t.Context(), 1, start); !(math.Abs(got/c.want-1) <= 1e-10) {
				t.Errorf("gap %g from %g: scale %v, want %v", c.gap, start, got, c.want)
			}
		}
		right := f.allRight(1)
		labels[1] = 0
		f.recalibrated.Row(2)[1] = 0
		if right || !f.allRight(1) {
			t.Errorf("gap %g: with a wrong row all are right is %v, without it %v", c.gap, right, f.allRight(1))
		}
		softmax.Exps(f.probs.Data, f.recalibrated.Data)
		f.part = []uint8{1, 0, 0, 0}
		f.held[0], f.held[1] = 3, 1
		f.temperatures(t.Context())
		if want := math.Exp(c.gap * math.Exp(16)); !(math.Abs(f.recalibrated.Row(0)[1]-want/(1+want)) <= 1e-9) {
			t.Errorf("gap %g: probability %v outside the fold of right rows, want %v", c.gap, f.recalibrated.Row(0)[1], want/(1+want))
		}
	}
}

func argmaxOf(v []float64) int { return slices.Index(v, slices.Max(v)) }

// TestTermsAreDirectionalDerivatives of the norms at g - p towards the label.
func TestTermsAreDirectionalDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	g, _ := randomProbs(rng, 50, 6)
	p, set := randomProbs(rng, 50, 6)
	for i := range p.Rows {
		l1, l2, lInf := variationalTerms(g.Row(i), p.Row(i), int(set.Labels[i]))
		const h = 1e-7
		var a, b [3]float64
		for j := range p.Cols {
			d := g.Row(i)[j] - p.Row(i)[j]
			r := -p.Row(i)[j]
			if j == int(set.Labels[i]) {
				r++
			}
			for side, v := range []float64{d - h*r, d + h*r} {
				n := []*[3]float64{&a, &b}[side]
				n[0] += math.Abs(v)
				n[1] += v * v
				n[2] = max(n[2], math.Abs(v))
			}
		}
		near(t, "L1", l1, (b[0]-a[0])/(2*h), 1e-6)
		near(t, "L2", l2, (math.Sqrt(b[1])-math.Sqrt(a[1]))/(2*h), 1e-6)
		near(t, "Linf", lInf, (b[2]-a[2])/(2*h), 1e-6)
	}
	if l1, l2, lInf := variationalTerms(g.Row(0), g.Row(0), 1); l1 != 0 || l2 != 0 || lInf != 0 {
		t.Errorf("terms at g = p: %g, %g, %g", l1, l2, lInf)
	}
}

// TestVectorErrorsAreLowerBoundsOnAverage: labels are drawn from known probabilities C.
// The mean estimate over draws is at most the mean of the norm of C - p, and for a
// temperature that is wrong the temperature finds almost all of it. Calibrated
// probabilities score about 0.
func TestVectorErrorsAreLowerBoundsOnAverage(t *testing.T) {
	const n, k, draws = 400, 3, 60
	rng := rand.New(rand.NewPCG(52, 1))
	for _, power := range []float64{1, 2} {
		p, set := randomProbs(rng, n, k)
		truth := data.NewProbs(n, k)
		want := map[string]float64{}
		for i := range n {
			for j, v := range p.Row(i) {
				truth.Row(i)[j] = math.Pow(v, 1/power)
			}
			softmax.Normalise(truth.Row(i))
			var l1, l2, most float64
			for j, v := range p.Row(i) {
				d := math.Abs(truth.Row(i)[j] - v)
				l1, l2, most = l1+d, l2+d*d, max(most, d)
			}
			want["l1"], want["l2"], want["linf"] = want["l1"]+l1/n, want["l2"]+math.Sqrt(l2)/n, want["linf"]+most/n
		}
		var found [2]map[string]float64
		found[0], found[1] = map[string]float64{}, map[string]float64{}
		for draw := range draws {
			for i := range n {
				u, y := rng.Float64(), 0
				for sum := truth.Row(i)[0]; y+1 < k && sum < u; sum += truth.Row(i)[y] {
					y++
				}
				set.Labels[i] = int32(y)
			}
			v := vectorValues(t, p, set, uint64(draw))
			for name := range want {
				found[0][name] += v[name+"_vector"] / draws
				found[1][name] += v[name+"_vector_ts"] / draws
			}
		}
		for name, most := range want {
			for i, least := range []float64{.3, .9} { // isotonic maps see one class at a time, and 320 rows
				if got := found[i][name]; got > most+.01 || got < least*most-.01 {
					t.Errorf("power %g, %s: mean estimate %.4f, error %.4f, at least %.1f of it", power, name, got, most, least)
				}
			}
		}
	}
}

// TestVectorMetricsAtTheEdges: one row, one class, rows that are all right, and
// probabilities of 0 give finite numbers.
func TestVectorMetricsAtTheEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 1))
	one, oneSet := randomProbs(rng, 1, 3)
	single := data.NewProbs(7, 1)
	for i := range single.Data {
		single.Data[i] = 1
	}
	right, rightSet := randomProbs(rng, 60, 3)
	zeros, zeroSet := randomProbs(rng, 60, 3)
	for i := range right.Rows {
		rightSet.Labels[i] = int32(argmaxOf(right.Row(i)))
		top := argmaxOf(zeros.Row(i))
		clear(zeros.Row(i))
		zeros.Row(i)[top] = 1
	}
	for name, c := range map[string]struct {
		p   data.Probs
		set *data.Set
	}{"one row": {one, oneSet}, "one class": {single, &data.Set{Labels: make([]int32, 7)}}, "all right": {right, rightSet}, "zeros": {zeros, zeroSet}} {
		values := vectorValues(t, c.p, c.set, 1)
		for metric, v := range values {
			_, o, _ := LookupOutput(metric)
			if !(v >= o.Lo-1e-12 && v <= o.Hi) || math.IsInf(v, 0) {
				t.Errorf("%s: %s is %g", name, metric, v)
			}
			if (name == "one row" || name == "one class") && v != 0 && metric[len(metric)-10:] != "refinement" {
				t.Errorf("%s: %s is %g, want 0", name, metric, v)
			}
		}
		if name == "all right" && values["nll_refinement"] > .1 {
			t.Errorf("NLL after scaling of rows that are all right: %g", values["nll_refinement"])
		}
	}
}

// A context that is done ends the cross-validation.
func TestCrossFitEndsWithItsContext(t *testing.T) {
	p, set := reference300()
	s, err := FromProbs(p, set)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.CrossFit(ctx, p, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestCrossFitSaysWhatIsMissing(t *testing.T) {
	p, set := reference300()
	s, err := FromProbs(p, set)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := DecomposeTS(s); !errors.Is(err, ErrNoCrossFit) {
		t.Error(err)
	}
	if _, _, err := VariationalLp(Of(&scoring.SampleScores{})); !errors.Is(err, ErrNoSamples) {
		t.Error(err)
	}
	top, err := FromConfidences([]float64{.5, .7}, []bool{true, false})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := top.CrossFit(t.Context(), p, 1); !errors.Is(err, ErrNoVector) {
		t.Error(err)
	}
	if _, err := s.CrossFit(t.Context(), p.Slice(0, 10), 1); err == nil {
		t.Error("10 rows of probabilities for 300 samples")
	}
	most := int(slices.Max(set.Labels))
	for classes := 1; classes <= most; classes++ {
		if _, err := s.CrossFit(t.Context(), data.NewProbs(300, classes), 1); err == nil || !strings.HasSuffix(err.Error(), fmt.Sprintf("but the classes are 0 to %d", classes-1)) {
			t.Errorf("%d classes for labels up to %d: %v", classes, most, err)
		}
	}
}
