package temperature

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// directEntropy returns log(entropy / log k) by its definition.
func directEntropy(row []float32) float64 {
	most, sum := math.Inf(-1), 0.0
	for _, l := range row {
		most = max(most, float64(l))
	}
	for _, l := range row {
		sum += math.Exp(float64(l) - most)
	}
	h := 0.0
	for _, l := range row {
		logP := float64(l) - most - math.Log(sum)
		h -= math.Exp(logP) * logP
	}
	return math.Log(h / math.Log(float64(len(row))))
}

// entropic returns rows whose labels are drawn at the temperature of m.
func entropic(n, k int, m htsMap, seed uint64) *data.Set {
	set := testset.Simulated(n, k, 3, 1, seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	p := make([]float64, k)
	for i := range n {
		row := set.Logits.Row(i)
		softmax.Probs(p, row, 1/max(fit.MinT, testset.Softplus(m.W*directEntropy(row)+m.B)))
		u := rng.Float64()
		for j := range p {
			set.Labels[i] = int32(j)
			if u -= p[j]; u < 0 {
				break
			}
		}
	}
	return set
}

// bruteHTS returns the least NLL over a grid of w and b that is refined around its
// best point, without derivatives and without the kernel.
func bruteHTS(set *data.Set) (w, b, nll float64) {
	logH := make([]float64, set.Logits.Rows)
	for i := range logH {
		logH[i] = directEntropy(set.Logits.Row(i))
	}
	value := func(w, b float64) float64 {
		return testset.DirectNLL(set, func(i int) float64 { return max(fit.MinT, testset.Softplus(w*logH[i]+b)) })
	}
	nll = math.Inf(1)
	try := func(u, v float64) {
		if f := value(u, v); f < nll {
			w, b, nll = u, v, f
		}
	}
	for u := -3.; u <= 3; u += 0.5 {
		for v := -4.; v <= 12; v++ {
			try(u, v)
		}
	}
	for step := 0.5; step > 1e-6; {
		before := nll
		cw, cb := w, b
		for i := -1.; i <= 1; i++ {
			for j := -1.; j <= 1; j++ {
				try(cw+i*step, cb+j*step)
			}
		}
		if nll == before {
			step /= 2
		}
	}
	return w, b, nll
}

func TestHTSIsAtMostBruteForce(t *testing.T) {
	for i, truth := range []htsMap{{W: 0, B: 1}, {W: 1, B: 2}, {W: -1, B: 1}, {W: 0.5, B: 4}, {W: -0.3, B: -0.5}} {
		set := entropic(300, 3+i, truth, uint64(i))
		f := calibtest.Fit(t, HTSEntry, set, nil)
		m := f.Map.(htsMap)
		w, b, nll := bruteHTS(set)
		// The refinement of the grid ends within about its last step of the optimum.
		if !(math.Abs(f.Report.NLL-nll) <= 1e-9) || !(math.Abs(m.W-w) <= 1e-4) || !(math.Abs(m.B-b) <= 1e-3) {
			t.Errorf("%+v: fitted %+v with NLL %v, grid %v %v with %v", truth, m, f.Report.NLL, w, b, nll)
		}
		if f.Report.Gradient > 1e-8 {
			t.Errorf("%+v: gradient %v", truth, f.Report.Gradient)
		}
	}
}

// On a large set the fit finds the parameters of the labels.
func TestHTSRecoversParameters(t *testing.T) {
	truth := htsMap{W: -0.4, B: 1.5}
	m := calibtest.Fit(t, HTSEntry, entropic(40000, 5, truth, 9), nil).Map.(htsMap)
	if !(math.Abs(m.W-truth.W) <= 0.05) || !(math.Abs(m.B-truth.B) <= 0.1) { // about 4 standard errors
		t.Errorf("fitted %+v, drawn with %+v", m, truth)
	}
}

func TestHTSContainsTS(t *testing.T) {
	for seed := range uint64(5) {
		set := entropic(200, 4, htsMap{W: float64(seed) - 2, B: 2}, seed)
		scaled := calibtest.Fit(t, calib.TSEntry, set, nil)
		if got := calibtest.Fit(t, HTSEntry, set, nil).Report.NLL; got > scaled.Report.NLL {
			t.Errorf("seed %d: NLL %v above %v of ts", seed, got, scaled.Report.NLL)
		}
		flat := htsMap{B: fit.InverseSoftplus(scaled.Map.(calib.Temperature).T)}
		if !testset.Near(calibtest.Apply(flat, set.Logits).Data, calibtest.Apply(scaled.Map, set.Logits).Data, 1e-14) {
			t.Errorf("seed %d: w = 0 is not ts", seed)
		}
	}
}

func TestHTSDerivativesAgreeWithDifferences(t *testing.T) {
	set := entropic(200, 5, htsMap{W: 1, B: 3}, 1)
	o, err := fit.NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	loss, err := calib.NewTemperatureLoss(calib.Input{Cal: set})
	if err != nil {
		t.Fatal(err)
	}
	f := &htsFit{Objective: o, entropy: make([]float64, 200)}
	for i := range f.entropy {
		f.entropy[i] = directEntropy(set.Logits.Row(i))
	}
	at := func(w, b float64) calib.Local {
		l, err := loss.At(context.Background(), f.temperature, []float64{w, b})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	const h = 1e-5
	for _, x := range [][2]float64{{0, 1}, {0.7, 2}, {-0.5, 0.5}} {
		l := at(x[0], x[1])
		for i, step := range [][2]float64{{h, 0}, {0, h}} {
			up, down := at(x[0]+step[0], x[1]+step[1]), at(x[0]-step[0], x[1]-step[1])
			if d := (up.Value - down.Value) / (2 * h); !(math.Abs(d-l.Gradient[i]) <= 1e-8) {
				t.Errorf("%v: gradient[%d] = %v, differences give %v", x, i, l.Gradient[i], d)
			}
			for j := range 2 {
				if d := (up.Gradient[j] - down.Gradient[j]) / (2 * h); !(math.Abs(d-l.Hessian[2*i+j]) <= 1e-7) {
					t.Errorf("%v: hessian[%d][%d] = %v, differences give %v", x, i, j, l.Hessian[2*i+j], d)
				}
			}
		}
	}
}

func TestLogEntropyFollowsItsDefinition(t *testing.T) {
	at := func(row ...float32) float64 {
		var m [1]softmax.Moments
		softmax.Rows(m[:], row, len(row), []float64{1})
		return fit.LogEntropy(&m[0], len(row))
	}
	for _, row := range [][]float32{{1, 2, 3}, {0, -5, 3, 1}, {-2, 4}, {10, 0, 0, 0, 1}} {
		if got, want := at(row...), directEntropy(row); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%v: %v, want %v", row, got, want)
		}
	}
	for _, c := range []struct {
		row  []float32
		want float64
	}{
		{[]float32{3, 3, 3, 3, 3}, 0}, // the largest entropy
		{[]float32{3}, 0},
		// one other class at gap g: the entropy is (1+g) e^-g, except for a term e^-2g
		{[]float32{40, 0}, math.Log(41/math.Ln2) - 40},
		{[]float32{-300, 300}, math.Log(601/math.Ln2) - 600},
		{[]float32{0, 800}, math.Log(1e-300 / math.Ln2)}, // underflow
	} {
		if got := at(c.row...); !(math.Abs(got-c.want) <= 1e-12*max(1, -c.want)) {
			t.Errorf("%v: %v, want %v", c.row, got, c.want)
		}
	}
	for _, row := range [][]float32{{0, 0, 0}, {1e4, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4}} {
		if got := at(row...); got > 0 || got < -1e-15 {
			t.Errorf("%v: %v, want 0 from below", row, got)
		}
	}
}

func TestSoftplusAndItsInverse(t *testing.T) {
	for _, x := range []float64{-700, -40, -1, 0, 1e-9, 1, 40, 1000} {
		if got, want := fit.Softplus(x), testset.Softplus(x); !(math.Abs(got-want) <= 1e-15*want) {
			t.Errorf("softplus(%v) = %v, want %v", x, got, want)
		}
	}
	for _, want := range []float64{fit.MinT, 0.1, 1, 5, 30, fit.MaxT} {
		if got := fit.Softplus(fit.InverseSoftplus(want)); !(math.Abs(got-want) <= 1e-15*max(want, 1)) {
			t.Errorf("softplus of its inverse at %v is %v", want, got)
		}
	}
	if got := fit.Sigmoid(-3) + fit.Sigmoid(3); !(math.Abs(got-1) <= 1e-15) {
		t.Errorf("sigmoid(-3) + sigmoid(3) = %v", got)
	}
}

// If every row is right, the NLL has no minimum. Then hts is ts at its bound, with a
// warning.
func TestHTSWithoutMinimumIsTS(t *testing.T) {
	set := testset.Simulated(50, 4, 3, 1, 3)
	for i := range set.Labels {
		set.Labels[i] = int32(fit.TopClass(set.Logits.Row(i)))
	}
	f := calibtest.Fit(t, HTSEntry, set, nil)
	if got := f.Report.Warnings.String(); !strings.Contains(got, "classified correctly") {
		t.Errorf("warnings %q", got)
	}
	if got := fit.Softplus(f.Map.(htsMap).B); got > 2*fit.MinT {
		t.Errorf("T = %v, want the least", got)
	}
}

func TestRealHTSIsAtMostTS(t *testing.T) {
	for _, name := range testset.Networks(t) {
		set := testset.Real(t, name, data.Cal, testset.Labelled)
		f, scaled := calibtest.Fit(t, HTSEntry, set, nil), calibtest.Fit(t, calib.TSEntry, set, nil)
		if f.Report.NLL > scaled.Report.NLL || f.Report.Gradient > 1e-8 {
			t.Errorf("%s: NLL %v, ts %v, gradient %v, %q", name, f.Report.NLL, scaled.Report.NLL, f.Report.Gradient, f.Report.Warnings)
		}
	}
}

func BenchmarkFitHTS(b *testing.B) {
	for _, size := range [][2]int{{5000, 100}, {25000, 1000}} {
		set := testset.Drawn(size[0], size[1], 2, 1)
		b.Run(fmt.Sprintf("method=hts/n=%d/k=%d", size[0], size[1]), func(b *testing.B) {
			for b.Loop() {
				if _, err := (EntropyTemperatureScaling{}).Fit(context.Background(), calib.Input{Cal: set}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The report names the active bounds of w and b. If the fit stayed at ts, it names the bounds
// of ts. It also says how many temperatures are at the floor.
func TestHTSReportsBoundsAndFloors(t *testing.T) {
	o, err := fit.NewObjective(testset.Drawn(4, 3, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	flat := calib.Report{Iterations: 2, AtBound: report.Bounds{report.AtLeast("T", 0, 0.001)}, Warnings: report.Warnings{{Text: "ts"}}}
	const noMinimum = "the NLL has no minimum inside the bounds of w and b"
	for _, c := range []struct {
		m     htsMap
		steps int
		want  string
	}{
		{htsMap{W: 0, B: 1}, 3, "[] []"}, {htsMap{W: 0, B: 1}, 0, "[T >= 0.001] [ts]"},
		{htsMap{W: htsMostW, B: htsMostB}, 3, "[w <= 100; b <= 1000] [" + noMinimum + "]"},
		{htsMap{W: -htsMostW, B: 1e3 - 1}, 1, "[w >= -100] [" + noMinimum + "]"},
		{htsMap{W: 0, B: htsMostB}, 0, "[T >= 0.001; b <= 1000] [ts]"},
		{htsMap{W: 1, B: -6}, 1, "[] [T is floored at 0.001 on 2 of 4 calibration rows]"},
	} {
		f := &htsFit{Objective: o, entropy: []float64{0, 1, -1, -2}}
		bounds := boundsAt(c.m)
		r := f.report(c.m, calib.Minimum{Steps: c.steps, Value: 7, AtBound: bounds}, flat)
		if got := fmt.Sprintf("[%s] [%s]", r.AtBound, r.Warnings); got != c.want || r.Iterations != 2+c.steps || r.NLL != 7 {
			t.Errorf("%+v after %d steps: %s, want %s; %+v", c.m, c.steps, got, c.want, r)
		}
	}
}

// boundsAt returns the bounds at which a map is.
func boundsAt(m htsMap) (active report.Bounds) {
	for _, p := range []struct {
		name       string
		value, end float64
	}{{"w", m.W, htsMostW}, {"b", m.B, htsMostB}} {
		switch p.value {
		case -p.end:
			active = append(active, report.AtLeast(p.name, 0, -p.end))
		case p.end:
			active = append(active, report.AtMost(p.name, 0, p.end))
		}
	}
	return active
}
