// Command softmax writes the vector code of package internal/kernel/softmax to the
// file named by its argument. The package's portable functions specify the result
// operation by operation; the code here decides how to compute it.
package main

import (
	"github.com/mmcloughlin/avo/build"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

func main() { asm.Main("softmax", emit) }

func emit(c *build.Context) {
	m := &machine{Machine: asm.Machine{Context: c}, constants: map[string]constant{}}
	m.wideRows()
	m.rows()
	m.scores()
	m.tails()
	m.peakOf()
	m.exps()
	m.normalise()
	m.rowsAbreast()
	m.scoresAbreast()
	m.tailsAbreast()
	m.exp()
	m.log()
	m.log1p()
	m.mixtures()
	m.quintics()
}
