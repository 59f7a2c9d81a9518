package softmax

import "github.com/qats-bench/qats/calib/vector"

// instructions names what the kernel is written in. All return the same bits.
type instructions = vector.Instructions

const (
	portable = vector.Portable
	avx2     = vector.AVX2
	avx512   = vector.AVX512
)

// available returns what this processor can run, the fastest first.
func available() []instructions { return vector.Available() }

// best is what this processor runs fastest. It is set once, before anything
// can run, and no result depends on it.
var best = vector.Best()
