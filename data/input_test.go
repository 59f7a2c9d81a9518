package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
	"github.com/qats-bench/qats/data/problem"
)

// stream is an Input of some bytes, in the shortest reads.
func stream(b []byte, limit int64) *InputFS {
	return NewInput(iotest.OneByteReader(bytes.NewReader(b)), "the stream", limit)
}

// Arrays of a stream have the numbers of the same file, are read as often as needed, and stand
// beside files.
func TestArraysOfAStreamAreThoseOfItsFile(t *testing.T) {
	const file = "formats/testdata/torch.safetensors"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	in := stream(b, 1<<20)
	arrays, err := Forms().Arrays(in, npy.StreamName)
	names := Names(arrays)
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		for range 2 {
			var values [][]float64
			for _, from := range []string{npy.StreamName, file} {
				a, err := OpenArray(in, from+"#"+name)
				if err != nil {
					t.Fatal(err)
				}
				v := make([]float64, a.Rows()*a.Cols())
				if err := a.ReadFloat64(v, 0, a.Rows()); err != nil {
					t.Fatal(err)
				}
				values = append(values, v)
				if err := errors.Join(a.Unchanged(), a.Close()); err != nil {
					t.Error(err)
				}
			}
			if !slices.Equal(values[0], values[1]) {
				t.Errorf("%s: %v, want %v", name, values[0], values[1])
			}
		}
	}
	if _, err := OpenArray(nil, "-#f32"); err == nil {
		t.Error("a stream that nobody has given is read")
	}
}

// A set of a stream has errors that name the array, and takes its bytes beside the numbers.
func TestSetOfAStream(t *testing.T) {
	header := `{"x":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"y":{"dtype":"I64","shape":[2],"data_offsets":[16,32]},"e":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[32,34]}}`
	of := func(x []float32, y []int64) *InputFS {
		b := npytest.Bytes(x)
		for _, v := range y {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		return stream(npytest.Tensors(header, append(b, 1, 2)...), 1<<10)
	}
	files := Files{Logits: "-#x", Labels: "-#y", FS: of([]float32{1, 2, 3, 4}, []int64{0, 1})}
	r, err := files.Open()
	if err != nil {
		t.Fatal(err)
	}
	set, err := Read(t.Context(), r, 0, 2)
	if err != nil || !slices.Equal(set.Logits.Data, []float32{1, 2, 3, 4}) || !slices.Equal(set.Labels, []int32{0, 1}) || r.Bytes() != 4*6+32 {
		t.Errorf("%v, %v, %d bytes", set, err, r.Bytes())
	}
	nan := float32(math.NaN())
	for _, c := range []struct {
		files Files
		want  string
	}{
		{Files{Logits: "-#x", FS: of([]float32{1, 2, 3, nan}, []int64{0, 1})}, "-#x: row 1, class 1: NaN"},
		{Files{Logits: "-#x", Labels: "-#y", FS: of([]float32{1, 2, 3, 4}, []int64{0, 2})}, "-#y: row 1: label 2"},
		{Files{Logits: "-#e", FS: files.FS}, "-#e: dtype F8_E4M3 is not supported; store numbers, such as F32 or I64"},
		{Files{Logits: "-#z", FS: files.FS}, "-#z: no such member (it has x, y, e)"},
		{Files{Logits: "-", FS: files.FS}, "-: name the array in it as -#NAME (it has x, y, e)"},
	} {
		r, err := c.files.Open()
		if err == nil {
			_, err = Read(t.Context(), r, 0, 2)
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if p := (*problem.Problem)(nil); !errors.As(err, &p) || !strings.HasPrefix(p.Place, "-") {
			t.Errorf("%v has no place", err)
		}
	}
}

// failing fails after the bytes of r.
func failing(r io.Reader) io.Reader {
	return io.MultiReader(r, iotest.ErrReader(errors.New("input/output error")))
}

// Each broken stream is an error of one line that names the stream, whichever array is asked for.
func TestBrokenStreamsAreErrors(t *testing.T) {
	good := npytest.Tensors(`{"x":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}`, make([]byte, 16)...)
	huge := npytest.Tensors(`{"x":{"dtype":"F32","shape":[1073741824,256],"data_offsets":[0,1099511627776]}}`)
	for _, c := range []struct {
		r     io.Reader
		limit int64
		want  string
	}{
		{bytes.NewReader(good), int64(len(good)), ""},
		{bytes.NewReader(nil), 1 << 20, "empty: write the arrays to it as one .safetensors"},
		{bytes.NewReader(good[:5]), 1 << 20, "truncated: 5 bytes, shorter than any .safetensors file"},
		{bytes.NewReader(good[:20]), 1 << 20, fmt.Sprintf("truncated: the header needs %d bytes, there are 12", len(good)-24)},
		{bytes.NewReader(good[:len(good)-1]), 1 << 20, "truncated: the tensors need 16 bytes, there are 15"},
		{bytes.NewReader(append(slices.Clone(good), 0)), 1 << 20, "too long: 1 bytes after the last tensor"},
		{bytes.NewReader(append(slices.Clone(good), make([]byte, 1<<20)...)), 1 << 20, "too long: 1 bytes after the last tensor"},
		{bytes.NewReader([]byte("\x93NUMPY\x01\x00")), 1 << 20, "a .npy array; a .safetensors is read, in which arrays have names"},
		{strings.NewReader("p_0,p_1,label\n"), 1 << 20, "a text; a .safetensors is read, or a table in a file with a name that ends with .csv"},
		{bytes.NewReader([]byte("PK\x03\x04----")), 1 << 20, "a ZIP archive; a .safetensors is read"},
		{bytes.NewReader([]byte("PQ\x03\x04----")), 1 << 20, "not a .safetensors file: its header would have 3255307777022841168 bytes; at most 8388608 are read"},
		{bytes.NewReader(npytest.Tensors(`{"x":1}`)), 1 << 20, `not a .safetensors file: tensor "x": `},
		{bytes.NewReader(huge), 1 << 30, "declares 1099511627776 bytes, more than the limit of 1073741824: raise --max-memory, or write it to a file, which is read in blocks"},
		{bytes.NewReader(good), int64(len(good)) - 1, fmt.Sprintf("declares 16 bytes, more than the limit of %d: ", len(good)-1)},
		{bytes.NewReader(good), 10, fmt.Sprintf("declares %d bytes, more than the limit of 10", len(good)-16)},
		{failing(bytes.NewReader(nil)), 1 << 20, "input/output error"},
		{failing(bytes.NewReader(good[:30])), 1 << 20, "input/output error"},
		{failing(bytes.NewReader(good[:len(good)-3])), 1 << 20, "input/output error"},
	} {
		in := NewInput(c.r, "standard input", c.limit)
		for _, name := range []string{"-#x", "-#y"} {
			_, err := OpenArray(in, name)
			if c.want == "" {
				if name == "-#x" && err != nil {
					t.Error(err)
				}
				continue
			}
			if err == nil || !strings.HasPrefix(err.Error(), "standard input: "+c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
		}
	}
}
