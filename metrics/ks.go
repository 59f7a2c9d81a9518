package metrics

var ksEntry = Entry{
	Name:    "ks",
	Outputs: []Output{{"ks", "KS", 0, 1}},
	Better:  Lower,
	Percent: true,
	Version: 2,
	Summary: "largest |sum of (confidence - correct)| / n over the rows up to a confidence; no bins",
	Aliases: []string{"kolmogorov-smirnov"},

	Basis:   &squaredMass,
	Compute: value(KS),
}

// KS returns the Kolmogorov-Smirnov calibration error (Gupta et al. 2021), in
// [0, 1],
//
//	max over c of |sum over samples with confidence <= c of (confidence - 1[correct])| / n
//
// Tied confidences, which agree to 2^-22, near 1 in their complements (package stretch),
// enter together. Public code evaluates inside ties too, which depends on the sort.
//
//   - Metric: ks
//   - Formula: max over c of |sum over conf_i <= c of (conf_i - hit_i)| / n
//   - Reference: Gupta et al. 2021
//   - Compared with: kartikgupta-at-anu/spline-calibration (the authors'); numpy
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy;
//     the authors' code to the digits that it prints, without ties (on which sets was not
//     recorded)
//   - Departures: tied rows enter together; theirs evaluates inside ties
func KS(s *Samples) float64 {
	low, high := s.differences()
	return max(high, -low) / float64(max(1, s.Len()))
}
