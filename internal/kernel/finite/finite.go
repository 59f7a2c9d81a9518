// Package finite finds NaN and infinities among floating-point numbers. Their
// exponent is all ones, which whole-number arithmetic can ask of many at a time:
// the check of a file costs less than reading it.
package finite

import "encoding/binary"

// All32 reports whether the bytes of float32s, in the processor's order,
// hold no NaN or infinity. Where there is no vector code, adding one to the
// exponent carries into the sign's place for these alone.
func All32(b []byte) bool {
	if n := wideBytes(b); n > 0 {
		if above(&b[0], n, 0x7fff0000, 0x7f7f7f7f) {
			return false
		}
		b = b[n:]
	}
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

// All16 is All32 for little-endian float16s.
func All16(b []byte) bool {
	if n := wideBytes(b); n > 0 {
		if above(&b[0], n, 0x7fff7fff, 0x7bff7bff) {
			return false
		}
		b = b[n:]
	}
	const exponents, ones, signs = 0x7c007c007c007c00, 0x0400040004000400, 0x8000800080008000
	var carry uint64
	for ; len(b) >= 8; b = b[8:] {
		carry |= binary.LittleEndian.Uint64(b)&exponents + ones
	}
	for ; len(b) >= 2; b = b[2:] {
		carry |= uint64(binary.LittleEndian.Uint16(b)&0x7c00) + 0x0400
	}
	return carry&signs == 0
}

// First returns the index of the first NaN or infinity of v, or -1.
func First[T float32 | float64](v []T) int {
	// x-x is 0 for finite x and NaN otherwise, and a NaN stays in a sum: one
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
