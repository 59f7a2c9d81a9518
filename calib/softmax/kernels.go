package softmax

// instructions names what the kernel is written in. All return the same bits.
type instructions int

const (
	portable instructions = iota // Go
	avx2                         // four float64 at a time
	avx512                       // eight
)

func (on instructions) String() string {
	return [...]string{"portable", "avx2", "avx512"}[on]
}
