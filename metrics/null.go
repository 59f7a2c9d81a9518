package metrics

import (
	"math"
	"slices"
)

// nullDraws is the number of times the labels are redrawn.
const nullDraws = 200

// The null band says what a perfectly calibrated model with these very
// confidences would score at this n: row i is correct with probability conf_i,
// 200 times over; the outputs are the 2.5 % quantile, the median and the
// 97.5 % quantile of the metric. A binned calibration error is positive even
// when nothing is wrong, by an amount that falls as 1/sqrt(n) and depends on
// the confidences; an ECE inside its band is no evidence of miscalibration.
//
// Row i of draw r sees one uniform, a hash of the seed, r and i: the same for
// every method on a test set, so that bands differ by the confidences and not
// by luck.
var eceNullEntry = Entry{
	Name:      "ece_null",
	Outputs:   []string{"ece_null_lo", "ece_null_med", "ece_null_hi"},
	Label:     "ECE null",
	Better:    Neutral,
	Percent:   true,
	Version:   1,
	Summary:   "ECE of a perfectly calibrated model with these confidences: 2.5 %, median and 97.5 % of 200 draws",
	Reference: "consistency resampling, Broecker and Smith 2007",
	Compute:   func(in Input) ([]float64, error) { return in.null(Width15, (*layout).weighted), nil },
}

var aeceNullEntry = Entry{
	Name:      "aece_null",
	Outputs:   []string{"aece_null_lo", "aece_null_med", "aece_null_hi"},
	Label:     "AECE null",
	Better:    Neutral,
	Percent:   true,
	Version:   1,
	Summary:   "AECE of a perfectly calibrated model with these confidences: 2.5 %, median and 97.5 % of 200 draws",
	Reference: "consistency resampling, Broecker and Smith 2007",
	Compute:   func(in Input) ([]float64, error) { return in.null(Mass15, (*layout).unweighted), nil },
}

// null returns the quantiles of score over redrawn labels. Confidences and
// bins stay, so a draw only recounts the hits of each run.
func (in Input) null(binning string, score func(*layout, []float64) float64) []float64 {
	o, l := in.order, in.layouts[binning]
	n := len(o.conf)
	place := make([]uint64, n)     // of the row's uniform in a stream
	threshold := make([]uint64, n) // the row is correct where the uniform is below; 2^63 is certainty
	for j, c := range o.conf {
		place[j] = uint64(o.row[j]) * golden
		threshold[j] = uint64(c * 0x1p63)
	}
	conf := make([]float64, len(l.runs))
	for r, run := range l.runs {
		conf[r], _ = o.sums(run.lo, run.hi)
	}
	scores, residual := make([]float64, nullDraws), make([]float64, len(l.runs))
	for d := range scores {
		start := stream(in.Seed, forNull, d)
		for r, run := range l.runs {
			var hits uint64
			at := threshold[run.lo:run.hi]
			for j, p := range place[run.lo:run.hi] {
				hits += (mix(start+p)>>1 - at[j]) >> 63 // 1 where the difference is negative
			}
			residual[r] = conf[r] - float64(hits)
		}
		scores[d] = score(l, residual)
	}
	slices.Sort(scores)
	return []float64{quantile(scores, .025), quantile(scores, .5), quantile(scores, .975)}
}

// weighted returns the ECE of bins given the sum of (conf - hit) of each run.
func (l *layout) weighted(residual []float64) float64 {
	sum, n := 0.0, 0
	for b := range l.bins {
		sum += math.Abs(l.bins[b].total(residual))
		n += l.bins[b].n
	}
	return sum / float64(n)
}

// unweighted returns the AECE of bins given the sum of (conf - hit) of each
// run.
func (l *layout) unweighted(residual []float64) float64 {
	sum, filled := 0.0, 0
	for b := range l.bins {
		if n := l.bins[b].n; n > 0 {
			sum += math.Abs(l.bins[b].total(residual)) / float64(n)
			filled++
		}
	}
	return sum / float64(filled)
}

// quantile returns the p-quantile of sorted values, one or more: linear
// interpolation at place (len-1) p, which is type 7 of Hyndman and Fan (1996)
// and the default of numpy and R.
func quantile(sorted []float64, p float64) float64 {
	h := float64(float64(len(sorted)-1) * p)
	i := min(int(h), len(sorted)-2)
	if i < 0 {
		return sorted[0]
	}
	return sorted[i] + float64((h-float64(i))*(sorted[i+1]-sorted[i]))
}
