//go:build amd64 && !purego

package finite

// someNonFinite reports whether there is a NaN or an infinity among the n numbers
// at p; n is a multiple of 64 and not 0. Of each number it compares the upper 16
// bits without the sign, which are above 0x7f7f for these alone.
//
//go:noescape
func someNonFinite(p *float32, n int) bool

// vectorLength returns the length of the part of v that someNonFinite takes.
func vectorLength(v []float32) int { return len(v) &^ 63 }
