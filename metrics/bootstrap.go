package metrics

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// PairsVersion is raised whenever Pairs gives other values. It belongs in the
// cache key of pairs.
const PairsVersion = 2

// PairOptions configures Pairs. The zero value of a field means its default.
type PairOptions struct {
	Resamples int     // 2,000 by default
	Level     float64 // of the interval, in (0, 1); .95 by default
	Seed      uint64  // identity of the test set
	Interval  Interval
}

// Interval is the kind of a bootstrap interval.
type Interval string

// BC is the bias-corrected percentile interval, the default; see Pairs.
// Percentile is the plain one, for comparison.
const (
	BC         Interval = "bc"
	Percentile Interval = "percentile"
)

// Pair is the difference of one metric between two methods on the same samples.
type Pair struct {
	Other      int     // place in the others given to Pairs
	Metric     string  // "ece" or "aece"
	Difference float64 // other minus base, a fraction: negative where the other is better calibrated
	Lo, Hi     float64 // ends of the interval
}

// Pairs returns, for each of the others in order, the differences in ECE-15 and in
// AECE-15 to the base, with bootstrap intervals. All are predictions for the same
// test set, row by row.
//
// A resample draws n rows with replacement, the same rows for every method, so
// that the luck of the test set cancels in the difference. Bins and ties are found
// anew in each resample: a value is the ECE or AECE of the expanded
// sample. The interval is the bias-corrected percentile interval of Efron (1981,
// 1987). With z0 the normal quantile of the share of resampled differences below
// that of the whole sample (equal ones count half; the share is kept 1/2R away
// from 0 and 1) and z that of (1-Level)/2,
//
//	Lo, Hi = quantiles at Phi(2 z0 + z), Phi(2 z0 - z) of the R differences
//
// by linear interpolation; the Percentile interval has z0 = 0. The correction
// matters because resampling adds noise to the bins, which raises every binned
// calibration error, most of all that of the better method. It does not remove the
// noise that the sample itself has: where the ECE of a method is near its
// consistency band, the interval is about the metric at this n and not about the
// population (TestCoverage has figures).
//
// The intervals are conditional on the fits: they say how the difference varies
// with the test rows, not with the calibration set.
//
// Cost: about 2 ns a row and resample, shared, and 1 more for each method. An
// error is that of ctx, or says that there are no samples, that an option is out
// of range, or that a method has other samples than the base.
func Pairs(ctx context.Context, base *Samples, others []*Samples, opts PairOptions) ([]Pair, error) {
	if opts.Resamples == 0 {
		opts.Resamples = 2000
	}
	if opts.Level == 0 {
		opts.Level = .95
	}
	if opts.Interval == "" {
		opts.Interval = BC
	}
	if opts.Interval != BC && opts.Interval != Percentile {
		return nil, fmt.Errorf("bootstrap interval %q: want %s or %s", opts.Interval, BC, Percentile)
	}
	if opts.Resamples < 1 || !(opts.Level > 0 && opts.Level < 1) {
		return nil, fmt.Errorf("bootstrap with %d resamples at level %g: want 1 or more, and a level between 0 and 1", opts.Resamples, opts.Level)
	}
	if base.Len() == 0 {
		return nil, fmt.Errorf("bootstrap: %w", ErrNoSamples)
	}
	methods := []*weighing{newWeighing(base)}
	for m, s := range others {
		if s.Len() != base.Len() || s.classes && base.classes && !slices.Equal(s.scores.Label, base.scores.Label) {
			return nil, fmt.Errorf("bootstrap: method %d has other rows than the base: the labels differ", m)
		}
		methods = append(methods, newWeighing(s))
	}

	values, err := resample(ctx, methods, opts)
	if err != nil {
		return nil, err
	}
	var pairs []Pair
	for m := range others {
		for k, metric := range []string{"ece", "aece"} {
			diff := make([]float64, opts.Resamples+1)
			for r := range diff {
				diff[r] = values[m+1][k][r] - values[0][k][r]
			}
			resampled, observed := diff[1:], diff[0]
			lo, hi := interval(resampled, observed, opts)
			pairs = append(pairs, Pair{Other: m, Metric: metric, Difference: observed, Lo: lo, Hi: hi})
		}
	}
	return pairs, nil
}

// resample returns, by method, the ECE and the AECE of the whole sample, every row
// once, and then of each resample.
func resample(ctx context.Context, methods []*weighing, opts PairOptions) ([][2][]float64, error) {
	values := make([][2][]float64, len(methods))
	drawn := make([]times, len(methods[0].row))
	for first := 0; first <= opts.Resamples; first += lanes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(drawn)
		used := min(lanes, opts.Resamples+1-first)
		for lane := range used {
			if first+lane == 0 {
				for i := range drawn {
					drawn[i][lane] = 1
				}
				continue
			}
			draw(drawn, lane, stream(opts.Seed, forBootstrap, first+lane-1))
		}
		for m, w := range methods {
			w.weigh(drawn)
			for lane := range used {
				values[m][0] = append(values[m][0], w.ece(lane))
				values[m][1] = append(values[m][1], w.aece(drawn, lane))
			}
		}
	}
	return values, nil
}

// draw adds to a lane of drawn how often each row is drawn in a resample. Up to
// 2^20 rows a word of the stream makes two draws, and the probabilities of rows
// are equal within a factor of 1 + n/2^32. With more rows a word makes one draw,
// within 1 + n/2^64.
func draw(drawn []times, lane int, start uint64) {
	n, at := uint64(len(drawn)), start
	if n > 1<<20 {
		for range drawn {
			i, _ := bits.Mul64(mix(at), n)
			drawn[i][lane]++
			at += golden
		}
		return
	}
	for range n / 2 {
		word := mix(at)
		drawn[(word>>32)*n>>32][lane]++
		drawn[(word&(1<<32-1))*n>>32][lane]++
		at += golden
	}
	if n%2 == 1 {
		drawn[(mix(at)>>32)*n>>32][lane]++
	}
}

// interval returns the interval documented at Pairs. It sorts resampled.
func interval(resampled []float64, observed float64, opts PairOptions) (lo, hi float64) {
	slices.Sort(resampled)
	if opts.Interval == Percentile {
		return quantile(resampled, (1-opts.Level)/2), quantile(resampled, (1+opts.Level)/2)
	}
	return biasCorrected(resampled, observed, opts.Level)
}

// biasCorrected returns the interval BC of sorted differences.
func biasCorrected(resampled []float64, observed, level float64) (lo, hi float64) {
	first, _ := slices.BinarySearch(resampled, observed)
	after := first
	for after < len(resampled) && resampled[after] == observed {
		after++
	}
	r := float64(len(resampled))
	share := float64(first+after) / (2 * r)
	share = min(max(share, .5/r), 1-.5/r)
	normal := distuv.UnitNormal
	z0, z := normal.Quantile(share), normal.Quantile((1-level)/2)
	return quantile(resampled, normal.CDF(2*z0+z)), quantile(resampled, normal.CDF(2*z0-z))
}
