package ndarray

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"
)

// encoded returns integers as the bytes of elements of the given size.
func encoded(size int, big bool, v ...uint64) []byte {
	var b []byte
	for _, u := range v {
		var all [8]byte
		if big {
			binary.BigEndian.PutUint64(all[:], u)
			b = append(b, all[8-size:]...)
		} else {
			binary.LittleEndian.PutUint64(all[:], u)
			b = append(b, all[:size]...)
		}
	}
	return b
}

// Elements of every type, size and byte order have their values.
func TestElementsOfEveryType(t *testing.T) {
	for _, big := range []bool{false, true} {
		for _, size := range []int{1, 2, 4, 8} {
			least, most := int64(-1)<<(8*size-1), int64(1)<<(8*size-1)-1
			a, err := New([]int{3}, 'i', size, big, false, encoded(size, big, uint64(least), 1<<64-1, uint64(most)))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := a.Ints(); err != nil || !slices.Equal(got, []int64{least, -1, most}) {
				t.Errorf("signed, %d bytes: %v (%v)", size, got, err)
			}
			a, err = New([]int{2}, 'u', size, big, false, encoded(size, big, 0, uint64(most)))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := a.Ints(); err != nil || !slices.Equal(got, []int64{0, most}) {
				t.Errorf("unsigned, %d bytes: %v (%v)", size, got, err)
			}
			if size == 8 {
				continue
			}
			a, err = New([]int{1}, 'u', size, big, false, encoded(size, big, 1<<(8*size)-1))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := a.Floats(); err != nil || got[0] != math.Ldexp(1, 8*size)-1 {
				t.Errorf("unsigned, %d bytes: %v (%v)", size, got, err)
			}
		}
		for size, bits := range map[int]uint64{2: 0xc100, 4: uint64(math.Float32bits(-2.5)), 8: math.Float64bits(-2.5)} {
			a, err := New([]int{2}, 'f', size, big, false, encoded(size, big, bits, 0))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := a.Floats(); err != nil || !slices.Equal(got, []float64{-2.5, 0}) || a.Len() != 2 {
				t.Errorf("floats of %d bytes: %v (%v)", size, got, err)
			}
			if _, err := a.Ints(); err == nil {
				t.Errorf("floats of %d bytes are read as integers", size)
			}
		}
	}
}

// Integers that int64 or float64 does not hold are errors at their place.
func TestLargeIntegersAreRejected(t *testing.T) {
	array := func(kind byte, v ...uint64) *Array {
		a, err := New([]int{len(v)}, kind, 8, false, false, encoded(8, false, v...))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	least, below := int64(-1)<<53, int64(-1)<<53-1
	if got, err := array('i', 1<<53, uint64(least)).Floats(); err != nil || !slices.Equal(got, []float64{1 << 53, -1 << 53}) {
		t.Errorf("%v (%v)", got, err)
	}
	for _, u := range []uint64{1<<53 + 1, uint64(below)} {
		if _, err := array('i', 0, u).Floats(); err == nil || !strings.HasPrefix(err.Error(), "element 1: ") {
			t.Errorf("%d as a float: %v", int64(u), err)
		}
	}
	if got, err := array('u', math.MaxInt64).Ints(); err != nil || got[0] != math.MaxInt64 {
		t.Errorf("%v (%v)", got, err)
	}
	if _, err := array('u', 0, 0, math.MaxInt64+1).Ints(); err == nil || !strings.HasPrefix(err.Error(), "element 2: ") {
		t.Errorf("2^63: %v", err)
	}
}

// Elements of which the first axis changes fastest are returned in C order.
func TestFortranOrderIsTurned(t *testing.T) {
	for _, shape := range [][]int{{6}, {2, 3}, {3, 2}, {2, 3, 4}, {1, 4, 2}, {0, 3}} {
		n := 1
		for _, d := range shape {
			n *= d
		}
		file, want := make([]byte, n), make([]int64, n)
		for c := range n { // element c in C order
			rest, index := c, make([]int, len(shape))
			for axis := len(shape) - 1; axis >= 0; axis-- {
				index[axis], rest = rest%shape[axis], rest/shape[axis]
			}
			at, step := 0, 1
			for axis, i := range index {
				at += i * step
				step *= shape[axis]
			}
			file[at], want[c] = byte(c), int64(c)
		}
		for _, fortran := range []bool{false, true} {
			a, err := New(shape, 'u', 1, false, fortran, file)
			if err != nil {
				t.Fatal(err)
			}
			expected := want
			if !fortran {
				expected = nil
				for _, b := range file {
					expected = append(expected, int64(b))
				}
			}
			if got, err := a.Ints(); err != nil || !slices.Equal(got, expected) {
				t.Errorf("%v, Fortran %v: %v (%v), want %v", shape, fortran, got, err, expected)
			}
		}
	}
}

// Only numbers of a known size are read, and their bytes must be those of the shape.
func TestNewChecksTypeAndShape(t *testing.T) {
	for kind, sizes := range map[byte][]int{'f': {2, 4, 8}, 'i': {1, 2, 4, 8}, 'u': {1, 2, 4, 8}, 'b': {1}, 'c': nil} {
		for size := range 17 {
			if got := Supported(kind, size); got != slices.Contains(sizes, size) {
				t.Errorf("%c%d: supported is %v", kind, size, got)
			}
		}
	}
	const root = 1 << (bits.UintSize/2 - 1) // its square is half of the largest int, plus 1
	for _, c := range []struct {
		shape []int
		size  int
		want  int // -1: an error
	}{
		{nil, 4, 4}, {[]int{2, 3}, 4, 24}, {[]int{0, 5}, 8, 0}, {[]int{5, 0}, 8, 0}, {[]int{-1}, 1, -1}, {[]int{1, -1}, 1, -1},
		{[]int{math.MaxInt / 2}, 1, math.MaxInt / 2}, {[]int{math.MaxInt/2 + 1}, 1, -1}, {[]int{root, root}, 2, -1}, {[]int{root, root}, 1, -1}, {[]int{root / 2, root}, 1, root / 2 * root},
	} {
		got, err := Bytes(c.shape, c.size)
		if c.want < 0 && err == nil || c.want >= 0 && (err != nil || got != c.want) {
			t.Errorf("%v of %d bytes: %d (%v), want %d", c.shape, c.size, got, err, c.want)
		}
	}
	for _, c := range []struct {
		shape []int
		kind  byte
		bytes int
		ok    bool
	}{{[]int{2, 2}, 'f', 16, true}, {[]int{2, 2}, 'f', 15, false}, {[]int{2, 2}, 'f', 17, false}, {[]int{2, 2}, 'x', 16, false}, {[]int{-2}, 'f', 8, false}} {
		a, err := New(c.shape, c.kind, 4, false, false, make([]byte, c.bytes))
		if (err == nil) != c.ok || c.ok && (a.Type() != "f4" || a.Integer()) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
