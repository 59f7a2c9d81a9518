//go:build amd64 && !purego

package half

import "golang.org/x/sys/cpu"

// vector reports whether the processor has the conversion; no result depends on it.
var vector = cpu.X86.HasAVX && cpu.X86.HasF16C

// decodeVector converts the first numbers of src, a multiple of 16, and returns
// their number.
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
