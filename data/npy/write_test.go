package npy_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"

	. "github.com/qats-bench/qats/data/npy"
)

// TestWriterWritesTheBytesOfNumpy compares with numpy.save of numpy.array([[1,
// 2.5]], dtype='<f4'): 128 bytes before the body.
func TestWriterWritesTheBytesOfNumpy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := WriteFloat32(path, []float32{1, 2.5}, 1, 2); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }"
	want := "\x93NUMPY\x01\x00\x76\x00" + header + strings.Repeat(" ", 117-len(header)) + "\n" + "\x00\x00\x80\x3f\x00\x00\x20\x40"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", hex.Dump(got), hex.Dump([]byte(want)))
	}
}

// TestLibraryReadsWrittenHeaders reads the headers with npyio, an independent
// implementation, for shapes around each padding.
func TestLibraryReadsWrittenHeaders(t *testing.T) {
	for _, shape := range [][]int{{}, {0}, {7}, {5000, 10}, {2, 3, 4}, {1, 22, 333, 4444, 55555, 666666, 7777777, 88888888}, {123456789, 1}} {
		for _, c := range []struct {
			t     DType
			descr string
		}{{Float16, "<f2"}, {Float32, "<f4"}, {Float64, "<f8"}, {Int32, "<i4"}, {Bool, "|b1"}} {
			b := HeaderBytes(c.t, shape)
			r, err := npy.NewReader(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			h := r.Header
			if h.Descr.Type != c.descr || h.Descr.Fortran || !slices.Equal(h.Descr.Shape, shape) || len(b)%64 != 0 {
				t.Errorf("%s %v: %v, %d bytes", c.t, shape, h, len(b))
			}
		}
	}
}

// TestWrittenArraysAreReadBack in all types that are written.
func TestWrittenArraysAreReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	want := []float32{1, -2.5, 3, 0.125, 5, -6}
	wide := []float64{1, -2.5, 3, 0.125, 5, -6}
	for _, write := range []func() error{
		func() error { return WriteFloat32(path, want, 3, 2) },
		func() error { return WriteFloat16(path, want, 3, 2) },
		func() error { return WriteFloat64(path, wide, 3, 2) },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
		a, err := OpenArrayFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, 6)
		if err := a.ReadFloat32(got, 0, 3); err != nil || !slices.Equal(got, want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
		a.Close()
	}
	labels := []int32{3, -1, 1 << 30}
	if err := WriteInt32(path, labels, 3); err != nil {
		t.Fatal(err)
	}
	a, err := OpenArrayFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	got := make([]int32, 3)
	if err := a.ReadInt32(got, 0, 3); err != nil || !slices.Equal(got, labels) {
		t.Errorf("got %v, %v; want %v", got, err, labels)
	}
}

// TestUnfinishedFileNeverAppears under its name; pieces give the bytes of one
// write, and no other file is left.
func TestUnfinishedFileNeverAppears(t *testing.T) {
	dir := t.TempDir()
	whole, pieces := filepath.Join(dir, "whole.npy"), filepath.Join(dir, "pieces.npy")
	v := make([]float64, 3*40_000)
	for i := range v {
		v[i] = float64(i)
	}
	if err := WriteFloat64(whole, v, 40_000, 3); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pieces, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	w, err := CreateArray(pieces, Float64, 40_000, 3)
	if err != nil {
		t.Fatal(err)
	}
	for lo := 0; lo < len(v); lo += 7001 {
		if err := w.Float64(v[lo:min(lo+7001, len(v))]); err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(pieces); string(b) != "old" {
			t.Fatal("the old file is gone before the new one is complete")
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	a, _ := os.ReadFile(whole)
	b, _ := os.ReadFile(pieces)
	if !bytes.Equal(a, b) {
		t.Error("pieces and whole differ")
	}

	if _, err := CreateArray(dir, Float32, 4); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("an array in place of a folder: %v", err)
	}
	short, err := CreateArray(filepath.Join(dir, "short.npy"), Float32, 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := short.Float32([]float32{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	if err := short.Close(); err == nil || !strings.Contains(err.Error(), "short.npy: 1 elements of (4,) were not written") {
		t.Errorf("short file: %v", err)
	}
	err = WriteFloat16(filepath.Join(dir, "big.npy"), []float32{1, 70000}, 2)
	if err == nil || !strings.Contains(err.Error(), "element 1: 70000 overflows float16") {
		t.Errorf("float16: %v", err)
	}
	err = WriteFloat32(filepath.Join(dir, "none", "a.npy"), []float32{1}, 1)
	if err == nil || !strings.HasSuffix(err.Error(), filepath.Join("none", "a.npy")+": no such file or directory") {
		t.Errorf("no folder: %v", err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if want := []string{pieces, whole}; !slices.Equal(files, want) {
		t.Errorf("left %v, want %v", files, want)
	}
}
