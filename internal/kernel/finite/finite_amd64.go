//go:build amd64 && !purego

package finite

// above reports whether one of the n/2 words of 16 bits at p is above limit
// after mask has cleared its sign, where every two words have a mask and a limit.
// Words of float32s are their upper halves, those of a NaN or an infinity above
// 0x7f7f; of float16s all, above 0x7bff. n is a multiple of 256 and not 0.
//
//go:noescape
func above(p *byte, n int, mask, limit uint32) bool

// wideBytes returns the length of the part of b that above takes.
func wideBytes(b []byte) int { return len(b) &^ 255 }
