package calib

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/softmax"
	"github.com/qats-bench/qats/data"
)

// minT and maxT bound every fitted temperature. They bind where the NLL has
// no minimum: T falls without end where every row is classified correctly and
// grows without end where the labels contradict the logits.
const (
	minT = 1e-3
	maxT = 1e3
)

// gradTol is the largest gradient of a fit that counts as converged.
const gradTol = 1e-9

// tsEntry is temperature scaling, p = softmax(l/T), T at the minimum of the
// calibration NLL (Guo et al. 2017). Common code stops short of the minimum or
// minimises something else; see ts-guo50 and ts-ecegrid.
func tsEntry() Entry {
	return Entry{
		Name:      "ts",
		Label:     "TS",
		Version:   1,
		Summary:   "one temperature at the minimum of the calibration NLL",
		Reference: "Guo, Pleiss, Sun and Weinberger 2017",
		New:       func(func(any) error) (Method, error) { return ts{}, nil },
		Restore:   restore(restoreTS),
	}
}

type ts struct{}

func (ts) Contract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits, KeepsTop1: true}
}

func (ts) Fit(ctx context.Context, in Input) (*Fitted, error) {
	o, err := newObjective(in.Cal)
	if err != nil {
		return nil, err
	}
	t, report, err := fitTemperature(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Fitted{Map: tsMap{t}, Report: report}, nil
}

// tsMap is what every method with one temperature fits.
type tsMap struct {
	T float64 // > 0
}

func restoreTS(m tsMap) (Map, error) {
	if !usable(m.T) {
		return nil, fmt.Errorf("temperature T = %v: want one in [1e-6, 1e8]", m.T)
	}
	return m, nil
}

// usable reports whether a model may hold the temperature t. The range is wider
// than any fit yields and narrow enough that 1/T is finite and a temperature
// between two others stays positive in float64.
func usable(t float64) bool { return t >= 1e-6 && t <= 1e8 }

// Apply writes softmax(l/T).
func (m tsMap) Apply(dst data.Probs, set *data.Set) { applyTempered(m, dst, set) }

// Scales writes 1/T for every row.
func (m tsMap) Scales(dst []float64, _ *data.Set, _ *Unscaled) { fill(dst, 1/m.T) }

// fitTemperature returns the T in [minT, maxT] with the least mean NLL.
//
// The NLL is convex in beta = 1/T with slope g = G - D(beta), where
// G = mean(max l - l_y) does not depend on beta and D = mean(max l - E_p[l])
// falls from its value at 0 to 0. So the minimum is where log D = log G, and
// Newton runs on that equation in u = log beta: D is close to a power of beta,
// which makes it nearly linear, where Newton on g itself creeps when the
// network is almost always right. Every step stays inside a bracket, which
// bisection shrinks when Newton leaves it. A pass at beta = 0 gives G, and
// with it the two cases without a minimum: G = 0 and G >= D(0).
func fitTemperature(ctx context.Context, o *objective) (float64, Report, error) {
	zero, err := o.slope(ctx, 0)
	if err != nil {
		return 0, Report{}, err
	}
	loss := zero.loss // G
	beta := 1.0
	switch {
	case zero.drop == 0:
		s, err := o.slope(ctx, beta)
		return 1, Report{NLL: s.nll, Passes: o.passes, Warnings: []string{
			"the logits of every row are equal: any temperature gives the same probabilities; T = 1"}}, err
	case loss == 0:
		return o.atBound(ctx, minT, "every calibration row is classified correctly, so the NLL has no minimum")
	case loss >= zero.drop:
		return o.atBound(ctx, maxT, "the calibration labels contradict the logits, so the NLL has no minimum")
	}

	minU, maxU := softmax.Log(1/maxT), softmax.Log(1/minT)
	lo, hi := math.Inf(-1), math.Inf(1) // u with g < 0 and with g > 0
	u := 0.0
	const maxIterations = 100
	for iter := 0; ; iter++ {
		s, err := o.slope(ctx, beta)
		if err != nil {
			return 0, Report{}, err
		}
		g := loss - s.drop
		switch {
		case g > 0 && u <= minU:
			return o.atBound(ctx, maxT, "the minimum of the NLL is beyond the largest temperature")
		case g < 0 && u >= maxU:
			return o.atBound(ctx, minT, "the minimum of the NLL is below the least temperature")
		case g > 0:
			hi = u
		default:
			lo = u
		}
		step := softmax.Log(s.drop/loss) * s.drop / float64(beta*s.variance)
		done := math.Abs(g) < gradTol && math.Abs(step) < 1e-10
		if done || iter == maxIterations {
			report := Report{NLL: s.nll, Gradient: math.Abs(g), Iterations: iter, Passes: o.passes}
			if !done {
				report.Warnings = []string{fmt.Sprintf("not converged: gradient %.1e after %d iterations", g, iter)}
			}
			return 1 / beta, report, nil
		}
		u = min(max(u+step, minU), maxU)
		if !(u > lo && u < hi) { // also where step is no number: D or the variance underflowed
			u = (max(lo, minU) + min(hi, maxU)) / 2
		}
		beta = softmax.Exp(u)
	}
}

// atBound ends a fit at T = t, one of the bounds: one pass for the NLL.
func (o *objective) atBound(ctx context.Context, t float64, why string) (float64, Report, error) {
	nll, err := o.nll(ctx, t)
	bound := "T >= 0.001"
	if t == maxT {
		bound = "T <= 1000"
	}
	return t, Report{
		NLL:      nll,
		Passes:   o.passes,
		AtBound:  []string{bound},
		Warnings: []string{fmt.Sprintf("T = %g: %s", t, why)},
	}, err
}

// slope is what one pass at a single scale comes to, as means over the rows.
type slope struct {
	nll      float64 // NLL, nats
	loss     float64 // max l - l_y
	drop     float64 // max l - E_p[l]
	variance float64 // Var_p[l]
}

func (o *objective) slope(ctx context.Context, scale float64) (slope, error) {
	var total slope
	err := o.pass(ctx, []float64{scale}, func(lo int, block []softmax.Moments) {
		var sum slope
		for i := range block {
			m := &block[i]
			sum.nll += m.NLL(scale, o.label[lo+i])
			sum.loss += float64(m.Max) - float64(o.label[lo+i])
			sum.drop -= m.S1 / (1 + m.Tail)
			sum.variance += m.Variance()
		}
		total.nll += sum.nll
		total.loss += sum.loss
		total.drop += sum.drop
		total.variance += sum.variance
	})
	n := float64(o.rows())
	return slope{total.nll / n, total.loss / n, total.drop / n, total.variance / n}, err
}
