package npy_test

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	. "github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
)

// badFile is a file that must be rejected, with the line of its error.
type badFile struct {
	file []byte
	want string
}

// tooLarge is a file whose shape has more bytes than an int counts.
func tooLarge(descr, dtype string, shape ...int) badFile {
	return badFile{npytest.File(1, npytest.Header(descr, false, Tuple(shape)), nil),
		fmt.Sprintf("shape %s of %s is more than 2^%d bytes", Tuple(shape), dtype, strconv.IntSize-1)}
}

// badFiles are also the first inputs of the fuzzing.
var badFiles = []badFile{
	{npytest.File(1, "{'descr': '>}1', 'fortran_order': True, 'shape': (2, 3), }\n", nil), "the header is not {'descr': ..., 'fortran_order': ..., 'shape': (...), } as numpy.save writes it; write the file again with numpy.save"},
	{npytest.File(1, "{'descr': ', }', 'fortran_order': False, 'shape': (), }\n", nil), "the header is not {'descr': ..., 'fortran_order': ..., 'shape': (...), } as numpy.save writes it; write the file again with numpy.save"},
	{nil, "empty file"},
	{[]byte("\x93NUM"), "truncated: 4 bytes, shorter than any .npy file"},
	{[]byte("\x00\x01\x02\x03"), `not a .npy file: it does not begin with \x93NUMPY`},
	{[]byte("\x93NUMPY\x01\x00"), "truncated: 8 bytes, shorter than any .npy file"},
	{[]byte("\x93NUMPY\x02\x00\x01\x00"), "truncated: 10 bytes, shorter than any .npy file"},
	{[]byte("\x93NUMPY\x04\x00\x01\x00\x00\x00\n"), ".npy format 4.0 is unknown; want 1.0, 2.0 or 3.0"},
	{[]byte("\x93NUMPY\x01\x07\x01\x00\n"), ".npy format 1.7 is unknown; want 1.0, 2.0 or 3.0"},
	{[]byte("\x93NUMPY\x01\x00\xff\xff{'descr'"), "truncated: the header needs 65535 bytes, the file has 8"},
	{[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'"), "truncated: the header needs 4294967295 bytes, the file has 8"},
	{npytest.File(2, strings.Repeat(" ", 70_000), nil), "the header has 70000 bytes; at most 65536 are allowed"},
	{npytest.File(1, npytest.Header("<f4", false, "(2, 2)"), npytest.F4(1, 2, 3)), "truncated: 12 of the 16 bytes that (2, 2) float32 needs"},
	{npytest.File(1, npytest.Header("<f4", false, "(2, 2)"), append(npytest.F4(1, 2, 3, 4), 0)), "too long: 1 bytes after the 16 that (2, 2) float32 needs"},
	{npytest.File(1, npytest.Header("<f4", false, "(10000, 10000)"), npytest.F4(1)), "truncated: 4 of the 400000000 bytes that (10000, 10000) float32 needs"},
	tooLarge("<f4", "float32", 1<<(strconv.IntSize/2), 1<<(strconv.IntSize/2)),
	tooLarge("<f8", "float64", 1<<(strconv.IntSize-4)),
	tooLarge("<f4", "float32", 1<<(strconv.IntSize/2), 1<<(strconv.IntSize/2), 0),
	{npytest.File(1, npytest.Header("<f4", false, "(99999999999999999999,)"), npytest.F4(1)), fmt.Sprintf("the shape has an entry beyond 2^%d-1", strconv.IntSize-1)},
	{npytest.File(1, npytest.Header("<f4", false, "(-2, 2)"), npytest.F4(1)), "shape (-2, 2) has a negative entry"},
	{npytest.File(1, npytest.Header("<f4", false, "(-2, -2)"), npytest.F4(1, 2, 3, 4)), "shape (-2, -2) has a negative entry"},
	{npytest.File(1, npytest.Header("<f4", false, "(1)"), npytest.F4(1)), "shape (1) is a number and not a tuple; want (1,)"},
	{npytest.File(1, npytest.Header("<f4", false, "(1000)"), make([]byte, 4000)), "shape (1000) is a number and not a tuple; want (1000,)"},
	{npytest.File(1, npytest.Header("<f4", false, "[2, 2]"), npytest.F4(1, 2, 3, 4)), "the header is not {'descr': ..., 'fortran_order': ..., 'shape': (...), } as numpy.save writes it; write the file again with numpy.save"},
	{npytest.File(1, npytest.Header("<f4", false, "(2L, 2L)"), npytest.F4(1, 2, 3, 4)), "the header is not {'descr': ..., 'fortran_order': ..., 'shape': (...), } as numpy.save writes it; write the file again with numpy.save"},
	{npytest.File(1, "{'shape': (1,), 'descr': '<f4', 'fortran_order': False, }\n", npytest.F4(1)), "the header's keys are not in the order 'descr', 'fortran_order', 'shape'; write the file again with numpy.save"},
	{npytest.File(1, "{'fortran_order': False, 'shape': (1,), 'descr': '<f4', }\n", npytest.F4(1)), "the header's keys are not in the order 'descr', 'fortran_order', 'shape'; write the file again with numpy.save"},
	{npytest.File(1, "{'descr': '<f4', 'shape': (1,), }\n", npytest.F4(1)), "the header lacks one of 'descr', 'fortran_order', 'shape'; write the file again with numpy.save"},
	{npytest.File(1, "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }\n", npytest.F4(1)), "the header is not {'descr': ..., 'fortran_order': ..., 'shape': (...), } as numpy.save writes it; write the file again with numpy.save"},
	{npytest.File(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1, }\n", npytest.F4(1)), "the header is not {'descr': ..., 'fortran_order': ..., 'shape': (...), } as numpy.save writes it; write the file again with numpy.save"},
	{npytest.File(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", npytest.F4(1)), "the header does not end in a newline; write the file again with numpy.save"},
	{npytest.File(1, "", nil), "the header does not end in a newline; write the file again with numpy.save"},
	{npytest.File(1, npytest.Header("|O", false, "(1,)"), []byte("\x80\x02]q\x00.")), "object dtype is not supported; store numbers, such as float32 or int32"},
	{npytest.File(1, npytest.Header("<U3", false, "(1,)"), make([]byte, 12)), `string dtype "<U3" is not supported; store numbers, such as float32 or int32; np.unique(labels, return_inverse=True)[1] numbers labels that are names, in ascending order`},
	{npytest.File(1, npytest.Header("|S3", false, "(1,)"), make([]byte, 3)), `string dtype "|S3" is not supported; store numbers, such as float32 or int32; np.unique(labels, return_inverse=True)[1] numbers labels that are names, in ascending order`},
	{npytest.File(1, npytest.Header("<c8", false, "(1,)"), make([]byte, 8)), `complex dtype "<c8" is not supported; store numbers, such as float32 or int32`},
	{npytest.File(1, npytest.Header("<M8[ns]", false, "(1,)"), make([]byte, 8)), `time dtype "<M8[ns]" is not supported; store numbers, such as float32 or int32`},
	{npytest.File(1, npytest.Header("|V8", false, "(1,)"), make([]byte, 8)), `structured dtype "|V8" is not supported; store numbers, such as float32 or int32`},
	{npytest.File(1, npytest.Header("<f16", false, "(1,)"), make([]byte, 16)), `dtype "<f16" is not supported; store numbers, such as float32 or int32`},
	{npytest.File(1, npytest.Header("", false, "(1,)"), nil), `dtype "" is not supported; store numbers, such as float32 or int32`},
	{npytest.File(1, "{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': (1,), }\n", make([]byte, 8)), "structured dtype is not supported; store numbers, such as float32 or int32"},
}

// TestRejectsBadFiles opens each bad file, seekable or not, and inside an archive.
func TestRejectsBadFiles(t *testing.T) {
	for _, c := range badFiles {
		for _, p := range []struct {
			name string
			b    []byte
		}{{"dir/a.npy", c.file}, {"dir/z.npz#a", npytest.Zip(zip.Deflate, "a.npy", c.file)}} {
			path, _, _ := strings.Cut(p.name, "#")
			fsys := npytest.FS(path, p.b)
			want := p.name + ": " + c.want
			if _, err := OpenArray(fsys, p.name); fmt.Sprint(err) != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if _, err := OpenArray(npytest.NoSeek{FS: fsys}, p.name); fmt.Sprint(err) != want {
				t.Errorf("not seekable: got  %v\nwant %s", err, want)
			}
		}
	}
}

// TestRejectsBadArchives changes the archive around a sound array.
func TestRejectsBadArchives(t *testing.T) {
	good := npytest.File(1, npytest.Header("<f4", false, "(2,)"), npytest.F4(1, 2))
	stored := npytest.Zip(zip.Store, "a.npy", good)
	flipped := []byte(strings.Replace(string(stored), string(npytest.F4(2)), string(npytest.F4(3)), 1))
	// The declared, unpacked size is at byte 24 of the central directory.
	declare := func(b []byte, size uint32) []byte {
		b = append([]byte(nil), b...)
		at := strings.LastIndex(string(b), "PK\x01\x02")
		binary.LittleEndian.PutUint32(b[at+24:], size)
		return b
	}
	zeros := npytest.File(1, npytest.Header("<f4", false, "(1000000,)"), make([]byte, 4_000_000))
	bomb := npytest.Zip(zip.Deflate, "a.npy", zeros)
	for _, c := range []struct {
		b          []byte
		name, want string
	}{
		{nil, "z.npz#a", "z.npz#a: empty file"},
		{[]byte("not a zip at all"), "z.npz#a", "z.npz#a: not a complete .npz file: zip: not a valid zip file"},
		{stored[:len(stored)-30], "z.npz#a", "z.npz#a: not a complete .npz file: zip: not a valid zip file"},
		{stored, "z.npz#b", "z.npz#b: no such member (it has a)"},
		{stored, "z.npz", "z.npz: name the array in it as FILE.npz#NAME (it has a)"},
		{npytest.Zip(zip.Store), "z.npz", "z.npz: name the array in it as FILE.npz#NAME (it has none)"},
		{npytest.Zip(zip.Store, "a.npy", good, "a.npy", good), "z.npz#a", "z.npz#a: two members are named a"},
		{flipped, "z.npz#a", "z.npz#a: damaged: the CRC does not match"},
		{declare(bomb, 100), "z.npz#a", "z.npz#a: unpacks to more than the declared 100 bytes"},
		{declare(bomb, 4_100_000), "z.npz#a", "z.npz#a: too long: 99926 bytes after the 4000000 that (1000000,) float32 needs"},
		{declare(bomb, 4_000_000_000), "z.npz#a", fmt.Sprintf("z.npz#a: declares 4000000000 bytes, more than %d compressed bytes can hold", packed(bomb))},
		{declare(stored, 4_000_000), "z.npz#a", fmt.Sprintf("z.npz#a: declares 4000000 bytes, more than %d compressed bytes can hold", len(good))},
	} {
		if _, err := OpenArray(npytest.FS("z.npz", c.b), c.name); fmt.Sprint(err) != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	if _, err := OpenArray(npytest.FS("z.npz", bomb), "z.npz#a"); err != nil {
		t.Errorf("four million honest zeros: %v", err)
	}
}

func packed(archive []byte) uint32 {
	at := strings.LastIndex(string(archive), "PK\x01\x02")
	return binary.LittleEndian.Uint32(archive[at+20:])
}

// TestRejectsBadValues: bad values are rejected when they are read.
func TestRejectsBadValues(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	file := func(descr, shape string, body []byte) []byte {
		return npytest.File(1, npytest.Header(descr, false, shape), body)
	}
	u8 := func(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
	f32 := func(a *Array) error { return a.ReadFloat32(make([]float32, a.Rows()*a.Cols()), 0, a.Rows()) }
	f64 := func(a *Array) error { return a.ReadFloat64(make([]float64, a.Rows()*a.Cols()), 0, a.Rows()) }
	i32 := func(a *Array) error { return a.ReadInt32(make([]int32, a.Rows()*a.Cols()), 0, a.Rows()) }
	for _, c := range []struct {
		file []byte
		read func(*Array) error
		want string
	}{
		{file("<f4", "(2, 2)", npytest.F4(1, 2, 3, nan)), f32, "row 1, class 1: NaN"},
		{file("<f4", "(2, 2)", npytest.F4(1, inf, 3, nan)), f64, "row 0, class 1: -Inf"},
		{file("<f4", "(3,)", npytest.F4(1, 2, -inf)), f32, "row 2: +Inf"},
		{file("<f4", "(3, 1)", npytest.F4(1, 2, -inf)), f32, "row 2: +Inf"},
		{file("<f4", "(2, 3, 1)", npytest.F4(1, 2, 3, 4, nan, 6)), f32, "view 1, row 1, class 0: NaN"},
		{file("<f4", "()", npytest.F4(nan)), f32, "row 0: NaN"},
		{file("<f8", "(1, 3)", npytest.F8(1, 1e300, 2)), f32, "row 0, class 1: 1e+300 overflows float32"},
		{file("<f8", "(1, 3)", npytest.F8(1, 1e300, math.NaN())), f64, "row 0, class 2: NaN"},
		{file(">f2", "(2,)", []byte{0x7c, 0, 0x7e, 0}), f32, "row 0: +Inf"},
		{file("<i8", "(2,)", append(u8(5), u8(1<<32)...)), i32, "row 1: 4294967296 does not fit in int32"},
		{file("<u8", "(1,)", u8(math.MaxUint64)), i32, "row 0: 18446744073709551615 does not fit in int32"},
		{file("<i8", "(1,)", u8(1<<63)), i32, "row 0: -9223372036854775808 does not fit in int32"},
		{file("<i8", "(1,)", u8(1<<24+1)), f32, "row 0: 16777217 is too large to be exact in float32"},
		{file("<i8", "(1,)", u8(1<<24+1)), f64, ""},
		{file("<u8", "(1,)", u8(1<<53+1)), f64, "row 0: 9007199254740993 is too large to be exact in float64"},
		{file("<f4", "(1,)", npytest.F4(1)), i32, "dtype float32; labels must be integers: store them as int32"},
	} {
		a, err := OpenArray(npytest.FS("a.npy", c.file), "a.npy")
		if err != nil {
			t.Error(err)
			continue
		}
		want := "a.npy: " + c.want
		if c.want == "" {
			want = "<nil>"
		}
		if got := fmt.Sprint(c.read(a)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestRejectsFoldersAndAbsentFiles names what stands in the place of a file.
func TestRejectsFoldersAndAbsentFiles(t *testing.T) {
	if _, err := OpenArrayFile("testdata/numpy"); fmt.Sprint(err) != "testdata/numpy: a folder, not an array file" {
		t.Error(err)
	}
	if _, err := OpenArrayFile("testdata/none.npy"); fmt.Sprint(err) != "testdata/none.npy: no such file or directory" {
		t.Error(err)
	}
	if _, err := OpenArray(fstest.MapFS{"d/x.npy/y": {}}, "d/x.npy"); fmt.Sprint(err) != "d/x.npy: a folder, not an array file" {
		t.Error(err)
	}
}
