// Command linear writes the vector code of package calib/linear to the file
// that its argument names. What the code must compute, operation by operation,
// is written in the package's portable functions; here is how.
package main

import (
	"log"
	"os"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/qats-bench/qats/calib/softmax/asm"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: linear FILE")
	}
	c := build.NewContext()
	c.ConstraintExpr("amd64,!purego")
	for _, wide := range []bool{true, false} {
		m := &machine{c, wide}
		m.tile()
		m.sum()
		m.line()
		m.gaps()
		m.inner()
	}
	for _, rows := range []int{4, 8} {
		(&machine{c, false}).dots(rows)
	}
	if err := asm.Write(c, "linear", os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// machine emits code for AVX-512 (F, VL, DQ), vectors of eight float64, or for
// AVX2, vectors of four.
type machine struct {
	*build.Context
	wide bool
}

// width is the number of float64 in a vector.
func (m *machine) width() int {
	if m.wide {
		return 8
	}
	return 4
}

// bytes is the size of a vector of float64.
func (m *machine) bytes() int { return 8 * m.width() }

func (m *machine) vector() reg.VecVirtual {
	if m.wide {
		return m.ZMM()
	}
	return m.YMM()
}

// singles returns a vector of as many float32 as a vector has float64.
func (m *machine) singles() reg.VecVirtual {
	if m.wide {
		return m.YMM()
	}
	return m.XMM()
}

func (m *machine) vectors(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = m.vector()
	}
	return v
}

// function begins a function with the machine's suffix.
func (m *machine) function(name, signature string) {
	if m.wide {
		name += "AVX512"
	} else {
		name += "AVX2"
	}
	m.Function(name)
	m.SignatureExpr(signature)
	m.Doc() // declared by hand
}

func (m *machine) param(name string) reg.GPVirtual {
	r := m.GP64()
	m.Load(m.Param(name), r)
	return r
}

// fill returns a vector of a float64 parameter.
func (m *machine) fill(name string) reg.VecVirtual {
	v := m.vector()
	m.VBROADCASTSD(address(m.Param(name)), v)
	return v
}

// address is where a parameter or result is in memory: what avo makes of Load
// and Store for numbers is no vector instruction.
func address(c gotypes.Component) operand.Mem {
	basic, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

func (m *machine) finish() {
	m.VZEROUPPER()
	m.RET()
}

// at returns the memory disp bytes behind base + index scale.
func at(base, index reg.Register, scale uint8, disp int) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}
