package all_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/data"
)

// fuzzSet returns n rows of k logits with all parts, whose features are the logits.
func fuzzSet(n, k int) *data.Set {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	matrix := func(rows int) data.Matrix {
		m := data.NewMatrix(rows, k)
		for i := range m.Data {
			m.Data[i] = float32(3 * rng.NormFloat64())
		}
		return m
	}
	set := &data.Set{Logits: matrix(n), Augmented: []data.Matrix{matrix(n), matrix(n)}, OOD: matrix(15),
		Head: data.Linear{W: data.NewMatrix(k, k), B: make([]float32, k)}}
	set.Features = set.Logits
	for j := range k {
		set.Head.W.Row(j)[j] = 1
	}
	for i := range n {
		set.Labels = append(set.Labels, int32((i+rng.IntN(2))%k))
	}
	return set
}

// savedModels returns saved models of every method, fitted on 100 rows whose logits are of usual
// size and a million times as large.
func savedModels(f *testing.F) []string {
	usual := fuzzSet(100, 3)
	var models []string
	for _, e := range all.Registry() {
		for _, cal := range []*data.Set{usual, multiple(usual, 0x1p20)} {
			m, err := calibtest.Method(e, claims()[e.Name].Options)
			if err != nil {
				f.Fatal(err)
			}
			c := m.Contract()
			if cal != usual && c.Cal&data.Head != 0 {
				continue // the last layer does not give these logits
			}
			in := calib.Input{Seed: 1}
			if c.Cal != 0 {
				in.Cal = cal.View(c.Cal)
			}
			if c.Target != 0 {
				in.Target = fuzzSet(40, 3).View(c.Target)
			}
			fitted, err := calib.FitInput(context.Background(), m, in)
			if err != nil {
				f.Fatalf("%s: %v", e.Name, err)
			}
			var text bytes.Buffer
			model := &calib.Model{Method: e.Name, Version: e.Version, Classes: 3, Fitted: *fitted}
			if err := model.Save(&text); err != nil {
				f.Fatalf("%s: %v", e.Name, err)
			}
			models = append(models, text.String())
		}
	}
	return models
}

// FuzzModels mutates saved models of every method: whatever the file holds, it is
// rejected, or it applies without a panic and each row is probabilities.
func FuzzModels(f *testing.F) {
	for _, text := range savedModels(f) {
		f.Add(text)
	}
	// A last x above 1 after 64 points and more was once an index out of range.
	x, y := strings.Repeat("0.01, ", 70), strings.Repeat("0.5, ", 70)
	for _, method := range []string{"ir", "ir-top"} {
		entry, _ := all.Lookup(method)
		f.Add(strings.NewReplacer("METHOD", method, "VERSION", string(rune('0'+entry.Version)), "X", x+"1.5", "Y", y+"0.9").Replace(
			`{"qats": 1, "method": "METHOD", "version": VERSION, "options": {}, "classes": 3, "params": {"x": [X], "y": [Y]}, "report": {"nll": 1, "gradient": 0, "iterations": 1, "passes": 1}}`))
	}
	test := fuzzSet(20, 3)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := calib.LoadModel(strings.NewReader(text), all.Registry())
		if err != nil || m.Classes != 3 && m.Classes != 0 {
			return
		}
		e, ok := all.Lookup(m.Method)
		if !ok {
			t.Fatalf("loaded a model of %q, which is no method", m.Method)
		}
		seen := test.View(e.Method.Contract().Test)
		if calib.CheckSet(m.Map, seen) != nil {
			return
		}
		q := data.NewProbs(20, 3)
		calib.Apply(m.Map, q, seen)
		for i := range q.Rows {
			sum := 0.0
			for _, v := range q.Row(i) {
				if !(v >= 0 && v <= 1) {
					t.Fatalf("%s: row %d holds %v", m.Method, i, v)
				}
				sum += v
			}
			if !(math.Abs(sum-1) <= 1e-9) {
				t.Fatalf("%s: row %d sums to %v", m.Method, i, sum)
			}
		}
	})
}

// TestWholeNumberOptionsRejectFractions, of every method: nothing is cut in silence.
func TestWholeNumberOptionsRejectFractions(t *testing.T) {
	n := 0
	for _, e := range all.Registry() {
		for _, o := range e.Options() {
			if _, whole := o.Default.(int); !whole {
				continue
			}
			n++
			for _, v := range []any{2.9, 10.7, math.NaN(), math.Inf(1), 1e300} {
				if err := o.Set(v); err == nil || !strings.Contains(err.Error(), "want a whole number") {
					t.Errorf("%s: %s = %v: %v", e.Name, o.Name, v, err)
				}
			}
		}
	}
	if n == 0 {
		t.Error("no method has such an option")
	}
}
