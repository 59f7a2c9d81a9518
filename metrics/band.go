package metrics

import (
	"math"
	"slices"
	"sync"

	"github.com/qats-bench/qats/internal/splitmix"
)

var (
	eceBandEntry  = bandEntry("ece", "ECE", 0)
	aeceBandEntry = bandEntry("aece", "AECE", 1)
)

// bandEntry returns the entry of the consistency band of a metric, with its label and its
// place in bands15.
func bandEntry(name, label string, place int) Entry {
	return Entry{
		Name:        name + "_null",
		Group:       Binned,
		Outputs:     []Output{{name + "_null_lo", label + " band, 2.5 %", 0, 1}, {name + "_null_med", label + " band, median", 0, 1}, {name + "_null_hi", label + " band, 97.5 %", 0, 1}},
		Better:      Neutral,
		Percent:     true,
		NoBootstrap: true,
		Version:     1,
		Summary:     "consistency band of the " + label + ", what a perfectly calibrated model with these confidences scores: 2.5 %, median and 97.5 % of 200 draws",
		Compute:     func(s *Samples, seed uint64) ([]float64, error) { return s.bands15(seed)[place].values(), nil },
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
	return s.bands(seed, nullECE(s, bins))[0]
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
	return s.bands(seed, nullAECE(s, bins))[0]
}

// nullError is a calibration error of drawn labels: its bins, and its value given the sum of
// conf - 1[correct] of each run.
type nullError struct {
	*layout
	of func(*layout, []float64) float64
}

func nullECE(s *Samples, bins int) nullError {
	return nullError{widthLayout(s.sorted, bins), (*layout).weighted}
}

func nullAECE(s *Samples, bins int) nullError {
	return nullError{massLayout(s.sorted, bins), (*layout).unweighted}
}

// lastBands are the bands of 15 bins that were computed last.
type lastBands struct {
	sync.Mutex
	seed  uint64
	bands []Band
}

// bands15 returns the bands of ECE and AECE with 15 bins. Most specs ask for both, one after
// the other, and the labels are drawn once.
func (s *Samples) bands15(seed uint64) []Band {
	if s.last == nil {
		return s.bands(seed, nullECE(s, 15), nullAECE(s, 15))
	}
	s.last.Lock()
	defer s.last.Unlock()
	if s.last.bands == nil || s.last.seed != seed {
		s.last.seed, s.last.bands = seed, s.bands(seed, nullECE(s, 15), nullAECE(s, 15))
	}
	return s.last.bands
}

// bands returns the quantiles of errors over drawn labels. Confidences and bins stay the
// same, so a draw only counts the hits of each run again.
func (s *Samples) bands(seed uint64, errors ...nullError) []Band {
	n := s.Len()
	place := make([]uint64, n)     // the position of the row's uniform number in a stream
	threshold := make([]uint64, n) // the row is correct where the uniform number is below; 2^63 is certainty
	for j, x := range s.sorted {
		row := x.row
		if group := s.groups(); group != nil {
			row = group[row]
		}
		place[j] = uint64(row) * splitmix.Golden
		threshold[j] = uint64(x.conf * 0x1p63)
	}
	var ends []int // of the runs of all errors
	conf := make([][]float64, len(errors))
	for e := range errors {
		for _, run := range errors[e].runs {
			c, _ := sums(s.sorted[run.lo:run.hi])
			conf[e], ends = append(conf[e], c), append(ends, run.lo, run.hi)
		}
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	hits := make([]uint64, n+1) // at each end: of the rows before it
	drawn, residual := make([][bandDraws]float64, len(errors)), make([]float64, len(ends))
	for d := range bandDraws {
		start := stream(seed, forBand, d)
		for e := 1; e < len(ends); e++ {
			lo, hi := ends[e-1], ends[e]
			hits[hi] = hits[lo] + drawnHits(start, place[lo:hi], threshold[lo:hi])
		}
		for e := range errors {
			for r, run := range errors[e].runs {
				residual[r] = conf[e][r] - float64(hits[run.hi]-hits[run.lo])
			}
			drawn[e][d] = errors[e].of(errors[e].layout, residual[:len(conf[e])])
		}
	}
	var bands []Band
	for e := range drawn {
		sorted := drawn[e][:]
		slices.Sort(sorted)
		bands = append(bands, Band{quantile(sorted, .025), quantile(sorted, .5), quantile(sorted, .975)})
	}
	return bands
}

// drawnHits returns how many rows are correct in the draw of a stream. It is no part of bands, so that
// its variables stay in registers.
//
//go:noinline
func drawnHits(start uint64, place, threshold []uint64) uint64 {
	hits := uint64(0)
	threshold = threshold[:len(place)]
	for j, p := range place {
		hits += (splitmix.Mix(start+p)>>1 - threshold[j]) >> 63 // 1 where the difference is negative
	}
	return hits
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
