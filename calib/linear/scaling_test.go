package linear

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/binning"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/temperature"
	"github.com/qats-bench/qats/data"
)

// scalingFixtures holds testdata/scaling.json, computed in Python by its recipe.
type scalingFixtures struct {
	Logits [][]float32 `json:"logits"`
	Labels []int32     `json:"labels"`
	Test   [][]float32 `json:"test"`
	VS     [][]float64 `json:"vs"`
	SVS    [][]float64 `json:"svs"`
	SMS    [][]float64 `json:"sms"`
	ODIR   [][]float64 `json:"odir"`
	ETS    [][]float64 `json:"ets"`
	HB     [][]float64 `json:"hb"`
	HBTop  [][]float64 `json:"hb-top"`
}

func (f *scalingFixtures) cal() *data.Set {
	return &data.Set{Logits: testset.Rows(f.Logits), Labels: f.Labels}
}

func readScaling(t *testing.T) *scalingFixtures {
	t.Helper()
	raw, err := os.ReadFile("testdata/scaling.json")
	if err != nil {
		t.Fatal(err)
	}
	var f scalingFixtures
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	return &f
}

func TestScalingIsThatOfPython(t *testing.T) {
	const (
		solved = 1e-6 // both end near the minimum, at a gradient of 1e-7
		slsqp  = 1e-6 // SLSQP stops near it
		exact  = 1e-13
	)
	f := readScaling(t)
	for _, c := range []struct {
		name string
		want [][]float64
		tol  float64
	}{
		{"vs", f.VS, solved}, {"svs", f.SVS, solved}, {"sms", f.SMS, solved},
		{"ets", f.ETS, slsqp}, {"hb", f.HB, exact}, {"hb-top", f.HBTop, exact},
	} {
		q := calibtest.Apply(calib.Unmixed(calibtest.Fit(t, entry(c.name), f.cal(), nil).Map), testset.Rows(f.Test))
		for i, row := range c.want {
			if !testset.Near(q.Row(i), row, c.tol) {
				t.Errorf("%s row %d: %v, want %v", c.name, i, q.Row(i), row)
			}
		}
	}
}

// The full matrix, with penalties of every kind.
func TestMatrixProblemIsThatOfPython(t *testing.T) {
	f := readScaling(t)
	set := f.cal()
	problem := newProblem(set, true, fit.LogProbs)
	problem.Penalise(1e-6, 0.01, 0.02)
	theta := make([]float64, 4*4+4)
	if end, err := problem.Minimise(context.Background(), theta); err != nil || end.Gradient > tolerance {
		t.Fatal(end, err)
	}
	w, b := matrixOf(theta, 4)
	for i, want := range f.ODIR {
		x := make([]float64, 4)
		fit.LogProbs(x, testset.Rows(f.Test).Row(i))
		q := make([]float64, 4)
		for c := range q {
			q[c] = fit.Dot(w[c], x) + b[c]
		}
		fit.ToSoftmax(q)
		if !testset.Near(q, want, 1e-6) { // the descent ends at a gradient of 1e-7
			t.Errorf("row %d: %v, want %v", i, q, want)
		}
	}
}

// With large penalties methods become the temperature scaling from which they start.
func TestLargePenaltiesGiveTS(t *testing.T) {
	const most = 1e9
	set, test := testset.Drawn(300, 5, 2.5, 1), testset.Drawn(50, 5, 2.5, 2)
	scaled := calibtest.Apply(calibtest.Fit(t, calib.TSEntry, set, nil).Map, test.Logits)
	mixedWith := data.NewProbs(50, 5)
	w := 1. / 301
	for i, p := range scaled.Data {
		mixedWith.Data[i] = (1-w)*p + w/5
	}
	diagonal := calibtest.Apply(calibtest.Fit(t, SVSEntry, set, nil).Map, test.Logits)
	for _, c := range []struct {
		name   string
		method calib.Method
		want   data.Probs
	}{
		{"vs", Vector{most}, scaled},
		{"svs", StructuredVector{most, most}, mixedWith},
		{"sms", StructuredMatrix{most, most, most}, mixedWith},
		{"sms, diagonal", StructuredMatrix{1, 1, most}, diagonal},
	} {
		if got := calibtest.Apply(calibtest.Map(t, c.method, set), test.Logits); !testset.Near(got.Data, c.want.Data, 1e-7) {
			t.Errorf("%s: %v, want %v", c.name, got.Row(0), c.want.Row(0))
		}
	}
}

// If the logits contain no information, only offsets are fitted, and they give the
// shares of the classes.
func TestOffsetsAloneGiveTheShares(t *testing.T) {
	labels := []int32{0, 0, 0, 0, 0, 1, 1, 1, 2, 2}
	set := &data.Set{Logits: data.NewMatrix(len(labels), 3), Labels: labels}
	want := []float64{0.5, 0.3, 0.2}
	const least = 1e-9
	for _, c := range []struct {
		name   string
		method calib.Method
	}{
		{"vs", Vector{least}}, {"svs", StructuredVector{least, least}}, {"sms", StructuredMatrix{least, least, least}},
	} {
		if got := calibtest.Apply(calibtest.Map(t, c.method, set), set.Logits).Row(0); !testset.Near(got, want, 1e-7) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
}

// The fit finds the slopes and offsets of the labels, up to chance. Its NLL is not
// above that of the true ones.
func TestScalingRecoversSlopesAndOffsets(t *testing.T) {
	const n, k = 20000, 3
	truth := vsMap{V: []float64{0.4, 0.7, 0.5}, B: []float64{0.5, 0, -0.5}}
	set := testset.Drawn(n, k, 1, 5)
	q := calibtest.Apply(truth, set.Logits)
	rng := rand.New(rand.NewPCG(5, 5))
	nll := 0.0
	for i := range n {
		u := rng.Float64()
		for j, p := range q.Row(i) {
			if u -= p; u < 0 || j == k-1 {
				set.Labels[i] = int32(j)
				nll -= math.Log(p) / n
				break
			}
		}
	}
	f := calibtest.Fit(t, VSEntry, set, nil)
	if f.Report.NLL > nll {
		t.Errorf("NLL %v, of the truth %v", f.Report.NLL, nll)
	}
	m := f.Map.(vsMap)
	for j := range k {
		if !(math.Abs(m.V[j]-truth.V[j]) <= 0.04) || !(math.Abs(m.B[j]-m.B[1]-truth.B[j]) <= 0.15) { // about 4 standard errors
			t.Errorf("class %d: v = %v, b = %v; want %v, %v", j, m.V[j], m.B[j]-m.B[1], truth.V[j], truth.B[j])
		}
	}
}

// A class without calibration rows gets a small probability above 0, and the fit
// converges.
func TestAbsentClassGetsASmallProbability(t *testing.T) {
	set := testset.Drawn(400, 4, 2, 6)
	for i, y := range set.Labels {
		set.Labels[i] = min(y, 2)
	}
	for _, name := range []string{"vs", "svs", "sms"} {
		f := calibtest.Fit(t, entry(name), set, nil)
		if len(f.Report.Warnings) > 0 {
			t.Errorf("%s: %q", name, f.Report.Warnings)
		}
		q := calibtest.Apply(f.Map, set.Logits)
		mean := 0.0
		for i := range q.Rows {
			mean += q.Row(i)[3] / float64(q.Rows)
		}
		if !(mean > 0 && mean < 0.06) {
			t.Errorf("%s: mean probability %v of a class that never was", name, mean)
		}
	}
}

func TestScalingRejects(t *testing.T) {
	for _, c := range []struct {
		name, option string
		value        any
	}{{"vs", "ridge", 0}, {"svs", "intercept", math.NaN()}, {"sms", "off_diagonal", 1e10}} {
		_, err := calibtest.Method(entry(c.name), map[string]any{c.option: c.value})
		if err == nil || !strings.HasPrefix(err.Error(), c.option+": ") {
			t.Errorf("%s: %s = %v: %v", c.name, c.option, c.value, err)
		}
	}
	wide := testset.Simulated(3, 101, 1, 1, 1)
	_, err := calib.FitInput(context.Background(), StructuredMatrix{}, calib.Input{Cal: wide})
	if err == nil || !strings.Contains(err.Error(), "at most 100 classes") {
		t.Errorf("sms of 101 classes: %v", err)
	}
}

func BenchmarkFitScaling(b *testing.B) {
	for _, c := range []struct {
		name string
		n, k int
	}{
		{"vs", 5000, 100}, {"svs", 5000, 100}, {"sms", 5000, 100}, {"ets", 5000, 100}, {"hb", 5000, 100},
		{"vs", 25000, 1000}, {"svs", 25000, 1000}, {"ets", 25000, 1000}, {"hb", 25000, 1000},
	} {
		b.Run(fmt.Sprintf("method=%s/n=%d/k=%d", c.name, c.n, c.k), func(b *testing.B) {
			set := testset.Simulated(c.n, c.k, 5, 1.6, 1)
			var f *calib.Fitted
			for b.Loop() {
				f = calibtest.Fit(b, entry(c.name), set, nil)
			}
			b.ReportMetric(float64(f.Report.Passes), "passes")
		})
	}
}

// entry returns the entry of the method of the given name.
func entry(name string) calib.Entry {
	for _, e := range []calib.Entry{calib.TSEntry, temperature.ETSEntry, binning.HBEntry, binning.HBTopEntry, PlattEntry, PlattLogitsEntry, VSEntry, SVSEntry, SMSEntry, DirichletEntry, MSODIREntry} {
		if e.Name == name {
			return e
		}
	}
	panic("no method " + name)
}

// A map without logits in its contract serves sets that have none; others are checked.
func TestMapsOfSomeClassesAcceptSetsWithoutLogits(t *testing.T) {
	m := vsMap{V: []float64{1, 1}, B: []float64{0, 0}}
	for k, good := range map[int]bool{0: true, 2: true, 3: false} {
		if err := calib.CheckSet(m, &data.Set{Logits: data.NewMatrix(1, k)}); (err == nil) != good {
			t.Errorf("%d classes: %v", k, err)
		}
	}
}
