package metrics

import (
	"cmp"
	"context"
	"fmt"
	"math"
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
	Metrics   []Entry // ECE and AECE by default
}

// withDefaults checks the options and fills in the defaults.
func (o PairOptions) withDefaults() (PairOptions, error) {
	o.Resamples = cmp.Or(o.Resamples, 2000)
	o.Level = cmp.Or(o.Level, .95)
	o.Interval = cmp.Or(o.Interval, BC)
	if len(o.Metrics) == 0 {
		o.Metrics = Paired()
	}
	if o.Interval != BC && o.Interval != Percentile {
		return o, fmt.Errorf("bootstrap interval %q: want %s or %s", o.Interval, BC, Percentile)
	}
	if o.Resamples < 1 || !(o.Level > 0 && o.Level < 1) {
		return o, fmt.Errorf("bootstrap with %d resamples at level %g: want 1 or more, and a level between 0 and 1", o.Resamples, o.Level)
	}
	for _, e := range o.Metrics {
		if e.Whole {
			return o, fmt.Errorf("bootstrap: %s has no interval: its value does not come from rows that could be drawn again", e.Name)
		}
	}
	return o, nil
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
	Metric     string  // name of the output, as in results.csv
	Difference float64 // other minus base, in the unit of the metric
	Lo, Hi     float64 // ends of the interval
}

// Pairs returns, for each of the others in order, the differences to the base in the
// metrics of the options, with bootstrap intervals. All are predictions for the same
// test set, row by row.
//
// A resample draws n rows with replacement, the same rows for every method, so
// that the luck of the test set cancels in the difference. Bins and ties are found
// anew in each resample: a value is the metric of the expanded sample. Copies of a
// row stay in one fold of a cross-validation.
//
// The interval is the bias-corrected percentile interval of Efron (1981, 1987). With
// z0 the normal quantile of the share of resampled differences below that of the whole
// sample (equal ones count half; the share is kept 1/2R away from 0 and 1) and z that
// of (1-Level)/2,
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
// Metrics other than ECE, AECE and means over rows (Entry.Rows) are computed anew in
// each resample, which takes longer, so they use the first 200 resamples only. Their
// ends have more noise: a tenth of the interval's width or so.
//
// A metric that is undefined for a method (NLL of a top-label method), or in some of
// the resamples, has no difference with it and is left out. So is one, other than ECE
// and AECE, that resampling shifts by more than its spread; see Intervals.
//
// Cost: about 2 ns a row and resample, shared, and 1 more for each method and metric.
// An error is that of ctx, or says that there are no samples, that an option is out
// of range, that a metric has no intervals (Entry.Whole), or that a method has
// other samples than the base.
func Pairs(ctx context.Context, base *Samples, others []*Samples, opts PairOptions) ([]Pair, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if base.Len() == 0 {
		return nil, fmt.Errorf("bootstrap: %w", ErrNoSamples)
	}
	var methods []*resampler
	for m, s := range slices.Concat([]*Samples{base}, others) {
		if s.Len() != base.Len() || s.classes && base.classes && !slices.Equal(s.scores.Label, base.scores.Label) {
			return nil, fmt.Errorf("bootstrap: method %d has other rows than the base: the labels differ", m-1)
		}
		methods = append(methods, newResampler(s, opts.Metrics, opts.Seed))
	}
	values, err := resample(ctx, methods, opts)
	if err != nil {
		return nil, err
	}
	var pairs []Pair
	for m := range others {
		for k, metric := range outputs(opts.Metrics) {
			diff := make([]float64, min(len(values[0][k]), len(values[m+1][k])))
			for r := range diff {
				diff[r] = values[m+1][k][r] - values[0][k][r]
			}
			if slices.ContainsFunc(diff, math.IsNaN) {
				continue
			}
			resampled, observed := diff[1:], diff[0]
			lo, hi := interval(resampled, observed, opts)
			if e, _, _ := LookupOutput(metric); !e.Paired && shifted(resampled, observed, opts.Level) {
				continue
			}
			pairs = append(pairs, Pair{Other: m, Metric: metric, Difference: observed, Lo: lo, Hi: hi})
		}
	}
	return pairs, nil
}

// outputs returns the names of the outputs of all entries.
func outputs(entries []Entry) []string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Names()...)
	}
	return names
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
	r := float64(len(resampled))
	share := min(max(shareBelow(resampled, observed), .5/r), 1-.5/r)
	normal := distuv.UnitNormal
	z0, z := normal.Quantile(share), normal.Quantile((1-level)/2)
	return quantile(resampled, normal.CDF(2*z0+z)), quantile(resampled, normal.CDF(2*z0-z))
}

// shareBelow returns the share of sorted values below v; equal ones count half.
func shareBelow(sorted []float64, v float64) float64 {
	first, _ := slices.BinarySearch(sorted, v)
	after := first
	for after < len(sorted) && sorted[after] == v {
		after++
	}
	return float64(first+after) / float64(2*len(sorted))
}

// shifted reports whether sorted resampled values lie so much on one side of the
// observed one that the percentile interval does not contain it. Then the bias of
// resampling exceeds the spread, and its correction has no resamples to read the
// ends from.
func shifted(resampled []float64, observed, level float64) bool {
	share := shareBelow(resampled, observed)
	return min(share, 1-share) < (1-level)/2
}
