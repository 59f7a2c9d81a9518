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

// A row in four may have a gap of any size, and masked rows are left out. Where most rows tie, all rows count.
func TestMiddleGap(t *testing.T) {
	const m = data.Masked
	for _, c := range []struct {
		logits []float32
		want   float64
	}{
		{[]float32{1, 0, 0, 2, 3, 0, 1e9, 0}, 2.5},
		{[]float32{1, 0, 0, 2, 3, 0, 0, -3e38}, 2.5},
		{[]float32{5, m, 2, 1, 2, 0, 0, 3}, 2},         // of the gaps 1, 2 and 3 none is cut
		{[]float32{5, 5, 5, 5, 5, 5, 5, 5, 7, 1}, 1.2}, // the middle half is 0
		{[]float32{5, 5, 5, 5}, 1},
		{[]float32{5, m, m, 5}, 1},
	} {
		n := len(c.logits) / 2
		o, err := NewObjective(&data.Set{Logits: data.Matrix{Rows: n, Cols: 2, Data: c.logits}, Labels: make([]int32, n)})
		if err != nil {
			t.Fatal(err)
		}
		got, err := o.MiddleGap(context.Background())
		if err != nil || got != c.want {
			t.Errorf("%v: middle gap %v (%v), want %v", c.logits, got, err, c.want)
		}
	}
}
