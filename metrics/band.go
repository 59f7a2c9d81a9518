package metrics

import (
	"math"
	"slices"

	"github.com/qats-bench/qats/internal/splitmix"
)

var (
	eceBandEntry  = bandEntry("ece", "ECE", ECEBand)
	aeceBandEntry = bandEntry("aece", "AECE", AECEBand)
)

// bandEntry returns the entry of the consistency band of a metric, with its label.
func bandEntry(name, label string, band func(s *Samples, bins int, seed uint64) Band) Entry {
	return Entry{
		Name:    name + "_null",
		Group:   Binned,
		Outputs: []Output{{name + "_null_lo", label + " band, 2.5 %", 0, 1}, {name + "_null_med", label + " band, median", 0, 1}, {name + "_null_hi", label + " band, 97.5 %", 0, 1}},
		Better:  Neutral,
		Percent: true,
		Whole:   true,
		Version: 1,
		Summary: "consistency band of the " + label + ", what a perfectly calibrated model with these confidences scores: 2.5 %, median and 97.5 % of 200 draws",
		Compute: func(s *Samples, seed uint64) ([]float64, error) { return band(s, 15, seed).values(), nil },
	}
}

// Band is the consistency band of a calibration error (Broecker and Smith 2007):
// the range of errors that a perfectly calibrated model with exactly these
// confidences gets on n samples. In each of 200 draws, sample i is correct with
// probability conf_i. Lo, Median and Hi are the 2.5 % quantile, the median and the
// 97.5 % quantile of the errors.
//
// A binned calibration error is positive even if the model is calibrated, by an amount that
// falls like 1/sqrt(n) and depends on the confidences. An ECE inside its band does not show
// miscalibration.
type Band struct{ Lo, Median, Hi float64 }

func (b Band) values() []float64 { return []float64{b.Lo, b.Median, b.Hi} }

// bandDraws is the number of times that the labels are drawn.
const bandDraws = 200

// ECEBand returns the consistency band of ECE(s, bins), in [0, 1].
//
// Row i of draw r gets one uniform number, a hash of the seed, r and i. With one
// seed for a test set, all methods get the same numbers, so their bands differ by
// the confidences and not by chance.
//
//   - Metric: ece_null
//   - Formula: quantiles 2.5 %, 50 % and 97.5 % of the ECE over 200 draws of hit_i with
//     probability conf_i
//   - Reference: consistency resampling, Broecker and Smith 2007
//   - Compared with: none
//   - Agreement: not compared
//   - Departures: none
func ECEBand(s *Samples, bins int, seed uint64) Band {
	return s.band(widthLayout(s.sorted, bins), seed, (*layout).weighted)
}

// AECEBand returns the consistency band of AECE(s, bins), in [0, 1], from the
// draws of ECEBand.
//
//   - Metric: aece_null
//   - Formula: quantiles 2.5 %, 50 % and 97.5 % of the AECE over 200 draws of hit_i
//     with probability conf_i
//   - Reference: consistency resampling, Broecker and Smith 2007
//   - Compared with: none
//   - Agreement: not compared
//   - Departures: none
func AECEBand(s *Samples, bins int, seed uint64) Band {
	return s.band(massLayout(s.sorted, bins), seed, (*layout).unweighted)
}

// band returns the quantiles of an error over drawn labels. Confidences and bins
// stay the same, so a draw only counts the hits of each run again.
func (s *Samples) band(l *layout, seed uint64, errorOf func(*layout, []float64) float64) Band {
	n := s.Len()
	place := make([]uint64, n)     // the position of the row's uniform number in a stream
	threshold := make([]uint64, n) // the row is correct where the uniform number is below; 2^63 is certainty
	for j, x := range s.sorted {
		place[j] = uint64(x.row) * splitmix.Golden
		threshold[j] = uint64(x.conf * 0x1p63)
	}
	conf := make([]float64, len(l.runs))
	for r, run := range l.runs {
		conf[r], _ = sums(s.sorted[run.lo:run.hi])
	}
	errors, residual := make([]float64, bandDraws), make([]float64, len(l.runs))
	for d := range errors {
		start := stream(seed, forBand, d)
		for r, run := range l.runs {
			var hits uint64
			at := threshold[run.lo:run.hi]
			for j, p := range place[run.lo:run.hi] {
				hits += (splitmix.Mix(start+p)>>1 - at[j]) >> 63 // 1 where the difference is negative
			}
			residual[r] = conf[r] - float64(hits)
		}
		errors[d] = errorOf(l, residual)
	}
	slices.Sort(errors)
	return Band{quantile(errors, .025), quantile(errors, .5), quantile(errors, .975)}
}

// weighted returns the ECE of bins given the sum of conf - 1[correct] of each run.
func (l *layout) weighted(residual []float64) float64 {
	sum, n := 0.0, 0
	for b := range l.bins {
		sum += math.Abs(l.bins[b].total(residual))
		n += l.bins[b].n
	}
	return sum / float64(max(1, n))
}

// unweighted returns the AECE of bins given the sum of conf - 1[correct] of each
// run.
func (l *layout) unweighted(residual []float64) float64 {
	sum, filled := 0.0, 0
	for b := range l.bins {
		if n := l.bins[b].n; n > 0 {
			sum += math.Abs(l.bins[b].total(residual)) / float64(n)
			filled++
		}
	}
	return sum / float64(max(1, filled))
}

// quantile returns the p-quantile of sorted values, one or more: linear
// interpolation at place (len-1) p, which is type 7 of Hyndman and Fan (1996) and
// the default of numpy and R. gonum's stat.Quantile has no such type.
func quantile(sorted []float64, p float64) float64 {
	h := float64(float64(len(sorted)-1) * p)
	i := min(int(h), len(sorted)-2)
	if i < 0 {
		return sorted[0]
	}
	return sorted[i] + float64((h-float64(i))*(sorted[i+1]-sorted[i]))
}
