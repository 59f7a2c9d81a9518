package calib

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// constantTop returns the same new confidence for every row.
type constantTop float64

func (constantTop) Check() error { return nil }

func (g constantTop) Confidences(dst []float64, _ *data.Set, _ *Unscaled) { fill(dst, float64(g)) }

// For every g the pair keeps the class of the logits. In the vector that class has g,
// and the others share the rest in the proportions of the softmax.
func TestTopLabelKeepsTheClass(t *testing.T) {
	thirds := math.Exp(1) / (math.Exp(1) + math.Exp(2)) // of logits 1 and 2
	for _, c := range []struct {
		name   string
		row    []float32
		g      float64
		class  int32
		conf   float64
		vector []float64
	}{
		{"g = 0", []float32{1, 3, 2}, 0, 1, 0, []float64{thirds, 0, 1 - thirds}},
		{"g = 1", []float32{1, 3, 2}, 1, 1, 1, []float64{0, 1, 0}},
		{"one class", []float32{7}, 0.25, 0, 1, []float64{1}},
		{"two classes, g below one half", []float32{0, 1}, 0.2, 1, 0.2, []float64{0.8, 0.2}},
		{"tie: the lowest index", []float32{2, 5, 5}, 0.6, 1, 0.6, []float64{0.4 / (1 + math.Exp(3)), 0.6, 0.4 / (1 + math.Exp(-3))}},
		{"confidence 1, others above 0", []float32{0, 100, 40}, 0.7, 1, 0.7, []float64{0, 0.7, 0.3}},
		{"confidence 1, others underflow", []float32{1e4, 0, -5}, 0.7, 0, 0.7, []float64{0.7, 0.15, 0.15}},
	} {
		set := &data.Set{Logits: data.Matrix{Rows: 1, Cols: len(c.row), Data: c.row}}
		class, conf := TopLabels(constantTop(c.g), set)
		if class[0] != c.class || conf[0] != c.conf {
			t.Errorf("%s: pair (%d, %v), want (%d, %v)", c.name, class[0], conf[0], c.class, c.conf)
		}
		if q := applied(constantTop(c.g), set.Logits).Row(0); !testset.Near(q, c.vector, 1e-15) {
			t.Errorf("%s: vector %v, want %v", c.name, q, c.vector)
		}
	}
}

// The fitted pairs of the three methods are those of plain sums over sorted or binned
// rows.
func TestTopLabelFitsAreThoseOfPlainSums(t *testing.T) {
	set := testset.Lattice(400, 5)
	raw := applied(temperatureMap{1}, set.Logits)
	n := set.Logits.Rows
	conf, hit := make([]float64, n), make([]float64, n)
	for i := range n {
		top := fit.TopClass(set.Logits.Row(i))
		conf[i] = raw.Row(i)[top]
		if int(set.Labels[i]) == top {
			hit[i] = 1
		}
	}
	_, binned := TopLabels(fitMethod(t, "hb-top", set, map[string]int{"bins": 4}).Map.(TopLabel), set)
	_, isotonic := TopLabels(fitMethod(t, "ir-top", set, nil).Map.(TopLabel), set)
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
		if _, err := entry.Method.Fit(ctx, Input{Cal: testset.Lattice(300, 4)}); err != context.Canceled {
			t.Errorf("%s: %v", name, err)
		}
	}
}
