package fit

import (
	"context"
	"testing"

	"github.com/qats-bench/qats/data"
)

// Masked classes, and rows with one class that is not masked, are no part of the spread.
func TestSpreadLeavesMaskedClassesOut(t *testing.T) {
	const m = data.Masked
	for _, c := range []struct {
		logits []float32
		want   float64
	}{
		{[]float32{5, 1, 2, 4, 4, 0}, 1.5},
		{[]float32{5, m, 2, 4, 1, m}, 3},
		{[]float32{5, m, m, 4, 1, m}, 3}, // the first row has one class left
		{[]float32{5, m, m, m, 1, m}, 1}, // no row has two
	} {
		o, err := NewObjective(&data.Set{Logits: data.Matrix{Rows: 2, Cols: 3, Data: c.logits}, Labels: []int32{0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.Spread(context.Background())
		if err != nil || got != c.want {
			t.Errorf("%v: spread %v (%v), want %v", c.logits, got, err, c.want)
		}
	}
}
