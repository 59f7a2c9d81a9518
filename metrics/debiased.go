package metrics

import "math"

var eceDebiasedEntry = Entry{
	Name:      "ece_debiased",
	Outputs:   []string{"ece_debiased"},
	Label:     "ECE debiased",
	Better:    Lower,
	Percent:   true,
	Version:   1,
	Summary:   "root mean square calibration error, 15 bins of equal mass, less what the noise of each bin's accuracy adds",
	Reference: "Kumar, Liang and Ma 2019",
	Compute:   func(in Input) ([]float64, error) { return []float64{debiased(in.Bins[Mass15])}, nil },
}

// debiased returns the L2 calibration error with the plug-in estimate of its
// bias taken off (Kumar et al. 2019, their default),
//
//	sqrt(max(0, sum over bins of (n_b/n) ((acc_b - conf_b)^2 - acc_b (1 - acc_b) / (n_b - 1))))
//
// in [0, 1]. A bin of fewer than two rows says nothing of its noise and counts
// 0, and so do no rows at all. A calibrated model scores 0 about half of the
// time: the maximum leaves an upward bias near 0. Kumar et al. put bin edges
// midway between values; ours are those of MassBins.
func debiased(bins []Bin) float64 {
	sum, n := 0.0, 0
	for _, b := range bins {
		n += b.N
		if b.N < 2 {
			continue
		}
		gap := b.Acc - b.Conf
		noise := float64(b.Acc*(1-b.Acc)) / float64(b.N-1)
		sum += float64(float64(b.N) * (float64(gap*gap) - noise))
	}
	if n == 0 {
		return 0
	}
	return math.Sqrt(max(0, sum/float64(n)))
}
