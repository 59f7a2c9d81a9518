package fit

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// stepTol is how far, relative to itself, a fitted temperature may be from the
// minimum by the Newton step of the last pass, where that step is not taken.
const stepTol = 5e-9

// solveTemperature is fitTemperatureAnd on a set that nobody has fitted before.
// Its report has the passes of o, which has none at first.
//
// The NLL is convex in beta = 1/T with slope g = G - D(beta), where
// G = mean(max l - l_y) does not depend on beta and D = mean(max l - E_p[l])
// falls. So the minimum is where log D = log G. D is close to a power of beta:
// u = log beta is nearly linear in y = log D, and a pass gives y with the
// slope du/dy = -D/(beta Var_p[l]). The next u is where the polynomial through
// the u and the slopes of the passes so far is at y = log G (inverse Hermite
// interpolation; one pass is Newton's step). Errors multiply: with e0 and e1
// at two passes the next is about (e0 e1)^2. On large sets a reference curve
// from some rows shows the way to the first pass and takes out most of what
// is not linear; see reference.
//
// Every step stays inside a bracket, which bisection shrinks when
// interpolation leaves it. The fit ends at a pass that finds a gradient below
// GradTol and from where Newton's step, which tells the error of u but for its
// square, is below stepTol. Of thinFrom rows or more a pass is dear: one from
// where Newton's step is below lastStep is the last too, and the step is taken
// unless it leads out of the bounds.
func solveTemperature(ctx context.Context, o *Objective, width int, visit func(b *RowBlock, sum []float64)) (*temperatureFit, []float64, error) {
	ref, u, err := newReference(ctx, o)
	if err == nil && ref != nil && o.Rows() >= thinFrom {
		ref, u, err = ref.refined(ctx, o, u)
	}
	if err != nil {
		return nil, nil, err
	}
	minU, maxU := softmax.Log(1/MaxT), softmax.Log(1/MinT)
	u = min(max(u, minU), maxU)
	lo, hi := math.Inf(-1), math.Inf(1) // u with g < 0 and with g > 0
	var known curveNodes
	moved := math.Inf(1) // the last change of u
	const maxIterations = 100
	for iter := 0; ; iter++ {
		beta := softmax.Exp(u)
		near := math.Abs(moved) <= likelyLast
		last := visit
		if !near {
			last = nil
		}
		s, also, err := o.slopeAnd(ctx, beta, width, last)
		if err != nil {
			return nil, nil, err
		}
		if last == nil {
			also = nil
		}
		g := s.Loss - s.Drop
		switch {
		case s.Loss == 0:
			f, err := o.allRight(ctx)
			return f, nil, err
		case g > 0 && u <= minU:
			f, err := o.tooHot(ctx)
			return f, nil, err
		case g < 0 && u >= maxU:
			f, err := o.atBound(ctx, MinT, "the minimum of the NLL is below the least temperature")
			return f, nil, err
		case g > 0:
			hi = u
		default:
			lo = u
		}
		node, target := s.node(u)
		step := float64(node.du * (target - node.y))
		done := math.Abs(g) < GradTol && math.Abs(step) < stepTol
		if !done && o.Rows() >= thinFrom && math.Abs(step) < lastStep && u+step > minU && u+step < maxU {
			f := s.stepped(u, step)
			f.report.Iterations, f.report.Passes = iter+1, o.Passes
			return f, nil, nil
		}
		if done || iter == maxIterations {
			report := Report{NLL: s.NLL, Gradient: math.Abs(g), Iterations: iter, Passes: o.Passes}
			if !done {
				report.Warnings = []string{fmt.Sprintf("not converged: gradient %.1e after %d iterations", g, iter)}
			}
			return &temperatureFit{1 / beta, report, beta, near}, also, nil
		}
		if finite(node) {
			known = known.with(ref.less(node))
		}
		next := ref.at(target) + known.at(target)
		if !(next > lo && next < hi && math.Abs(next-u) <= far*math.Abs(step)) {
			next = u + step
		}
		next = min(max(next, minU), maxU)
		if !(next > lo && next < hi) { // also where step is no number: D or the variance underflowed
			next = (max(lo, minU) + min(hi, maxU)) / 2
		}
		moved, u = next-u, next
	}
}

// far is how many times as long as Newton's step a step may be.
const far = 8

// likelyLast is the change of u after which a pass is expected to be the last.
const likelyLast = 0.05

// allRight ends a fit where no row has a larger logit than that of its label.
func (o *Objective) allRight(ctx context.Context) (*temperatureFit, error) {
	zero, err := o.Slope(ctx, 0)
	if err != nil {
		return nil, err
	}
	if zero.Drop > 0 {
		return o.atBound(ctx, MinT, "every calibration row is classified correctly, so the NLL has no minimum")
	}
	return &temperatureFit{t: 1, report: Report{NLL: zero.NLL, Passes: o.Passes, Warnings: []string{
		"the logits of every row are equal: any temperature gives the same probabilities; T = 1"}}}, nil
}

// tooHot ends a fit whose NLL still falls at the largest temperature.
func (o *Objective) tooHot(ctx context.Context) (*temperatureFit, error) {
	zero, err := o.Slope(ctx, 0)
	if err != nil {
		return nil, err
	}
	why := "the minimum of the NLL is beyond the largest temperature"
	if zero.Loss >= zero.Drop {
		why = "the calibration labels contradict the logits, so the NLL has no minimum"
	}
	return o.atBound(ctx, MaxT, why)
}

// atBound ends a fit at T = t, one of the bounds: one pass for the NLL.
func (o *Objective) atBound(ctx context.Context, t float64, why string) (*temperatureFit, error) {
	nll, err := o.NLL(ctx, t)
	bound := "T >= 0.001"
	if t == MaxT {
		bound = "T <= 1000"
	}
	return &temperatureFit{t: t, report: Report{
		NLL:      nll,
		Passes:   o.Passes,
		AtBound:  []string{bound},
		Warnings: []string{fmt.Sprintf("T = %g: %s", t, why)},
	}}, err
}

// curveNode is a point of a curve u(y) with its slope.
type curveNode struct{ u, y, du float64 }

// curveNodes is the polynomial of least degree that has the values and the
// slopes of its nodes (Hermite).
type curveNodes []curveNode

// maxNodes is how many of the newest nodes are kept.
const maxNodes = 3

// with returns c with one more node. A node at nearly the same y is replaced:
// rounding would spoil their difference.
func (c curveNodes) with(node curveNode) curveNodes {
	var kept curveNodes
	for _, old := range c {
		if math.Abs(old.y-node.y) > 1e-7 {
			kept = append(kept, old)
		}
	}
	if len(kept) == maxNodes {
		kept = kept[1:]
	}
	return append(kept, node)
}

// at returns the polynomial at y: 0 where there is no node.
func (c curveNodes) at(y float64) float64 {
	u, _ := c.slopeAt(y)
	return u
}

// slopeAt returns the polynomial and its derivative at y, by divided
// differences on the nodes taken twice.
func (c curveNodes) slopeAt(y float64) (u, du float64) {
	n := 2 * len(c)
	if n == 0 {
		return 0, 0
	}
	at := func(i int) float64 { return c[len(c)-1-i/2].y } // the newest first
	var diff [2 * maxNodes]float64
	for i := range n {
		diff[i] = c[len(c)-1-i/2].u
	}
	for order := 1; order < n; order++ {
		for i := n - 1; i >= order; i-- {
			if order == 1 && i%2 == 1 {
				diff[i] = c[len(c)-1-i/2].du
				continue
			}
			diff[i] = (diff[i] - diff[i-1]) / (at(i) - at(i-order))
		}
	}
	u = diff[n-1]
	for i := n - 2; i >= 0; i-- {
		du = float64(du*(y-at(i))) + u
		u = float64(u*(y-at(i))) + diff[i]
	}
	return u, du
}

// reference is the curve u(y) of some rows of the set, at n/16 rows nearly
// that of the whole: what is left of u after it is small and nearly linear,
// so that interpolating the rest needs fewer passes over the whole set. It
// need not be exact. It is the sum of the curves: that of a few rows, and what
// more rows add to it.
type reference []curveNodes

// at returns the curve at y.
func (r reference) at(y float64) float64 {
	u := 0.0
	for _, c := range r {
		u += c.at(y)
	}
	return u
}

// less returns what a node of the whole curve has beyond the reference.
func (r reference) less(node curveNode) curveNode {
	for _, c := range r {
		u, du := c.slopeAt(node.y)
		node.u, node.du = node.u-u, node.du-du
	}
	return node
}

const (
	sampleShare = 16   // one row of so many is in the sample,
	sampleRows  = 4096 // but no more than so many rows,
	sampleFloor = 512  // of a set of so many at least: a dozen rows say little
)

// firstU is where a fit that knows nothing begins, T = 1.5: most networks are
// too sure.
const firstU = -0.4

// newReference returns the reference of o with the u where the sample has its
// minimum; without a sample, or where its NLL has none, no nodes and firstU.
// The sample is every sixteenth row, or wider apart: labels and images are
// often in order. A pass over it counts as its share.
func newReference(ctx context.Context, o *Objective) (reference, float64, error) {
	if o.Rows() < sampleFloor {
		return nil, firstU, nil
	}
	sample, err := o.sample(ctx, min(o.Rows()/sampleShare, sampleRows))
	if err != nil {
		return nil, 0, err
	}
	defer func() { o.Passes += sample.Passes * float64(sample.Rows()) / float64(o.Rows()) }()
	eval := func(u float64) (curveNode, float64, error) {
		s, err := sample.Slope(ctx, softmax.Exp(u))
		node, target := s.node(u)
		return node, target, err
	}
	const (
		maxSteps = 6
		near     = 0.05 // the next error is its square or less, and that of the sample larger
		reach    = 0.25 // how far from u the curve is known
	)
	var known curveNodes
	u, found := firstU, false
	for range maxSteps {
		node, target, err := eval(u)
		if err != nil {
			return nil, 0, err
		}
		known = known.with(node)
		next := known.at(target)
		if !(math.Abs(next) < softmax.Log(MaxT)) {
			return nil, firstU, nil
		}
		step := next - u
		u += min(max(step, -2), 2)
		if found = math.Abs(step) < near; found {
			break
		}
	}
	if !found {
		return nil, firstU, nil
	}
	var curve curveNodes
	for _, at := range []float64{u - reach, u, u + reach} {
		node, _, err := eval(at)
		if err != nil || !finite(node) {
			return nil, firstU, err
		}
		curve = append(curve, node)
	}
	return reference{curve}, u, nil
}

// node returns the point of the curve that a pass at u has found, and the y of
// the minimum.
func (s Slope) node(u float64) (node curveNode, target float64) {
	beta := softmax.Exp(u)
	return curveNode{u: u, y: softmax.Log(s.Drop), du: -s.Drop / float64(beta*s.Variance)}, softmax.Log(s.Loss)
}

func finite(c curveNode) bool { return !math.IsNaN(c.y+c.du) && !math.IsInf(c.y+c.du, 0) }

// sample returns m rows of o, evenly apart, copied.
func (o *Objective) sample(ctx context.Context, m int) (*Objective, error) {
	n, k := o.Logits.Rows, o.Logits.Cols
	s := &Objective{Logits: data.NewMatrix(m, k), LabelLogit: make([]float32, m)}
	var class [1]int32
	for i := range m {
		from := int((2*int64(i) + 1) * int64(n) / (2 * int64(m)))
		if o.stream == nil {
			copy(s.Logits.Row(i), o.Logits.Row(from))
			s.LabelLogit[i] = o.LabelLogit[from]
			continue
		}
		if err := o.stream.Read(ctx, from, from+1, s.Logits.Row(i), class[:]); err != nil {
			return nil, err
		}
		if err := checkLabels(class[:], from, k); err != nil {
			return nil, err
		}
		s.LabelLogit[i] = s.Logits.Row(i)[class[0]]
	}
	return s, nil
}
