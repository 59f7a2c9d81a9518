package npy_test

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
)

// variants are the elements of one 2 x 3 table in every numeric type.
var variants = []struct {
	kind   string
	bits   func(i int) uint64 // of element i
	values []float64
}{
	{"f2", pick(0x3800, 0xbd00, 0x4000, 0x4200, 0xc480, 0x6400), []float64{0.5, -1.25, 2, 3, -4.5, 1024}},
	{"f4", pick(0x3f000000, 0xbfa00000, 0x40000000, 0x40400000, 0xc0900000, 0x44800000), []float64{0.5, -1.25, 2, 3, -4.5, 1024}},
	{"f8", pick(0x3fe0000000000000, 0xbff4000000000000, 0x4000000000000000, 0x4008000000000000, 0xc012000000000000, 0x4090000000000000),
		[]float64{0.5, -1.25, 2, 3, -4.5, 1024}},
	{"i1", pick(0, 1, 0xff, 3, 0x80, 127), []float64{0, 1, -1, 3, -128, 127}},
	{"i2", pick(0, 1, 0xffff, 3, 0x8000, 0x102), []float64{0, 1, -1, 3, -32768, 258}},
	{"i4", pick(0, 1, 0xffffffff, 3, 0xfffffefe, 0x10203), []float64{0, 1, -1, 3, -258, 66051}},
	{"i8", pick(0, 1, math.MaxUint64, 3, 0xfffffffffffffefe, 0x10203), []float64{0, 1, -1, 3, -258, 66051}},
	{"u1", pick(0, 1, 0xff, 3, 0x80, 127), []float64{0, 1, 255, 3, 128, 127}},
	{"u2", pick(0, 1, 0xffff, 3, 0x8000, 0x102), []float64{0, 1, 65535, 3, 32768, 258}},
	{"u4", pick(0, 1, 0xfffffe, 3, 0x102, 0x10203), []float64{0, 1, 16777214, 3, 258, 66051}},
	{"u8", pick(0, 1, 0xfffffe, 3, 0x102, 0x10203), []float64{0, 1, 16777214, 3, 258, 66051}},
	{"b1", pick(0, 1, 1, 0, 1, 0), []float64{0, 1, 1, 0, 1, 0}},
}

func pick(v ...uint64) func(int) uint64 { return func(i int) uint64 { return v[i] } }

// TestEveryTypeOrderAndContainerReadsTheSameTable reads the same table from every type, byte order, element
// order, format version and container, whole and row by row.
func TestEveryTypeOrderAndContainerReadsTheSameTable(t *testing.T) {
	for _, v := range variants {
		size := int(v.kind[1] - '0')
		for _, order := range []string{"<", ">", "|", "=", ""} {
			if NativeBig && strings.Contains("|=", order) {
				continue // the table below writes them little-endian
			}
			for _, fortran := range []bool{false, true} {
				var body []byte
				for p := range 6 {
					i := p
					if fortran {
						i = p%2*3 + p/2 // place p holds row p%2, column p/2
					}
					var e [8]byte
					binary.LittleEndian.PutUint64(e[:], v.bits(i))
					if order == ">" {
						slices.Reverse(e[:size])
					}
					body = append(body, e[:size]...)
				}
				for version := byte(1); version <= 3; version++ {
					file := npytest.File(version, npytest.Header(order+v.kind, fortran, "(2, 3)"), body)
					name := fmt.Sprintf("%s%s fortran=%t version=%d", order, v.kind, fortran, version)
					for _, c := range []struct {
						fsys fs.FS
						name string
					}{
						{npytest.FS("a.npy", file), "a.npy"},
						{npytest.NoSeek{FS: npytest.FS("a.npy", file)}, "a.npy"},
						{npytest.FS("z.npz", npytest.Zip(zip.Store, "a.npy", file)), "z.npz#a"},
						{npytest.NoSeek{FS: npytest.FS("z.npz", npytest.Zip(zip.Deflate, "b.npy", []byte("no"), "a.npy", file))}, "z.npz#a.npy"},
					} {
						checkTable(t, name, c.fsys, c.name, v.values)
					}
				}
			}
		}
	}
}

// checkTable reads the 2 x 3 array in both float widths, and as integers where the
// values are integers.
func checkTable(t *testing.T, label string, fsys fs.FS, name string, want []float64) {
	t.Helper()
	a, err := OpenArray(fsys, name)
	if err != nil {
		t.Errorf("%s: %v", label, err)
		return
	}
	defer a.Close()
	got64, got32, row := make([]float64, 6), make([]float32, 6), make([]float64, 3)
	if err := a.ReadFloat64(got64, 0, 2); err != nil || !slices.Equal(got64, want) {
		t.Errorf("%s: ReadFloat64 = %v, %v; want %v", label, got64, err, want)
	}
	err = a.ReadFloat32(got32, 0, 2)
	for i, x := range want {
		if err != nil || float64(got32[i]) != x {
			t.Errorf("%s: ReadFloat32 = %v, %v; want %v", label, got32, err, want)
			break
		}
	}
	if err := a.ReadFloat64(row, 1, 2); err != nil || !slices.Equal(row, want[3:]) {
		t.Errorf("%s: row 1 = %v, %v; want %v", label, row, err, want[3:])
	}
	if !a.DType().Integer() {
		return
	}
	ints := make([]int32, 6)
	err = a.ReadInt32(ints, 0, 2)
	for i, x := range want {
		if err != nil || float64(ints[i]) != x {
			t.Errorf("%s: ReadInt32 = %v, %v; want %v", label, ints, err, want)
			break
		}
	}
}

// TestThreeAxesAreRowsOfViews reads v x n x k in both element orders, by view and across
// views.
func TestThreeAxesAreRowsOfViews(t *testing.T) {
	const v, n, k = 3, 5, 2
	want := make([]float32, v*n*k)
	c, f := make([]float32, len(want)), make([]float32, len(want))
	for i := range v {
		for j := range n {
			for l := range k {
				x := float32(100*i + 10*j + l)
				want[(i*n+j)*k+l] = x
				c[(i*n+j)*k+l] = x
				f[i+v*(j+n*l)] = x
			}
		}
	}
	for fortran, body := range map[bool][]float32{false: c, true: f} {
		a, err := OpenArray(npytest.FS("a.npy", npytest.File(1, npytest.Header("<f4", fortran, "(3, 5, 2)"), npytest.Bytes(body))), "a.npy")
		if err != nil {
			t.Fatal(err)
		}
		for lo := range v*n + 1 {
			for hi := lo; hi <= v*n; hi++ {
				got := make([]float32, (hi-lo)*k)
				if err := a.ReadFloat32(got, lo, hi); err != nil || !slices.Equal(got, want[lo*k:hi*k]) {
					t.Fatalf("fortran=%t rows %d..%d: %v, %v", fortran, lo, hi, got, err)
				}
			}
		}
	}
}

// TestTablesLargerThanAChunkAreRead reads tables larger than one chunk, whose chunks do not end at
// rows, by several block sizes, and finds a NaN in a late chunk.
func TestTablesLargerThanAChunkAreRead(t *testing.T) {
	const n, k = 20_011, 7
	want := make([]float32, n*k)
	for i := range want {
		want[i] = float32(i%4093) - 2000
	}
	columns := make([]float32, n*k)
	for i, x := range want {
		columns[i%k*n+i/k] = x
	}
	var wide, swapped []byte
	for _, x := range want {
		wide = binary.LittleEndian.AppendUint64(wide, math.Float64bits(float64(x)))
		swapped = binary.BigEndian.AppendUint32(swapped, math.Float32bits(x))
	}
	shape := fmt.Sprintf("(%d, %d)", n, k)
	for name, file := range map[string][]byte{
		"C":       npytest.File(1, npytest.Header("<f4", false, shape), npytest.Bytes(want)),
		"Fortran": npytest.File(1, npytest.Header("<f4", true, shape), npytest.Bytes(columns)),
		"f8":      npytest.File(1, npytest.Header("<f8", false, shape), wide),
		"big":     npytest.File(1, npytest.Header(">f4", false, shape), swapped),
	} {
		a, err := OpenArray(npytest.FS("a.npy", file), "a.npy")
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []int{n, 9362, 1000} {
			got := make([]float32, n*k)
			for lo := 0; lo < n; lo += step {
				hi := min(lo+step, n)
				if err := a.ReadFloat32(got[lo*k:hi*k], lo, hi); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: rows by %d differ", name, step)
			}
		}
	}
	columns[5*n+19_999] = float32(math.NaN())
	want[19_999*k+5] = float32(math.NaN())
	for fortran, body := range map[bool][]float32{false: want, true: columns} {
		a, err := OpenArray(npytest.FS("a.npy", npytest.File(1, npytest.Header("<f4", fortran, shape), npytest.Bytes(body))), "a.npy")
		if err != nil {
			t.Fatal(err)
		}
		err = a.ReadFloat32(make([]float32, n*k), 0, n)
		if want := "a.npy: row 19999, class 5: NaN"; fmt.Sprint(err) != want {
			t.Errorf("fortran=%t: %v; want %s", fortran, err, want)
		}
		if err := a.ReadFloat32(make([]float32, 10*k), 19_980, 19_990); err != nil {
			t.Errorf("fortran=%t: rows without the NaN: %v", fortran, err)
		}
	}
}

// TestFilesOfNumpyAreRead reads files made by numpy; see testdata/numpy/README.
func TestFilesOfNumpyAreRead(t *testing.T) {
	count := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(i)
		}
		return v
	}
	for _, c := range []struct {
		name  string
		dtype DType
		shape []int
		want  []float64
	}{
		{"data_float64_2x3x4_corder.npy", Float64, []int{2, 3, 4}, count(24)},
		{"data_float32_2x3_forder.npy", Float32, []int{2, 3}, []float64{0, 2, 4, 1, 3, 5}},
		{"data_int64_6x1_corder.npy", Int64, []int{6, 1}, count(6)},
		{"data_uint8_2x3_corder.npy", Uint8, []int{2, 3}, count(6)},
		{"data_float64_forder.npz#arr0", Float64, []int{2, 3}, []float64{0, 2, 4, 1, 3, 5}},
		{"data_float64_forder.npz#arr1", Float64, []int{6, 1}, count(6)},
	} {
		a, err := OpenArrayFile(filepath.Join("testdata", "numpy", c.name))
		if err != nil {
			t.Error(err)
			continue
		}
		got := make([]float64, len(c.want))
		err = a.ReadFloat64(got, 0, a.Rows())
		if err != nil || !slices.Equal(got, c.want) || a.DType() != c.dtype || !slices.Equal(a.Shape(), c.shape) {
			t.Errorf("%s: %s %v %v, %v; want %s %v %v", c.name, a.DType(), a.Shape(), got, err, c.dtype, c.shape, c.want)
		}
		a.Close()
	}
}

// A column of a Fortran-order array may be longer than the pieces in which files are
// read, and its first number is checked like every other one.
func TestLongColumnsInFortranOrder(t *testing.T) {
	const rows, cols = ChunkBytes/8 + 100, 2
	values := make([]float64, rows*cols)
	for i := range values {
		values[i] = float64(i)
	}
	open := func() *Array {
		file := npytest.File(1, npytest.Header("<f8", true, fmt.Sprintf("(%d, %d)", rows, cols)), npytest.F8(values...))
		a, err := OpenArray(npytest.FS("a.npy", file), "a.npy")
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	got := make([]float64, rows*cols)
	if err := open().ReadFloat64(got, 0, rows); err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if want := float64(i%cols*rows + i/cols); v != want {
			t.Fatalf("row %d, column %d: %v, want %v", i/cols, i%cols, v, want)
		}
	}
	for _, at := range []int{0, rows, rows + 1} {
		values[at] = math.NaN()
		want := fmt.Sprintf("a.npy: row %d, class %d: NaN", at%rows, at/rows)
		if err := open().ReadFloat64(got, 0, rows); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		values[at] = 0
	}
}

// A header may have so many bytes and no more; a file that is shorter than its header
// says so.
func TestLengthOfAHeaderIsChecked(t *testing.T) {
	text := strings.TrimSuffix(npytest.Header("<f4", false, "(1,)"), "\n")
	padded := func(n int) string { return text + strings.Repeat(" ", n-len(text)-1) + "\n" }
	long := npytest.File(2, padded(1000), make([]byte, 4))
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"largest":  {npytest.File(2, padded(MaxHeader), make([]byte, 4)), "<nil>"},
		"too long": {npytest.File(2, padded(MaxHeader+1), make([]byte, 4)), "a.npy: the header has 65537 bytes; at most 65536 are allowed"},
		"cut":      {long[:12+995], "a.npy: truncated: the header needs 1000 bytes, the file has 995"},
	} {
		if _, err := OpenArray(npytest.FS("a.npy", c.file), "a.npy"); fmt.Sprint(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestArraysInMemory have the bytes of their shape, in either order of bytes and axes.
func TestArraysInMemory(t *testing.T) {
	for _, c := range []struct {
		shape []int
		t     DType
		bytes int
		ok    bool
	}{
		{[]int{2, 2}, Float32, 16, true}, {[]int{2, 2}, Float32, 15, false}, {[]int{2, 2}, Float32, 17, false}, {[]int{-2}, Float32, 8, false},
		{nil, Int64, 8, true}, {[]int{0, 3}, Bool, 0, true}, {[]int{math.MaxInt, 2}, Uint8, 0, false}, {[]int{math.MaxInt, 0}, Uint8, 0, true},
	} {
		if _, err := NewArray(c.t, false, false, c.shape, make([]byte, c.bytes)); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for fortran, want := range map[bool][]int32{false: {1, 2, 3, 4, 5, 6}, true: {1, 3, 5, 2, 4, 6}} {
		for bigEndian, b := range map[bool]string{false: "\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00", true: "\x00\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06"} {
			a, err := NewArray(Int16, bigEndian, fortran, []int{2, 3}, []byte(b))
			if err != nil {
				t.Fatal(err)
			}
			got := make([]int32, 6)
			if err := a.ReadInt32(got, 0, 2); err != nil || !slices.Equal(got, want) {
				t.Errorf("Fortran %v, big-endian %v: %v, %v", fortran, bigEndian, got, err)
			}
			if err := a.ReadFloat64(make([]float64, 6), 0, 2); err != nil {
				t.Error(err)
			}
		}
	}
	nan, err := NewArray(Float16, true, false, []int{2, 2}, []byte{0, 0, 0, 0, 0, 0, 0x7e, 0})
	if err != nil {
		t.Fatal(err)
	}
	if err := nan.ReadFloat64(make([]float64, 4), 0, 2); err == nil || err.Error() != "array of shape (2, 2): row 1, class 1: NaN" {
		t.Error(err)
	}
}
