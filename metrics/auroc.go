package metrics

import "errors"

var aurocEntry = Entry{
	Name:      "auroc",
	Outputs:   []string{"auroc"},
	Label:     "AUROC",
	Better:    Higher,
	Percent:   true,
	Version:   1,
	Summary:   "chance that a correct row has more confidence than a wrong one, ties counting half",
	Reference: "Hanley and McNeil 1982",
	Compute:   auroc,
}

// auroc is the Mann-Whitney U of confidence between correct and wrong rows
// over its largest value. Ties take midranks; only equal doubles tie, because
// close to 1 the differences that a calibrator keeps are far below 1e-9. It is
// undefined when every row is correct or every row wrong.
func auroc(in Input) ([]float64, error) {
	o := in.order
	n := len(o.conf)
	hits, below, twice := 0, 0, 0 // below: wrong rows so far; twice: 2U, a whole number
	for lo := 0; lo < n; {
		hi, h := lo, 0
		for ; hi < n && o.conf[hi] == o.conf[lo]; hi++ {
			if o.hit[hi] {
				h++
			}
		}
		wrong := hi - lo - h
		twice += h * (2*below + wrong)
		hits += h
		below += wrong
		lo = hi
	}
	switch {
	case hits == n:
		return nil, errors.New("undefined: every row is predicted correctly")
	case hits == 0:
		return nil, errors.New("undefined: no row is predicted correctly")
	}
	return []float64{float64(twice) / (2 * float64(hits) * float64(n-hits))}, nil
}
