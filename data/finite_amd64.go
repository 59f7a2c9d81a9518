//go:build amd64 && !purego

package data

// special32 reports whether an exponent of n/4 little-endian float32s is all
// ones: a NaN or an infinity. n is a multiple of 256 and not 0.
func special32(p *byte, n int) bool { return above(p, n, 0x7fff0000, 0x7f7f7f7f) }

// special16 is special32 for n/2 float16s.
func special16(p *byte, n int) bool { return above(p, n, 0x7fff7fff, 0x7bff7bff) }

// above reports whether one of the words of 16 bits at p, of which the mask
// leaves no sign, is above that of the limit.
//
//go:noescape
func above(p *byte, n int, mask, limit uint32) bool

// wideBytes returns the length of the part of b that special32 and special16
// take.
func wideBytes(b []byte) int { return len(b) &^ 255 }
