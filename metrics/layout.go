package metrics

import (
	"slices"
	"sort"

	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// layout says which rows make up each bin. The sorted rows fall into
// consecutive runs, and a bin takes all of a run or, where an equal-mass
// boundary cuts through a block of ties, a share of it. It depends on the
// confidences alone, so it serves any labels put on them.
type layout struct {
	runs []run
	bins []slot
}

// run is the sorted rows lo..hi-1.
type run struct{ lo, hi int }

// slot is one bin: its range as in Bin, its rows, and its parts in order.
type slot struct {
	lo, hi float64
	n      int
	parts  []part
}

type part struct {
	run   int
	share float64 // of the run, in (0, 1]
}

// total adds up the bin's shares in a quantity summed over each run.
func (s *slot) total(sums []float64) float64 {
	t := 0.0
	for _, p := range s.parts {
		t += float64(sums[p.run] * p.share)
	}
	return t
}

// widthLayout: each non-empty bin is a run of its own.
func widthLayout(o *order, m int) *layout {
	l := &layout{bins: make([]slot, m)}
	lo := 0
	for b := range l.bins {
		hi := lo + sort.Search(len(o.conf)-lo, func(j int) bool { return softmax.Bin(o.conf[lo+j], m) > b })
		l.bins[b] = slot{lo: float64(b) / float64(m), hi: float64(b+1) / float64(m), n: hi - lo}
		if hi > lo {
			l.bins[b].parts = []part{{len(l.runs), 1}}
			l.runs = append(l.runs, run{lo, hi})
		}
		lo = hi
	}
	return l
}

// massBoundary returns round(b n / m), halves up: where bin b of m begins
// among n sorted rows. (An odd m has no halves.)
func massBoundary(b, n, m int) int { return (2*b*n + m) / (2 * m) }

// massLayout: the runs end at the boundaries or, around a boundary that cuts a
// block, at both ends of that block.
func massLayout(o *order, m int) *layout {
	n := len(o.conf)
	var ends []int
	for b := range m + 1 {
		start, end := o.blockAcross(massBoundary(b, n, m))
		ends = append(ends, start, end)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	l := &layout{bins: make([]slot, m)}
	for r := range len(ends) - 1 {
		l.runs = append(l.runs, run{ends[r], ends[r+1]})
	}
	for b := range l.bins {
		lo, hi := massBoundary(b, n, m), massBoundary(b+1, n, m)
		if lo == hi {
			continue
		}
		l.bins[b] = slot{lo: o.conf[lo], hi: o.conf[hi-1], n: hi - lo}
		for r, run := range l.runs {
			if both := min(hi, run.hi) - max(lo, run.lo); both > 0 {
				l.bins[b].parts = append(l.bins[b].parts, part{r, float64(both) / float64(run.hi-run.lo)})
			}
		}
	}
	return l
}
