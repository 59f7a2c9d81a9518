package softmax

import "github.com/qats-bench/qats/internal/kernel/cpu"

// instructions names the instructions of the kernel. All return the same bits.
type instructions = cpu.Instructions

const (
	portable = cpu.Portable
	avx512   = cpu.AVX512
)

// best are the fastest instructions of this processor. It is set once, before
// anything can run, and no result depends on it.
var best = cpu.Best()
