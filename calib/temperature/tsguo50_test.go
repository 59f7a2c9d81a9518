package temperature

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// The numbers are those of torch.optim.LBFGS; the recipe is in the file. The tolerance
// is the rounding error of float64 for torch in float64, and that of float32 for torch
// in float32, as in published code.
func TestGuo50IsThatOfTorch(t *testing.T) {
	raw, err := os.ReadFile("testdata/ts-guo50.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Name       string
			Classes    int
			Logits     []float32
			Labels     []int32
			T          float64
			Iterations int
			TFloat32   float64 `json:"T_float32"`
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	early := 0
	for _, c := range file.Cases {
		set := &data.Set{
			Logits: data.Matrix{Rows: len(c.Labels), Cols: c.Classes, Data: c.Logits},
			Labels: c.Labels,
		}
		f := calibtest.Fit(t, TSGuo50Entry, set, nil)
		got := f.Map.(calib.Temperature).T
		if !(math.Abs(got-c.T) <= 1e-10) || f.Report.Iterations != c.Iterations {
			t.Errorf("%s: T = %.12f after %d steps, torch %.12f after %d", c.Name, got, f.Report.Iterations, c.T, c.Iterations)
		}
		if !(math.Abs(got-c.TFloat32) <= 2e-5) {
			t.Errorf("%s: T = %.9f, torch in float32 %.9f", c.Name, got, c.TFloat32)
		}
		if c.Iterations < 50 {
			early++
		}
		if nll := testset.DirectNLL(set, func(int) float64 { return got }); !(math.Abs(nll-f.Report.NLL) <= 1e-12) {
			t.Errorf("%s: NLL %.15g, directly %.15g", c.Name, f.Report.NLL, nll)
		}
	}
	if early == 0 || early == len(file.Cases) {
		t.Errorf("%d of %d cases stop early: both ends of the loop should be seen", early, len(file.Cases))
	}
}

// The fit has the least ECE, by its definition, of all temperatures of the grid.
func TestECEGridTakesTheLeastECE(t *testing.T) {
	for seed := range uint64(5) {
		set := testset.Simulated(300, 4, 3, 2.2, seed)
		f := calibtest.Fit(t, TSECEGridEntry, set, nil)
		var want float64
		least := math.Inf(1)
		for i := 1; i <= 100; i++ {
			temp := float64(i) / 10
			if e := directECE(set, temp, 15); e < least-1e-12 {
				want, least = temp, e
			}
		}
		if got := f.Map.(calib.Temperature).T; got != want {
			t.Errorf("seed %d: T = %v, want %v", seed, got, want)
		}
		if f.Report.Passes != 101 || f.Report.AtBound != nil {
			t.Errorf("seed %d: %+v", seed, f.Report)
		}
	}
	// Every row is certain and right: any small T has ECE 0, and the least is taken.
	set := &data.Set{Logits: data.Matrix{Rows: 2, Cols: 2, Data: []float32{100, 0, 0, 100}}, Labels: []int32{0, 1}}
	f := calibtest.Fit(t, TSECEGridEntry, set, nil)
	if f.Map.(calib.Temperature).T != 0.1 || len(f.Report.AtBound) != 1 || f.Report.AtBound[0].String() != "T >= 0.1" {
		t.Errorf("separable: %+v %+v", f.Map, f.Report)
	}
	// Every row is certain and wrong: the largest T is best.
	set.Labels = []int32{1, 0}
	f = calibtest.Fit(t, TSECEGridEntry, set, nil)
	if f.Map.(calib.Temperature).T != 10 || f.Report.AtBound[0].String() != "T <= 10" {
		t.Errorf("all wrong: %+v %+v", f.Map, f.Report)
	}
}

// directECE assigns each row to the bin (b/m, (b+1)/m] by comparing with its
// edges, and averages within bins.
func directECE(set *data.Set, temp float64, m int) float64 {
	ece := 0.0
	for b := range m {
		lo, hi := float64(b)/float64(m), float64(b+1)/float64(m)
		var hits, conf, n float64
		for i, y := range set.Labels {
			row := set.Logits.Row(i)
			top, sum := 0, 0.0
			for j := range row {
				if row[j] > row[top] {
					top = j
				}
			}
			for j := range row {
				sum += math.Exp((float64(row[j]) - float64(row[top])) / temp)
			}
			if c := 1 / sum; c > lo && c <= hi {
				n++
				conf += c
				if top == int(y) {
					hits++
				}
			}
		}
		if n > 0 {
			ece += n / float64(len(set.Labels)) * math.Abs(hits/n-conf/n)
		}
	}
	return ece
}

// If the loss is nearly linear at T = 1.5, the first secant step is huge and may end
// below 0. torch goes on with a negative temperature; here it is an error. At 1.9244516
// it is the last step, at which torch does not evaluate the loss.
func TestGuo50RejectsNegativeTemperatures(t *testing.T) {
	for _, gap := range []float32{1.9244516, 1.9354508} {
		set := &data.Set{Logits: data.NewMatrix(10, 2), Labels: []int32{9: 1}}
		for i := range 10 {
			set.Logits.Row(i)[0] = gap
		}
		_, err := calib.FitInput(context.Background(), TSGuo50{}, calib.Input{Cal: set})
		if err == nil || !strings.Contains(err.Error(), "no temperature") {
			t.Errorf("gap %g: error %v", gap, err)
		}
	}
}

// The loop ends where torch ends it: at a gradient of 1e-7, before a step whose slope is
// above -1e-9, after a step of 1e-9, after a change of the value below 1e-9, and after the
// last step without an evaluation. A pair with y s of at most 1e-10 leaves the scale. f
// gives the numbers of a case in turn.
func TestTorchLBFGSEndsAsTorch(t *testing.T) {
	root := math.Sqrt(1e-9) // its square is -1e-9 as the slope of the first step
	for root*root > 1e-9 {
		root = math.Nextafter(root, 0)
	}
	for root*root < 1e-9 {
		root = math.Nextafter(root, 1)
	}
	if root*root != 1e-9 {
		t.Fatalf("no square root of 1e-9: %v", root*root)
	}
	const lr = .25
	for name, c := range map[string]struct {
		lr    float64
		most  int
		f     []lossAt
		steps int
		x     float64 // minus 1.5
	}{
		"no gradient":              {lr, 9, []lossAt{{1, 0}}, 0, 0},
		"the least gradient":       {lr, 9, []lossAt{{1, -1e-7}}, 0, 0},
		"no descent":               {lr, 9, []lossAt{{1, 1e-5}}, 1, 0},
		"the least descent":        {lr, 1, []lossAt{{1, root}}, 1, -lr * root},
		"a large gradient":         {lr, 1, []lossAt{{1, 4}}, 1, -lr},
		"one step":                 {lr, 1, []lossAt{{1, .5}}, 1, -lr / 2},
		"gradient after a step":    {lr, 9, []lossAt{{1, .5}, {0, 1e-7}}, 1, -lr / 2},
		"a step of 1e-9":           {2e-9, 9, []lossAt{{1, .5}, {0, .5}}, 1, -1e-9},
		"a longer step":            {4e-9, 2, []lossAt{{1, .5}, {0, .5}}, 2, -4e-9},
		"a small change":           {lr, 9, []lossAt{{.5e-9, .5}, {0, .25}}, 1, -lr / 2},
		"a change of 1e-9":         {lr, 2, []lossAt{{1e-9, .5}, {0, .5}}, 2, -lr},
		"a secant":                 {lr, 2, []lossAt{{1, .5}, {0, .25}}, 2, -lr/2 - lr*.25*(lr/2)/.25},
		"a pair of 1e-10":          {2048e-10, 2, []lossAt{{1, .5}, {0, .5 - 0x1p-10}}, 2, -1024e-10 - 2048e-10*(.5-0x1p-10)},
		"a longer pair":            {4096e-10, 2, []lossAt{{1, .5}, {0, .5 - 0x1p-10}}, 2, -2048e-10 - 4096e-10*(.5-0x1p-10)*2048e-10/0x1p-10},
		"a pair of less curvature": {2048e-10, 2, []lossAt{{1, .5}, {0, .5 - 0x1p-11}}, 2, -1024e-10 - 2048e-10*(.5-0x1p-11)},
	} {
		calls := 0
		x, steps, err := torchLBFGS(1.5, c.lr, c.most, func(float64) (lossAt, error) {
			calls++
			return c.f[calls-1], nil
		})
		if err != nil || steps != c.steps || calls != len(c.f) || !(math.Abs(x-1.5-c.x) <= 1e-12*math.Abs(c.x)+4e-16) {
			t.Errorf("%s: %v after %d steps and %d evaluations (%v), want %v, %d and %d", name, x-1.5, steps, calls, err, c.x, c.steps, len(c.f))
		}
	}
	fault := errors.New("fault")
	if _, _, err := torchLBFGS(1.5, lr, 9, func(float64) (lossAt, error) { return lossAt{}, fault }); err != fault {
		t.Errorf("error %v", err)
	}
}
