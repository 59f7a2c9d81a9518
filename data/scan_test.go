package data

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
)

// readers opens one set of n rows and 3 classes in every way that rows are read:
// straight into place, decoded from a buffer, from memory, and through derived
// readers, which see the same values.
func readers(t *testing.T, n int) map[string]func() Reader {
	t.Helper()
	dir := t.TempDir()
	logits, views, labels := make([]float32, 3*n), make([]float32, 6*n), make([]int32, n)
	for i := range views {
		views[i] = float32(i%977)/8 - 40 // exact in float16
	}
	copy(logits, views[n:])
	for i := range labels {
		labels[i] = int32(i % 3)
	}
	doubled := make([]float32, len(logits))
	for i, v := range logits {
		doubled[i] = 2 * v
	}
	swapped := bytes.Clone(npytest.Bytes(logits))
	npytest.Swap(swapped, 4)
	wide := make([]float64, len(logits))
	columns := make([]float32, len(logits))
	for i, v := range logits {
		wide[i] = float64(v)
		columns[i%3*n+i/3] = v
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	member, err := z.Create("logits.npy")
	if err == nil {
		_, err = member.Write(append(npy.HeaderBytes(npy.Float32, []int{n, 3}), npytest.Bytes(logits)...))
	}
	shape := fmt.Sprintf("(%d, 3)", n)
	err = errors.Join(err, z.Close(),
		npy.WriteFloat32(at("f4.npy"), logits, n, 3),
		npy.WriteFloat32(at("doubled.npy"), doubled, n, 3),
		npy.WriteFloat16(at("f2.npy"), logits, n, 3),
		npy.WriteFloat64(at("f8.npy"), wide, n, 3),
		npy.WriteFloat32(at("views.npy"), views, 2, n, 3),
		npy.WriteFloat16(at("views16.npy"), views, 2, n, 3),
		npy.WriteFloat32(at("features.npy"), views, n, 6),
		npy.WriteFloat32(at("w.npy"), views[:18], 3, 6),
		npy.WriteFloat32(at("b.npy"), views[:3], 3),
		npy.WriteInt32(at("y.npy"), labels, n),
		os.WriteFile(at("z.npz"), archive.Bytes(), 0o666),
		os.WriteFile(at("swapped.npy"), npytest.File(1, npytest.Header(">f4", false, shape), swapped), 0o666),
		os.WriteFile(at("columns.npy"), npytest.File(1, npytest.Header("<f4", true, shape), npytest.Bytes(columns)), 0o666),
		os.WriteFile(at("odd.npy"), npytest.File(1, npytest.Header("<f4", false, shape)+"", npytest.Bytes(logits)), 0o666),
	)
	if err != nil {
		t.Fatal(err)
	}
	files := func(logits, views string) Files {
		return Files{Logits: at(logits), Labels: at("y.npy"), Augmented: at(views),
			Features: at("features.npy"), HeadWeight: at("w.npy"), HeadBias: at("b.npy")}
	}
	open := func(f Files) Reader {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	list := map[string]func() Reader{
		"first": func() Reader { return firstReader{open(files("f4.npy", "views.npy")), n} },
		"plain": func() Reader { return struct{ Reader }{open(files("f4.npy", "views.npy"))} },
		"gathered": func() Reader {
			all := make([]int, n)
			for i := range all {
				all[i] = i
			}
			return &gatherer{readers: []Reader{open(files("f4.npy", "views.npy"))}, parts: Labels, n: n, choose: func([]*Set) ([]int, error) { return all, nil }}
		},
		"no seek": func() Reader {
			r, err := files("f4.npy", "views.npy").OpenWith(allParts&^OOD, func(x ArrayFile) (*npy.Array, error) {
				return npy.OpenArray(npytest.NoSeek{FS: os.DirFS(dir)}, filepath.Base(x.Path))
			})
			if err != nil {
				t.Fatal(err)
			}
			return r
		},
	}
	for _, name := range []string{"f4.npy", "f2.npy", "f8.npy", "swapped.npy", "columns.npy", "odd.npy", "z.npz#logits"} {
		list[name] = func() Reader { return open(files(name, "views16.npy")) }
	}
	writeWithVoid(t, dir, logits, views, labels)
	for _, name := range []string{"void-f4.npy", "void-f8.npy", "void-swapped.npy", "void-columns.npy"} {
		for _, views := range []string{"void-views.npy", "void-views-columns.npy"} {
			list[name+", "+views] = func() Reader {
				f := files(name, views)
				f.Labels, f.Features = at("void-y.npy"), at("void-features.npy")
				return open(f)
			}
		}
	}
	return list
}

// voidRows returns where the rows of a set of n rows stand among void rows, whose place is -1:
// single ones, long runs, one at either end, and more than a block of counts.
func voidRows(n int) []int {
	rows := []int{-1}
	for i := range n {
		rows = append(rows, i)
		switch {
		case i%7 == 2:
			rows = append(rows, -1)
		case i == n/2:
			rows = append(rows, slices.Repeat([]int{-1}, 1500)...)
		}
	}
	return append(rows, -1)
}

// writeWithVoid writes a set of 3 classes and 2 views among void rows, whose label is 255 and
// whose other values are NaN. The rest is as readers writes it.
func writeWithVoid(t *testing.T, dir string, logits, views []float32, labels []int32) {
	t.Helper()
	n, rows := len(labels), voidRows(len(labels))
	spread := func(from []float32, tables, cols int) []float32 {
		var out []float32
		for v := range tables {
			for _, i := range rows {
				for j := range cols {
					x := float32(math.NaN())
					if i >= 0 {
						x = from[(v*n+i)*cols+j]
					}
					out = append(out, x)
				}
			}
		}
		return out
	}
	transposed := func(v []float32, shape ...int) []float32 { // of C order to Fortran order
		out := make([]float32, len(v))
		for p := range v {
			at, stride, rest := 0, len(v), p
			for i := len(shape) - 1; i >= 0; i-- {
				stride /= shape[i]
				at += rest % shape[i] * stride
				rest /= shape[i]
			}
			out[at] = v[p]
		}
		return out
	}
	wide := spread(logits, 1, 3)
	doubles := make([]float64, len(wide))
	for i, v := range wide {
		doubles[i] = float64(v)
	}
	void := make([]int32, len(rows))
	for at, i := range rows {
		if void[at] = Void; i >= 0 {
			void[at] = labels[i]
		}
	}
	swapped := npytest.Bytes(wide)
	npytest.Swap(swapped, 4)
	all := spread(views, 2, 3)
	at := func(name string) string { return filepath.Join(dir, "void-"+name) }
	shape := fmt.Sprintf("(%d, 3)", len(rows))
	if err := errors.Join(
		npy.WriteFloat32(at("f4.npy"), wide, len(rows), 3),
		npy.WriteFloat64(at("f8.npy"), doubles, len(rows), 3),
		npy.WriteFloat32(at("views.npy"), all, 2, len(rows), 3),
		npy.WriteFloat32(at("features.npy"), spread(views, 1, 6), len(rows), 6),
		npy.WriteInt32(at("y.npy"), void, len(rows)),
		os.WriteFile(at("swapped.npy"), npytest.File(1, npytest.Header(">f4", false, shape), swapped), 0o666),
		os.WriteFile(at("columns.npy"), npytest.File(1, npytest.Header("<f4", true, shape), npytest.Bytes(transposed(wide, len(rows), 3))), 0o666),
		os.WriteFile(at("views-columns.npy"), npytest.File(1, npytest.Header("<f4", true, fmt.Sprintf("(2, %d, 3)", len(rows))), npytest.Bytes(transposed(all, 2, len(rows), 3))), 0o666),
	); err != nil {
		t.Fatal(err)
	}
}

// TestScannedBlocksAreTheRowsOfRead for any block size, any number of goroutines
// and any pass.
func TestScannedBlocksAreTheRowsOfRead(t *testing.T) {
	ctx := context.Background()
	const n = 9000
	var want *Set
	for name, open := range readers(t, n) {
		r := open()
		whole, err := Read(ctx, r, 0, n)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = whole
		}
		for _, c := range []struct{ rows, workers int }{{n, 1}, {n + 1, 2}, {1000, 1}, {256, 2}, {257, 8}, {4000, 3}} {
			if err := compareBlocks(ctx, r, c.rows, c.workers, want); err != nil {
				t.Errorf("%s, %d rows, %d workers: %v", name, c.rows, c.workers, err)
			}
		}
		if !reflect.DeepEqual(whole.Logits, want.Logits) || !reflect.DeepEqual(whole.Augmented, want.Augmented) {
			t.Errorf("%s: read whole, other values", name)
		}
		if err := r.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(whole.Logits.Row(n-1), want.Logits.Row(n-1)) {
			t.Errorf("%s: a set does not outlive its reader", name)
		}
	}
}

// compareBlocks scans r twice and compares each block with the rows of want.
func compareBlocks(ctx context.Context, r Reader, rows, workers int, want *Set) error {
	for range 2 {
		var mu sync.Mutex
		seen := map[int]int{}
		err := Scan(ctx, r, rows, workers, func(lo int, got *Set) error {
			part := want.Rows(lo, lo+got.Logits.Rows)
			mu.Lock()
			seen[lo] = got.Logits.Rows
			mu.Unlock()
			if !reflect.DeepEqual(got.View(allParts), part.View(allParts)) {
				return fmt.Errorf("block at %d differs", lo)
			}
			return nil
		})
		if err != nil {
			return err
		}
		n := want.Logits.Rows
		for lo := 0; lo < n; lo += rows {
			if seen[lo] != min(rows, n-lo) {
				return fmt.Errorf("block at %d: %d rows", lo, seen[lo])
			}
			delete(seen, lo)
		}
		if len(seen) > 0 {
			return fmt.Errorf("more blocks than rows: %v", seen)
		}
	}
	return nil
}

// TestScanAppliesAFactorOnce to each block.
func TestScanAppliesAFactorOnce(t *testing.T) {
	ctx := context.Background()
	const n = 7000
	open := readers(t, n)["f4.npy"]
	r := scaledReader{open(), 2}
	defer r.Close()
	whole, err := Read(ctx, r, 0, n)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := Read(ctx, r.Reader, 0, n)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range raw.Logits.Data {
		if whole.Logits.Data[i] != 2*v || whole.Augmented[1].Data[i] != 2*raw.Augmented[1].Data[i] {
			t.Fatalf("element %d: %v from %v", i, whole.Logits.Data[i], v)
		}
	}
	if err := compareBlocks(ctx, r, 300, 3, whole); err != nil {
		t.Error(err)
	}
}

// TestScanNamesTheFirstBadBlock for any number of workers, with the error of Read.
func TestScanNamesTheFirstBadBlock(t *testing.T) {
	ctx := context.Background()
	const n, k = 20000, 3
	path := filepath.Join(t.TempDir(), "bad.npy")
	for _, dtype := range []npy.DType{npy.Float32, npy.Float16} {
		logits := make([]float32, n*k)
		for _, row := range []int{5123, 9000, 19999} {
			logits[row*k+1] = float32(math.Inf(1))
		}
		if err := npy.WritePieces(path, dtype, []int{n, k}, (*npy.Writer).Float32, logits); err != nil {
			t.Fatal(err)
		}
		r, err := Files{Logits: path}.Open()
		if err != nil {
			t.Fatal(err)
		}
		_, err = Read(ctx, r, 0, n)
		if want := path + ": row 5123, class 1: +Inf"; err == nil || err.Error() != want {
			t.Errorf("%s read: %v, want %s", dtype, err, want)
		}
		for _, workers := range []int{1, 2, 8} {
			e := Scan(ctx, r, 100, workers, func(int, *Set) error { return nil })
			if e == nil || err == nil || e.Error() != err.Error() {
				t.Errorf("%s scanned by %d: %v, want %v", dtype, workers, e, err)
			}
		}
		mine := errors.New("mine")
		for _, workers := range []int{1, 2, 8} {
			e := Scan(ctx, r, 100, workers, func(lo int, _ *Set) error {
				if lo == 1200 || lo == 3000 {
					return fmt.Errorf("%d: %w", lo, mine)
				}
				return nil
			})
			if !errors.Is(e, mine) || e.Error() != "1200: mine" {
				t.Errorf("%s scanned by %d: %v, want 1200: mine", dtype, workers, e)
			}
		}
		r.Close()
	}
}

// TestScanEndsWhenCancelledAndPassesPanicsOn to the caller.
func TestScanEndsWhenCancelledAndPassesPanicsOn(t *testing.T) {
	r := readers(t, 5000)["f2.npy"]()
	defer r.Close()
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		var mu sync.Mutex
		err := Scan(ctx, r, 10, workers, func(int, *Set) error {
			mu.Lock()
			defer mu.Unlock()
			calls++
			cancel()
			return nil
		})
		if !errors.Is(err, context.Canceled) || calls > workers {
			t.Errorf("%d workers: %v after %d calls", workers, err, calls)
		}
		func() {
			defer func() {
				if p := recover(); p != "mine" {
					t.Errorf("%d workers: panic %v", workers, p)
				}
			}()
			Scan(context.Background(), r, 10, workers, func(int, *Set) error { panic("mine") })
		}()
	}
}

// TestStreamReadsAnyRowsOnManyGoroutines: the rows equal those of Read.
func TestStreamReadsAnyRowsOnManyGoroutines(t *testing.T) {
	ctx := context.Background()
	const n, k = 9000, 3
	for name, open := range readers(t, n) {
		want, err := Read(ctx, open(), 0, n)
		if err != nil {
			t.Fatal(err)
		}
		s := NewStream(open())
		if s.Rows() != n || s.Classes() != k {
			t.Fatalf("%s: %d rows of %d classes", name, s.Rows(), s.Classes())
		}
		var wait sync.WaitGroup
		for g := range 3 {
			wait.Go(func() {
				logits, labels := make([]float32, 700*k), make([]int32, 700)
				for lo := 0; lo < n; {
					hi := min(n, lo+1+(lo*(g+7)+13*g)%700)
					part := want.Rows(lo, hi)
					err := s.Read(ctx, lo, hi, logits[:(hi-lo)*k], labels[:hi-lo])
					if err != nil || !slices.Equal(logits[:(hi-lo)*k], part.Logits.Data) || !slices.Equal(labels[:hi-lo], part.Labels) {
						t.Errorf("%s: rows %d..%d differ (%v)", name, lo, hi, err)
						return
					}
					lo = hi
				}
			})
		}
		wait.Wait()
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The rows of a reader are within its set.
func TestReadersPanicOnRowsThatTheyDoNotHave(t *testing.T) {
	r := readers(t, 4)["f4.npy"]()
	defer r.Close()
	for _, c := range [][2]int{{-1, 1}, {2, 1}, {3, 5}} {
		func() {
			defer func() {
				if p, want := recover(), fmt.Sprintf("data: rows %d..%d of 4", c[0], c[1]); p != want {
					t.Errorf("%v, want %s", p, want)
				}
			}()
			Read(t.Context(), r, c[0], c[1])
		}()
	}
	s := NewStream(readers(t, 4)["plain"]())
	defer s.Close()
	for _, at := range []int{0, 4} {
		if err := s.Read(t.Context(), at, at, nil, nil); err != nil {
			t.Errorf("no rows from %d: %v", at, err)
		}
	}
}
