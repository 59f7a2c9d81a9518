package softmax

import "github.com/qats-bench/qats/internal/kernel/cpu"

// instructions names what the kernel is written in. All return the same bits.
type instructions = cpu.Instructions

const (
	portable = cpu.Portable
	avx2     = cpu.AVX2
	avx512   = cpu.AVX512
)

// available returns what this processor can run, the fastest first.
func available() []instructions { return cpu.Available() }

// best is what this processor runs fastest. It is set once, before anything
// can run, and no result depends on it.
var best = cpu.Best()
