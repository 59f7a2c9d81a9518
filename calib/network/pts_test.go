package network

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
	"gonum.org/v1/gonum/diff/fd"
)

// allRows returns 0..n-1.
func allRows(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func newFixedPTS(set *data.Set) *ptsTrainer {
	w := testset.FixedWeights(ptsNet(set.Logits.Cols).Size())
	w[len(w)-1] = 1.5
	return newPTSTrainer(set, w)
}

// The reference is the network in numpy, whose T = clip(abs(net(x)), 1e-3, 1e3)
// with x the 10 largest logits, p = softmax(z/T), the mean of
// ((p - eye[y])**2).sum(1), and Adam at 1e-3 on all rows with gradients by
// central differences of step 1e-6.
func TestPTSIsThatOfPython(t *testing.T) {
	set := testset.Lattice(120, 12)
	p := newFixedPTS(set)
	loss := func() float64 {
		v, err := p.loss(context.Background(), allRows(120))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	scales := make([]float64, 3)
	ptsMap{10, p.w}.Scales(scales, set.Rows(0, 3), nil)
	for i, want := range []float64{1.492, 1.4884052956542968, 1.4738663041992188} {
		if got := 1 / scales[i]; !(math.Abs(got-want) <= 1e-13) {
			t.Errorf("row %d: T = %.17g, want %.17g", i, got, want)
		}
	}
	for step := range 21 {
		got := loss()
		if want := (map[int]float64{0: 0.7075472677597308, 10: 0.7064305138025423, 20: 0.7057256527067771})[step]; want != 0 && !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("after %d steps: %.17g, want %.17g", step, got, want)
		}
		p.solver.Step(p.w, p.grad, 1e-3)
	}
}

func TestPTSGradientAgreesWithDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, k := range []int{1, 2, 7, 15} {
		set := testset.Drawn(300, k, 1.7, uint64(k))
		p := newFixedPTS(set)
		rows := rng.Perm(300)[:270] // two blocks
		eval := func(w []float64) float64 {
			copy(p.w, w)
			v, err := p.loss(context.Background(), rows)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		w := slices.Clone(p.w)
		want := fd.Gradient(nil, eval, w, &fd.Settings{Formula: fd.Central, Step: 1e-6})
		eval(w)
		if !testset.Near(p.grad, want, 1e-8) {
			t.Errorf("k = %d: gradient %v, differences %v", k, p.grad, want)
		}
	}
}

// The input of a row is found without a copy of the row.
func TestPTSInputTakesNoMemory(t *testing.T) {
	row, x := make([]float32, 1000), make([]float64, ptsInputs)
	for j := range row {
		row[j] = float32(j * 7 % 1000)
	}
	if n := testing.AllocsPerRun(10, func() { ptsInput(x, row) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestPTSInputIsTheLargestLogits(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		row := make([]float32, 1+rng.IntN(30))
		for j := range row {
			row[j] = float32(rng.IntN(41)-20) * 8
		}
		x := make([]float64, min(ptsInputs, len(row)))
		ptsInput(x, row)
		slices.Sort(row)
		for i, got := range x {
			if want := min(max(float64(row[len(row)-1-i]), -100), 100); got != want {
				t.Fatalf("%v: input %d is %v, want %v", row, i, got, want)
			}
		}
	}
}

func TestPTSTemperatureIsLimited(t *testing.T) {
	for _, c := range []struct{ out, t, slope float64 }{
		{2, 2, 1}, {-2, 2, -1}, {0, fit.MinT, 0}, {1e-4, fit.MinT, 0}, {5e3, fit.MaxT, 0}, {-5e3, fit.MaxT, 0},
		{fit.MinT, fit.MinT, 1}, {-fit.MinT, fit.MinT, -1}, {fit.MaxT, fit.MaxT, 0}, {-fit.MaxT, fit.MaxT, 0},
		{math.Inf(1), fit.MaxT, 0}, {math.NaN(), fit.MaxT, 0},
	} {
		if got, slope := ptsTemperature(c.out); got != c.t || slope != c.slope {
			t.Errorf("output %v: T = %v with slope %v, want %v and %v", c.out, got, slope, c.t, c.slope)
		}
	}
}

// The fit depends on the seed, but not on the order of the rows.
func TestPTSDependsOnTheSeedNotOnTheOrder(t *testing.T) {
	set := testset.Drawn(150, 6, 2, 3)
	at := func(set *data.Set, seed uint64) []float64 {
		f, err := calib.FitInput(context.Background(), ParameterizedTemperature{Steps: 50}, calib.Input{Cal: set, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return f.Map.(ptsMap).Weights
	}
	if slices.Equal(at(set, 1), at(set, 2)) {
		t.Error("the seed has no effect")
	}
	moved := fit.Pick(set, rand.New(rand.NewPCG(1, 1)).Perm(150))
	if !testset.Near(at(set, 1), at(moved, 1), 1e-9) { // the start, T of ts, is a sum in the order of the rows
		t.Error("the order of the rows has an effect")
	}
}

// If temperatures differ by row, training lowers the Brier score below that of ts.
func TestPTSIsBelowTS(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for a second")
	}
	set := testset.Ranked(600, 4, func(q float64) float64 { return 0.5 + 4*(1-q) }, 5)
	brier := func(m calib.Map) float64 {
		q, sum := calibtest.Apply(m, set.Logits), 0.0
		for i := range q.Rows {
			for j, p := range q.Row(i) {
				if int(set.Labels[i]) == j {
					p--
				}
				sum += p * p
			}
		}
		return sum / float64(q.Rows)
	}
	f := calibtest.Fit(t, PTSEntry, set, map[string]any{"steps": 2000})
	if a, b := brier(f.Map), brier(calibtest.Fit(t, calib.TSEntry, set, nil).Map); !(a < b-0.002) {
		t.Errorf("Brier score %v, ts %v", a, b)
	}
}

func TestPTSRejectsBadOptions(t *testing.T) {
	for _, c := range []ParameterizedTemperature{{-1, 1e-3}, {10, -1}, {10, 1.5}, {10, math.NaN()}} {
		_, err := calib.FitInput(context.Background(), c, calib.Input{Cal: testset.Drawn(20, 3, 2, 1)})
		if err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func BenchmarkFitNets(b *testing.B) {
	for _, e := range []calib.Entry{PTSEntry, SMARTEntry} {
		for _, size := range [][2]int{{5000, 10}, {25000, 1000}} {
			set := testset.Simulated(size[0], size[1], 5, 1.6, 1)
			b.Run(fmt.Sprintf("method=%s/n=%d/k=%d", e.Name, size[0], size[1]), func(b *testing.B) {
				var f *calib.Fitted
				for b.Loop() {
					f = calibtest.Fit(b, e, set, nil)
				}
				b.ReportMetric(float64(f.Report.Iterations), "steps")
			})
		}
	}
}

// The weights start in Glorot's interval, sqrt(6/(in+out)), and one step of Adam moves
// each by at most the rate.
func TestPTSStartsInGlorotsInterval(t *testing.T) {
	set := testset.Drawn(20, 12, 1, 1)
	m := calibtest.Map(t, ParameterizedTemperature{Steps: 1}, set).(ptsMap)
	w, in, most := m.Weights, ptsInputs, 0.0
	for _, out := range append(slices.Clone(ptsNet(12).Sizes[1:]), 1) { // Sizes leaves out the output
		bound := math.Sqrt(6 / float64(in+out))
		for range out {
			for _, v := range w[:in] {
				if !(math.Abs(v) <= bound+1e-3) {
					t.Errorf("weight %v of a layer of %d to %d, want at most %v", v, in, out, bound)
				}
				most = max(most, math.Abs(v)/bound)
			}
			w = w[in+1:]
		}
		in = out
	}
	if len(w) != 0 || most < .9 {
		t.Errorf("%d weights left; the largest is %v of its bound", len(w), most)
	}
}
