package linearmap

import (
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
)

// LBFGS minimises a smooth function of many parameters, starting at x, which
// it overwrites with where it ends. eval returns the value at x and writes the
// gradient. It ends when no component of the gradient exceeds tolerance, after
// maxSteps steps, or where rounding hides any further descent.
//
// rounding is what a value may err by, relative to max(1, value). Where values
// differ by less the slope decides (after Hager and Zhang 2005), which leads to
// far smaller gradients; with 0 the value always does.
//
// It is the limited-memory BFGS method (Nocedal 1980; Liu and Nocedal 1989)
// with a line search for the strong Wolfe conditions (Nocedal and Wright 2006,
// algorithms 3.5 and 3.6). It is ours because bytes must agree across
// processors, which libraries with vector code do not promise; tests hold it
// against gonum's.
func LBFGS(eval func(x, gradient []float64) (float64, error), x []float64, maxSteps int, tolerance, rounding float64) (Descent, error) {
	const memory = 10 // pairs of steps and changes of gradient that are kept
	p := len(x)
	at := point{x: append([]float64(nil), x...), gradient: make([]float64, p)}
	var err error
	if at.value, err = eval(at.x, at.gradient); err != nil {
		return Descent{}, err
	}
	var pairs []pair
	end := Descent{}
	direction := make([]float64, p)
	for end.Steps < maxSteps && fit.Largest(at.gradient) > tolerance {
		towards(direction, at.gradient, pairs)
		length := 1.0
		if len(pairs) == 0 {
			length = min(1, 1/absSum(at.gradient))
		}
		next, ok, err := lineSearch(eval, at, direction, length, rounding)
		if err != nil {
			return Descent{}, err
		}
		if !ok {
			if len(pairs) == 0 {
				break
			}
			pairs = nil // once more along the gradient itself
			continue
		}
		pairs = remember(pairs, memory, at, next)
		at = next
		end.Steps++
	}
	copy(x, at.x)
	end.value, end.Gradient = at.value, fit.Largest(at.gradient)
	return end, nil
}

// Descent is where lbfgs ended.
type Descent struct {
	value    float64
	Gradient float64 // largest absolute component
	Steps    int
}

// point is a function at x.
type point struct {
	x, gradient []float64
	value       float64
}

// pair is one step s and the change y of the gradient along it, with s y > 0.
type pair struct {
	s, y []float64
	sy   float64
}

// remember adds the step from one point to the next, unless its curvature is
// lost in rounding, and drops the oldest pair when there are more than most.
func remember(pairs []pair, most int, from, to point) []pair {
	n := pair{s: make([]float64, len(from.x)), y: make([]float64, len(from.x))}
	for j := range n.s {
		n.s[j] = to.x[j] - from.x[j]
		n.y[j] = to.gradient[j] - from.gradient[j]
	}
	n.sy = fit.Dot(n.s, n.y)
	if !(n.sy > 1e-14*fit.Dot(n.y, n.y)) {
		return pairs
	}
	if len(pairs) == most {
		pairs = append(pairs[:0], pairs[1:]...)
	}
	return append(pairs, n)
}

// towards writes the direction -H g, H the inverse Hessian that the pairs
// stand for, by the two-loop recursion.
func towards(direction, gradient []float64, pairs []pair) {
	for j, g := range gradient {
		direction[j] = -g
	}
	if len(pairs) == 0 {
		return
	}
	share := make([]float64, len(pairs))
	for i := len(pairs) - 1; i >= 0; i-- {
		share[i] = fit.Dot(pairs[i].s, direction) / pairs[i].sy
		fit.AddTo(direction, -share[i], pairs[i].y)
	}
	last := pairs[len(pairs)-1]
	scale := last.sy / fit.Dot(last.y, last.y)
	for j := range direction {
		direction[j] *= scale
	}
	for i := range pairs {
		fit.AddTo(direction, share[i]-fit.Dot(pairs[i].y, direction)/pairs[i].sy, pairs[i].s)
	}
}

// trial is a point of a line search: the step length and the derivative along
// the direction.
type trial struct {
	point
	length, slope float64
}

// lineSearch returns a point along direction that satisfies the strong Wolfe
// conditions, or the lowest point found when rounding or the number of trials
// ends the search; it reports false where that is no descent.
func lineSearch(eval func(x, gradient []float64) (float64, error), from point, direction []float64, length, rounding float64) (point, bool, error) {
	const (
		decrease  = 1e-4
		curvature = 0.9
		maxTrials = 25
	)
	start := trial{point: from, slope: fit.Dot(from.gradient, direction)}
	if !(start.slope < 0) {
		return from, false, nil
	}
	at := func(length float64) (trial, error) {
		t := trial{length: length, point: point{x: append([]float64(nil), from.x...), gradient: make([]float64, len(from.x))}}
		fit.AddTo(t.x, length, direction)
		var err error
		t.value, err = eval(t.x, t.gradient)
		t.slope = fit.Dot(t.gradient, direction)
		return t, err
	}
	lo, hi := start, trial{length: math.Inf(1)} // the bracket; lo has the lowest value of those that decrease enough
	for range maxTrials {
		t, err := at(length)
		if err != nil {
			return from, false, err
		}
		still := rounding > 0 && t.value <= from.value+float64(rounding*max(1, math.Abs(from.value)))
		if still && math.Abs(t.slope) <= -curvature*start.slope {
			return t.point, true, nil
		}
		enough := t.value <= from.value+float64(decrease*float64(length*start.slope))
		switch {
		case !enough || t.value >= lo.value && lo.length > 0:
			hi = t // NaN lands here too
		case math.Abs(t.slope) <= -curvature*start.slope:
			return t.point, true, nil
		case t.slope*(hi.length-lo.length) >= 0:
			lo, hi = t, lo
		default:
			lo = t
		}
		if math.IsInf(hi.length, 1) {
			length *= 4
			continue
		}
		length = between(lo, hi)
		if math.Abs(hi.length-lo.length) <= 1e-12*max(lo.length, hi.length) {
			break
		}
	}
	return lo.point, lo.value < from.value, nil
}

// between returns a step length inside the bracket: where the cubic through
// both ends has its minimum, kept a tenth of the width away from them.
func between(a, b trial) float64 {
	middle := (a.length + b.length) / 2
	d := a.slope + b.slope - 3*(a.value-b.value)/(a.length-b.length)
	root := math.Sqrt(float64(d*d) - float64(a.slope*b.slope))
	if b.length < a.length {
		root = -root
	}
	length := b.length - (b.length-a.length)*(b.slope+root-d)/(b.slope-a.slope+2*root)
	least, most := min(a.length, b.length), max(a.length, b.length)
	margin := (most - least) / 10
	if !(length >= least+margin && length <= most-margin) { // no number included
		return middle
	}
	return length
}

func absSum(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Abs(x)
	}
	return sum
}
