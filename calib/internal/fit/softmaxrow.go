package fit

import (
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Softmax writes softmax(scale l) to dst, including the values below 1e-291 that
// the kernel leaves at 0, and returns dst.
func Softmax(dst []float64, row []float32, scale float64) []float64 {
	softmax.Probs(dst, row, scale)
	softmax.FillTiny(dst, row, scale)
	return dst
}
