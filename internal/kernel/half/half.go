// Package half converts IEEE 754 binary16, the float16 of arrays on disk, to
// float32 and back. Decode is for whole arrays; vector code stands behind it
// where the processor has some, with the same bits.
package half

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Decode writes the little-endian float16 numbers in src, two bytes each, to
// dst as float32. The conversion is exact: ToFloat32 for each, infinities and
// NaNs included, which the caller may have to refuse. It panics when src is
// shorter than dst asks for; bytes beyond are not read.
func Decode(dst []float32, src []byte) {
	if len(src)/2 < len(dst) {
		panic(fmt.Sprintf("half: Decode: %d numbers from %d bytes", len(dst), len(src)))
	}
	n := decodeVector(dst, src)
	decode(dst[n:], src[2*n:])
}

// decode is Decode in portable code.
func decode(dst []float32, src []byte) {
	src = src[:2*len(dst)]
	for i := range dst {
		dst[i] = ToFloat32(binary.LittleEndian.Uint16(src[2*i:]))
	}
}

// ToFloat32 returns the float32 equal to the binary16 number with bits h. Of a
// NaN the sign and payload stay and the quiet bit is set, as processors do.
// (The conversion of npyio flushes subnormals to zero.)
func ToFloat32(h uint16) float32 {
	// Shifted into place the exponent is 112 too small; the product mends that
	// for subnormals as well.
	x := math.Float32bits(math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112)
	if h&0x7c00 == 0x7c00 { // infinity or NaN
		x |= 0x7f800000
		if h&0x3ff != 0 {
			x |= 0x00400000
		}
	}
	return math.Float32frombits(x | uint32(h&0x8000)<<16)
}

// FromFloat32 rounds x to the nearest binary16, ties to even; beyond 65519 it
// is infinite. (The conversion of npyio truncates.)
func FromFloat32(x float32) uint16 {
	b := math.Float32bits(x)
	sign, b := uint16(b>>16&0x8000), b&0x7fffffff
	switch {
	case b > 0x7f800000:
		return sign | 0x7e00 // NaN
	case b >= 0x477ff000:
		return sign | 0x7c00 // 65520 rounds to infinity
	case b < 0x38800000: // below 2^-14: a multiple of 2^-24
		// Adding 0.5 leaves the sum's last bit worth 2^-24: the processor rounds.
		f := math.Float32frombits(b) + 0.5
		return sign | uint16(math.Float32bits(f)-math.Float32bits(0.5))
	}
	b += 0xfff + b>>13&1
	return sign | uint16(b>>13-112<<10)
}
