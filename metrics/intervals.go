package metrics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Estimate is the value of one metric with its interval.
type Estimate struct {
	Metric string  // name of the output, as in results.csv
	Value  float64 // of the samples
	Lo, Hi float64 // ends of the interval
	Err    error   // why there is no value, or no interval; then Lo and Hi are NaN
}

var (
	// errResample is the reason for a metric that some resample leaves undefined.
	errResample = errors.New("undefined in some of the resamples")

	// errShifted is the reason for a metric with a bias that no interval corrects.
	errShifted = errors.New("resampling shifts it by more than its spread, so there is no interval")

	errUnit         = errors.New("undefined: the weights are no whole numbers, and the metric changes if all rows are repeated; round them")
	errGrouped      = errors.New("there are no verdicts by class of rows that have groups or weights")
	errWhole        = errors.New("no interval: the rows cannot be drawn again")
	errNoPopulation = errors.New("there is an interval of the population for ece and aece only")
	errConstant     = errors.New("no interval: all rows have the same value")
	errNoVerdict    = errors.New("the metric gives no verdicts")
)

// Intervals returns the values of the metrics of the options with intervals, one Estimate
// for each output in order.
//
// A metric that decides verdicts by itself has the interval of its value in the population:
// that of Pairs around one value, and for a share of rows that of Wilson (1927).
// Calibration errors are bootstrapped as in Pairs; the default kind is Standard.
//
// A binned calibration error is biased upward by the noise of the sample. On a resample the
// noise of drawing from it adds a second bias. Standard takes the spread of the resamples
// but not their place, which leaves out the second bias. It covers the mean value over test
// sets of n rows. The first bias stays: where the model is nearly calibrated the interval
// does not reach down to the error of the population. The consistency band (ECEBand) says
// what calibration would score, and the kind Population gives an interval of the
// population. docs/evidence.md has figures.
//
// The kinds Percentile and BC give no interval where the second bias exceeds the spread of
// the resamples, so that the value lies outside the percentile interval. Examples are
// TopLabelECE with hundreds of bins, and CORP, whose map is fitted on the copies too. A
// metric whose rows cannot be drawn again (Entry.NoBootstrap) has no interval, and one row has
// none. With fewer than FewestRows wrong or right predictions only accuracy and the kind
// Population have one.
//
// Cost: 2 ns a row and resample, and for metrics that are computed anew 200 times
// their own time. An error is that of ctx, or says that there are no samples, that an
// option is out of range, or that a metric is not Comparable.
func Intervals(ctx context.Context, s *Samples, opts PairOptions) ([]Estimate, error) {
	opts.Interval = cmp.Or(opts.Interval, Standard)
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if s.Len() == 0 {
		return nil, fmt.Errorf("intervals: %w", ErrNoSamples)
	}
	drawn := opts.drawn(s.Len())
	resampled, err := resample(ctx, []*resampler{newResampler(s, drawn, opts.Seed)}, opts)
	if err != nil {
		return nil, err
	}
	var list []Estimate
	for _, e := range opts.Metrics {
		values, err := e.Compute(s, opts.Seed)
		for i, name := range e.Names() {
			if err != nil {
				list = append(list, Estimate{name, math.NaN(), math.NaN(), math.NaN(), err})
				continue
			}
			var r Range
			var none error
			switch place := slices.Index(outputs(drawn), name); {
			case e.Influence != nil:
				r, none = opts.ofOne(e, i, s)
			case place >= 0:
				if none = enoughFor(e.Positive, s); none == nil {
					r.Lo, r.Hi, none = interval(resampled[0][place][1:], resampled[0][place][0], opts)
				}
			default:
				if none = whyNoInterval(e, s); none == nil {
					r = populationInterval(nil, s, e.binned.runs, opts.Level)
				}
			}
			if none != nil {
				r = Range{math.NaN(), math.NaN()}
			}
			list = append(list, Estimate{name, values[i], r.Lo, r.Hi, none})
		}
	}
	return list, nil
}

// ofOne returns the interval of a metric that decides verdicts by itself.
func (o PairOptions) ofOne(e Entry, i int, s *Samples) (Range, error) {
	basis, _ := e.measure(i)
	t, err := basis.termsOf(s, o.Seed)
	if err != nil {
		return Range{}, err
	}
	if len(t.influence) < 2 {
		return Range{}, errOneRow
	}
	if shares(t.influence) {
		return Wilson(t.value, independent(t.value, t.influence, t.group), o.Level), nil
	}
	by := clustered(t.influence, t.group)
	if len(by) < 2 {
		return Range{}, errOneRow
	}
	r, _, err := spread(by, t.value, o.Level)
	if errors.Is(err, errNoWidth) {
		err = errConstant
	}
	return r, err
}
