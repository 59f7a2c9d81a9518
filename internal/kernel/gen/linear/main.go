// Command linear writes the vector code of package internal/kernel/linear to the
// file named by its argument. The package's portable function specifies the result
// operation by operation; the code here decides how to compute it.
package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

func main() { asm.Main("linear", emit) }

func emit(c *build.Context) {
	for _, wide := range []bool{true, false} {
		m := &machine{asm.Machine{Context: c, Wide: wide}}
		m.tile()
		if !wide {
			m.line()
			m.gaps()
		}
	}
}

// machine is asm.Machine with the parts that products need.
type machine struct{ asm.Machine }

// bytes is the size of a vector of float64.
func (m *machine) bytes() int { return 8 * m.Width() }

func (m *machine) vectors(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = m.Vector()
	}
	return v
}
