package scoring

import (
	"errors"
	"fmt"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/exact"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// ClassBins are the statistics from which metrics of all k class probabilities are
// computed: for each class, the n rows in BinsPerClass bins of equal width by the
// probability of that class. Bin b of class j is at BinsPerClass j + b. The sample
// scores have no room for n x k probabilities, so the bins are filled while the set
// streams through the map, and only if a metric needs them.
type ClassBins struct {
	Rows []int32   // rows in the bin; n in total over the bins of a class
	Hits []int32   // rows in the bin with this label; n in total over all bins
	Conf []float64 // sum of the rows' probabilities of the class
}

// BinsPerClass is the number of bins of each class.
const BinsPerClass = 15

// ClassBinsVersion is raised whenever a ClassTally gives other bins. It belongs
// in the cache key of sample scores with class bins.
const ClassBinsVersion = 1

// ClassBytes is the memory of a ClassTally for each class, for any number of
// rows.
const ClassBytes = 24 * BinsPerClass

// ClassTally fills ClassBins block by block.
type ClassTally struct {
	bins ClassBins
	conf []exact.Sum
}

// NewClassTally returns the tally of k classes without rows.
func NewClassTally(k int) *ClassTally {
	m := BinsPerClass * k
	return &ClassTally{ClassBins{Rows: make([]int32, m), Hits: make([]int32, m)}, make([]exact.Sum, m)}
}

// Add adds a block of n x k probabilities that AppendProbs accepts, with their
// labels. Sums are exact, so neither the blocks nor the order of rows matter.
func (t *ClassTally) Add(probs data.Probs, labels []int32) {
	for i := range probs.Rows {
		y := int(labels[i])
		for j, p := range probs.Row(i) {
			at := BinsPerClass * j
			if float64(p*BinsPerClass) > 1 { // most probabilities are in the first bin
				at += softmax.Bin(p, BinsPerClass)
			}
			t.bins.Rows[at]++
			t.conf[at].Add(p)
			if j == y {
				t.bins.Hits[at]++
			}
		}
	}
}

// Bins returns the bins of the rows added so far.
func (t *ClassTally) Bins() *ClassBins {
	b := t.bins
	b.Conf = make([]float64, len(t.conf))
	for i := range b.Conf {
		b.Conf[i] = t.conf[i].Value()
	}
	return &b
}

// check rejects bins, read from a file, that no tally of n rows could give.
func (b *ClassBins) check(n int) error {
	m := len(b.Rows)
	if m == 0 || m%BinsPerClass != 0 || len(b.Hits) != m || len(b.Conf) != m {
		return errors.New("columns of class bins are absent or of unequal length")
	}
	hits := 0
	for lo := 0; lo < m; lo += BinsPerClass {
		rows := 0
		for i := lo; i < lo+BinsPerClass; i++ {
			if b.Rows[i] < 0 || b.Hits[i] < 0 || b.Hits[i] > b.Rows[i] || !(b.Conf[i] >= 0 && b.Conf[i] <= float64(b.Rows[i])*(1+1e-9)) {
				return fmt.Errorf("class %d, bin %d: %d rows, %d hits, probabilities of %g: out of range",
					lo/BinsPerClass, i-lo, b.Rows[i], b.Hits[i], b.Conf[i])
			}
			rows += int(b.Rows[i])
			hits += int(b.Hits[i])
		}
		if rows != n {
			return fmt.Errorf("class %d: bins of %d rows, but there are %d", lo/BinsPerClass, rows, n)
		}
	}
	if hits != n {
		return fmt.Errorf("class bins have %d hits for %d rows", hits, n)
	}
	return nil
}
