package hdf5

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

func open(t testing.TB, name string) (*File, []byte) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f, b
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

// TestArraysAreThoseThatH5pyReads: type, shape and every bit.
func TestArraysAreThoseThatH5pyReads(t *testing.T) {
	list, err := os.ReadFile("testdata/read.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		want := strings.Split(line, "\t")
		f, _ := open(t, want[0])
		a, err := f.Read(want[1])
		if err != nil {
			t.Errorf("%s: %v", want[0], err)
			continue
		}
		dtype, _, err := data.ParseDType(want[2])
		if err != nil {
			t.Fatal(err)
		}
		shape := strings.ReplaceAll(strings.Trim(fmt.Sprint(a.Shape()), "[]"), " ", "x")
		if a.DType() != dtype || shape != want[3] || digest(t, a) != want[4] {
			t.Errorf("%s %s: %s %s, want %s %s; digest equal: %v", want[0], want[1], a.DType(), shape, want[2], want[3], digest(t, a) == want[4])
		}
	}
}

// TestMembersAreSorted also where a group has several nodes.
func TestMembersAreSorted(t *testing.T) {
	f, _ := open(t, "arrays.h5")
	names, err := f.Members("many")
	if err != nil || len(names) != 40 || !slices.IsSorted(names) || names[39] != "member39" {
		t.Errorf("%d members %v, %v", len(names), names, err)
	}
	f, _ = open(t, "calarena.h5")
	for path, want := range map[string]string{"": "c10 derma", "c10": "densenet40 resnet110", "c10/resnet110": "labels_cal labels_test probas_cal probas_test"} {
		names, err := f.Members(path)
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%q: %v, %v; want %s", path, names, err, want)
		}
	}
}

// TestPeersFile reads a file that CalArena's own code wrote; the digests are h5py's.
func TestPeersFile(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "peers", "formats", "cv-multiclass.h5"))
	if err != nil {
		t.Skip("needs ../shared")
	}
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"c10/resnet110/probas_cal":  "500 10 494f32e12390243d5f301a0119ff5319cd620711bd402907e80338460441938e",
		"c10/resnet110/probas_test": "1000 10 b7b78b416497dd8e9da5e1a1c062f0ef0b716207ff426651ae44d2e8c8580937",
		"c10/resnet110/labels_test": "1000 da8e20a146e407e82e6857c24905ee47ceb02e3f5664a727438ffeb364b03c9a",
	} {
		a, err := f.Read(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if got := strings.Trim(fmt.Sprint(a.Shape()), "[]") + " " + digest(t, a); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// TestWhatIsNotReadIsNamed: parts of HDF5 that are not read say which they are.
func TestWhatIsNotReadIsNamed(t *testing.T) {
	b, err := os.ReadFile("testdata/latest.h5")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(bytes.NewReader(b), int64(len(b))); err == nil || !strings.Contains(err.Error(), "libver") {
		t.Errorf("latest: %v", err)
	}
	f, _ := open(t, "odd.h5")
	for path, want := range map[string]string{
		"shuffle": "the filter shuffle", "lzf": "filter", "fletcher32": "fletcher32", "text": "sequences", "bool": "booleans",
		"complex": "structured", "struct": "structured", "holes": "chunks are missing", "never": "never written",
		"links/soft": "soft link", "ordered": "version 2", "ordered/a": "version 2", "nowhere": "no member", "text/x": "not a group", "links": "not an array",
	} {
		_, err := f.Read(path)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want one line with %q", path, err, want)
		}
	}
}

// patch returns a copy of b with the bytes after the n-th occurrence of mark, plus
// skip, replaced.
func patch(t *testing.T, b []byte, mark string, n, skip int, with ...byte) []byte {
	t.Helper()
	at := 0
	for ; ; n-- {
		i := bytes.Index(b[at:], []byte(mark))
		if i < 0 {
			t.Fatalf("no %q", mark)
		}
		at += i
		if n == 0 {
			break
		}
		at++
	}
	c := bytes.Clone(b)
	copy(c[at+skip:], with)
	return c
}

// readAll reads every array of CalArena's layout.
func readAll(b []byte) error {
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	sets, err := f.Members("")
	if err != nil {
		return err
	}
	for _, set := range sets {
		models, err := f.Members(set)
		if err != nil {
			return err
		}
		for _, model := range models {
			names, err := f.Members(set + "/" + model)
			if err != nil {
				return err
			}
			for _, name := range names {
				if _, err := f.Read(set + "/" + model + "/" + name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// TestHostileFilesAreRejectedInOneLine: damage to each structure of a good file.
func TestHostileFilesAreRejectedInOneLine(t *testing.T) {
	_, b := open(t, "calarena.h5")
	if err := readAll(b); err != nil {
		t.Fatal(err)
	}
	far := []byte{0, 0, 0, 0, 0, 0, 0, 0x10}
	self := make([]byte, 8) // the address of the root's B-tree
	at := bytes.Index(b, []byte("TREE"))
	binary.LittleEndian.PutUint64(self, uint64(at))
	cube := binary.LittleEndian.AppendUint64(nil, 1<<40)
	const space = "\x01\x02\x01\x00\x00\x00\x00\x00" // dataspace of two axes
	const float = "\x11\x20\x1f\x00\x04\x00\x00\x00" // datatype float32
	const layout = "\x03\x02\x03"                    // layout in chunks of two axes
	cases := []struct {
		name string
		file []byte
	}{
		{"empty", nil},
		{"text", []byte("<html>Not found</html>")},
		{"signature only", b[:8]},
		{"superblock of version 3", patch(t, b, signature, 0, 8, 3)},
		{"addresses of 4 bytes", patch(t, b, signature, 0, 13, 4)},
		{"base address", patch(t, b, signature, 0, 24, 8)},
		{"end beyond the file", patch(t, b, signature, 0, 40, far...)},
		{"root beyond the file", patch(t, b, signature, 0, 64, far...)},
		{"half a file", b[:len(b)/2]},
		{"one byte missing", b[:len(b)-1]},
		{"root object of version 2", patch(t, b, signature, 0, 96, 2)},
		{"tree that is none", patch(t, b, "TREE", 0, 0, 'X')},
		{"tree of chunks as a group", patch(t, b, "TREE", 0, 4, 1)},
		{"tree of 65535 entries", patch(t, b, "TREE", 0, 6, 0xff, 0xff)},
		{"tree that is its own child", patch(t, patch(t, b, "TREE", 0, 5, 1), "TREE", 0, 32, self...)},
		{"tree of 255 levels", patch(t, b, "TREE", 0, 5, 255)},
		{"child beyond the file", patch(t, b, "TREE", 0, 32, far...)},
		{"heap that is none", patch(t, b, "HEAP", 0, 0, 'X')},
		{"heap beyond the file", patch(t, b, "HEAP", 0, 24, far...)},
		{"heap of 2^60 bytes", patch(t, b, "HEAP", 0, 8, far...)},
		{"symbols that are none", patch(t, b, "SNOD", 0, 0, 'X')},
		{"65535 symbols", patch(t, b, "SNOD", 0, 6, 0xff, 0xff)},
		{"name beyond the heap", patch(t, b, "SNOD", 0, 8, far...)},
		{"object beyond the file", patch(t, b, "SNOD", 0, 16, far...)},
		{"soft link", patch(t, b, "SNOD", 0, 24, 2)},
		{"name with a slash", patch(t, b, "c10\x00", 0, 1, '/')},
		{"axis of 2^40", patch(t, b, space, 0, 8, cube...)},
		{"axis longer than the chunks", patch(t, b, space, 0, 8, 200)},
		{"30 axes", patch(t, b, space, 0, 1, 30)},
		{"float of 3 bytes", patch(t, b, float, 0, 4, 3)},
		{"float with another exponent", patch(t, b, float, 0, 13, 9)},
		{"text in place of floats", patch(t, b, float, 0, 0, 0x13)},
		{"chunk of no row", patch(t, b, layout, 0, 11, 0, 0, 0, 0)},
		{"chunk of 2^31 rows", patch(t, b, layout, 0, 11, 0, 0, 0, 0x80)},
		{"chunk of one row", patch(t, b, layout, 0, 11, 1)},
		{"chunks without a tree", patch(t, b, layout, 0, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)},
		{"layout of version 4", patch(t, b, layout, 0, 0, 4)},
		{"unknown filter", patch(t, b, "deflate", 0, -8, 77)},
		{"damaged deflate", patch(t, b, "\x78\x5e", 0, 2, 0xff, 0xff, 0xff)},
	}
	for _, c := range cases {
		err := readAll(c.file)
		if err == nil {
			t.Errorf("%s: read", c.name)
		} else if strings.Contains(err.Error(), "\n") || len(err.Error()) > 250 {
			t.Errorf("%s: %q; want one line", c.name, err)
		}
	}
	if len(cases) < 20 {
		t.Errorf("%d hostile files", len(cases))
	}
}

// TestEveryTruncationIsRejected: the superblock has the length of the file.
func TestEveryTruncationIsRejected(t *testing.T) {
	_, b := open(t, "calarena.h5")
	for n := 0; n < len(b); n += 7 {
		if readAll(b[:n]) == nil {
			t.Fatalf("the first %d of %d bytes are read", n, len(b))
		}
	}
}

// TestFlippedBytesNeverPanic, and the arrays that are read have the bytes of their
// shape.
func TestFlippedBytesNeverPanic(t *testing.T) {
	_, b := open(t, "calarena.h5")
	step := 11
	if testing.Short() {
		step = 101
	}
	for i := 0; i < len(b); i += step {
		for _, x := range []byte{0xff, 0x01} {
			b[i] ^= x
			readAll(b)
			b[i] ^= x
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, name := range []string{"tiny.h5", "latest.h5"} { // longer ones are mutated too slowly
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := readAll(b); err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatalf("error of two lines: %q", err)
		}
	})
}
