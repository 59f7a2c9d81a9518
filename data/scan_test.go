package data_test

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
	"strings"
	"sync"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/derive"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
)

// served is a source of one set.
type served struct {
	data.Source
	open func() data.Reader
}

func (s served) Open(context.Context, data.Ref, data.Parts) (data.Reader, error) {
	return s.open(), nil
}

// opened opens the logits and labels of the test set of a source.
func opened(t *testing.T, src data.Source) data.Reader {
	t.Helper()
	r, err := src.Open(t.Context(), data.Ref{Split: data.Test}, data.Logits|data.Labels)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// doubled has the rows of r with logits times 2.
func doubled(t *testing.T, r data.Reader) data.Reader {
	t.Helper()
	return opened(t, derive.Scaled(served{open: func() data.Reader { return r }}, 2))
}

const allParts = data.Logits | data.Labels | data.Features | data.Augmented | data.Head | data.OOD

// readers opens one set of n rows and 3 classes in every way that rows are read:
// straight into place, decoded from a buffer, from memory, and through derived
// readers, which see the same values.
func readers(t *testing.T, n int) map[string]func() data.Reader {
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
	files := func(logits, views string) data.Files {
		return data.Files{Logits: at(logits), Labels: at("y.npy"), Augmented: at(views),
			Features: at("features.npy"), HeadWeight: at("w.npy"), HeadBias: at("b.npy")}
	}
	open := func(f data.Files) data.Reader {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	plain := served{open: func() data.Reader { return open(files("f4.npy", "views.npy")) }}
	list := map[string]func() data.Reader{
		"first":    func() data.Reader { return opened(t, derive.First(plain, n)) },
		"plain":    func() data.Reader { return struct{ data.Reader }{open(files("f4.npy", "views.npy"))} },
		"gathered": func() data.Reader { return opened(t, derive.Skewed(plain)) }, // to shares that it has already
		"no seek": func() data.Reader {
			r, err := files("f4.npy", "views.npy").OpenWith(allParts&^data.OOD, func(x data.ArrayFile) (*npy.Array, error) {
				return data.OpenArray(npytest.NoSeek{FS: os.DirFS(dir)}, filepath.Base(x.Path))
			})
			if err != nil {
				t.Fatal(err)
			}
			return r
		},
	}
	for _, name := range []string{"f4.npy", "f2.npy", "f8.npy", "swapped.npy", "columns.npy", "odd.npy", "z.npz#logits"} {
		list[name] = func() data.Reader { return open(files(name, "views16.npy")) }
	}
	writeWithVoid(t, dir, logits, views, labels)
	for _, name := range []string{"void-f4.npy", "void-f8.npy", "void-swapped.npy", "void-columns.npy"} {
		for _, views := range []string{"void-views.npy", "void-views-columns.npy"} {
			list[name+", "+views] = func() data.Reader {
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
		if void[at] = data.Void; i >= 0 {
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
	var want *data.Set
	for name, open := range readers(t, n) {
		r := open()
		whole, err := data.Read(ctx, r, 0, n)
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
func compareBlocks(ctx context.Context, r data.Reader, rows, workers int, want *data.Set) error {
	for range 2 {
		var mu sync.Mutex
		seen := map[int]int{}
		err := data.Scan(ctx, r, rows, workers, func(lo int, got *data.Set) error {
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
	under := open()
	r := doubled(t, under)
	defer r.Close()
	whole, err := data.Read(ctx, r, 0, n)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := data.Read(ctx, under, 0, n)
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
		r, err := data.Files{Logits: path}.Open()
		if err != nil {
			t.Fatal(err)
		}
		_, err = data.Read(ctx, r, 0, n)
		if want := path + ": row 5123, class 1: +Inf"; err == nil || err.Error() != want {
			t.Errorf("%s read: %v, want %s", dtype, err, want)
		}
		for _, workers := range []int{1, 2, 8} {
			e := data.Scan(ctx, r, 100, workers, func(int, *data.Set) error { return nil })
			if e == nil || err == nil || e.Error() != err.Error() {
				t.Errorf("%s scanned by %d: %v, want %v", dtype, workers, e, err)
			}
		}
		mine := errors.New("mine")
		for _, workers := range []int{1, 2, 8} {
			e := data.Scan(ctx, r, 100, workers, func(lo int, _ *data.Set) error {
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
		err := data.Scan(ctx, r, 10, workers, func(int, *data.Set) error {
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
			data.Scan(context.Background(), r, 10, workers, func(int, *data.Set) error { panic("mine") })
		}()
	}
}

// TestStreamReadsAnyRowsOnManyGoroutines: the rows equal those of Read.
func TestStreamReadsAnyRowsOnManyGoroutines(t *testing.T) {
	ctx := context.Background()
	const n, k = 9000, 3
	for name, open := range readers(t, n) {
		want, err := data.Read(ctx, open(), 0, n)
		if err != nil {
			t.Fatal(err)
		}
		s := data.NewStream(open())
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
			data.Read(t.Context(), r, c[0], c[1])
		}()
	}
	s := data.NewStream(readers(t, 4)["plain"]())
	defer s.Close()
	for _, at := range []int{0, 4} {
		if err := s.Read(t.Context(), at, at, nil, nil); err != nil {
			t.Errorf("no rows from %d: %v", at, err)
		}
	}
}

// TestStreamPanicsOnRowsThatItDoesNotHave, and on slices of another length.
func TestStreamPanicsOnRowsThatItDoesNotHave(t *testing.T) {
	s := data.NewStream(readers(t, 4)["plain"]())
	defer s.Close()
	for _, c := range []struct{ lo, hi, logits, labels int }{{-1, 1, 6, 2}, {2, 1, 0, 0}, {3, 5, 6, 2}, {0, 2, 5, 2}, {0, 2, 6, 1}} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "data: rows ") {
					t.Errorf("rows %d..%d into %d and %d: %v", c.lo, c.hi, c.logits, c.labels, p)
				}
			}()
			s.Read(t.Context(), c.lo, c.hi, make([]float32, c.logits), make([]int32, c.labels))
		}()
	}
}

// A scan ends soon after an error, and reads nothing after its context.
func TestScanEndsAfterAnError(t *testing.T) {
	r := readers(t, 100)["f4.npy"]()
	defer r.Close()
	failure, calls := errors.New("no"), 0
	if err := data.Scan(t.Context(), r, 1, 1, func(lo int, _ *data.Set) error { calls++; return failure }); err != failure || calls != 1 {
		t.Errorf("%v after %d blocks", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls = 0
	err := data.Scan(ctx, r, 1, 1, func(lo int, _ *data.Set) error {
		if calls++; calls == 3 {
			cancel()
		}
		return nil
	})
	if err != context.Canceled || calls != 3 {
		t.Errorf("%v after %d blocks", err, calls)
	}
}

// Probabilities are read as logits, and the first number of an array is checked too.
func TestArraysAreReadAsTheLogits(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "logits.npy")
	open := func(kind data.Kind, body ...float32) (*data.Set, error) {
		if err := npy.WriteFloat32(path, body, len(body)/2, 2); err != nil {
			t.Fatal(err)
		}
		r, err := data.Files{Logits: path, Kind: kind}.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		return data.Read(t.Context(), r, 0, r.Rows())
	}
	if set, err := open(data.KindProbs, 1, 0, .5, .5); err != nil || set.Logits.Data[0] != 0 || set.Logits.Data[2] != set.Logits.Data[3] || set.Logits.Data[2] > -.69 {
		t.Errorf("%+v, %v", set, err)
	}
	zero := float32(0)
	if set, err := open(data.KindLogits, zero/zero, 1, 2, 3); err == nil || !strings.HasSuffix(err.Error(), "row 0, class 0: NaN") {
		t.Errorf("%+v, %v", set, err)
	}
}

// The numbers of each view are read from their place in the file.
func TestViewsAreInTheirPlaces(t *testing.T) {
	dir := t.TempDir()
	views := make([]float32, 2*3000*2)
	for i := range views {
		views[i] = float32(i)
	}
	if err := errors.Join(npy.WriteFloat32(filepath.Join(dir, "l.npy"), views[:6000], 3000, 2), npy.WriteFloat32(filepath.Join(dir, "v.npy"), views, 2, 3000, 2)); err != nil {
		t.Fatal(err)
	}
	r, err := data.Files{Logits: filepath.Join(dir, "l.npy"), Augmented: filepath.Join(dir, "v.npy")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := data.Read(t.Context(), r, 0, 3000)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Augmented) != 2 || !slices.Equal(s.Augmented[1].Data, views[6000:]) || !slices.Equal(s.Augmented[0].Data, views[:6000]) {
		t.Error("other numbers")
	}
}

// A number that cannot be read is named with its value in each type.
func TestValuesThatAreNotFiniteAreNamed(t *testing.T) {
	for descr, body := range map[string][]byte{"<f2": {0, 0, 0, 0x7c}, "<f4": {0, 0, 0, 0, 0, 0, 0x80, 0x7f}, "<f8": npytest.F8(0, math.Inf(1))} {
		a, err := data.OpenArray(npytest.FS("a.npy", npytest.File(1, npytest.Header(descr, false, "(1, 2)"), body)), "a.npy")
		if err != nil {
			t.Fatal(err)
		}
		if err := a.ReadFloat64(make([]float64, 2), 0, 1); err == nil || !strings.HasPrefix(err.Error(), "a.npy: row 0, class 1: +Inf") {
			t.Errorf("%s: %v", descr, err)
		}
	}
}
