package data

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

// TestSharedRowsCountsEachCalibrationRowOnce, in any order.
func TestSharedRowsCountsEachCalibrationRowOnce(t *testing.T) {
	dir := t.TempDir()
	a, b, c := []float32{1, 2}, []float32{3, 4}, []float32{5, 6}
	open := func(name string, rows ...[]float32) Reader {
		t.Helper()
		var values []float32
		for _, row := range rows {
			values = append(values, row...)
		}
		logits, labels := filepath.Join(dir, name+"-logits.npy"), filepath.Join(dir, name+"-labels.npy")
		if err := errors.Join(npy.WriteFloat32(logits, values, len(rows), 2), npy.WriteInt32(labels, make([]int32, len(rows)), len(rows))); err != nil {
			t.Fatal(err)
		}
		r, err := Files{Logits: logits, Labels: labels}.Open()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	cal := open("cal", a, b, b)
	for _, x := range []struct {
		name string
		rows [][]float32
		want int
	}{
		{"the same", [][]float32{b, a, b}, 3},
		{"some", [][]float32{b, c, a, b, b, a}, 3},
		{"all but one", [][]float32{b, c, a}, 2},
		{"none", [][]float32{c, c}, 0},
	} {
		test := open(x.name, x.rows...)
		got, err := SharedRows(t.Context(), cal, test)
		if err != nil || got.Rows != x.want || got.All() != (x.name == "the same") || got.Equal != 2 || got.Cal != 3 || got.Test != len(x.rows) {
			t.Errorf("%s: %+v, %v; want %d", x.name, got, err, x.want)
		}
	}
}

// Equal outputs of networks that have few are no shared rows; rows of both sets are found beside them.
func TestEqualOutputsAreNotSharedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(n, kinds int) *Set {
		s := &Set{Logits: NewMatrix(n, 2), Labels: make([]int32, n)}
		for i := range n {
			v, second := r.Float32(), r.Float32()
			if kinds > 0 {
				second = 1
				v = float32(int(float64(kinds) * math.Pow(r.Float64(), 2))) // some outputs are far more frequent
			}
			copy(s.Logits.Row(i), []float32{v, second})
		}
		return s
	}
	for _, c := range []struct {
		name   string
		n, m   int // rows
		kinds  int // different outputs; 0 for no bound
		copied int // test rows that are calibration rows
		want   bool
	}{
		{"a forest", 1000, 1000, 230, 0, false}, {"few neighbours", 500, 2000, 6, 0, false}, {"two decimals of two classes", 300, 100, 100, 0, false},
		{"two decimals of ten classes", 2000, 2000, 20000, 0, false}, {"floats", 500, 500, 0, 0, false},
		{"one row of floats", 500, 500, 0, 1, true}, {"half of the rows of floats", 500, 500, 0, 250, true},
		{"all rows of a forest", 1000, 1000, 2000, 1000, true}, {"half of the rows of a forest", 1000, 1000, 2000, 500, true},
	} {
		for range 200 {
			cal, test := draw(c.n, c.kinds), draw(c.m, c.kinds)
			for i := range c.copied {
				copy(test.Logits.Row(i), cal.Logits.Row(i))
			}
			got, err := SharedRows(t.Context(), ReadRows(cal), ReadRows(test))
			if err != nil || got.Likely() != c.want {
				t.Errorf("%s: %+v, %v: likely %v", c.name, got, err, got.Likely())
				break
			}
		}
	}
}
