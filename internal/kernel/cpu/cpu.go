// Package cpu reports the vector instructions of this processor to the packages
// that have code for them.
package cpu

// Instructions names the instructions of a kernel. All kernels of a function return
// the same bits, so no result depends on it.
type Instructions int

const (
	Portable Instructions = iota // Go
	AVX2                         // four float64 at a time
	AVX512                       // eight where a kernel has code for it, else AVX2
)

func (on Instructions) String() string {
	return [...]string{"portable", "avx2", "avx512"}[on]
}

// Best returns the fastest instructions of this processor.
func Best() Instructions { return Available()[0] }
