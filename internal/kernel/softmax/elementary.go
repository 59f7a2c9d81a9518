package softmax

import "fmt"

// Exps writes Exp of each number, with the same bits, to dst, which may be x
// itself. It panics if the lengths differ.
func Exps(dst, x []float64) { eachExp(best, dst, x) }

// Logs writes Log of each number, with the same bits, to dst, which may be x
// itself. It panics if the lengths differ.
func Logs(dst, x []float64) { eachLog(best, dst, x) }

// Log1ps writes Log1p of each number, with the same bits, to dst, which may be x
// itself. It panics if the lengths differ.
func Log1ps(dst, x []float64) { eachLog1p(best, dst, x) }

// Vector code stops before a number outside the range of its method, and before the
// last few numbers. (A common loop would take functions as arguments, and slices
// passed to those escape to the heap.)

func eachExp(on instructions, dst, x []float64) {
	mustAgree(dst, x)
	for i := 0; i < len(x); {
		i += vectorExp(on, dst[i:], x[i:])
		for end := min(i+8, len(x)); i < end; i++ {
			dst[i] = Exp(x[i])
		}
	}
}

func eachLog(on instructions, dst, x []float64) {
	mustAgree(dst, x)
	for i := 0; i < len(x); {
		i += vectorLog(on, dst[i:], x[i:])
		for end := min(i+8, len(x)); i < end; i++ {
			dst[i] = Log(x[i])
		}
	}
}

func eachLog1p(on instructions, dst, x []float64) {
	mustAgree(dst, x)
	for i := 0; i < len(x); {
		i += vectorLog1p(on, dst[i:], x[i:])
		for end := min(i+8, len(x)); i < end; i++ {
			dst[i] = Log1p(x[i])
		}
	}
}

func mustAgree(dst, x []float64) {
	if len(dst) != len(x) {
		panic(fmt.Sprintf("softmax: %d results of %d numbers", len(dst), len(x)))
	}
}
