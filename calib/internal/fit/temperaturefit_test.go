package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Products in place of logarithms are as exact, for tiny, huge and mixed tails.
func TestLogSumIsThatOfLogarithms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for name, draw := range map[string]func() float64{
		"none":   func() float64 { return 0 },
		"tiny":   func() float64 { return 1e-18 * rng.Float64() },
		"small":  func() float64 { return math.Exp(-40 * rng.Float64()) },
		"around": func() float64 { return 4 * rng.Float64() },
		"huge":   func() float64 { return 1e9 * rng.Float64() },
		"mixed":  func() float64 { return math.Exp(60 * (rng.Float64() - 0.8)) },
	} {
		got := logSum{product: 1}
		want, lost := 0.0, 0.0 // Kahan's sum
		for range 2000 {
			tail := draw()
			got.add(tail, 1+tail, 1/(1+tail))
			y := softmax.Log1p(tail) - lost
			s := want + y
			want, lost = s, (s-want)-y
		}
		if d := math.Abs(got.total() - want); d > 1e-15*want+2000*0x1p-53*math.Min(1, want) {
			t.Errorf("%s: %g, want %g: off by %g", name, got.total(), want, d)
		}
	}
}

// n nodes reproduce any polynomial of degree 2n-1 and its slopes. A node near a known
// one replaces it.
func TestCurveNodesInterpolatePolynomials(t *testing.T) {
	p := func(y float64) curveNode { // degree 5
		return curveNode{
			u: 1 + y*(2+y*(-1+y*(0.5+y*(0.25-y*0.125)))),
			y: y, du: 2 + y*(-2+y*(1.5+y*(1-y*0.625))),
		}
	}
	c := curveNodes(nil).with(p(9)).with(p(-1)).with(p(0.5)).with(p(2)) // the first is dropped
	for _, y := range []float64{-2, -1, 0, 0.5, 1.7, 2, 3} {
		u, du := c.slopeAt(y)
		if want := p(y); !(math.Abs(u-want.u) <= 1e-12*(1+math.Abs(want.u))) || !(math.Abs(du-want.du) <= 1e-12*(1+math.Abs(want.du))) {
			t.Errorf("at %g: %g with slope %g, want %g with %g", y, u, du, want.u, want.du)
		}
	}
	if got := curveNodes(nil).with(p(1)).at(3); got != p(1).u+2*p(1).du {
		t.Errorf("one node: %g, want Newton's step", got)
	}
	if u, du := curveNodes(nil).slopeAt(1); u != 0 || du != 0 {
		t.Errorf("no node: %g, %g", u, du)
	}
	twice := curveNodes(nil).with(p(2)).with(p(2)).with(p(-2)) // the second replaces the first; y = -2 is another
	if u := twice.at(-2); len(twice) != 2 || !(math.Abs(u-p(-2).u) <= 1e-12) {
		t.Errorf("a node twice: %v, %v at -2", twice, u)
	}
}

// The next u is that of the interpolation, inside the bracket and near; otherwise that of
// the Newton step, inside the bracket; otherwise the middle of the bracket.
func TestSearchStaysInItsBracket(t *testing.T) {
	none := curveNode{du: math.NaN()} // is not added to the known nodes
	for _, c := range []struct{ lo, hi, interpolated, step, want float64 }{
		{-2, 3, .5, .25, .5}, {-2, 3, -1, .25, -1}, {-2, 3, 2, .25, 2}, // at most 8 steps away
		{-3, 3, 2.5, .25, .25}, {-3, 3, -2.5, .25, .25}, {-3, 3, 2.5, -.25, -.25}, // farther
		{-1, 3, -1.5, .25, .25}, {-1, 1, 1.5, .25, .25}, {-1, 3, -1, .25, .25}, {-1, 1, 1, .25, .25}, // outside, or at an end
		{-1, 2, -1.5, -1.5, .5}, {-2, 1, 1.5, 1.5, -.5}, {-1, 2, -1.5, -1, .5}, {-2, 1, 1.5, 1, -.5}, // so is the Newton step
		{-1, 2, math.NaN(), math.NaN(), .5},
	} {
		r := newRootSearch(nil, 0, Usual())
		r.lo, r.hi, r.known = c.lo, c.hi, curveNodes{{u: c.interpolated}}
		if r.advance(none, 5, c.step); r.u != c.want || r.moved != c.want {
			t.Errorf("%+v: %v", c, r.u)
		}
	}
	r := newRootSearch(nil, 0, Usual())
	r.lo = 1 // no upper end so far
	if r.advance(none, 0, -1); r.u != (1+r.maxU)/2 {
		t.Errorf("below an open bracket: %v, want the middle of 1 and %v", r.u, r.maxU)
	}
}
