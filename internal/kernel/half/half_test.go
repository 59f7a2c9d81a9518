package half

import (
	"encoding/binary"
	"math"
	"testing"
)

// Every binary16 is (-1)^s 2^(e-15) (1 + f/1024) and comes back as itself;
// midpoints and their neighbours round to the nearest.
func TestConversionsFollowIEEE754(t *testing.T) {
	for h := range 1 << 16 {
		s, e, f := h>>15, h>>10&31, float64(h&1023)
		want := math.Ldexp(1+f/1024, e-15)
		if e == 0 {
			want = math.Ldexp(f/1024, -14)
		}
		if e == 31 {
			want = math.Inf(1)
			if f != 0 {
				want = math.NaN()
			}
		}
		if s == 1 {
			want = math.Copysign(want, -1)
		}
		got := ToFloat32(uint16(h))
		if float64(got) != want && !(math.IsNaN(want) && got != got) || math.Signbit(float64(got)) != (s == 1) {
			t.Fatalf("%#04x: %g, want %g", h, got, want)
		}
		if math.IsNaN(want) {
			if payload := math.Float32bits(got) & 0x7fffff; payload != uint32(h&0x3ff|0x200)<<13 {
				t.Fatalf("%#04x: payload %#x, of a quiet NaN or another one", h, payload)
			}
			if back := FromFloat32(got); back&0x7c00 != 0x7c00 || back&0x3ff == 0 {
				t.Fatalf("%#04x: NaN became %#04x", h, back)
			}
			continue
		}
		if back := FromFloat32(got); back != uint16(h) {
			t.Fatalf("%#04x: comes back as %#04x", h, back)
		}
		if e == 31 || h&0x7fff == 0x7bff {
			continue
		}
		up := ToFloat32(uint16(h + 1)) // the next number away from zero
		mid := (got + up) / 2          // exact in float32
		even := uint16(h + h&1)
		for _, c := range []struct {
			x    float32
			want uint16
		}{
			{mid, even},
			{math.Nextafter32(mid, got), uint16(h)},
			{math.Nextafter32(mid, up), uint16(h + 1)},
		} {
			if got := FromFloat32(c.x); got != c.want {
				t.Fatalf("%g: %#04x, want %#04x", c.x, got, c.want)
			}
		}
	}
	for x, want := range map[float32]uint16{65519: 0x7bff, 65520: 0x7c00, -1e30: 0xfc00} {
		if got := FromFloat32(x); got != want {
			t.Errorf("%g: %#04x, want %#04x", x, got, want)
		}
	}
}

// All short lengths, at odd addresses.
func TestDecodeWritesToFloat32OfEachNumberAndNoMore(t *testing.T) {
	const size = 1 << 16
	src := make([]byte, 2*size+1)[1:]
	for i := range size {
		binary.LittleEndian.PutUint16(src[2*i:], uint16(i))
	}
	const canary = 12345
	dst := make([]float32, size+1)
	check := func(lo, n int) {
		t.Helper()
		for i := range dst {
			dst[i] = canary
		}
		Decode(dst[:n], src[2*lo:2*(lo+n)])
		for i := range n {
			if want := ToFloat32(uint16(lo + i)); math.Float32bits(dst[i]) != math.Float32bits(want) {
				t.Fatalf("%d numbers from %d on: %d is %#08x, want %#08x", n, lo, i, math.Float32bits(dst[i]), math.Float32bits(want))
			}
		}
		if dst[n] != canary {
			t.Fatalf("%d numbers: one more is written", n)
		}
	}
	check(0, size)
	dst = dst[:101]
	for n := range 100 {
		check(31*n, n)
		check(size-n, n)
	}
}

func TestDecodePanicsIfBytesAreMissing(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("3 numbers from 5 bytes: no panic")
		}
	}()
	Decode(make([]float32, 3), make([]byte, 5))
}

func BenchmarkDecode(b *testing.B) {
	src, dst := make([]byte, 2<<14), make([]float32, 1<<14)
	for i := range dst {
		binary.LittleEndian.PutUint16(src[2*i:], FromFloat32(float32(i%977)/8-60))
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Decode(dst, src)
	}
}
