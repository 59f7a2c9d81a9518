package npy_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/npytest"
)

// TestNPZKeepsItsColumnsAndBytes: columns are read back, also as members by an
// Array, and the bytes do not depend on the date.
func TestNPZKeepsItsColumnsAndBytes(t *testing.T) {
	want := []Column{
		{Name: "conf", Float64: []float64{0.25, 1, 1e-300}},
		{Name: "pred", Int32: []int32{7, -1}},
		{Name: "hit", Bool: []bool{true, false, true, true}},
		{Name: "none", Float64: []float64{}},
	}
	var b bytes.Buffer
	if err := WriteNPZ(&b, want...); err != nil {
		t.Fatal(err)
	}
	got, err := ReadNPZ(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d columns of %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.Name != w.Name || !slices.Equal(g.Float64, w.Float64) || !slices.Equal(g.Int32, w.Int32) || !slices.Equal(g.Bool, w.Bool) {
			t.Errorf("%s: %v; want %v", w.Name, g, w)
		}
		if (g.Float64 == nil) != (w.Float64 == nil) || (g.Int32 == nil) != (w.Int32 == nil) || (g.Bool == nil) != (w.Bool == nil) {
			t.Errorf("%s changed its type", w.Name)
		}
	}
	a, err := OpenArray(npytest.FS("f.npz", b.Bytes()), "f.npz#conf")
	if err != nil {
		t.Fatal(err)
	}
	conf := make([]float64, 3)
	if err := a.ReadFloat64(conf, 0, 3); err != nil || !slices.Equal(conf, want[0].Float64) {
		t.Errorf("as an array: %v, %v", conf, err)
	}
	// Recorded after python3 -m zipfile -t had found no fault in the archive.
	const sum = "b40631120b34a5166f546309d8319f17ec7213b7b1a4eea478ee5164cdfd2558"
	if h := sha256.Sum256(b.Bytes()); hex.EncodeToString(h[:]) != sum {
		t.Errorf("the bytes have changed: sha256 %x", h)
	}

	for i := range b.Len() {
		damaged := slices.Clone(b.Bytes())
		damaged[i] ^= 0x40
		if back, err := ReadNPZ(damaged); err == nil {
			for j, m := range back {
				if !slices.Equal(m.Float64, want[j].Float64) || !slices.Equal(m.Int32, want[j].Int32) || !slices.Equal(m.Bool, want[j].Bool) {
					t.Fatalf("a damaged byte %d gives other numbers", i)
				}
			}
		}
	}
}

// TestRejectsBadColumnsAndMembers, when writing and when reading.
func TestRejectsBadColumnsAndMembers(t *testing.T) {
	for _, c := range []struct {
		members []Column
		want    string
	}{
		{[]Column{{Name: "a"}}, `member "a" has no column`},
		{[]Column{{Float64: []float64{1}}}, `member name "" is empty or taken or contains one of / \ #`},
		{[]Column{{Name: "../a", Float64: []float64{1}}}, `member name "../a" is empty or taken or contains one of / \ #`},
		{[]Column{{Name: "a", Bool: []bool{true}}, {Name: "a", Bool: []bool{true}}}, `member name "a" is empty or taken or contains one of / \ #`},
	} {
		if err := WriteNPZ(&bytes.Buffer{}, c.members...); fmt.Sprint(err) != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	for _, c := range []struct {
		file []byte
		want string
	}{
		{npytest.File(1, npytest.Header("<f4", false, "(1,)"), npytest.F4(1)), "a.npy: dtype float32; want float64, int32 or bool"},
		{npytest.File(1, npytest.Header("<f8", false, "(1, 1)"), npytest.F8(1)), "a.npy: shape (1, 1); want one axis"},
		{npytest.File(1, npytest.Header("<f8", false, "(2,)"), npytest.F8(1)), "a.npy: truncated: 8 of the 16 bytes that (2,) float64 needs"},
	} {
		if _, err := ReadNPZ(npytest.Zip(0, "a.npy", c.file)); fmt.Sprint(err) != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := ReadNPZ(nil); fmt.Sprint(err) != "empty file" {
		t.Error(err)
	}
}

// The first row of a member is checked like the others.
func TestFirstRowOfAMemberIsChecked(t *testing.T) {
	for row := range 2 {
		values := []float64{1, 2}
		values[row] = math.Inf(1)
		file := npytest.Zip(0, "conf.npy", append(HeaderBytes(Float64, []int{2}), npytest.F8(values...)...))
		if got, err := ReadNPZ(file); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("row %d: +Inf", row)) {
			t.Errorf("row %d: %v, %v", row, got, err)
		}
	}
}
