package finite

import (
	"math"
	"testing"
)

// lengths are those that the vector code reads completely, in part and not at all.
func lengths() []int {
	var list []int
	for _, n := range []int{4, 64, 128, 192} {
		for d := -4; d <= 4; d++ {
			list = append(list, n+d)
		}
	}
	return list
}

func TestFirstFindsEveryKindOfNumberAtEveryPlace(t *testing.T) {
	values := map[uint32]bool{
		0: true, 0x80000000: true, 1: true, 0x7f7fffff: true, 0xff7fffff: true, 0x3f800000: true, 0xffffffff: false,
		0x7f800000: false, 0xff800000: false, 0x7f800001: false, 0x7fc00000: false, 0xffc00001: false,
	}
	for _, n := range lengths() {
		v, wide := make([]float32, n), make([]float64, n)
		for i := range v {
			v[i], wide[i] = -math.MaxFloat32, -math.MaxFloat64
		}
		for at := range n {
			for bits, finite := range values {
				v[at] = math.Float32frombits(bits)
				wide[at] = float64(v[at])
				want := at
				if finite {
					want = -1
				}
				if First(v) != want || First(wide) != want {
					t.Fatalf("%#x at %d of %d: first %d, of float64 %d", bits, at, n, First(v), First(wide))
				}
			}
			v[at], wide[at] = -math.MaxFloat32, -math.MaxFloat64
		}
	}
}

func TestFirstIsTheFirstOfSeveral(t *testing.T) {
	v := make([]float32, 1000)
	for _, at := range []int{999, 700, 699, 64, 3} {
		v[at] = float32(math.Inf(-1))
		if got := First(v); got != at {
			t.Errorf("first at %d, want %d", got, at)
		}
	}
	if got := First[float64](nil); got != -1 {
		t.Errorf("first of none at %d", got)
	}
}

func BenchmarkFirst(b *testing.B) {
	v := make([]float32, 1<<16)
	b.SetBytes(int64(4 * len(v)))
	for b.Loop() {
		First(v)
	}
}
