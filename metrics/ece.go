package metrics

import (
	"errors"
	"math"
	"slices"
)

// ECE returns the expected calibration error of a binning,
//
//	sum over bins of (n_b / n) |acc_b - conf_b|
//
// in [0, 1]; an empty bin contributes 0, and so do no rows at all. With
// WidthBins(f, 15) it is the usual ECE-15 (Naeini et al. 2015; Guo et al.
// 2017). It is never below |mean conf - accuracy|, and equal to it, up to
// rounding, when and only when no two bins err in opposite directions.
func ECE(bins []Bin) float64 {
	sum, n := 0.0, 0
	for _, b := range bins {
		sum += float64(float64(b.N) * math.Abs(b.Acc-b.Conf))
		n += b.N
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// AECE returns the unweighted mean of |acc_b - conf_b| over the non-empty
// bins, in [0, 1]; 0 if there are none. With MassBins(f, 15) it is the paper's
// AECE. Bins of equal mass differ by at most one row, so weighting would
// change it by O(m/n).
func AECE(bins []Bin) float64 {
	sum, filled := 0.0, 0
	for _, b := range bins {
		if b.N > 0 {
			sum += math.Abs(b.Acc - b.Conf)
			filled++
		}
	}
	if filled == 0 {
		return 0
	}
	return sum / float64(filled)
}

// MCE returns the largest |acc_b - conf_b| over the non-empty bins, in [0, 1]
// (Naeini et al. 2015). There is no least number of rows: a bin of one row may
// decide it.
func MCE(bins []Bin) float64 {
	worst := 0.0
	for _, b := range bins {
		worst = max(worst, math.Abs(b.Acc-b.Conf))
	}
	return worst
}

var eceEntry = Entry{
	Name:      "ece",
	Outputs:   []string{"ece"},
	Label:     "ECE",
	Better:    Lower,
	Percent:   true,
	Version:   1,
	Summary:   "expected calibration error of the top class: 15 right-closed bins of equal width, weighted by rows",
	Reference: "Naeini et al. 2015; Guo et al. 2017",
	Compute:   func(in Input) ([]float64, error) { return []float64{ECE(in.Bins[Width15])}, nil },
}

var aeceEntry = Entry{
	Name:      "aece",
	Outputs:   []string{"aece"},
	Label:     "AECE",
	Better:    Lower,
	Percent:   true,
	Version:   1,
	Summary:   "adaptive ECE of the top class: 15 bins of equal mass, unweighted mean",
	Reference: "the QaTS paper; after Nixon et al. 2019",
	Compute:   func(in Input) ([]float64, error) { return []float64{AECE(in.Bins[Mass15])}, nil },
}

var mceEntry = Entry{
	Name:      "mce",
	Outputs:   []string{"mce"},
	Label:     "MCE",
	Better:    Lower,
	Percent:   true,
	Version:   1,
	Summary:   "largest gap among 15 bins of equal width; bins of few rows often decide it",
	Reference: "Naeini et al. 2015",
	Compute:   func(in Input) ([]float64, error) { return []float64{MCE(in.Bins[Width15])}, nil },
}

// mce30Entry asks for bins with rows enough to tell: a gap of 30 rows has a
// standard error of at most 9 points.
var mce30Entry = Entry{
	Name:      "mce_30",
	Outputs:   []string{"mce_30"},
	Label:     "MCE (30 rows)",
	Better:    Lower,
	Percent:   true,
	Version:   1,
	Summary:   "largest gap among those of 15 bins of equal width that have 30 rows or more",
	Reference: "Naeini et al. 2015",
	Compute: func(in Input) ([]float64, error) {
		filled := slices.DeleteFunc(slices.Clone(in.Bins[Width15]), func(b Bin) bool { return b.N < 30 })
		if len(filled) == 0 {
			return nil, errors.New("undefined: no bin has 30 rows")
		}
		return []float64{MCE(filled)}, nil
	},
}
