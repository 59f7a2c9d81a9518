package metrics

// Bin is one row of a reliability table, as in bins.csv.
type Bin struct {
	Lo, Hi float64 // range of confidence: (Lo, Hi] for equal width, least and largest member for equal mass
	N      int     // rows in the bin; an empty bin has Conf = Acc = 0
	Conf   float64 // mean confidence, in [0, 1]
	Acc    float64 // share of correct rows, in [0, 1]
}

// Binning is a way to group rows by confidence, under its id in bins.csv.
type Binning struct {
	Name    string
	Summary string
	layout  func(o *order) *layout
}

// The ids of the binnings.
const (
	Width15 = "width15"
	Mass15  = "mass15"
)

// BinsVersion is raised whenever the binnings, or their bins, change; it
// belongs in the cache key of what holds bins.
const BinsVersion = 1

// Binnings returns the binnings that are computed for every cell.
func Binnings() []Binning {
	return []Binning{
		{Width15, "15 bins of equal width, right-closed", func(o *order) *layout { return widthLayout(o, 15) }},
		{Mass15, "15 bins of equal mass, tied confidences shared", func(o *order) *layout { return massLayout(o, 15) }},
	}
}

// WidthBins groups rows into m bins of equal width: bin b holds the
// confidences in (b/m, (b+1)/m], decided by softmax.Bin. There are always
// m bins, empty ones included.
//
// The index is the plain formula ceil(m conf) - 1 in float64, which anyone can
// repeat, so within one double of an edge the rounding of m conf decides. With
// m = 15 the doubles j/15 and below belong to bin j-1 and those above to bin j,
// as they should, save the one next above 11/15, which stays in bin 10. Other m
// have more such doubles.
func WidthBins(f *Facts, m int) []Bin {
	o := sortFacts(f)
	return widthLayout(o, m).fill(o)
}

// MassBins groups rows into m bins of equal mass: bin b holds the positions
// round(b n/m) to round((b+1) n/m) - 1, halves rounded up, of the rows sorted
// by confidence, so bins differ in size by at most one. With n < m some bins
// are empty; they have Lo = Hi = 0.
//
// Confidences within 1e-9 of their neighbour form one block, and every row of
// a block takes the block's mean confidence and mean correctness. A boundary
// inside a block therefore gives each side its share and no sort order can
// matter. (A long chain of such neighbours is one block however far its ends
// are apart.) Acc times N is then no longer a whole number.
func MassBins(f *Facts, m int) []Bin {
	o := sortFacts(f)
	return massLayout(o, m).fill(o)
}

// fill computes the means of the bins.
func (l *layout) fill(o *order) []Bin {
	conf, hits := make([]float64, len(l.runs)), make([]float64, len(l.runs))
	for r, run := range l.runs {
		conf[r], hits[r] = o.sums(run.lo, run.hi)
	}
	bins := make([]Bin, len(l.bins))
	for b, s := range l.bins {
		bins[b] = Bin{Lo: s.lo, Hi: s.hi, N: s.n}
		if s.n > 0 {
			// Shares of runs are rounded: a bin of nothing but hits may sum to a
			// little more than its rows.
			bins[b].Conf, bins[b].Acc = min(1, s.total(conf)/float64(s.n)), min(1, s.total(hits)/float64(s.n))
		}
	}
	return bins
}

// sums returns the sum of the confidences and the number of hits of the sorted
// rows lo..hi-1.
func (o *order) sums(lo, hi int) (conf, hits float64) {
	var s exactSum
	n := 0
	hit := o.hit[lo:hi]
	for j, conf := range o.conf[lo:hi] {
		s.addShare(conf)
		one := 0
		if hit[j] {
			one = 1
		}
		n += one
	}
	return s.value(), float64(n)
}
