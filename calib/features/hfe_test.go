package features

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/report"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

func fitHFEAlone(t *testing.T, set *data.Set) (hfeMap, calib.Report, *hfeFit) {
	t.Helper()
	return fitHFEOn(t, HFEWithoutOOD{}, calib.Input{Cal: set})
}

// oodOf returns the rows that a method treats as out of distribution.
func oodOf(t *testing.T, method calib.Method, in calib.Input) data.Matrix {
	t.Helper()
	var rows data.Matrix
	var err error
	switch m := method.(type) {
	case HFE:
		rows, err = m.outside(in, in.Cal.OOD, "")
	case HFETarget:
		rows, err = HFE(m).outside(in, in.Target.Logits, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// fitHFEOn returns the fit with its objective.
func fitHFEOn(t *testing.T, method calib.Method, in calib.Input) (hfeMap, calib.Report, *hfeFit) {
	t.Helper()
	f, err := calib.FitInput(context.Background(), method, in)
	if err != nil {
		t.Fatal(err)
	}
	m := f.Map.(hfeMap)
	o, err := fit.NewObjective(in.Cal)
	if err != nil {
		t.Fatal(err)
	}
	same := hfeMap{T0: m.T0}
	fit, err := newHFEFit(context.Background(), o, in.Cal.Labels, oodOf(t, method, in), &same)
	if err != nil {
		t.Fatal(err)
	}
	return m, f.Report, fit
}

// plainSquaredError is the loss by its definition.
func plainSquaredError(set *data.Set, m hfeMap) float64 {
	return plainErrorWith(set, data.Matrix{}, m)
}

// plainErrorWith is plainSquaredError with OOD rows, whose target is 0.
func plainErrorWith(set *data.Set, ood data.Matrix, m hfeMap) float64 {
	sum := 0.0
	q := calibtest.Apply(m, set.Logits)
	for i, y := range set.Labels {
		q.Row(i)[y]--
	}
	for _, v := range append(q.Data, calibtest.Apply(m, ood).Data...) {
		sum += v * v
	}
	return sum / float64(len(set.Labels)+ood.Rows)
}

// The loss of a fit is at most that of a dense grid over the box, with OOD rows and
// without. On these sets it is the global minimum, which is not promised. Of each
// kind, some minima are inside the box and some at its bounds.
func TestHFEIsAtMostTheGrid(t *testing.T) {
	steps := 40
	if testing.Short() {
		steps = 10
	}
	for _, method := range []calib.Method{HFEWithoutOOD{}, HFE{new(0)}, HFETarget{new(30)}} {
		inside, least, most := 0, 0, 0 // thetas
		for seed := range uint64(6) {
			k := 3 + int(seed)
			set := testset.Energetic(200, k, seed)
			other := testset.Drawn(80, k, 1+float64(seed%3), seed+50)
			set.OOD = other.Logits
			in := calib.Input{Cal: set, Target: other}
			m, r, _ := fitHFEOn(t, method, in)
			if r.Gradient > report.GradTol {
				t.Errorf("%+v, seed %d: gradient %v", method, seed, r.Gradient)
			}
			for _, theta := range []float64{m.Theta1, m.Theta2} {
				switch theta {
				case 0:
					least++
				case hfeMost:
					most++
				default:
					inside++
				}
			}
			ood := oodOf(t, method, in)
			got := plainErrorWith(set, ood, m)
			for i := range steps + 1 {
				for j := range steps + 1 {
					grid := m
					grid.Theta1, grid.Theta2 = hfeMost*float64(i)/float64(steps), hfeMost*float64(j)/float64(steps)
					if v := plainErrorWith(set, ood, grid); v < got-1e-9 {
						t.Errorf("%+v, seed %d: thetas %v %v have squared error %v, fit has %v at %v %v",
							method, seed, grid.Theta1, grid.Theta2, v, got, m.Theta1, m.Theta2)
					}
				}
			}
		}
		if inside == 0 || least == 0 || most == 0 {
			t.Errorf("%+v: %d thetas inside, %d at 0, %d at %v: the sets test too little", method, inside, least, most, hfeMost)
		}
	}
}

// Wrong rows and OOD rows have one normal distribution.
func TestHFENormalsAreThoseOfTheirRows(t *testing.T) {
	set := testset.Energetic(150, 4, 2)
	set.OOD = testset.Drawn(60, 4, 1, 9).Logits
	m, _, _ := fitHFEOn(t, HFE{new(50)}, calib.Input{Cal: set})
	var energies []float64
	add := func(row []float32) {
		sum := 0.0
		for _, l := range row {
			sum += math.Exp(float64(l))
		}
		energies = append(energies, -math.Log(sum))
	}
	for i, y := range set.Labels {
		if fit.TopClass(set.Logits.Row(i)) != int(y) {
			add(set.Logits.Row(i))
		}
	}
	for i := range 50 { // the first
		add(set.OOD.Row(i))
	}
	mean, square := 0.0, 0.0
	for _, e := range energies {
		mean += e / float64(len(energies))
	}
	for _, e := range energies {
		square += (e - mean) * (e - mean) / float64(len(energies))
	}
	if !(math.Abs(m.Wrong.Mean-mean) <= 1e-12) || !(math.Abs(m.Wrong.Std-math.Sqrt(square)) <= 1e-12) {
		t.Errorf("normal %+v, want mean %v std %v", m.Wrong, mean, math.Sqrt(square))
	}
}

// The same rows give the same fit as OOD rows and as target rows, and they change it.
// m = 0, and an m above their number, mean all of them.
func TestHFEOODAndTargetRowsHaveOneRole(t *testing.T) {
	set, other := testset.Energetic(150, 4, 2), testset.Drawn(60, 4, 1, 9)
	set.OOD = other.Logits
	in := calib.Input{Cal: set, Target: other}
	want, _, _ := fitHFEOn(t, HFE{new(0)}, in)
	for _, method := range []calib.Method{HFE{new(60)}, HFE{new(1000)}, HFETarget{new(0)}} {
		if got, _, _ := fitHFEOn(t, method, in); got != want {
			t.Errorf("%+v: %+v, want %+v", method, got, want)
		}
	}
	for _, method := range []calib.Method{HFEWithoutOOD{}, HFE{new(20)}} {
		if got, _, _ := fitHFEOn(t, method, in); got == want {
			t.Errorf("%+v: the rows out of distribution changed nothing", method)
		}
	}
	if calibtest.Fit(t, HFENoOODEntry, set, nil).Map != calibtest.Fit(t, HFENoOODEntry, &data.Set{Logits: set.Logits, Labels: set.Labels}, nil).Map {
		t.Error("hfe-noood reads rows that it did not ask for")
	}
}

// The default number of OOD rows is that of the authors for their three data sets. A
// fit without the option uses it.
func TestHFEDefaultRowsAreThoseOfTheAuthors(t *testing.T) {
	for _, c := range []struct{ n, k, want int }{
		{5000, 10, 100}, {5000, 100, 400}, {25000, 1000, 3500}, // CIFAR-10, CIFAR-100, ImageNet
		{5000, 2, 100}, {25000, 20000, 3500}, {1, 10, 1}, {20, 10, 1},
		{1000, 32, 50}, {1000, 316, 110}, // halfway in log k: .05 and .11
	} {
		if got := outsideRows(c.n, c.k); got != c.want {
			t.Errorf("%d rows of %d classes: %d, want %d", c.n, c.k, got, c.want)
		}
	}
	set := testset.Energetic(150, 4, 2)
	set.OOD = testset.Drawn(60, 4, 1, 9).Logits
	if got, want := calibtest.Fit(t, HFEEntry, set, nil).Map, calibtest.Fit(t, HFEEntry, set, map[string]any{"m": 3}).Map; got != want {
		t.Errorf("without the option: %+v, with m = 3: %+v", got, want)
	}
	if got, want := calibtest.Fit(t, HFEEntry, set, map[string]any{"m": 0}).Map, calibtest.Fit(t, HFEEntry, set, map[string]any{"m": 60}).Map; got != want {
		t.Errorf("m = 0: %+v, all 60: %+v", got, want)
	}
}

func TestHFERejects(t *testing.T) {
	set := testset.Energetic(60, 3, 1)
	logProbs := data.NewMatrix(2, 3)
	for i := range logProbs.Data {
		logProbs.Data[i] = float32(-math.Log(3))
	}
	for _, c := range []struct {
		method calib.Method
		ood    data.Matrix
		want   string
	}{
		{HFE{new(0)}, data.Matrix{}, "no out-of-distribution rows"},
		{HFETarget{new(0)}, data.Matrix{}, "no target rows"},
		{HFE{new(0)}, data.NewMatrix(5, 4), "4 classes, calibration rows 3"},
		{HFETarget{new(0)}, logProbs, "log-probabilities"},
	} {
		in := calib.Input{Cal: &data.Set{Logits: set.Logits, Labels: set.Labels, OOD: c.ood}, Target: &data.Set{Logits: c.ood}}
		if _, err := calib.FitInput(context.Background(), c.method, in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.method, err, c.want)
		}
	}
	for _, entry := range []calib.Entry{HFEEntry, HFETargetEntry} {
		if _, err := calibtest.Method(entry, map[string]any{"m": -1}); err == nil {
			t.Errorf("%s: m = -1 is accepted", entry.Name)
		}
	}
}

func TestHFEDerivativesAgreeWithDifferences(t *testing.T) {
	set := testset.Energetic(200, 5, 1)
	set.OOD = testset.Drawn(40, 5, 2, 8).Logits
	_, _, f := fitHFEOn(t, HFE{new(0)}, calib.Input{Cal: set})
	ctx := context.Background()
	base := hfeMap{T0: 2, Theta1: 1.5, Theta2: 2.5}
	at := func(theta ...float64) calib.Local {
		m := base
		m.Theta1, m.Theta2 = theta[0], theta[1]
		l, err := f.squaredError(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	const h = 1e-5
	l := at(1.5, 2.5)
	if l.Hessian[1] != l.Hessian[2] {
		t.Errorf("the Hessian %v is not symmetric", l.Hessian)
	}
	for i := range 2 {
		up, down := []float64{1.5, 2.5}, []float64{1.5, 2.5}
		up[i] += h
		down[i] -= h
		lu, ld := at(up...), at(down...)
		if d := (lu.Value - ld.Value) / (2 * h); !(math.Abs(d-l.Gradient[i]) <= 1e-8) {
			t.Errorf("gradient[%d] = %v, differences give %v", i, l.Gradient[i], d)
		}
		for j := range 2 {
			if d := (lu.Gradient[j] - ld.Gradient[j]) / (2 * h); !(math.Abs(d-l.Hessian[2*i+j]) <= 1e-8) {
				t.Errorf("hessian[%d][%d] = %v, differences give %v", i, j, l.Hessian[2*i+j], d)
			}
		}
	}
}

func TestHFEWithoutThetasIsTS(t *testing.T) {
	set := testset.Energetic(300, 6, 4)
	set.OOD = testset.Drawn(40, 6, 2, 8).Logits
	scaled := calibtest.Fit(t, calib.TSEntry, set, nil)
	for _, method := range []calib.Method{HFEWithoutOOD{}, HFE{new(0)}, HFETarget{new(0)}} {
		m, _, f := fitHFEOn(t, method, calib.Input{Cal: set, Target: &data.Set{Logits: set.OOD}})
		if m.T0 != scaled.Map.(calib.Temperature).T {
			t.Fatalf("T0 = %v, ts has %v", m.T0, scaled.Map)
		}
		m.Theta1, m.Theta2 = 0, 0
		if !testset.Near(calibtest.Apply(m, set.Logits).Data, calibtest.Apply(scaled.Map, set.Logits).Data, 0) {
			t.Error("thetas of 0 are not ts")
		}
		nll, _, err := f.nll(context.Background(), m)
		if err != nil || nll != scaled.Report.NLL {
			t.Errorf("NLL %v, %v, ts has %v", nll, err, scaled.Report.NLL)
		}
	}
}

// The offset of the logits matters, and logits without an offset are rejected.
func TestHFENeedsTrueLogits(t *testing.T) {
	set := testset.Energetic(100, 4, 3)
	m, _, _ := fitHFEAlone(t, set)
	moved := data.Matrix{Rows: 100, Cols: 4, Data: append([]float32(nil), set.Logits.Data...)}
	for i := range moved.Data {
		moved.Data[i] += 3
	}
	if testset.Near(calibtest.Apply(m, moved).Data, calibtest.Apply(m, set.Logits).Data, 1e-6) {
		t.Error("an offset changed nothing")
	}
	logProbs := data.NewMatrix(100, 4)
	p := make([]float64, 4)
	for i := range 100 {
		for j, v := range softmax.Probs(p, set.Logits.Row(i), 1) {
			logProbs.Row(i)[j] = float32(math.Log(v))
		}
	}
	_, err := calib.FitInput(context.Background(), HFEWithoutOOD{}, calib.Input{Cal: &data.Set{Logits: logProbs, Labels: set.Labels}})
	if err == nil || !strings.Contains(err.Error(), "log-probabilities") {
		t.Errorf("log-probabilities: %v", err)
	}
}

func TestHFEWithFloorAndWithoutDensities(t *testing.T) {
	if got := (hfeMap{T0: 1, Theta1: 10}).temperature(0.5, 0); got != hfeFloor {
		t.Errorf("T = %v, want the floor", got)
	}
	_, _, f := fitHFEAlone(t, testset.Energetic(100, 3, 5))
	_, floored, err := f.nll(context.Background(), hfeMap{T0: hfeFloor, Theta1: 1})
	if err != nil || floored != 100 {
		t.Errorf("%d rows floored, %v; want all 100", floored, err)
	}

	right := testset.Drawn(40, 3, 1, 6) // every row right: no energies of wrong rows
	for i := range right.Labels {
		right.Labels[i] = int32(fit.TopClass(right.Logits.Row(i)))
	}
	m, r, _ := fitHFEAlone(t, right)
	if m.Wrong != (normal{}) || m.Theta2 != 0 || !strings.Contains(fmt.Sprint(r.Warnings), "among the wrong calibration rows") {
		t.Errorf("all right: %+v, %q", m, r.Warnings)
	}
}

// On a real network with images of no class, the fit is a minimum along both axes,
// and the temperature of these images grows.
func TestRealHFEIsAMinimum(t *testing.T) {
	set := testset.Real(t, "cifar10-jpeg/resnet18-w16-s2", data.Cal, testset.Labelled|data.OOD)
	m, r, f := fitHFEOn(t, HFE{new(400)}, calib.Input{Cal: set})
	if r.Gradient > report.GradTol || m.Theta2 == 0 {
		t.Errorf("%+v, %+v", m, r)
	}
	ood := set.OOD.Slice(0, 400)
	least := plainErrorWith(set, ood, m)
	for _, step := range [][2]float64{{.01, 0}, {0, .01}, {0, -.01}} {
		moved := m
		moved.Theta1, moved.Theta2 = m.Theta1+step[0], m.Theta2+step[1]
		if plainErrorWith(set, ood, moved) <= least {
			t.Errorf("moved by %v the squared error does not grow", step)
		}
	}
	higher := 0
	for i := range ood.Rows {
		if j := len(set.Labels) + i; m.temperature(f.correct[j], f.wrong[j]) > m.T0 {
			higher++
		}
	}
	if higher < 300 {
		t.Errorf("T above T0 on %d of 400 images of no class", higher)
	}
}

func BenchmarkFitHFE(b *testing.B) {
	for _, size := range [][2]int{{5000, 100}, {25000, 1000}} {
		set := testset.Drawn(size[0], size[1], 2, 1)
		set.OOD = testset.Drawn(400, size[1], 1, 2).Logits
		b.Run(fmt.Sprintf("method=hfe/n=%d/k=%d", size[0], size[1]), func(b *testing.B) {
			for b.Loop() {
				if _, err := calib.FitInput(context.Background(), HFE{new(400)}, calib.Input{Cal: set}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// At most FewRows rows have three starts, more rows one.
func TestHFEOfFewRowsHasSeveralStarts(t *testing.T) {
	few, more := calibtest.Fit(t, HFENoOODEntry, testset.Drawn(fit.FewRows, 3, 1, 4), nil), calibtest.Fit(t, HFENoOODEntry, testset.Drawn(fit.FewRows+1, 3, 1, 4), nil)
	if !(few.Report.Passes > 1.5*more.Report.Passes) {
		t.Errorf("%v passes over %d rows, %v over one more", few.Report.Passes, fit.FewRows, more.Report.Passes)
	}
}

// The first parameter that is out of range is named.
func TestHFEThetasAreNumberedFromOne(t *testing.T) {
	for theta, m := range map[string]hfeMap{"theta1": {T0: 1, Theta1: -1}, "theta2": {T0: 1, Theta2: -1}} {
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), theta+" = -1") {
			t.Errorf("%s: %v", theta, err)
		}
	}
}

// On the calibration sets of real networks hfe-noood is not worse than ts.
func TestRealHFEIsAtMostTS(t *testing.T) {
	for _, name := range testset.Networks(t) {
		cal := testset.Real(t, name, data.Cal, testset.Labelled)
		f, err := calib.FitInput(context.Background(), HFEWithoutOOD{}, calib.Input{Cal: cal})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m := f.Map.(hfeMap)
		start := m
		start.Theta1, start.Theta2 = 0, 0
		if got, ts := plainSquaredError(cal, m), plainSquaredError(cal, start); got > ts+1e-12 || f.Report.Gradient > report.GradTol {
			t.Errorf("%s: squared error %v, ts %v; %+v", name, got, ts, f.Report)
		}
	}
}
