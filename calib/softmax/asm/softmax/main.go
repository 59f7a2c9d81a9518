// Command softmax writes the vector code of package calib/softmax to the file
// that its argument names. What the code must compute, operation by operation,
// is written in the package's portable functions; here is how.
package main

import (
	"log"
	"os"

	"github.com/mmcloughlin/avo/build"

	"github.com/qats-bench/qats/calib/softmax/asm"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: softmax FILE")
	}
	c := build.NewContext()
	c.ConstraintExpr("amd64,!purego")
	constants := map[string]constant{}
	for _, wide := range []bool{true, false} {
		m := &machine{Context: c, wide: wide, constants: constants}
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
	}
	if err := asm.Write(c, "softmax", os.Args[1]); err != nil {
		log.Fatal(err)
	}
}
