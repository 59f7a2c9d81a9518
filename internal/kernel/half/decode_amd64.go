//go:build amd64 && !purego

package half

import "golang.org/x/sys/cpu"

// vector says whether the processor has the conversion. It is set once, before
// anything can run, and no result depends on it.
var vector = cpu.X86.HasAVX && cpu.X86.HasF16C

// decodeVector converts a multiple of 16 numbers from the front of src, and
// returns how many.
func decodeVector(dst []float32, src []byte) int {
	n := len(dst) &^ 15
	if !vector || n == 0 {
		return 0
	}
	decodeF16C(&dst[0], &src[0], n)
	return n
}

//go:noescape
func decodeF16C(dst *float32, src *byte, n int)
