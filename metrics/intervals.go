package metrics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Estimate is the value of one metric with a bootstrap interval.
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
)

// Intervals returns the values of the metrics of the options with bootstrap
// intervals, one Estimate for each output in order. The resamples and the
// interval are those of Pairs, of the metric itself instead of a difference.
//
// A binned calibration error is biased upward, and on a resample twice: by the noise
// of the sample and by that of drawing from it. The bias-corrected interval takes
// away the second. The first stays: the interval is about the metric at this n, and
// where the model is nearly calibrated it does not reach down to the error of the
// population. The consistency band (ECEBand) says what calibration would score.
//
// Where the second bias exceeds the spread of the resamples, so that the value lies
// outside the percentile interval, there is no interval: TopLabelECE with hundreds of
// bins, and CORP, whose map is fitted on the copies too, are such metrics.
//
// Cost: 3 ns a row and resample, and for metrics that are computed anew 200 times
// their own time. An error is that of ctx, or says that there are no samples, that an
// option is out of range, or that a metric has no intervals (Entry.Whole).
func Intervals(ctx context.Context, s *Samples, opts PairOptions) ([]Estimate, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if s.Len() == 0 {
		return nil, fmt.Errorf("bootstrap: %w", ErrNoSamples)
	}
	r := newResampler(s, opts.Metrics, opts.Seed)
	values, err := resample(ctx, []*resampler{r}, opts)
	if err != nil {
		return nil, err
	}
	var list []Estimate
	for _, c := range r.columns {
		for _, name := range c.entry.Names() {
			observed, resampled := values[0][len(list)][0], values[0][len(list)][1:]
			e := Estimate{name, observed, math.NaN(), math.NaN(), c.err}
			switch {
			case c.err != nil:
			case slices.ContainsFunc(resampled, math.IsNaN):
				e.Err = errResample
			default:
				if e.Lo, e.Hi = interval(resampled, observed, opts); shifted(resampled, observed, opts.Level) {
					e.Lo, e.Hi, e.Err = math.NaN(), math.NaN(), errShifted
				}
			}
			list = append(list, e)
		}
	}
	return list, nil
}
