package metrics

import "math"

var eceDebiasedEntry = Entry{
	Name:      "ece_debiased",
	Sized:     true,
	Group:     Binned,
	Outputs:   []Output{{"ece_debiased", "ECE debiased", 0, 1}},
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "root mean square calibration error, 15 bins of equal mass, minus what the noise of each bin's accuracy adds",
	Aliases:   []string{"debiased-ece"},

	Basis:   &squaredMass,
	Compute: value(func(s *Samples) float64 { return DebiasedECE(s, 15) }),
}

// DebiasedECE returns the L2 calibration error of bins >= 1 bins of equal mass minus
// the plug-in estimate of its bias, the default of its authors, in [0, 1]. A bin of
// fewer than two samples gives no estimate of its noise and counts 0. A calibrated
// model scores 0 about half of the time: the maximum leaves an upward bias near 0.
//
//   - Metric: ece_debiased
//   - Formula: sqrt(max(0, sum over bins of (n_b/n) ((acc_b - conf_b)^2 - acc_b (1 -
//     acc_b)/(n_b - 1)))), 15 bins of equal mass
//   - Reference: Kumar, Liang and Ma 2019
//   - Compared with: verified_calibration (the authors'); numpy
//   - Agreement: 61 rows by a formula: to 1e-13 with numpy
//   - Departures: The edges are those of aece. Theirs are midway between values.
func DebiasedECE(s *Samples, bins int) float64 { return debiased(MassBins(s, bins)) }

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
	return math.Sqrt(max(0, sum/float64(max(1, n))))
}
