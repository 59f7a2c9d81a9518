package npy_test

import (
	"archive/zip"
	"bytes"
	"math"
	"runtime"
	"strings"
	"testing"

	. "github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
)

// FuzzNPY reads arbitrary files. Reading never panics and allocates little more
// than the length of the file, and accepted numbers survive being written and read
// again.
func FuzzNPY(f *testing.F) {
	for _, c := range badFiles {
		f.Add(c.file)
	}
	for _, v := range variants {
		f.Add(npytest.File(1, npytest.Header(">"+v.kind, true, "(2, 3)"), make([]byte, 6*int(v.kind[1]-'0'))))
	}
	f.Add(append(HeaderBytes(Float32, []int{2, 1, 2}), Little([]float32{1, -2, 3e38, 1e-45})...))
	f.Fuzz(func(t *testing.T, b []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rows, cols, values, ok := readAny(t, b)
		runtime.ReadMemStats(&after)
		// Allowed: values, buffer, strip, and a regular expression over the header.
		if got := after.TotalAlloc - before.TotalAlloc; got > 64*uint64(len(b))+1<<20 {
			t.Fatalf("%d bytes allocated for a file of %d", got, len(b))
		}
		if !ok {
			return
		}
		again := append(HeaderBytes(Float64, []int{rows, cols}), Little(values)...)
		_, _, back, ok := readAny(t, again)
		if !ok || len(back) != len(values) {
			t.Fatalf("the written file is rejected: %q", again[:min(128, len(again))])
		}
		for i := range back {
			if math.Float64bits(back[i]) != math.Float64bits(values[i]) {
				t.Fatalf("element %d: wrote %g, read %g", i, values[i], back[i])
			}
		}
	})
}

// readAny reads b in every way; ok is true if the float64 reading is complete.
func readAny(t *testing.T, b []byte) (rows, cols int, values []float64, ok bool) {
	a, err := OpenArray(npytest.FS("a.npy", b), "a.npy")
	if err != nil {
		return 0, 0, nil, false
	}
	defer a.Close()
	rows, cols = a.Rows(), a.Cols()
	if rows*cols*a.DType().Size() > len(b) {
		t.Fatalf("shape %v of %s in %d bytes", a.Shape(), a.DType(), len(b))
	}
	values = make([]float64, rows*cols)
	err = a.ReadFloat64(values, 0, rows)
	narrow := make([]float32, rows*cols)
	err32 := a.ReadFloat32(narrow, 0, rows)
	if a.DType().Integer() {
		_ = a.ReadInt32(make([]int32, rows*cols), 0, rows)
	}
	if err32 == nil {
		if err != nil {
			t.Fatalf("float64 rejects a file that float32 reads: %v", err)
		}
		for i, x := range values {
			if float32(x) != narrow[i] {
				t.Fatalf("element %d: %g in float64, %g in float32", i, x, narrow[i])
			}
		}
	}
	// The last row read alone equals the last row of the table.
	if err == nil && rows > 0 {
		last := make([]float64, cols)
		if err := a.ReadFloat64(last, rows-1, rows); err != nil {
			t.Fatal(err)
		}
		for i, x := range last {
			if x != values[(rows-1)*cols+i] {
				t.Fatalf("last row, column %d: %g alone, %g in the table", i, x, values[(rows-1)*cols+i])
			}
		}
	}
	return rows, cols, values, err == nil
}

// FuzzNPZ hands arbitrary archives to both readers of archives. The seeds are small: a
// header without its padding, names of one letter.
func FuzzNPZ(f *testing.F) {
	array := npytest.File(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n", make([]byte, 8))
	f.Add(npytest.Zip(zip.Store, "a.npy", array))
	f.Add(npytest.Zip(zip.Deflate, "a.npy", array, "b.npy", []byte("x")))
	f.Add(npytest.Zip(zip.Store, "a", []byte{}))
	f.Fuzz(func(t *testing.T, b []byte) { readArchive(t, b) })
}

// FuzzMembers hands archives of an arbitrary member to both readers. Their checksums are
// right, so that the reader of the member sees it.
func FuzzMembers(f *testing.F) {
	var b bytes.Buffer
	if err := WriteNPZ(&b, Column{Name: "a", Bool: []bool{true, false}}); err != nil {
		f.Fatal(err)
	}
	for _, shape := range []string{"(1,)", "(2, 1)", "()", "(1099511627776,)"} {
		for _, kind := range []string{"<f8", "<i4", "|b1", ">f2"} {
			f.Add("a.npy", npytest.File(1, "{'descr': '"+kind+"', 'fortran_order': False, 'shape': "+shape+", }\n", make([]byte, 16)))
		}
	}
	f.Add("", []byte("\x93NUMPY"))
	f.Fuzz(func(t *testing.T, name string, member []byte) {
		if len(name) > 1<<16-1 || strings.HasSuffix(name, "/") {
			return // an archive cannot hold such a file
		}
		readArchive(t, npytest.Zip(zip.Store, name, member))
	})
}

// readArchive reads an archive in every way. What is accepted survives being written and
// read again.
func readArchive(t *testing.T, b []byte) {
	if a, err := OpenArray(npytest.FS("z.npz", b), "z.npz#a"); err == nil {
		_ = a.ReadFloat64(make([]float64, a.Rows()*a.Cols()), 0, a.Rows())
		a.Close()
	}
	members, err := ReadNPZ(b)
	if err != nil {
		return
	}
	var w bytes.Buffer
	if err := WriteNPZ(&w, members...); err != nil {
		return // names that we would not write
	}
	back, err := ReadNPZ(w.Bytes())
	if err != nil || len(back) != len(members) {
		t.Fatalf("%d members written, %d read: %v", len(members), len(back), err)
	}
}
