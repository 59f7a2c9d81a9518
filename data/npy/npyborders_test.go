package npy_test

import (
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
)

// TestLargestExactIntegersAreRead, of both signs, and the next ones are not.
func TestLargestExactIntegersAreRead(t *testing.T) {
	for v, read := range map[int64]bool{1 << 24: true, -1 << 24: true, 1<<24 + 1: false, -1<<24 - 1: false} {
		a, err := NewArray(Int64, false, false, []int{1}, binary.LittleEndian.AppendUint64(nil, uint64(v)))
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]float32, 1)
		if err := a.ReadFloat32(dst, 0, 1); (err == nil) != read || read && dst[0] != float32(v) {
			t.Errorf("%d: %v, %v; want it read: %v", v, dst[0], err, read)
		}
	}
}

// TestReadErrorsAreNotTruncations.
func TestReadErrorsAreNotTruncations(t *testing.T) {
	broken := errors.New("the disk is broken")
	if err := (File{Body: readFrom(func(p []byte) (int, error) { return 1, broken })}).Fill(make([]byte, 3), 5); !errors.Is(err, broken) {
		t.Errorf("an error of the disk: %v", err)
	}
	err := (File{Body: readFrom(func(p []byte) (int, error) { return 1, nil })}).Fill(make([]byte, 3), 5)
	if err == nil || err.Error() != "truncated to 6 bytes while being read" {
		t.Errorf("a short read: %v", err)
	}
}

type readFrom func(p []byte) (int, error)

func (r readFrom) ReadAt(p []byte, _ int64) (int, error) { return r(p) }

// TestArraysPanicOnRowsThatTheyDoNotHave, and on slices of another length.
func TestArraysPanicOnRowsThatTheyDoNotHave(t *testing.T) {
	a, err := OpenArray(npytest.FS("a.npy", npytest.File(1, npytest.Header("<f4", false, "(4, 3)"), npytest.Bytes(make([]float32, 12)))), "a.npy")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ lo, hi, n int }{{-1, 1, 6}, {2, 1, 0}, {3, 2, -3}, {3, 5, 6}, {5, 5, 0}, {0, 2, 5}} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "npy: rows ") {
					t.Errorf("rows %d..%d into %d numbers: %v", c.lo, c.hi, c.n, p)
				}
			}()
			a.ReadFloat32(make([]float32, max(0, c.n)), c.lo, c.hi)
		}()
	}
}

// Arrays are created with shapes that fit the memory, and take elements of their type,
// as many as they have.
func TestWritersPanicOnMisuse(t *testing.T) {
	dir := t.TempDir()
	panics := func(f func()) (text string) {
		defer func() { text, _ = recover().(string) }()
		f()
		return ""
	}
	for name, shape := range map[string][]int{"negative": {-1}, "second": {2, -3}, "after 0": {0, -1}, "too large": {math.MaxInt, math.MaxInt}} {
		if got := panics(func() { CreateArray(filepath.Join(dir, "a.npy"), Float32, shape...) }); !strings.HasPrefix(got, "npy: shape ") {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, shape := range map[string][]int{"no rows": {0, 3}, "no columns": {3, 0}, "0 and large": {0, math.MaxInt}} {
		if got := panics(func() {
			w, err := CreateArray(filepath.Join(dir, "a.npy"), Float32, shape...)
			if err != nil {
				t.Error(err)
				return
			}
			w.Abort()
		}); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	w, err := CreateArray(filepath.Join(dir, "b.npy"), Float32, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if got := panics(func() { w.Int32([]int32{1}) }); !strings.HasPrefix(got, "npy: 1 int32 elements for ") {
		t.Errorf("integers in a float array: %q", got)
	}
	if got := panics(func() { w.Float32([]float32{1, 2, 3}) }); !strings.HasPrefix(got, "npy: 3 float32 elements for ") {
		t.Errorf("three elements of two: %q", got)
	}
}
