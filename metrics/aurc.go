package metrics

var aurcEntry = Entry{
	Name:      "aurc",
	Outputs:   []string{"aurc"},
	Label:     "AURC",
	Better:    Lower,
	Percent:   true,
	Version:   1,
	Summary:   "mean over i of the error rate among the i most confident rows",
	Reference: "Geifman et al. 2019",
	Compute:   func(in Input) ([]float64, error) { return []float64{aurc(in.order)}, nil },
}

// aurc returns (1/n) sum over i = 1..n of the error rate among the i most
// confident rows. Rows of equal confidence are taken in random order and the
// expectation is returned: the errors of a tied block accrue evenly over it.
func aurc(o *order) float64 {
	n := len(o.conf)
	sum, wrong := 0.0, 0
	for hi := n; hi > 0; {
		lo, w := hi, 0
		for ; lo > 0 && o.conf[lo-1] == o.conf[hi-1]; lo-- {
			if !o.hit[lo-1] {
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
	return sum / float64(n)
}
