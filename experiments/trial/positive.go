package trial

import (
	"context"
	"errors"
	"fmt"

	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Positive are the scores of the probability of the positive class, of two classes, on the rows
// that judge.
type Positive struct {
	ECE  float64
	Band metrics.Band // of the ECE of a calibrated model with the same probabilities

	// Estimates are those of PositiveMetrics, in this order, with 95 % intervals.
	Estimates []metrics.Estimate

	samples *metrics.Samples // of the probability
}

// Inside reports whether the ECE is one that a calibrated model could have.
func (p *Positive) Inside() bool { return p.Band.Lo <= p.ECE && p.ECE <= p.Band.Hi }

// PositiveMetrics returns the metrics of the positive class without a band: observed / expected,
// calibration slope and calibration intercept.
func PositiveMetrics() []metrics.Entry {
	var list []metrics.Entry
	for _, name := range []string{"oe", "slope", "intercept"} {
		e, _ := metrics.Lookup(name) // they are registered
		list = append(list, e)
	}
	return list
}

// Two reports whether the sets have two classes, and probabilities or logits of both.
func (in *Input) Two() bool { return !in.ConfidenceOnly() && in.Cal.K() == 2 }

// checkPositive returns an error for a positive class that is not one of two.
func (in *Input) checkPositive(class int) error {
	switch {
	case class == metrics.Positive:
	case !in.Two():
		what := fmt.Sprintf("%d classes", in.Cal.K())
		if in.ConfidenceOnly() {
			what = "a confidence alone"
		}
		return &problem.Problem{Place: in.Cal.Name, Cause: "a positive class is one of two, and this is " + what, Fix: "leave the positive class out"}
	case class != 0:
		return fmt.Errorf("positive class %d: of two classes it is 0 or 1", class)
	}
	return nil
}

// positive returns the scores of the positive class; nil where the method or the sets have none.
func (t *Trial) positive(s *metrics.Samples) (*metrics.Samples, *Positive, error) {
	if !t.Input.Two() {
		return s, nil, nil
	}
	named, err := s.WithPositive(t.Positive)
	if errors.Is(err, metrics.ErrNoVector) {
		return s, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	p := &Positive{}
	if p.samples, err = named.OfPositive(); err != nil {
		return nil, nil, err
	}
	p.ECE, p.Band = metrics.ECE(p.samples, 15), metrics.ECEBand(p.samples, 15, seed)
	p.Estimates, err = metrics.Intervals(context.Background(), named, metrics.PairOptions{Seed: seed, Metrics: PositiveMetrics()})
	return named, p, err
}

// PositiveBins returns the bins of the probability of the positive class on the rows that judge, as
// in bins.csv; nil for a method without one.
func (t *Trial) PositiveBins(r *Result) []results.Bin {
	if r.Positive == nil {
		return nil
	}
	return t.binsOf(r, metrics.Positive15, r.Positive.samples)
}
