package metrics

import (
	"math"

	"github.com/qats-bench/qats/internal/exact"
)

var eceSweepEntry = Entry{
	Name:      "ece_sweep",
	Group:     Binned,
	Outputs:   []Output{{"ece_sweep", "ECE sweep", 0, 1}, {"ece_sweep_l2", "ECE sweep, L2", 0, 1}},
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "ECE with the most bins of equal mass up to which accuracy does not fall from bin to bin; mean and root mean square of the gaps",

	Basis: &squaredMass,
	Compute: func(s *Samples, _ uint64) ([]float64, error) {
		l1, l2 := SweepECE(s)
		return []float64{l1, l2}, nil
	},
}

// SweepECE returns the monotone sweep calibration error in norms 1 and 2, each in [0,
// 1]. The samples are split into b = 2, 3, ... bins of equal mass as long as accuracy
// does not fall from one bin to the next. With the last such b the value in norm p is
//
//	(sum over bins of (n_b/n) |acc_b - conf_b|^p)^(1/p)
//
// b = 1 where two bins fail already, and b = n where no number fails. Public code has
// norm 2 as its default. An accuracy counts as lower only by more than 1e-12, so that
// shares of one block do not differ by rounding.
//
// Cost: the square of the number of bins, which is usually tens, and thousands where
// nearly every prediction is correct.
//
//   - Metric: ece_sweep
//   - Formula: ECE and root mean square of the gaps, with the most bins of equal mass
//     up to which acc_b does not fall
//   - Reference: Roelofs et al. 2022
//   - Compared with: caltrain (the authors'); numpy
//   - Agreement: 61 rows by a formula: to 1e-13 with numpy
//   - Departures: Ties are shared among bins as in aece. Theirs go by place in the
//     file.
func SweepECE(s *Samples) (l1, l2 float64) {
	n := s.Len()
	if n == 0 {
		return 0, 0
	}
	c := newCumulated(s)
	bins := n
	if !c.rising {
		bins = 1
		for c.monotone(bins + 1) {
			bins++
		}
	}
	for b := range bins {
		lo, hi := massBoundary(b, n, bins), massBoundary(b+1, n, bins)
		gap := math.Abs((c.hits[hi] - c.hits[lo]) - (c.conf[hi] - c.conf[lo]))
		l1 += gap
		l2 += float64(gap*gap) / float64(hi-lo)
	}
	return l1 / float64(n), math.Sqrt(l2 / float64(n))
}

// cumulated holds the sums of confidence and hits over the first p sorted samples,
// p = 0..n, where every sample of a block of ties has the means of the block.
type cumulated struct {
	conf, hits []float64
	rising     bool // accuracy does not fall from block to block, so any bins are monotone
}

func newCumulated(s *Samples) *cumulated {
	n := s.Len()
	c := &cumulated{make([]float64, n+1), make([]float64, n+1), true}
	var conf exact.Sum
	hits, last := 0, 0.0 // last: accuracy of the block before
	for lo, hi := range s.blocks() {
		h := hitsOf(s.sorted[lo:hi])
		for _, x := range s.sorted[lo:hi] {
			conf.Add(x.conf)
		}
		total := conf.Value()
		for p := lo + 1; p < hi; p++ {
			share := float64(p-lo) / float64(hi-lo)
			c.conf[p] = c.conf[lo] + float64((total-c.conf[lo])*share)
			c.hits[p] = float64(hits) + float64(float64(h)*share)
		}
		hits += h
		c.conf[hi], c.hits[hi] = total, float64(hits)
		accuracy := float64(h) / float64(hi-lo)
		c.rising = c.rising && accuracy >= last
		last = accuracy
	}
	return c
}

// monotone reports whether accuracy does not fall from bin to bin, for this number
// of bins of equal mass. More bins than samples are not monotone.
func (c *cumulated) monotone(bins int) bool {
	n := len(c.hits) - 1
	if bins > n {
		return false
	}
	last := 0.0
	for b := range bins {
		lo, hi := massBoundary(b, n, bins), massBoundary(b+1, n, bins)
		accuracy := (c.hits[hi] - c.hits[lo]) / float64(hi-lo)
		if accuracy < last-1e-12 {
			return false
		}
		last = accuracy
	}
	return true
}
