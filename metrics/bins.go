package metrics

import (
	"slices"
	"sort"

	"github.com/qats-bench/qats/internal/exact"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
)

// Bin is one row of a reliability table, as in bins.csv.
type Bin struct {
	Lo, Hi float64 // range of confidence: (Lo, Hi] for equal width, smallest and largest member for equal mass
	N      int     // samples in the bin; an empty bin has Conf = Acc = 0
	Conf   float64 // mean confidence, in [0, 1]
	Acc    float64 // share of correct samples, in [0, 1]
}

// Binning is a way to group samples by confidence, under its name in bins.csv.
type Binning struct {
	Name string
	Bins func(*Samples) []Bin
}

// The names of the binnings.
const (
	Width15    = "width15"
	Mass15     = "mass15"
	Positive15 = "positive15"
)

// BinsVersion is raised whenever the binnings, or their bins, change. It belongs in
// the cache key of everything that holds bins.
const BinsVersion = 1

// Binnings returns the binnings that bins.csv holds of every cell: 15 bins of equal
// width, and 15 of equal mass.
func Binnings() []Binning {
	return []Binning{
		{Width15, func(s *Samples) []Bin { return WidthBins(s, 15) }},
		{Mass15, func(s *Samples) []Bin { return MassBins(s, 15) }},
	}
}

// BinningsOf returns the binnings of a cell with these metrics: Binnings and, if one of them is of
// the positive class, 15 bins of equal width of its probability, whose Acc is the share of rows of
// the class. Samples without a positive class have none of these bins.
func BinningsOf(entries []Entry) []Binning {
	list := Binnings()
	if slices.ContainsFunc(entries, func(e Entry) bool { return e.Positive }) {
		list = append(list, Binning{Positive15, positiveBins})
	}
	return list
}

func positiveBins(s *Samples) []Bin {
	of, err := s.OfPositive()
	if err != nil {
		return nil
	}
	return WidthBins(of, 15)
}

// WidthBins groups the samples into m >= 1 bins of equal width: bin b holds the
// confidences in (b/m, (b+1)/m], and bin 0 also the confidence 0. There are
// always m bins, empty ones included.
//
// The index is the plain formula ceil(m conf) - 1 in float64, which anyone can repeat. So
// the rounding of m conf decides within one float64 of an edge. With m = 15 one number is
// in the wrong bin: the float64 next above 11/15 is in bin 10. Other m have more such
// numbers.
func WidthBins(s *Samples, m int) []Bin { return widthLayout(s.sorted, m).fill(s.sorted) }

// MassBins groups the samples into m >= 1 bins of equal mass: bin b holds the
// positions round(b n/m) to round((b+1) n/m) - 1, halves rounded up, of the
// samples sorted by confidence. So bins differ in size by one sample at most.
// With n < m some bins are empty; they have Lo = Hi = 0.
//
// Confidences within 1e-9 of their neighbour form one block, and every sample of a block
// takes the mean confidence and the mean correctness of the block. So a boundary inside a
// block gives each side its share, and the order of the sort does not matter. A long chain
// of such neighbours is one block however far apart its ends are. Acc times N is then not a
// whole number.
func MassBins(s *Samples, m int) []Bin { return massLayout(s.sorted, m).fill(s.sorted) }

// tie is the distance up to which two confidences count as equal.
const tie = stretch.Confidence

// layout states which samples make up each bin. The sorted samples fall into
// consecutive runs. A bin takes all of a run or, if a boundary of equal mass cuts a
// block of ties, a share of it. A layout depends on the confidences alone, so it
// serves for any labels of the same samples.
type layout struct {
	runs []run
	bins []slot
}

// run is the sorted samples lo to hi-1.
type run struct{ lo, hi int }

// slot is one bin: its range as in Bin, its number of samples, and its parts in
// order.
type slot struct {
	lo, hi float64
	n      int
	parts  []part
}

// part is a share, in (0, 1], of a run.
type part struct {
	run   int
	share float64
}

// total adds up the shares of the bin in a quantity that was summed over each run.
func (s *slot) total(sums []float64) float64 {
	t := 0.0
	for _, p := range s.parts {
		t += float64(sums[p.run] * p.share)
	}
	return t
}

// widthLayout makes each non-empty bin a run of its own.
func widthLayout(sorted []sample, m int) *layout {
	m = max(m, 1)
	l := &layout{bins: make([]slot, m)}
	lo := 0
	for b := range l.bins {
		hi := lo + sort.Search(len(sorted)-lo, func(j int) bool { return softmax.Bin(sorted[lo+j].conf, m) > b })
		l.bins[b] = slot{lo: float64(b) / float64(m), hi: float64(b+1) / float64(m), n: hi - lo}
		if hi > lo {
			l.bins[b].parts = []part{{len(l.runs), 1}}
			l.runs = append(l.runs, run{lo, hi})
		}
		lo = hi
	}
	return l
}

// massBoundary returns round(b n / m), halves up: the start of bin b of m among n
// sorted samples.
func massBoundary(b, n, m int) int { return (2*b*n + m) / (2 * m) }

// massLayout ends the runs at the boundaries or, around a boundary that cuts a
// block of ties, at both ends of that block.
func massLayout(sorted []sample, m int) *layout {
	m = max(m, 1)
	n := len(sorted)
	var ends []int
	for b := range m + 1 {
		start, end := blockAcross(sorted, massBoundary(b, n, m))
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
		l.bins[b] = slot{lo: sorted[lo].conf, hi: sorted[hi-1].conf, n: hi - lo}
		for r, run := range l.runs {
			if both := min(hi, run.hi) - max(lo, run.lo); both > 0 {
				l.bins[b].parts = append(l.bins[b].parts, part{r, float64(both) / float64(run.hi-run.lo)})
			}
		}
	}
	return l
}

// massRuns returns m bins of equal mass or, where a boundary is inside a block of ties, of
// nearly equal mass: it moves to the nearer end of the block, or to the lower one if both
// are equally near. Bins that become empty are left out.
func massRuns(sorted []sample, m int) []run {
	var runs []run
	lo := 0
	for b := 1; b <= m; b++ {
		hi := massBoundary(b, len(sorted), m)
		if start, end := blockAcross(sorted, hi); hi-start <= end-hi {
			hi = start
		} else {
			hi = end
		}
		if hi > lo {
			runs = append(runs, run{lo, hi})
			lo = hi
		}
	}
	return runs
}

// blockAcross returns the ends of the block of ties that has samples on both sides
// of position p, or p and p if there is none. In a block each confidence is within
// tie of the one before it.
func blockAcross(sorted []sample, p int) (start, end int) {
	start, end = p, p
	for start > 0 && start < len(sorted) && sorted[start].conf-sorted[start-1].conf <= tie {
		start--
	}
	if start == p {
		return p, p
	}
	for end < len(sorted) && sorted[end].conf-sorted[end-1].conf <= tie {
		end++
	}
	return start, end
}

// fill computes the means of the bins.
func (l *layout) fill(sorted []sample) []Bin {
	conf, hits := make([]float64, len(l.runs)), make([]float64, len(l.runs))
	for r, run := range l.runs {
		conf[r], hits[r] = sums(sorted[run.lo:run.hi])
	}
	bins := make([]Bin, len(l.bins))
	for b, s := range l.bins {
		bins[b] = Bin{Lo: s.lo, Hi: s.hi, N: s.n}
		if s.n > 0 {
			// Shares of runs are rounded: a bin of nothing but hits may sum to a
			// little more than its number of samples.
			bins[b].Conf, bins[b].Acc = min(1, s.total(conf)/float64(s.n)), min(1, s.total(hits)/float64(s.n))
		}
	}
	return bins
}

// sums returns the sum of the confidences and the number of correct samples.
func sums(list []sample) (conf, hits float64) {
	var s exact.Sum
	n := 0
	for _, x := range list {
		s.Add(x.conf)
		one := 0 // branch-free
		if x.correct {
			one = 1
		}
		n += one
	}
	return s.Value(), float64(n)
}
