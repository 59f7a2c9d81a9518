package pickle

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// at follows a path such as /0/labels from v.
func at(t *testing.T, v any, path string) any {
	t.Helper()
	for _, step := range strings.Split(path, "/")[1:] {
		if d, ok := v.(*Dict); ok {
			if v, ok = d.Get(step); !ok {
				t.Fatalf("no key %s", step)
			}
			continue
		}
		items, ok := Items(v)
		i, err := strconv.Atoi(step)
		if !ok || err != nil || i >= len(items) {
			t.Fatalf("%s: no item %s in %s", path, step, Describe(v))
		}
		v = items[i]
	}
	return v
}

// digest is the digest that testdata/make.py writes.
func digest(t *testing.T, a *data.Array) string {
	t.Helper()
	v := make([]float64, a.Rows()*a.Cols())
	if err := a.ReadFloat64(v, 0, a.Rows()); err != nil {
		t.Fatal(err)
	}
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// TestArraysAreThoseThatPythonReads: type, shape and every bit, for protocols 0 to
// 5, numpy, torch and Python 2.
func TestArraysAreThoseThatPythonReads(t *testing.T) {
	list, err := os.ReadFile("testdata/read.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		f := strings.Split(line, "\t")
		t.Run(f[0]+f[1], func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join("testdata", f[0]))
			if err != nil {
				t.Fatal(err)
			}
			v, err := Read(b)
			if err != nil {
				t.Fatal(err)
			}
			a, ok := Array(at(t, v, f[1]))
			if !ok {
				t.Fatalf("no array at %s", f[1])
			}
			shape := strings.ReplaceAll(strings.Trim(fmt.Sprint(a.Shape()), "[]"), " ", "x")
			want, _, err := data.ParseDType(f[2])
			if err != nil {
				t.Fatal(err)
			}
			if a.DType() != want || shape != f[3] || digest(t, a) != f[4] {
				t.Errorf("%s %s, want %s %s; digest equal: %v", a.DType(), shape, f[2], f[3], digest(t, a) == f[4])
			}
		})
	}
}

// TestValuesAreThoseOfPython in the protocols of text and of bytes.
func TestValuesAreThoseOfPython(t *testing.T) {
	for _, name := range []string{"values.p", "values-0.p"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		v, err := Read(b)
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]any{
			"none": nil, "yes": true, "no": false, "n": int64(-3), "big": int64(1 << 40), "x": 0.1,
			"text": "ä\u2192", "bytes": []byte{0, 255}, "tuple": Tuple{}, "a": &Dict{},
			"list": &List{[]any{int64(1), &List{[]any{int64(2)}}}},
		} {
			if got := at(t, v, "/"+key); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s is %#v, want %#v", name, key, got, want)
			}
		}
	}
}

// hostile are pickles that must be rejected, with a part of the error.
var hostile = []struct{ name, pickle, want string }{
	{"empty", "", "not complete"},
	{"code of protocol 0", "cposix\nsystem\n(S'true'\ntR.", `imports "system" from "posix"`},
	{"code by STACK_GLOBAL", "\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.", `imports "system" from "os"`},
	{"eval", "cbuiltins\neval\n(V1\ntR.", "nothing is run"},
	{"attribute of numpy", "cnumpy\nload\n(V/etc/passwd\ntR.", `imports "load" from "numpy"`},
	{"INST", "(S'true'\nios\nsystem\n.", "INST"},
	{"OBJ", "(cnumpy\ndtype\no.", "OBJ"},
	{"NEWOBJ", "cnumpy\nndarray\n)\x81.", "NEWOBJ"},
	{"extension registry", "\x82\x01.", "EXT1"},
	{"persistent id", "P42\n.", "persistent id"},
	{"a class in place of data", "cnumpy\nndarray\n.", "not data"},
	{"array without state", "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntRcnumpy\ndtype\nR.", "a call"},
	{"call of a class", "cnumpy\nndarray\n)R.", "a call of numpy.ndarray"},
	{"dtype of objects", "cnumpy\ndtype\n(S'O8'\nI0\nI1\ntR.", "object dtype"},
	{"dtype with a byte order in its name", arrayWith("(K\x01(K\x01tcnumpy\ndtype\n(S'>f4'\nI0\nI1\ntRI00\nC\x04abcdt"), "byte order"},
	{"unknown opcode", "\xff.", "no instruction"},
	{"protocol 9", "\x80\x09.", "protocol 9"},
	{"stack underflow", "0.", "stack"},
	{"mark at the end", "(.", "stack"},
	{"unknown memo", "h\x05.", "stored under 5"},
	{"bytes of 2^60", "\x8e\x00\x00\x00\x00\x00\x00\x00\x10.", "not complete"},
	{"negative length", "\x8b\xff\xff\xff\xff.", "not complete"},
	{"text that is not UTF-8", "\x8c\x01\xff.", "UTF-8"},
	{"trailing bytes", "N.N.", "after the end"},
	{"append to a number", "K\x01K\x02a.", "does not fit"},
	{"state of a list", "]K\x01b.", "does not fit"},
	{"dict with odd items", "(K\x01d.", "no value"},
	{"number that is none", "Fx\n.", "not a number"},
	{"quote within a text", "S'a'b'\n.", "quote"},
	{"array of 2^62 elements", arrayWith("(K\x01(J\xff\xff\xff\x7fJ\xff\xff\xff\x7ft" + f4 + "I00\nC\x04abcdt"), "more than 2^"},
	{"array with a negative axis", arrayWith("(K\x01(J\xff\xff\xff\xfft" + f4 + "I00\nC\x04abcdt"), "without shape"},
	{"array with too few bytes", arrayWith("(K\x01(K\x02t" + f4 + "I00\nC\x04abcdt"), "4 bytes for an array"},
	{"array of a list", arrayWith("(K\x01(K\x01t" + f4 + "I00\n]t"), "not bytes"},
	{"array of a text", arrayWith("(K\x01(K\x01t" + f4 + "I00\nX\x04\x00\x00\x00abcdt"), "not bytes"},
	{"structured dtype", arrayWith("(K\x01(K\x01tcnumpy\ndtype\n(S'f4'\nI0\nI1\ntR(K\x03S'<'\nNS'x'\nNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tbI00\nC\x04abcdt"), "structured"},
	{"two states", strings.TrimSuffix(arrayWith("(K\x01(K\x01t"+f4+"I00\nC\x04abcdt"), ".") + "Nb.", "two states"},
	{"tensor beyond its storage", "ctorch._utils\n_rebuild_tensor_v2\n(NK\x00K\x00K\x00K\x00K\x00tR.", "unexpected"},
	{"storage of zip files", "ctorch.storage\n_load_from_bytes\n(C\x04PK\x03\x04tR.", "_load_from_bytes"},
	{"infinite loop of instructions", strings.Repeat("N0", maxSteps/2+1) + "N.", "instructions"},
}

// f4 is the dtype of float32 in a pickle, arrayWith an array with a state.
const f4 = "cnumpy\ndtype\n(S'f4'\nI0\nI1\ntR(K\x03S'<'\nNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"

func arrayWith(state string) string {
	return "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR" + state + "b."
}

// TestHostilePicklesAreRejectedInOneLine and nothing is run.
func TestHostilePicklesAreRejectedInOneLine(t *testing.T) {
	for _, h := range hostile {
		v, err := Read([]byte(h.pickle))
		if err == nil {
			t.Errorf("%s: read as %s", h.name, Describe(v))
			continue
		}
		if !strings.Contains(err.Error(), h.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 250 {
			t.Errorf("%s: %q; want one line with %q", h.name, err, h.want)
		}
	}
	if len(hostile) < 20 {
		t.Errorf("%d hostile pickles", len(hostile))
	}
}

// TestEveryTruncationIsRejected: no prefix of a pickle is a pickle.
func TestEveryTruncationIsRejected(t *testing.T) {
	for _, name := range []string{"pair-0.p", "pair-2.p", "pair-4.p", "pair-5.p", "torch.p", "python2.p"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		for n := range b {
			if _, err := Read(b[:n]); err == nil {
				t.Errorf("%s: the first %d of %d bytes are read", name, n, len(b))
			}
		}
	}
}

// TestTensorsStayInTheirStorage: a shape, offset or stride that leads out of the
// storage is an error, and one that repeats elements is no way to fill memory.
func TestTensorsStayInTheirStorage(t *testing.T) {
	s := &storage{data.Float32, 6, make([]byte, 24)}
	tuple := func(n ...int64) Tuple {
		t := Tuple{}
		for _, x := range n {
			t = append(t, x)
		}
		return t
	}
	for _, c := range []struct {
		offset       int64
		size, stride Tuple
		ok           bool
	}{
		{0, tuple(2, 3), tuple(3, 1), true},
		{0, tuple(3, 2), tuple(1, 3), true},
		{1, tuple(5), tuple(1), true},
		{2, tuple(5), tuple(1), false},
		{0, tuple(2, 3), tuple(4, 1), false},
		{math.MaxInt64, tuple(2), tuple(1), false},
		{0, tuple(2), tuple(math.MaxInt64), false},
		{5, tuple(2), tuple(math.MaxInt64 - 3), false},
		{0, tuple(7), tuple(0), false},
		{0, tuple(1<<40, 1<<40), tuple(0, 0), false},
		{0, tuple(0), tuple(1), true},
	} {
		_, err := rebuildTensor(Tuple{s, c.offset, c.size, c.stride, false, &Dict{}})
		if (err == nil) != c.ok {
			t.Errorf("offset %d, size %v, stride %v: %v", c.offset, c.size, c.stride, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.p")
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, h := range hostile {
		if len(h.pickle) < 1<<10 {
			f.Add([]byte(h.pickle))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		v, err := Read(b)
		if !bytes.Equal(b, before) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error of two lines: %q", err)
			}
			return
		}
		Describe(v)
		if a, ok := Array(v); ok {
			if n, err := a.DType().Bytes(a.Shape()); err != nil || n > int64(len(b)) {
				t.Fatalf("shape %v of a pickle of %d bytes", a.Shape(), len(b))
			}
			a.ReadFloat64(make([]float64, a.Rows()*a.Cols()), 0, a.Rows())
		}
	})
}
