package data

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestWriteRead reads back what was written, whole and by rows.
func TestWriteRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	want := []float32{1, -2.5, 3, 0.125, 5, -6}
	for _, write := range []func(string, []float32, ...int) error{WriteFloat32, WriteFloat16} {
		if err := write(path, want, 3, 2); err != nil {
			t.Fatal(err)
		}
		a, err := OpenArrayFile(path)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		got := make([]float32, 6)
		if err := a.ReadFloat32(got, 0, 3); err != nil || !slices.Equal(got, want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
		if err := a.ReadFloat32(got[:2], 1, 2); err != nil || !slices.Equal(got[:2], want[2:4]) {
			t.Errorf("row 1: got %v, %v", got[:2], err)
		}
	}
}
