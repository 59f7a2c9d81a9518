// Command linear writes the vector code of package internal/kernel/linear to the file
// that its argument names. What the code must compute, operation by operation,
// is written in the package's portable functions; here is how.
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
		m.sum()
		m.line()
		m.gaps()
		m.inner()
	}
	for _, rows := range []int{4, 8} {
		(&machine{asm.Machine{Context: c}}).dots(rows)
	}
}

// machine is asm.Machine with what products need.
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

// fill returns a vector of a float64 parameter.
func (m *machine) fill(name string) reg.VecVirtual {
	return m.Filled(m.Argument(name))
}
