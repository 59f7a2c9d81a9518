// Command half writes the vector code of package internal/kernel/half to the file
// named by its argument.
package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/internal/kernel/gen"
)

func main() { asm.Main("half", decode) }

// ahead is the distance in bytes by which numbers are prefetched.
const ahead = 2048

// decode emits the conversion of n > 0 numbers, a multiple of 16.
func decode(c *build.Context) {
	c.Function("decodeF16C")
	c.SignatureExpr("func(dst *float32, src *byte, n int)")
	dst, src, n := c.GP64(), c.GP64(), c.GP64()
	c.Load(c.Param("dst"), dst)
	c.Load(c.Param("src"), src)
	c.Load(c.Param("n"), n)
	c.Label("next")
	low, high := c.YMM(), c.YMM()
	at := func(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }
	c.PREFETCHT0(at(src, ahead)) // beyond the page, where processors do not prefetch by themselves
	c.VCVTPH2PS(at(src, 0), low)
	c.VCVTPH2PS(at(src, 16), high)
	c.VMOVUPS(low, at(dst, 0))
	c.VMOVUPS(high, at(dst, 32))
	c.ADDQ(operand.Imm(32), src)
	c.ADDQ(operand.Imm(64), dst)
	c.SUBQ(operand.Imm(16), n)
	c.JNE(operand.LabelRef("next"))
	c.VZEROUPPER()
	c.RET()
}
