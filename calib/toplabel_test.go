package calib

import (
	"math"
	"testing"

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
		class, conf, err := TopLabels(constantTop(c.g), set)
		if err != nil {
			t.Fatal(err)
		}
		if class[0] != c.class || conf[0] != c.conf {
			t.Errorf("%s: pair (%d, %v), want (%d, %v)", c.name, class[0], conf[0], c.class, c.conf)
		}
		if q := applied(constantTop(c.g), set.Logits).Row(0); !testset.Near(q, c.vector, 1e-15) {
			t.Errorf("%s: vector %v, want %v", c.name, q, c.vector)
		}
	}
}
