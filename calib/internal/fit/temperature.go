package fit

import (
	"context"
	"fmt"
	"math"

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
