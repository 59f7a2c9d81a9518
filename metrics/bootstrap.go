package metrics

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// PairsVersion is raised whenever Pairs yields other values; it belongs in the
// cache key of pairs.
const PairsVersion = 1

// PairOptions configures Pairs. The zero value of a field means its default.
type PairOptions struct {
	Resamples int     // 1,000 by default
	Level     float64 // of the interval, in (0, 1); .95 by default
	Seed      uint64  // identity of the test set
}

// Pair is the difference of one metric between two methods on the same rows.
type Pair struct {
	Other      int     // place in the others given to Pairs
	Metric     string  // "ece" or "aece"
	Difference float64 // other less base, a fraction: negative where the other is better calibrated
	Lo, Hi     float64 // ends of the interval
}

// Pairs returns, for each of the others in order, the differences in ECE-15
// and in AECE-15 to the base with bootstrap intervals. All facts are of the
// same test set.
//
// A resample draws n rows with replacement, the same rows for every method, so
// that the luck of the test set cancels in the difference. Bins and ties are
// found anew in each resample: a value is what ECE and AECE would say of the
// expanded sample. The interval is the bias-corrected percentile interval of
// Efron (1981, 1987): with z0 the normal quantile of the share of
// resampled differences below that of the whole sample (equal ones count half;
// the share is kept 1/2R away from 0 and 1) and z that of (1-Level)/2,
//
//	Lo, Hi = quantiles at Phi(2 z0 + z), Phi(2 z0 - z) of the R differences
//
// by the rule of function quantile. The correction matters because resampling
// adds noise to the bins, which raises every binned calibration error, and most
// that of the better method. It does not remove the noise that the sample
// itself has: where a method's ECE is near its null band, the interval is about
// the metric at this n and not about the population (TestCoverage has figures).
//
// The intervals are conditional on the fits: they say how the difference
// varies with the test rows, not with the calibration set.
//
// Cost: about 3 ns a row and resample, shared, and 4 more for each method. An
// error is that of ctx, or names facts that are not of the same rows.
func Pairs(ctx context.Context, base *Facts, others []*Facts, opts PairOptions) ([]Pair, error) {
	if opts.Resamples == 0 {
		opts.Resamples = 1000
	}
	if opts.Level == 0 {
		opts.Level = .95
	}
	if opts.Resamples < 1 || !(opts.Level > 0 && opts.Level < 1) {
		return nil, fmt.Errorf("bootstrap with %d resamples at level %g: want 1 or more, and a level between 0 and 1", opts.Resamples, opts.Level)
	}
	n := base.N()
	if n == 0 {
		return nil, fmt.Errorf("bootstrap of no rows")
	}
	methods := []*weighing{newWeighing(base)}
	for m, f := range others {
		if !slices.Equal(f.Label, base.Label) {
			return nil, fmt.Errorf("bootstrap: method %d has other rows than the base: the labels differ", m)
		}
		methods = append(methods, newWeighing(f))
	}

	// The last column is the sample itself, every row once.
	values := make([][2][]float64, len(methods)) // by method, then ECE and AECE
	times := make([]int32, n)
	for r := range opts.Resamples + 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r < opts.Resamples {
			draw(times, stream(opts.Seed, forBootstrap, r))
		} else {
			for i := range times {
				times[i] = 1
			}
		}
		for m, w := range methods {
			ece, aece := w.score(times)
			values[m][0], values[m][1] = append(values[m][0], ece), append(values[m][1], aece)
		}
	}

	var pairs []Pair
	for m := range others {
		for k, metric := range []string{"ece", "aece"} {
			diff := make([]float64, opts.Resamples+1)
			for r := range diff {
				diff[r] = values[m+1][k][r] - values[0][k][r]
			}
			observed, resampled := diff[opts.Resamples], diff[:opts.Resamples]
			lo, hi := biasCorrected(resampled, observed, opts.Level)
			pairs = append(pairs, Pair{Other: m, Metric: metric, Difference: observed, Lo: lo, Hi: hi})
		}
	}
	return pairs, nil
}

// draw sets times to how often each row is drawn in a resample.
func draw(times []int32, start uint64) {
	clear(times)
	n, at := uint64(len(times)), start
	for range times {
		i, _ := bits.Mul64(mix(at), n) // uniform to within n/2^64
		times[i]++
		at += golden
	}
}

// biasCorrected returns the interval documented at Pairs. It sorts resampled.
func biasCorrected(resampled []float64, observed, level float64) (lo, hi float64) {
	slices.Sort(resampled)
	first, _ := slices.BinarySearch(resampled, observed)
	after := first
	for after < len(resampled) && resampled[after] == observed {
		after++
	}
	r := float64(len(resampled))
	share := float64(first+after) / (2 * r)
	share = min(max(share, .5/r), 1-.5/r)
	z0, z := normalQuantile(share), normalQuantile((1-level)/2)
	return quantile(resampled, normalCDF(2*z0+z)), quantile(resampled, normalCDF(2*z0-z))
}

func normalCDF(z float64) float64      { return math.Erfc(-z/math.Sqrt2) / 2 }
func normalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }
