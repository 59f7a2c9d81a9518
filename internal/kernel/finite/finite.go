// Package finite finds NaN and infinities among floating-point numbers: the
// check of the content of every array that is read.
//
// It has vector code for float32, since it looks at every number of a file. On 100
// MB of logits, loaded or read by blocks and then passed once through the softmax
// kernel, the portable code takes 8 and 3 ms longer (of 25 and 27 ms;
// results/speed, P15).
package finite

import (
	"encoding/binary"
	"unsafe"
)

// First returns the index of the first NaN or infinity of v, or -1.
func First[T float32 | float64](v []T) int {
	if narrow, ok := any(v).([]float32); ok && all(narrow) {
		return -1
	}
	// x-x is 0 for finite x and NaN otherwise, and a sum with a NaN is NaN: one
	// test serves eight elements.
	i := 0
	for ; i+8 <= len(v); i += 8 {
		w := v[i : i+8 : i+8]
		s := (w[0] - w[0]) + (w[1] - w[1]) + (w[2] - w[2]) + (w[3] - w[3])
		s += (w[4] - w[4]) + (w[5] - w[5]) + (w[6] - w[6]) + (w[7] - w[7])
		if s != 0 {
			break
		}
	}
	for ; i < len(v); i++ {
		if v[i]-v[i] != 0 {
			return i
		}
	}
	return -1
}

// all reports whether v holds no NaN or infinity.
func all(v []float32) bool {
	if n := vectorLength(v); n > 0 {
		if someNonFinite(&v[0], n) {
			return false
		}
		v = v[n:]
	}
	return allPortable(v)
}

// allPortable is all without vector code. The exponent bits of a NaN or an infinity
// are all ones: only then does adding one to them carry into the sign bit.
func allPortable(v []float32) bool {
	if len(v) == 0 {
		return true
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 4*len(v))
	const exponents, ones, signs = 0x7f8000007f800000, 0x0080000000800000, 0x8000000080000000
	var carry uint64
	for len(b) >= 32 {
		w := b[:32:32]
		carry |= binary.NativeEndian.Uint64(w)&exponents + ones
		carry |= binary.NativeEndian.Uint64(w[8:])&exponents + ones
		carry |= binary.NativeEndian.Uint64(w[16:])&exponents + ones
		carry |= binary.NativeEndian.Uint64(w[24:])&exponents + ones
		b = b[32:]
	}
	for ; len(b) >= 4; b = b[4:] {
		carry |= uint64(binary.NativeEndian.Uint32(b)&0x7f800000) + 0x00800000
	}
	return carry&signs == 0
}
