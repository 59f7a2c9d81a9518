//go:build amd64 && !purego

package softmax

import "golang.org/x/sys/cpu"

// best is what this processor runs fastest. It is set once, before anything
// can run, and no result depends on it.
var best = available()[0]

// available returns what this processor can run, the fastest first.
func available() []instructions {
	var on []instructions
	if cpu.X86.HasAVX2 && cpu.X86.HasBMI2 {
		on = append(on, avx2)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL {
			on = []instructions{avx512, avx2}
		}
	}
	return append(on, portable)
}

// callLogits is how many logits one call into vector code may take: such code
// cannot be interrupted, and the collector would wait for it. It is about 50
// microseconds.
const callLogits = 1 << 16

// Each function below runs the vector code of on and reports whether there is
// some for such rows. Lengths have been checked.

func vectorRows(on instructions, dst []Moments, logits []float32, k int, scale []float64) bool {
	if on == portable || k < narrow {
		return false
	}
	step := 0
	if len(scale) > 1 {
		step = 1
	}
	for n, i := max(1, callLogits/k), 0; i < len(dst); i += n {
		n := min(n, len(dst)-i)
		if on == avx512 {
			rowsAVX512(&dst[i], &logits[i*k], n, k, &scale[i*step], 8*step)
		} else {
			rowsAVX2(&dst[i], &logits[i*k], n, k, &scale[i*step], 8*step)
		}
	}
	return true
}

func vectorScores(on instructions, dst []Score, top []int32, logits []float32, k int, scales []float64) bool {
	return false
}

func vectorProbs(instructions, []float64, []float32, float64) bool { return false }

func vectorTails(instructions, []float64, []float32, int) bool { return false }

//go:noescape
func rowsAVX512(dst *Moments, x *float32, n, k int, scale *float64, step int)

//go:noescape
func rowsAVX2(dst *Moments, x *float32, n, k int, scale *float64, step int)
