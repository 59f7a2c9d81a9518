//go:build amd64 && !purego

package data

// special32 reports whether an exponent of n/4 little-endian float32s is all
// ones: a NaN or an infinity. n is a multiple of 64 and not 0.
//
//go:noescape
func special32(p *byte, n int) bool

// special16 is special32 for n/2 float16s.
//
//go:noescape
func special16(p *byte, n int) bool

// wideBytes returns the length of the part of b that special32 and special16
// take.
func wideBytes(b []byte) int { return len(b) &^ 63 }
