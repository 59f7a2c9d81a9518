package metrics

var aurcEntry = Entry{
	Name:      "aurc",
	Outputs:   []Output{{"aurc", "AURC", 0, 1}},
	Better:    Lower,
	Percent:   true,
	Version:   1,
	Summary:   "mean over i of the error rate among the i most confident rows",
	Reference: "Geifman et al. 2019",

	Formula:   "(1/n) sum over i of the error rate among the i most confident rows",
	Code:      "numpy",
	Agreement: "value to 1e-9 with numpy on a network of data/bundle",
	Departs:   "tied rows in random order, in expectation",

	Compute: value(AURC),
}

// AURC returns the area under the risk-coverage curve (Geifman et al. 2019), in
// [0, 1],
//
//	(1/n) sum over i = 1..n of the error rate among the i most confident samples
//
// Samples of equal confidence are taken in random order and the expectation is
// returned: the errors of a tied block accrue evenly over it.
func AURC(s *Samples) float64 {
	n := s.Len()
	sum, wrong := 0.0, 0
	for hi := n; hi > 0; {
		lo, w := hi, 0
		for ; lo > 0 && s.sorted[lo-1].conf == s.sorted[hi-1].conf; lo-- {
			if !s.sorted[lo-1].correct {
				w++
			}
		}
		rate := float64(w) / float64(hi-lo)
		for i := 1; i <= hi-lo; i++ {
			sum += (float64(wrong) + float64(rate*float64(i))) / float64(n-hi+i)
		}
		wrong += w
		hi = lo
	}
	return sum / float64(max(1, n))
}
