package data

import (
	"errors"
	"path/filepath"
	"testing"
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
		if err := errors.Join(WriteFloat32(logits, values, len(rows), 2), WriteInt32(labels, make([]int32, len(rows)), len(rows))); err != nil {
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
		if err != nil || got != x.want {
			t.Errorf("%s: %d, %v; want %d", x.name, got, err, x.want)
		}
	}
}
