package metrics

var ksEntry = Entry{
	Name:      "ks",
	Group:     Unbinned,
	Outputs:   []Output{{"ks", "KS", 0, 1}},
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Version:   2,
	Summary:   "largest |sum of (confidence - correct)| / n over the rows up to a confidence; no bins",
	Aliases:   []string{"kolmogorov-smirnov"},

	Basis:   &squaredMass,
	Compute: value(KS),
}

// KS returns the Kolmogorov-Smirnov calibration error, in [0, 1].
//
//   - Metric: ks
//   - Formula: max over c of |sum over conf_i <= c of (conf_i - hit_i)| / n
//   - Reference: Gupta et al. 2021
//   - Compared with: kartikgupta-at-anu/spline-calibration (the authors'); numpy
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy
//   - Departures: Tied confidences, which agree to 2^-22, near 1 in their complements,
//     enter together. The authors' code evaluates inside ties too, which depends on the
//     sort.
func KS(s *Samples) float64 {
	low, high := s.differences()
	return max(high, -low) / float64(max(1, s.Len()))
}
