// Package cpu says which vector instructions this processor has, to the
// packages that hold code for them.
package cpu

// Instructions names what a kernel is written in. All kernels of a function
// return the same bits, so no result depends on it.
type Instructions int

const (
	Portable Instructions = iota // Go
	AVX2                         // four float64 at a time
	AVX512                       // eight
)

func (on Instructions) String() string {
	return [...]string{"portable", "avx2", "avx512"}[on]
}

// Best returns what this processor runs fastest.
func Best() Instructions { return Available()[0] }
