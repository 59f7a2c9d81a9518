package softmax

import "fmt"

// Exps writes Exp of each number, to the last bit, to dst, which may be x
// itself. It panics when the lengths disagree.
func Exps(dst, x []float64) { eachNumber(best, "Exps", dst, x, vectorExp, Exp) }

// Logs writes Log of each number, to the last bit, to dst, which may be x
// itself. It panics when the lengths disagree.
func Logs(dst, x []float64) { eachNumber(best, "Logs", dst, x, vectorLog, Log) }

// eachNumber runs vector code as far as it goes: not over numbers outside the
// range of its method, nor over the last few.
func eachNumber(on instructions, name string, dst, x []float64, vector func(on instructions, dst, x []float64) int, one func(float64) float64) {
	if len(dst) != len(x) {
		panic(fmt.Sprintf("softmax: %s: %d of %d numbers", name, len(dst), len(x)))
	}
	for i := 0; i < len(x); {
		i += vector(on, dst[i:], x[i:])
		for end := min(i+8, len(x)); i < end; i++ {
			dst[i] = one(x[i])
		}
	}
}
