package metrics

import (
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// ClassBins is what metrics of all k class probabilities need of a test set:
// for each class the n rows in 15 bins of equal width by the probability of
// that class. Facts have no room for n x k probabilities, so the bins are
// filled while the set streams through the map, and only where a metric asks
// for them (Entry.Classes). Bin b of class j is at 15 j + b.
type ClassBins struct {
	Rows []int32   // in the bin; n over the bins of a class
	Hits []int32   // of the class, among them; n over all bins
	Conf []float64 // sum of the probabilities
}

// ClassBinsVersion is raised whenever a ClassTally yields other bins; it
// belongs in the cache key of facts that hold them.
const ClassBinsVersion = 1

const classBins = 15

// ClassBytes is the memory of a tally for each of its classes, however many
// rows there are.
const ClassBytes = 24 * classBins

// ClassTally fills ClassBins block by block.
type ClassTally struct {
	bins ClassBins
	conf []exactSum
}

// NewClassTally returns the tally of k classes without rows.
func NewClassTally(k int) *ClassTally {
	m := classBins * k
	return &ClassTally{ClassBins{Rows: make([]int32, m), Hits: make([]int32, m)}, make([]exactSum, m)}
}

// Add adds a block of rows of probabilities that Facts.Append accepts, with
// their labels. Sums are exact: neither blocks nor the order of rows matter.
func (t *ClassTally) Add(probs data.Probs, labels []int32) {
	for i := range probs.Rows {
		y := int(labels[i])
		for j, p := range probs.Row(i) {
			at := classBins * j
			if float64(p*classBins) > 1 { // most are not
				at += softmax.Bin(p, classBins)
			}
			t.bins.Rows[at]++
			t.conf[at].add(p)
			if j == y {
				t.bins.Hits[at]++
			}
		}
	}
}

// Bins returns the bins of the rows so far.
func (t *ClassTally) Bins() *ClassBins {
	b := t.bins
	b.Conf = make([]float64, len(t.conf))
	for i := range b.Conf {
		b.Conf[i] = t.conf[i].value()
	}
	return &b
}

// check refuses bins, read from a file, that no tally of n rows yields.
func (b *ClassBins) check(n int) error {
	m := len(b.Rows)
	if m == 0 || m%classBins != 0 || len(b.Hits) != m || len(b.Conf) != m {
		return errors.New("columns of class bins are absent or of unequal length")
	}
	hits := 0
	for lo := 0; lo < m; lo += classBins {
		rows := 0
		for i := lo; i < lo+classBins; i++ {
			if b.Rows[i] < 0 || b.Hits[i] < 0 || b.Hits[i] > b.Rows[i] || !(b.Conf[i] >= 0 && b.Conf[i] <= float64(b.Rows[i])*(1+1e-9)) {
				return fmt.Errorf("class %d, bin %d: %d rows, %d hits, probabilities of %g: out of range",
					lo/classBins, i-lo, b.Rows[i], b.Hits[i], b.Conf[i])
			}
			rows += int(b.Rows[i])
			hits += int(b.Hits[i])
		}
		if rows != n {
			return fmt.Errorf("class %d: bins of %d rows, but there are %d", lo/classBins, rows, n)
		}
	}
	if hits != n {
		return fmt.Errorf("class bins have %d hits for %d rows", hits, n)
	}
	return nil
}

var eceClasswiseEntry = Entry{
	Name:      "ece_classwise",
	Outputs:   []string{"ece_classwise", "ece_classwise_sum"},
	Label:     "Class-wise ECE",
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Classes:   true,
	Vector:    true,
	Version:   1,
	Summary:   "ECE of each class's probability, 15 bins of equal width over all rows: mean over the classes, and their sum (k times the mean)",
	Reference: "Kull et al. 2019; Nixon et al. 2019",
	Compute: func(in Input) ([]float64, error) {
		if in.Facts.Class == nil {
			return nil, errors.New("the facts hold no class bins")
		}
		mean, sum := classwise(in.Facts.Class)
		return []float64{mean, sum}, nil
	},
}

// classwise returns the mean over the k classes, in [0, 1], and the sum, in
// [0, 2], of
//
//	ECE_j = sum over bins of (n_b/n) |freq_b - mean p_b|
//
// where freq_b is the share of class j among the n_b rows with p_j in bin b; a
// class without rows counts. Empty bins contribute 0. The mean falls like 1/k
// because most classes are improbable on most rows.
func classwise(b *ClassBins) (mean, sum float64) {
	k := len(b.Rows) / classBins
	n := 0
	for _, rows := range b.Rows[:classBins] {
		n += int(rows)
	}
	for i, conf := range b.Conf {
		sum += math.Abs(conf-float64(b.Hits[i])) / float64(n)
	}
	return sum / float64(k), sum
}
