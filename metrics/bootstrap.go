package metrics

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

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

// interval returns the interval Standard, Percentile or BC. It may sort resampled. The
// error is errResample if a value is not a number. It is errShifted, beside an interval
// Percentile or BC, if that interval is not to be trusted.
func interval(resampled []float64, observed float64, opts PairOptions) (lo, hi float64, err error) {
	if slices.ContainsFunc(resampled, math.IsNaN) || math.IsNaN(observed) {
		return math.NaN(), math.NaN(), errResample
	}
	if opts.Interval == Standard {
		deviation, _ := moments(resampled)
		half := float64(distuv.UnitNormal.Quantile((1+opts.Level)/2) * deviation)
		return observed - half, observed + half, nil
	}
	slices.Sort(resampled)
	if shifted(resampled, observed, opts.Level) {
		err = errShifted
	}
	if opts.Interval == Percentile {
		return quantile(resampled, (1-opts.Level)/2), quantile(resampled, (1+opts.Level)/2), err
	}
	lo, hi = biasCorrected(resampled, observed, opts.Level)
	return lo, hi, err
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
