// Package half converts IEEE 754 binary16, the float16 of arrays on disk, to
// float32 and back. (npyio flushes subnormal numbers to zero and truncates.)
package half

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
)

// Decode writes the little-endian float16 numbers in src, two bytes each, to
// dst as float32, each as ToFloat32 does. It panics if src has fewer than
// 2 len(dst) bytes; bytes beyond these are not read.
func Decode(dst []float32, src []byte) {
	if len(src)/2 < len(dst) {
		panic(fmt.Sprintf("half: Decode: %d numbers from %d bytes", len(dst), len(src)))
	}
	of := numbers()
	for len(dst) >= 4 {
		u := binary.LittleEndian.Uint64(src)
		dst[0], dst[1], dst[2], dst[3] = of[uint16(u)], of[uint16(u>>16)], of[uint16(u>>32)], of[u>>48]
		dst, src = dst[4:], src[8:]
	}
	for i := range dst {
		dst[i] = of[binary.LittleEndian.Uint16(src[2*i:])]
	}
}

// numbers are all float16 numbers, by their bits. The logits of pixels are float16, and are
// decoded in every pass of a fit: a look-up takes less time than ToFloat32.
var numbers = sync.OnceValue(func() *[1 << 16]float32 {
	var of [1 << 16]float32
	for h := range of {
		of[h] = ToFloat32(uint16(h))
	}
	return &of
})

// ToFloat32 returns the float32 equal to the binary16 number with bits h. A NaN
// keeps its sign and payload and becomes quiet, as in processors.
func ToFloat32(h uint16) float32 {
	// The shifted exponent is 112 too small; the product corrects that, for
	// subnormal numbers too.
	x := math.Float32bits(math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112)
	if h&0x7c00 == 0x7c00 { // infinity or NaN
		x |= 0x7f800000
		if h&0x3ff != 0 {
			x |= 0x00400000
		}
	}
	return math.Float32frombits(x | uint32(h&0x8000)<<16)
}

// FromFloat32 rounds x to the nearest binary16, ties to even. Values of 65520 and
// above become infinite.
func FromFloat32(x float32) uint16 {
	b := math.Float32bits(x)
	sign, b := uint16(b>>16&0x8000), b&0x7fffffff
	switch {
	case b > 0x7f800000:
		return sign | 0x7e00 // NaN
	case b >= 0x477ff000:
		return sign | 0x7c00 // 65520 rounds to infinity
	case b < 0x38800000: // below 2^-14: a multiple of 2^-24
		// 0.5 has an ulp of 2^-24, so adding it lets the processor round.
		f := math.Float32frombits(b) + 0.5
		return sign | uint16(math.Float32bits(f)-math.Float32bits(0.5))
	}
	b += 0xfff + b>>13&1
	return sign | uint16(b>>13-112<<10)
}
