package all_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// divides reports whether the contract of a method has a size of the logits.
func divides(e calib.Entry) bool { return e.Method.Contract().LogitSize != calib.AnySize }

// multiple returns the set with its logits times a number. The bias of the head is 0.
func multiple(s *data.Set, by float64) *data.Set {
	m := *s
	times := func(l data.Matrix) data.Matrix {
		q := data.NewMatrix(l.Rows, l.Cols)
		for i, v := range l.Data {
			q.Data[i] = float32(by * float64(v))
		}
		return q
	}
	m.Logits = times(s.Logits)
	if s.OOD.Present() {
		m.OOD = times(s.OOD)
	}
	if s.Head.W.Present() { // it still gives the logits
		m.Head = data.Linear{W: times(s.Head.W), B: s.Head.B}
	}
	return &m
}

// fitMultiple returns the model of a method fitted to a multiple of the logits of 100 rows.
func fitMultiple(t *testing.T, e calib.Entry, by float64) *calib.Model {
	t.Helper()
	m, err := calibtest.Method(e, claims()[e.Name].Options)
	if err != nil {
		t.Fatal(err)
	}
	c := m.Contract()
	in := calib.Input{Cal: multiple(fuzzSet(100, 3), by).View(c.Cal), Seed: 1, Shared: &calib.Shared{}}
	if c.Target != 0 {
		in.Target = multiple(fuzzSet(40, 3), by).View(c.Target)
	}
	fitted, err := calib.FitInput(t.Context(), m, in)
	if err != nil {
		t.Fatalf("%s: %v", e.Name, err)
	}
	return &calib.Model{Method: e.Name, Version: e.Version, Classes: 3, Fitted: *fitted}
}

func probabilities(t *testing.T, e calib.Entry, f *calib.Fitted, set *data.Set) data.Probs {
	t.Helper()
	q, err := f.Probabilities(set.View(e.Method.Contract().Test))
	if err != nil {
		t.Fatalf("%s: %v", e.Name, err)
	}
	return q
}

// divisorOf returns the parameter divisor of a fit, 1 if it has none.
func divisorOf(f *calib.Fitted) float64 {
	for _, p := range f.Parameters() {
		if p.Name == "divisor" {
			return p.Value
		}
	}
	return 1
}

// Logits of an unusual size are divided by a power of two that the model keeps, and a power of
// two times such logits has the same fit to the bit. Logits of usual size are not divided, and no logits are if the
// contract has no size of them.
func TestLogitsOfAnUnusualSizeAreDivided(t *testing.T) {
	test := fuzzSet(20, 3)
	for _, e := range all.Registry() {
		name := e.Name
		if !divides(e) {
			if d := divisorOf(&fitMultiple(t, e, 0x1p20).Fitted); d != 1 {
				t.Errorf("%s: logits are divided by %g", name, d)
			}
			continue
		}
		if d := divisorOf(&fitMultiple(t, e, 1).Fitted); d != 1 {
			t.Errorf("%s: usual logits are divided by %g", name, d)
		}
		for _, by := range []float64{0x1p-30, 0x1p20} {
			one, other := fitMultiple(t, e, by), fitMultiple(t, e, 8*by)
			if d := divisorOf(&one.Fitted); d == 1 || divisorOf(&other.Fitted) != 8*d {
				t.Errorf("%s: divisors %g and %g of %g and 8 times as large logits", name, d, divisorOf(&other.Fitted), by)
			}
			got, want := probabilities(t, e, &other.Fitted, multiple(test, 8*by)), probabilities(t, e, &one.Fitted, multiple(test, by))
			if !slices.Equal(got.Data, want.Data) || one.Report.NLL != other.Report.NLL {
				t.Errorf("%s: the fit of 8 times the logits times %g has other numbers", name, by)
			}

			var text bytes.Buffer
			if err := one.Save(&text); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			loaded, err := calib.LoadModel(strings.NewReader(text.String()), all.Registry())
			if err != nil {
				t.Errorf("%s: %v of\n%.300s", name, err, text.String())
				continue
			}
			if got := probabilities(t, e, &loaded.Fitted, multiple(test, by)); !slices.Equal(got.Data, want.Data) || divisorOf(&loaded.Fitted) != divisorOf(&one.Fitted) {
				t.Errorf("%s: the saved model has other numbers", name)
			}
		}
	}
}

// Log-probabilities have a size of their own, however large it is.
func TestLogProbabilitiesAreNotDivided(t *testing.T) {
	set := fuzzSet(100, 3)
	for i := range set.Logits.Rows {
		row := set.Logits.Row(i)
		for j := range row {
			row[j] = -80
		}
		row[i%3] = 0
	}
	for _, name := range []string{"ir", "platt-logits", "dirichlet"} {
		e, _ := all.Lookup(name)
		f, err := calib.Fit(t.Context(), e.Method, set)
		if err != nil {
			t.Fatal(err)
		}
		if d := divisorOf(f); d != 1 {
			t.Errorf("%s: log-probabilities are divided by %g", name, d)
		}
	}
}

// Quotients that no float32 holds do not become infinite.
func TestDividedMapsTakeAnyFiniteLogits(t *testing.T) {
	test := multiple(fuzzSet(20, 3), 0x1p120)
	for _, e := range all.Registry() {
		if !divides(e) {
			continue
		}
		q := probabilities(t, e, &fitMultiple(t, e, 0x1p-30).Fitted, test)
		for i := range q.Rows {
			sum := 0.0
			for _, p := range q.Row(i) {
				sum += p
			}
			if !(math.Abs(sum-1) <= 1e-9) {
				t.Fatalf("%s: row %d sums to %g", e.Name, i, sum)
			}
		}
	}
}

func TestSavedDivisorsAreChecked(t *testing.T) {
	e, _ := all.Lookup("platt")
	var text bytes.Buffer
	model := fitMultiple(t, e, 0x1p20)
	if err := model.Save(&text); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(text.String(), `"divisor":`)
	number, _, _ := strings.Cut(rest, ",")
	for value, want := range map[string]string{
		"1":    "divisor = 1: want a power of two",
		"0":    "divisor = 0: want a power of two",
		"-2":   "divisor = -2: want a power of two",
		"3":    "divisor = 3: want a power of two",
		"null": "divisor = 0: want a power of two",
		`"2"`:  `divisor is "2": want a number`,
		"1e60": "divisor = 1e+60: want a power of two",
	} {
		_, err := calib.LoadModel(strings.NewReader(strings.Replace(text.String(), `"divisor":`+number, `"divisor":`+value, 1)), all.Registry())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("divisor %s: %v, want %q", value, err, want)
		}
	}
	const qats = `{"qats": 1, "method": "qats", "version": VERSION, "options": {}, "classes": 3, "params": {"divisor": 2, "a": 0.5, "b": 1, "ecdf": [1, 2]}, "report": {"nll": 1, "gradient": 0, "iterations": 1, "passes": 1}}`
	e, _ = all.Lookup("qats")
	if _, err := calib.LoadModel(strings.NewReader(strings.Replace(qats, "VERSION", string(rune('0'+e.Version)), 1)), all.Registry()); err == nil || !strings.Contains(err.Error(), "divisor is no parameter of this method") {
		t.Errorf("qats: %v", err)
	}
}

// No network of the bundle is divided, and so the numbers of its fits do not depend on the ranges of usual sizes.
func TestLogitsOfNetworksAreNotDivided(t *testing.T) {
	for _, name := range testset.Networks(t) {
		set := testset.Real(t, name, data.Cal, testset.Labelled)
		set = &data.Set{Logits: set.Logits.Slice(0, min(3000, set.Logits.Rows)), Labels: set.Labels[:min(3000, len(set.Labels))]}
		for _, method := range []string{"ts-top", "ir-top"} { // one for each range
			e, _ := all.Lookup(method)
			f, err := calib.Fit(t.Context(), e.Method, set)
			if err != nil {
				t.Fatal(err)
			}
			if d := divisorOf(f); d != 1 {
				t.Errorf("%s of %s: logits are divided by %g", method, name, d)
			}
		}
	}
}

// The four parametric methods of the confidence alone are about as good on multiples of a network's logits, of any size, as on
// the logits.
func TestTopMethodsFollowMultiplesOfANetwork(t *testing.T) {
	const network = "hpc-data/mlp"
	cal, test := testset.Real(t, network, data.Cal, testset.Labelled), testset.Real(t, network, data.Test, testset.Labelled)
	loss := func(name string, by float64) float64 {
		e, _ := all.Lookup(name)
		f, err := calib.Fit(t.Context(), e.Method, multiple(cal, by))
		if err != nil {
			t.Fatal(err)
		}
		class, conf := calibtest.TopLabels(f.Map.(calib.TopLabel), multiple(test, by))
		sum := 0.0
		for i, c := range conf {
			if class[i] != test.Labels[i] {
				c = 1 - c
			}
			sum -= math.Log(max(c, 1e-300))
		}
		return sum / float64(len(conf))
	}
	for _, name := range []string{"ts-top", "platt-top", "beta-top", "qats-top"} {
		want := loss(name, 1)
		for _, by := range []float64{1. / 1024, 1. / 256, 1. / 16, 1. / 8, 8, 16, 32, 64, 1024} {
			if got := loss(name, by); !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("%s: top-label NLL %.6f of %g times the logits, %.6f of the logits", name, got, by, want)
			}
		}
		for _, by := range []float64{.25, .5, 2, 4} { // of usual size, so they are not divided
			if got := loss(name, by); !(got <= want+calibtest.ScaleMost) {
				t.Errorf("%s: top-label NLL %.6f of %g times the logits, %.6f of the logits", name, got, by, want)
			}
		}
	}
}
