package quantile

import (
	"math"
	"reflect"
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

// reading fits QaTSReading and returns its map and report.
func reading(t *testing.T, m QaTSReading, set *data.Set) (lineMap, calib.Report) {
	t.Helper()
	f, err := calib.FitInput(t.Context(), m, calib.Input{Cal: set})
	if err != nil {
		t.Fatalf("%+v: %v", m, err)
	}
	return f.Map.(lineMap), f.Report
}

// With the default options it is qats, and a constant temperature by NLL is ts, to the
// last bit.
func TestReadingsContainQaTSAndTS(t *testing.T) {
	for _, curve := range []func(float64) float64{testset.Falling, testset.Rising} {
		set := testset.Ranked(300, 4, curve, 5)
		q := calibtest.Fit(t, calib.QaTSEntry, set, nil)
		m, report := reading(t, QaTSReading{}, set)
		if !reflect.DeepEqual(lineOf(q.Map), m.Line) || !reflect.DeepEqual(q.Report, report) {
			t.Errorf("%v %+v, qats %v %+v", m, report, q.Map, q.Report)
		}
		ts := calibtest.Fit(t, calib.TSEntry, set, nil)
		m, _ = reading(t, QaTSReading{Form: "constant"}, set)
		if want := ts.Map.(calib.Temperature).T; m.A != 0 || m.B != want {
			t.Errorf("constant: a = %v, b = %v, T of ts %v", m.A, m.B, want)
		}
		p, err := ts.Probabilities(set)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := (&calib.Fitted{Map: m}).Probabilities(set); err != nil || !slices.Equal(p.Data, c.Data) {
			t.Fatalf("constant: other probabilities than those of ts (%v)", err)
		}
	}
}

// bruteLoss returns the least loss of T = a (1-s) + b by a grid that is refined around
// its best points, without derivatives.
func bruteLoss(loss func(a, b float64) float64, most float64) (a, b, value float64) {
	value = math.Inf(1)
	for u := 0.; u <= most; u += .25 {
		for v := .05; v < 6; v += .15 {
			if f := loss(u, v); f < value {
				a, b, value = u, v, f
			}
		}
	}
	for step := .2; step > 1e-7; step *= .7 {
		for moved := true; moved; {
			moved = false
			ca, cb := a, b
			for i := -2.; i <= 2; i++ {
				for j := -2.; j <= 2; j++ {
					u, v := min(max(0, ca+i*step), most), max(fit.MinT, cb+j*step)
					if f := loss(u, v); f < value {
						a, b, value, moved = u, v, f, math.Abs(i) == 2 || math.Abs(j) == 2
					}
				}
			}
		}
	}
	return a, b, value
}

// Readings by Newton's method have at most the loss of a search by brute force, also where
// the bound a >= 0 is active.
func TestReadingsAreAtMostBruteForce(t *testing.T) {
	sets := map[string]*data.Set{"falling": testset.Ranked(300, 4, testset.Falling, 1), "rising": testset.Ranked(300, 4, testset.Rising, 2), "two classes": testset.Ranked(200, 2, testset.Falling, 3)}
	for name, set := range sets {
		q := testset.Ranks(set)
		brier := func(temperature func(q float64) float64) float64 {
			p, total := make([]float64, set.Logits.Cols), 0.0
			for i, y := range set.Labels {
				sum := 0.0
				for j, l := range set.Logits.Row(i) {
					p[j] = math.Exp(float64(l) / temperature(q[i]))
					sum += p[j]
				}
				for j := range p {
					d := p[j] / sum
					if j == int(y) {
						d--
					}
					total += d * d
				}
			}
			return total / float64(len(q))
		}
		nll := func(temperature func(q float64) float64) float64 {
			return testset.DirectNLL(set, func(i int) float64 { return temperature(q[i]) })
		}
		// top is the NLL of "the prediction is right", gap the mean squared gap of 15 bins by rank.
		confident := func(temperature func(q float64) float64, row func(i int, conf float64, right bool)) {
			for i, y := range set.Labels {
				top, sum := 0, 0.0
				for j, l := range set.Logits.Row(i) {
					if l > set.Logits.Row(i)[top] {
						top = j
					}
				}
				for _, l := range set.Logits.Row(i) {
					sum += math.Exp(float64(l-set.Logits.Row(i)[top]) / temperature(q[i]))
				}
				row(i, 1/sum, top == int(y))
			}
		}
		top := func(temperature func(q float64) float64) (loss float64) {
			confident(temperature, func(_ int, conf float64, right bool) {
				if !right {
					conf = 1 - conf
				}
				loss -= math.Log(conf) / float64(len(q))
			})
			return loss
		}
		gap := func(temperature func(q float64) float64) (loss float64) {
			var sum, rows [15]float64
			confident(temperature, func(i int, conf float64, right bool) {
				bin := int(math.Ceil(q[i]*15)) - 1
				rows[bin]++
				sum[bin] -= conf
				if right {
					sum[bin]++
				}
			})
			for bin, n := range rows {
				if n > 0 {
					loss += sum[bin] * sum[bin] / n / float64(len(q))
				}
			}
			return loss
		}
		for _, c := range []struct {
			QaTSReading
			loss func(func(float64) float64) float64
			most float64 // of a
		}{
			{QaTSReading{Loss: "brier"}, brier, 8}, {QaTSReading{Loss: "brier", Form: "rising"}, brier, 8},
			{QaTSReading{Loss: "brier", Form: "constant"}, brier, 0}, {QaTSReading{Form: "rising"}, nll, 8},
			{QaTSReading{Loss: "top"}, top, 8}, {QaTSReading{Loss: "top", Form: "rising"}, top, 8}, {QaTSReading{Loss: "top", Form: "constant"}, top, 0},
			{QaTSReading{Loss: "gap"}, gap, 8}, {QaTSReading{Loss: "gap", Form: "rising"}, gap, 8}, {QaTSReading{Loss: "gap", Form: "constant"}, gap, 0},
		} {
			m, r := reading(t, c.QaTSReading, set)
			of := func(a, b float64) float64 {
				return c.loss(func(q float64) float64 {
					if c.Form == "rising" {
						return a*q + b
					}
					return a*(1-q) + b
				})
			}
			_, _, least := bruteLoss(of, c.most)
			got := c.loss(m.Temperature)
			if got > least+1e-12 || got < least-1e-11 {
				t.Errorf("%s, %+v: loss %.15g, brute force %.15g", name, c.QaTSReading, got, least)
			}
			if want := nll(m.Temperature); !(math.Abs(r.NLL-want) <= 1e-12) || r.Gradient > report.GradTol {
				t.Errorf("%s, %+v: NLL %v, want %v; gradient %g", name, c.QaTSReading, r.NLL, want, r.Gradient)
			}
			bound := strings.Contains(r.AtBound.String(), "a >= 0")
			if wrong := (c.Form == "rising") != (name == "rising"); c.Form != "constant" && bound != wrong {
				t.Errorf("%s, %+v: a = %v, bounds %v", name, c.QaTSReading, m.A, r.AtBound)
			}
			if c.Form == "rising" && m.A > 0 || c.Form == "constant" && m.A != 0 {
				t.Errorf("%s, %+v: a = %v", name, c.QaTSReading, m.A)
			}
		}
	}
}

// On two networks of the project: the minima of scipy 1.17's L-BFGS-B from several starts
// with the bounds of the method, and Adam by optax 0.2 in float64, from the formulas in
// numpy and jax. Ranks are by the sum of the other classes, as in qats.
func TestReadingsAgreeWithScipyAndOptax(t *testing.T) {
	const text, images = "20newsgroups-body/transformer-d64-l2", "cifar10-jpeg/vgg7-w32"
	for _, c := range []struct {
		network string
		QaTSReading
		a, b, tolerance float64
	}{
		{text, QaTSReading{Loss: "brier"}, 1.1653319242, .9154849604, 1e-7},
		{text, QaTSReading{Form: "rising"}, 0, 1.6611876163, 1e-7},
		{text, QaTSReading{Form: "rising", Loss: "brier"}, 0, 1.7771258523, 1e-7},
		{text, QaTSReading{Form: "constant", Loss: "brier"}, 0, 1.7771258523, 1e-7},
		{text, QaTSReading{Loss: "top"}, 1.60272670, .57160021, 1e-6},
		{text, QaTSReading{Loss: "top", Form: "rising"}, 0, 1.61536296, 1e-6},
		{text, QaTSReading{Loss: "gap"}, 1.07200022, .97530082, 1e-5},
		{text, QaTSReading{Loss: "gap", Form: "rising"}, 0, 1.76036289, 1e-5},
		{images, QaTSReading{Loss: "top"}, 0, 1.04117999, 1e-6},
		{images, QaTSReading{Loss: "top", Form: "rising"}, -.10052384, .10052384 + 1.00132548, 1e-6},
		{images, QaTSReading{Loss: "gap"}, 0, 1.02844447, 1e-5},
		{images, QaTSReading{Loss: "gap", Form: "rising"}, -.01123174, .01123174 + 1.02543581, 1e-5},
		{text, QaTSReading{Solver: "adam"}, 1.6132056364, .5575274433, 1e-9},
		{text, QaTSReading{Solver: "adam", Steps: 50, Rate: .1}, 1.6544336968, .5290484117, 1e-9},
		{text, QaTSReading{Solver: "adam", Loss: "brier"}, 1.1409893123, .9352760910, 1e-9},
		{images, QaTSReading{Loss: "brier"}, 0, 1.0272011806, 1e-7},
		{images, QaTSReading{Form: "rising"}, -.1323314150, .1323314150 + .9768210616, 1e-7},
		{images, QaTSReading{Form: "rising", Loss: "brier"}, -.0627278649, .0627278649 + 1.0104606958, 1e-7},
		{images, QaTSReading{Solver: "adam"}, .5346717224, .6748521283, 1e-9},
	} {
		m, report := reading(t, c.QaTSReading, testset.Real(t, c.network, data.Cal, testset.Labelled))
		if !(math.Abs(m.A-c.a) <= c.tolerance) || !(math.Abs(m.B-c.b) <= c.tolerance) {
			t.Errorf("%s, %+v: a = %.10f, b = %.10f, want %.10f and %.10f", c.network, c.QaTSReading, m.A, m.B, c.a, c.b)
		}
		if early := slices.ContainsFunc(report.Warnings, func(w calib.Warning) bool { return strings.HasPrefix(w.Text, "stops short of the minimum by design") }); early != (c.Solver == "adam") {
			t.Errorf("%s, %+v: warnings %q", c.network, c.QaTSReading, report.Warnings)
		}
	}
}

// With more steps Adam ends nearer to the minimum, which it reaches where no bound is
// active.
func TestAdamComesToTheMinimum(t *testing.T) {
	set := testset.Ranked(300, 4, testset.Falling, 1)
	best, least := reading(t, QaTSReading{}, set)
	last := math.Inf(1)
	for _, steps := range []int{1, 50, 200, 5000} {
		m, report := reading(t, QaTSReading{Solver: "adam", Steps: steps}, set)
		if report.Iterations != steps || report.NLL < least.NLL-1e-15 || report.NLL >= last {
			t.Errorf("%d steps: %+v, before %v", steps, report, last)
		}
		last = report.NLL
		if steps == 5000 && (!(math.Abs(m.A-best.A) <= 1e-4) || !(math.Abs(m.B-best.B) <= 1e-4)) {
			t.Errorf("%v after %d steps, the minimum is at %v", m.Parameters(), steps, best.Parameters())
		}
	}
	// One step of Adam has the length of the rate in u and v, whatever the gradient.
	m, _ := reading(t, QaTSReading{Solver: "adam", Steps: 1, Rate: .5}, set)
	u, v := fit.InverseSoftplus(m.A)-fit.InverseSoftplus(1), fit.InverseSoftplus(m.B-fit.MinT)-fit.InverseSoftplus(1-fit.MinT)
	if !(math.Abs(math.Abs(u)-.5) <= 1e-6) || !(math.Abs(math.Abs(v)-.5) <= 1e-6) {
		t.Errorf("the first step moved u by %v and v by %v, want .5", u, v)
	}
}
