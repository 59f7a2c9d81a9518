// Command linear writes the vector code of package internal/kernel/linear to the
// file named by its argument. The package's portable function specifies the result
// operation by operation; the code here decides how to compute it.
package main

import (
	"github.com/mmcloughlin/avo/build"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

func main() { asm.Main("linear", emit) }

func emit(c *build.Context) {
	m := &machine{asm.Machine{Context: c}}
	m.tile()
	m.line()
	m.gaps()
}

type machine struct{ asm.Machine }
