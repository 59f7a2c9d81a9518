package metrics

import "math"

var eceSweepEntry = Entry{
	Name:      "ece_sweep",
	Outputs:   []string{"ece_sweep", "ece_sweep_l2"},
	Label:     "ECE sweep",
	Better:    Lower,
	Percent:   true,
	Version:   1,
	Summary:   "ECE with the most bins of equal mass up to which accuracy does not fall from bin to bin; mean and root mean square of the gaps",
	Reference: "Roelofs et al. 2022",
	Compute: func(in Input) ([]float64, error) {
		l1, l2 := sweep(in.order)
		return []float64{l1, l2}, nil
	},
}

// sweep returns the monotone sweep calibration error (Roelofs et al. 2022) in
// norms 1 and 2: rows are split into b = 2, 3, ... bins of equal mass as long
// as accuracy does not fall from one bin to the next, and with the last such b
//
//	(sum over bins of (n_b/n) |acc_b - conf_b|^p)^(1/p);
//
// b = 1 where two bins fail already, n where no number does. Public code has 2
// for its default norm. Its bins cut ties by their place in the file; ours
// share them out as MassBins does, and an accuracy counts as lower only by more
// than 1e-12, so that shares of one block do not differ by rounding.
//
// Cost: the square of the number of bins, tens as a rule, thousands where
// nearly every row is predicted correctly.
func sweep(o *order) (l1, l2 float64) {
	n := len(o.conf)
	s := newSpread(o)
	bins := n
	if !s.rising {
		bins = 1
		for s.monotone(bins + 1) {
			bins++
		}
	}
	for b := range bins {
		lo, hi := massBoundary(b, n, bins), massBoundary(b+1, n, bins)
		gap := math.Abs((s.hits[hi] - s.hits[lo]) - (s.conf[hi] - s.conf[lo]))
		l1 += gap
		l2 += float64(gap*gap) / float64(hi-lo)
	}
	return l1 / float64(n), math.Sqrt(l2 / float64(n))
}

// spread holds the sums of confidence and hits over the first p sorted rows,
// p = 0..n, where every row of a block of ties has the block's mean.
type spread struct {
	conf, hits []float64
	rising     bool // accuracy does not fall from block to block: any bins are monotone
}

func newSpread(o *order) *spread {
	n := len(o.conf)
	s := &spread{make([]float64, n+1), make([]float64, n+1), true}
	var conf exactSum
	hits, last := 0, 0.0 // last: accuracy of the block before
	for lo := 0; lo < n; {
		hi, h := lo, 0
		for ; hi < n && (hi == lo || o.conf[hi]-o.conf[hi-1] <= tie); hi++ {
			conf.add(o.conf[hi])
			if o.hit[hi] {
				h++
			}
		}
		total := conf.value()
		for p := lo + 1; p < hi; p++ {
			share := float64(p-lo) / float64(hi-lo)
			s.conf[p] = s.conf[lo] + float64((total-s.conf[lo])*share)
			s.hits[p] = float64(hits) + float64(float64(h)*share)
		}
		hits += h
		s.conf[hi], s.hits[hi] = total, float64(hits)
		accuracy := float64(h) / float64(hi-lo)
		s.rising = s.rising && accuracy >= last
		last = accuracy
		lo = hi
	}
	return s
}

// monotone reports whether accuracy does not fall from one to the next of so
// many bins of equal mass. More bins than rows are not.
func (s *spread) monotone(bins int) bool {
	n := len(s.hits) - 1
	if bins > n {
		return false
	}
	last := 0.0
	for b := range bins {
		lo, hi := massBoundary(b, n, bins), massBoundary(b+1, n, bins)
		accuracy := (s.hits[hi] - s.hits[lo]) / float64(hi-lo)
		if accuracy < last-1e-12 {
			return false
		}
		last = accuracy
	}
	return true
}
