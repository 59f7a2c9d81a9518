//go:build amd64 && !purego

package finite

// someNonFinite reports whether there is a NaN or an infinity among the n numbers
// at p; n is a multiple of 64 and not 0. It compares the upper 16 bits of each
// number without the sign: they are above 0x7f7f for NaN and infinities only.
//
//go:noescape
func someNonFinite(p *float32, n int) bool

// vectorLength returns the length of the part of v that someNonFinite reads.
func vectorLength(v []float32) int { return len(v) &^ 63 }
