package formats

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
	"github.com/qats-bench/qats/internal/inputfile"
)

// TestReadsTensorsOfTorch reads testdata/safetensors/torch.safetensors. Its numbers
// are [[1.5, -2.25, 0], [3, 65504, -1e-3]] in four types and [2, 0] in the others, as
// torch 2 converted them; the container follows the description of the format.
func TestReadsTensorsOfTorch(t *testing.T) {
	const file = "testdata/torch.safetensors"
	for name, want := range map[string][]float64{
		"f64":  {1.5, -2.25, 0, 3, 65504, -1e-3},
		"f32":  {1.5, -2.25, 0, 3, 65504, float64(float32(-1e-3))},
		"f16":  {1.5, -2.25, 0, 3, 65504, -0.0010004043579101562},
		"bf16": {1.5, -2.25, 0, 3, 65536, -0.00099945068359375},
		"i64":  {2, 0}, "i32": {2, 0}, "i16": {2, 0}, "i8": {2, 0}, "u8": {2, 0}, "bool": {1, 0},
	} {
		a, err := open(inputfile.System{}, file+"#"+name)
		if err != nil {
			t.Error(err)
			continue
		}
		got := make([]float64, len(want))
		if err := a.ReadFloat64(got, 0, a.Rows()); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, want)
		}
		narrow := make([]float32, len(want))
		if err := a.ReadFloat32(narrow, 0, a.Rows()); err != nil || narrow[0] != float32(want[0]) {
			t.Errorf("%s: %v, %v", name, narrow, err)
		}
		a.Close()
	}
	if _, err := open(inputfile.System{}, file+"#logits"); err == nil || !strings.Contains(err.Error(), "no such member (it has ") {
		t.Error(err)
	}
}

// TestRejectsHostileTensors: each file is an error in one line, and takes no memory.
func TestRejectsHostileTensors(t *testing.T) {
	good := `{"logits":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}`
	of := func(dtype, shape, offsets string) string {
		return fmt.Sprintf(`{"logits":{"dtype":%s,"shape":%s,"data_offsets":%s}}`, dtype, shape, offsets)
	}
	numbers := make([]byte, 16)
	size := func(n uint64, rest ...byte) []byte { return append(binary.LittleEndian.AppendUint64(nil, n), rest...) }
	for _, c := range []struct {
		file []byte
		want string
	}{
		{npytest.Tensors(good, numbers...), ""},
		{npytest.Tensors(good+"    ", numbers...), ""},
		{nil, "empty file"},
		{[]byte("short"), "truncated: 5 bytes, shorter than any .safetensors file"},
		{size(math.MaxUint64, '{'), "header would have 18446744073709551615 bytes; at most 8388608 are read"},
		{size(1 << 40), "header would have 1099511627776 bytes"},
		{size(1<<20, '{'), "truncated: the header needs 1048576 bytes, there are 1"},
		{npytest.Tensors(good, numbers[:15]...), "truncated: the tensors need 16 bytes, there are 15"},
		{npytest.Tensors(good, make([]byte, 17)...), "too long: 1 bytes after the last tensor"},
		{npytest.Tensors(""), "the header is no JSON object"},
		{npytest.Tensors(`[1]`), "the header is no JSON object"},
		{npytest.Tensors(`{"logits":1}`), `tensor "logits": json: `},
		{npytest.Tensors(`{"logits":`), "EOF"},
		{npytest.Tensors(good+"{}", numbers...), "the header goes on after its JSON object"},
		{npytest.Tensors(strings.Repeat(`{"a":`, 20000)), `tensor "a": `},
		{npytest.Tensors(good[:len(good)-1]+","+good[1:], numbers...), `two tensors are named "logits"`},
		{npytest.Tensors(of(`"F32"`, "[2,2]", "[0,8]"), numbers[:8]...), "data_offsets give 8 bytes, (2, 2) float32 needs 16"},
		{npytest.Tensors(of(`"F32"`, "[2,2]", "[-16,0]"), numbers...), "data_offsets -16 to 0"},
		{npytest.Tensors(of(`"F32"`, "[2,2]", "[16,0]"), numbers...), "data_offsets 16 to 0"},
		{npytest.Tensors(of(`"F32"`, "[2,2]", "[9223372036854775792,9223372036854775807]"), numbers...), "data_offsets give 15 bytes"},
		{npytest.Tensors(of(`"U8"`, "[15]", "[9223372036854775792,9223372036854775807]"), numbers...), "begins at byte 9223372036854775792"},
		{npytest.Tensors(of(`"F32"`, "[4294967296,4294967296]", "[0,16]"), numbers...), "is more than 2^63 bytes"},
		{npytest.Tensors(of(`"F32"`, "[-2,-2]", "[0,16]"), numbers...), "has a negative entry"},
		{npytest.Tensors(of(`"F32"`, "[2.5,2]", "[0,16]"), numbers...), "cannot unmarshal number 2.5"},
		{npytest.Tensors(of(`"F32"`, "[99999999999999999999]", "[0,16]"), numbers...), "cannot unmarshal number"},
		{npytest.Tensors(of(`"F32"`, "[2,2]", "[0]"), numbers...), "want dtype, shape with at most 32 axes, and data_offsets"},
		{npytest.Tensors(of(`"F32"`, "null", "[0,16]"), numbers...), "want dtype, shape"},
		{npytest.Tensors(of(`"F32"`, "["+strings.Repeat("1,", 40)+"4]", "[0,16]"), numbers...), "at most 32 axes"},
		{npytest.Tensors(of(`"F8_E4M3"`, "[16]", "[0,16]"), numbers...), "dtype F8_E4M3 is not supported; store numbers, such as F32 or I64"},
		{npytest.Tensors(`{"a":{"dtype":"U8","shape":[10],"data_offsets":[0,10]},"logits":{"dtype":"U8","shape":[8],"data_offsets":[8,16]}}`, numbers...), "begins at byte 8 of the numbers; the one before it ends at 10"},
		{npytest.Tensors(`{"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]},"logits":{"dtype":"U8","shape":[8],"data_offsets":[8,16]}}`, numbers...), "begins at byte 8 of the numbers; the one before it ends at 6"},
		{npytest.Tensors(`{"__metadata__":{"a":1},` + good[1:]), "__metadata__: json: "},
	} {
		a, err := open(fstest.MapFS{"x.safetensors": {Data: c.file}}, "x.safetensors#logits")
		if c.want == "" {
			if err != nil || fmt.Sprint(a.Shape()) != "[2 2]" {
				t.Errorf("%q: %v", c.file, err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), "x.safetensors#logits: ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q\ngot  %v\nwant %s", c.file, err, c.want)
		}
	}
}

// FuzzSafetensors reads arbitrary files. Reading never panics and allocates little
// more than the length of the file, and every tensor lies inside the file.
func FuzzSafetensors(f *testing.F) {
	f.Add(npytest.Tensors(`{"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`, make([]byte, 8)...))
	f.Add(npytest.Tensors(`{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},"b":{"dtype":"I64","shape":[],"data_offsets":[4,12]}}`, make([]byte, 12)...))
	f.Add(npytest.Tensors(`{"__metadata__":{"format":"pt"}}  `))
	f.Fuzz(func(t *testing.T, b []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		all, err := parseTensorFile(npy.File{Body: bytes.NewReader(b), Size: int64(len(b))})
		runtime.ReadMemStats(&after)
		// Allowed: the header several times over, for the decoder and its values.
		if got := after.TotalAlloc - before.TotalAlloc; got > 256*uint64(len(b))+1<<20 {
			t.Fatalf("%d bytes allocated for a file of %d", got, len(b))
		}
		if err != nil {
			return
		}
		fsys := fstest.MapFS{"x.safetensors": {Data: b}}
		for _, x := range all {
			if x.offset < 8 || x.offset+x.end-x.begin > int64(len(b)) {
				t.Fatalf("tensor %q at %d..%d of %d", x.title, x.offset, x.offset+x.end-x.begin, len(b))
			}
			if x.dtype == "" || len(b) > 1<<16 {
				continue
			}
			a, err := open(fsys, "x.safetensors#"+x.title)
			if err != nil {
				continue // a name with "#"
			}
			_ = a.ReadFloat64(make([]float64, a.Rows()*a.Cols()), 0, a.Rows())
			_ = a.ReadFloat32(make([]float32, a.Rows()*a.Cols()), 0, a.Rows())
		}
	})
}

// A tensor may have 32 axes and no numbers. A file that is shorter than its header says
// how long it is.
func TestShapesOfTensors(t *testing.T) {
	header := func(axes int, end int) string {
		return fmt.Sprintf(`{"t":{"dtype":"U8","shape":[%s1],"data_offsets":[0,%d]}}`, strings.Repeat("1,", axes-1), end)
	}
	long := header(2, 1)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"32 axes": {npytest.Tensors(header(32, 1), 1), "<nil>"},
		"33 axes": {npytest.Tensors(header(33, 1), 1), `t.safetensors#t: not a .safetensors file: tensor "t": want dtype, shape with at most 32 axes, and data_offsets with begin and end`},
		"empty":   {npytest.Tensors(`{"t":{"dtype":"U8","shape":[0,2],"data_offsets":[0,0]}}`), "<nil>"},
		"cut":     {npytest.Tensors(long)[:8+len(long)-4], fmt.Sprintf("t.safetensors#t: truncated: the header needs %d bytes, there are %d", len(long), len(long)-4)},
	} {
		if _, err := open(npytest.FS("t.safetensors", c.file), "t.safetensors#t"); fmt.Sprint(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
