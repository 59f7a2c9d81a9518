package metrics

import (
	"math"

	"github.com/qats-bench/qats/internal/kernel/softmax"
)

var interceptEntry = Entry{
	Name:      "intercept",
	Group:     Unbinned,
	Outputs:   []Output{{"intercept", "Calibration intercept", below, unbounded}},
	Better:    Target,
	Target:    0,
	OnRequest: true,
	Vector:    true,
	Positive:  true,
	Version:   1,
	Summary:   "calibration in the large, of two classes: what the log odds of the positive class lack on average, the slope being 1; below 0 where they are too high",
	Aliases:   []string{"calibration-intercept", "calibration-in-the-large", "citl"},

	Compute: valueOrError(Intercept),
	Influence: func(s *Samples, _ uint64) ([][]float64, error) {
		z, positive, err := s.logOdds()
		if err != nil {
			return nil, err
		}
		a, err := shift(z, positive)
		if err != nil {
			return nil, err
		}
		l, rows := logisticAt(z, positive, a, 1, nil), make([]float64, len(z))
		n := float64(len(z))
		if l.h00 == 0 {
			return nil, errNoEnd
		}
		for i := range z {
			rows[i] = -residual(a+z[i], positive[i]) * n / l.h00
		}
		return [][]float64{rows}, nil
	},
}

// Intercept returns the calibration in the large: a of the logistic regression P(y = 1) =
// 1/(1 + exp(-a - z)) by maximum likelihood, with z the log odds of the positive class and y = 1
// for a row with this label. The slope is fixed at 1. It is 0 for a calibrated model, and below 0
// where the probabilities of the class are too high. A prior shift, as class weights and
// under-sampling make it, moves this number and no other. It is an error if there are not two
// classes, if some probability is 0 or 1, or if all rows have one label.
//
//   - Metric: intercept
//   - Formula: a of max over a of sum of ln P(y), P(y = 1) = 1/(1 + e^(-a - z)), z = ln(p/(1-p))
//   - Reference: Van Calster et al. 2016
//   - Compared with: statsmodels (GLM, binomial, with the log odds as offset)
//   - Agreement: 60 rows: value to 1e-9
//   - Departures: The interval is of the intercept in the population (White 1982), as of slope.
func Intercept(s *Samples) (float64, error) {
	z, positive, err := s.logOdds()
	if err != nil {
		return 0, err
	}
	return shift(z, positive)
}

// shift returns the intercept, by Newton's method in the bracket that the signs of the gradient
// leave.
func shift(z []float64, positive []bool) (float64, error) {
	// At these ends all rows are more probable on one side than the share of their labels is.
	share := 0.0
	least, most := math.Inf(1), math.Inf(-1)
	for i, x := range z {
		least, most = min(least, x), max(most, x)
		if positive[i] {
			share++
		}
	}
	share /= float64(len(z))
	base := softmax.Log(share) - softmax.Log(1-share)
	lo, hi := base-most, base-least
	a := min(max(0, lo), hi)
	for range mostSteps {
		l := logisticAt(z, positive, a, 1, nil)
		switch {
		case l.g0 == 0:
			return a, nil
		case l.g0 > 0:
			hi = min(hi, a)
		default:
			lo = max(lo, a)
		}
		next := a - l.g0/l.h00
		if !(next > lo && next < hi) { // the step is not finite, or leaves the bracket
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-a) <= stepEnd*(1+math.Abs(a)) {
			return next, nil
		}
		a = next
	}
	return 0, errNoEnd
}
