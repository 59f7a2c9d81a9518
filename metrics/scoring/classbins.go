package scoring

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/exact"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/splitmix"
)

// ClassBins are the statistics from which metrics of all k class probabilities are
// computed: for each class, the n rows in BinsPerClass bins of equal width by the
// probability of that class. Bin b of class j is at BinsPerClass j + b. The sample
// scores have no room for n x k probabilities, so the bins are filled while the set
// streams through the map, and only if a metric needs them.
type ClassBins struct {
	Bins      // the bins of a class have n rows in total, and the bins of all classes n hits
	Tail Tail // every probability above TailLimit
	Top  Bins // BinsPerClass bins of the rows by the sum of their TopK largest probabilities
}

// Bins are rows in bins of equal width by the probability of an event: that the label
// is the class or, in Top, one of the classes of the sum. A residual is 1 with the
// event and 0 without, minus the probability.
//
// The last three lists have Groups numbers for each bin, one beside the other: rows are
// dealt out to groups at random, and what a number is without each of the groups tells
// how much it varies with the rows (metrics.Verdict).
type Bins struct {
	Rows []int32   // rows in the bin
	Hits []int32   // rows in the bin with the event
	Conf []float64 // sum of the rows' probabilities of the event

	GroupRows     []int32   // rows of the group in the bin
	GroupResidual []float64 // sum of their residuals
	GroupSquare   []float64 // sum of the squares of their residuals
}

// Tail lists the probabilities above TailLimit, of all rows: by class, then by
// probability, those that are not of the label first.
type Tail struct {
	Class []int32
	Prob  []float64 // in (TailLimit, 1]
	Hit   []bool    // the class is the label of the row
}

const (
	TailLimit = .01 // of Nixon et al. (2019)
	TopK      = 5
)

// tailBytes is the memory of the tail of a row that has five probabilities above
// TailLimit. A row cannot have more than 99, and few networks have ten on average.
const tailBytes = 5 * 24

// BinsPerClass is the number of bins of each class, and Groups that of the groups
// of rows in each of them.
const (
	BinsPerClass = 15
	Groups       = 16
)

// group returns the group of a row of the test set. It is a hash of the row's number, so
// that rows in the order of their labels are dealt out at random too.
func group(row int) int {
	return int(splitmix.Mix(uint64(row)+splitmix.Golden) >> 60)
}

// ClassBinsVersion is raised whenever a ClassTally gives other bins. It belongs
// in the cache key of sample scores with class bins.
const ClassBinsVersion = 3

// ClassBytes returns the memory of a ClassTally of n rows of k classes, about.
func ClassBytes(n, k int) int64 {
	return (16+40*Groups)*BinsPerClass*int64(k) + tailBytes*int64(n)
}

// ClassTally fills ClassBins block by block.
type ClassTally struct {
	classes, top tally
	tail         []tailed
}

// tally fills Bins: the rows of each group, by bin and then by group.
type tally []grouped

type grouped struct {
	rows, hits   int32
	conf, square exact.Sum
}

func newTally(bins int) tally { return make(tally, bins*Groups) }

// add adds a row of a group to a bin.
func (t tally) add(bin, group int, prob float64, hit bool) {
	g, miss := &t[bin*Groups+group], prob
	g.rows++
	g.conf.Add(prob)
	if hit {
		g.hits++
		miss = 1 - prob
	}
	g.square.Add(float64(miss * miss))
}

// bins returns the bins of the rows added so far.
func (t tally) bins() Bins {
	m := len(t) / Groups
	b := Bins{make([]int32, m), make([]int32, m), make([]float64, m), make([]int32, len(t)), make([]float64, len(t)), make([]float64, len(t))}
	for i := range b.Rows {
		var conf exact.Sum
		for j := i * Groups; j < (i+1)*Groups; j++ {
			g := &t[j]
			b.Rows[i] += g.rows
			b.Hits[i] += g.hits
			conf.Join(g.conf)
			b.GroupRows[j], b.GroupResidual[j], b.GroupSquare[j] = g.rows, float64(g.hits)-g.conf.Value(), g.square.Value()
		}
		b.Conf[i] = conf.Value()
	}
	return b
}

// tailed is one probability of the tail.
type tailed struct {
	prob  float64
	class int32
	hit   bool
}

// NewClassTally returns the tally of k classes without rows.
func NewClassTally(k int) *ClassTally {
	return &ClassTally{classes: newTally(BinsPerClass * k), top: newTally(BinsPerClass)}
}

// Add adds a block of n x k probabilities that AppendProbs accepts, with their
// labels. lo is the number of its first row in the set. Sums are exact, so neither the
// blocks nor their order matter.
func (t *ClassTally) Add(lo int, probs data.Probs, labels []int32) {
	for i := range probs.Rows {
		y, g := int(labels[i]), group(lo+i)
		for j, p := range probs.Row(i) {
			t.classes.add(BinsPerClass*j+softmax.Bin(p, BinsPerClass), g, p, j == y)
			if p > TailLimit {
				t.tail = append(t.tail, tailed{p, int32(j), j == y})
			}
		}
		t.addTop(g, probs.Row(i), y)
	}
}

// addTop adds a row of a group to the bins of its TopK largest probabilities. Of equal
// ones the lower class counts as larger.
func (t *ClassTally) addTop(group int, p []float64, y int) {
	var largest [TopK]float64 // falling
	above := 0                // classes before the label in the order of probabilities
	for j, v := range p {
		if v > p[y] || v == p[y] && j < y {
			above++
		}
		for i := TopK - 1; i >= 0 && v > largest[i]; i-- {
			if i+1 < TopK {
				largest[i+1] = largest[i]
			}
			largest[i] = v
		}
	}
	sum := 0.0
	for _, v := range largest {
		sum += v
	}
	sum = min(sum, 1)
	t.top.add(softmax.Bin(sum, BinsPerClass), group, sum, above < TopK)
}

// Bins returns the bins of the rows added so far.
func (t *ClassTally) Bins() *ClassBins {
	b := ClassBins{Bins: t.classes.bins(), Top: t.top.bins()}
	slices.SortFunc(t.tail, func(x, y tailed) int {
		switch {
		case x.class != y.class:
			return int(x.class - y.class)
		case x.prob != y.prob:
			return cmp.Compare(x.prob, y.prob)
		case x.hit == y.hit:
			return 0
		case y.hit:
			return -1
		}
		return 1
	})
	b.Tail = Tail{make([]int32, len(t.tail)), make([]float64, len(t.tail)), make([]bool, len(t.tail))}
	for i, x := range t.tail {
		b.Tail.Class[i], b.Tail.Prob[i], b.Tail.Hit[i] = x.class, x.prob, x.hit
	}
	return &b
}

// Classes returns the number of classes, k.
func (b *ClassBins) Classes() int { return len(b.Conf) / BinsPerClass }

// check rejects bins, read from a file, that no tally of n rows could give.
func (b *ClassBins) check(n int) error {
	m := len(b.Rows)
	if m == 0 || m%BinsPerClass != 0 || !b.sized(m) {
		return errors.New("columns of class bins are absent or of unequal length")
	}
	hits := 0
	for lo := 0; lo < m; lo += BinsPerClass {
		if err := b.Bins.check(lo, n, fmt.Sprintf("class %d", lo/BinsPerClass)); err != nil {
			return err
		}
		for _, h := range b.Hits[lo : lo+BinsPerClass] {
			hits += int(h)
		}
	}
	if hits != n {
		return fmt.Errorf("class bins have %d hits for %d rows", hits, n)
	}
	if err := b.Tail.check(m / BinsPerClass); err != nil {
		return err
	}
	if !b.Top.sized(BinsPerClass) {
		return errors.New("columns of the bins of the largest probabilities are absent or of unequal length")
	}
	if err := b.Top.check(0, n, "largest probabilities"); err != nil {
		return err
	}
	return cmp.Or(b.Bins.checkResiduals("class bins"), b.Top.checkResiduals("largest probabilities"))
}

// sized reports whether the lists are of m bins.
func (b *Bins) sized(m int) bool {
	return len(b.Rows) == m && len(b.Hits) == m && len(b.Conf) == m &&
		len(b.GroupRows) == m*Groups && len(b.GroupResidual) == m*Groups && len(b.GroupSquare) == m*Groups
}

// check rejects the BinsPerClass bins from lo on, which an error calls by a name, if no
// tally of n rows could give them.
func (b *Bins) check(lo, n int, name string) error {
	rows := 0
	for i := lo; i < lo+BinsPerClass; i++ {
		if b.Rows[i] < 0 || b.Hits[i] < 0 || b.Hits[i] > b.Rows[i] || !(b.Conf[i] >= 0 && b.Conf[i] <= float64(b.Rows[i])*(1+1e-9)) {
			return fmt.Errorf("%s, bin %d: %d rows, %d hits, probabilities of %g: out of range", name, i-lo, b.Rows[i], b.Hits[i], b.Conf[i])
		}
		rows += int(b.Rows[i])
	}
	if rows != n {
		return fmt.Errorf("%s: bins of %d rows, but there are %d", name, rows, n)
	}
	return nil
}

// checkResiduals rejects sums of residuals, read from a file, that the rows of the bins
// cannot have.
func (b *Bins) checkResiduals(name string) error {
	for i := range b.Rows {
		in, residual := int32(0), 0.0
		for g := i * Groups; g < (i+1)*Groups; g++ {
			if r := float64(b.GroupRows[g]) * (1 + 1e-9); b.GroupRows[g] < 0 || !(math.Abs(b.GroupResidual[g]) <= r && b.GroupSquare[g] >= 0 && b.GroupSquare[g] <= r) {
				return fmt.Errorf("%s, %d: residuals of %g and squares of %g in a group of %d rows: out of range", name, i, b.GroupResidual[g], b.GroupSquare[g], b.GroupRows[g])
			}
			in += b.GroupRows[g]
			residual += b.GroupResidual[g]
		}
		if in != b.Rows[i] || math.Abs(residual-(float64(b.Hits[i])-b.Conf[i])) > 1e-6*float64(1+b.Rows[i]) {
			return fmt.Errorf("%s, %d: its groups are not its rows", name, i)
		}
	}
	return nil
}

// check rejects a tail, read from a file, that no tally of k classes could give.
func (t *Tail) check(k int) error {
	if len(t.Prob) != len(t.Class) || len(t.Hit) != len(t.Class) {
		return errors.New("columns of the tail are of unequal length")
	}
	for i, class := range t.Class {
		if class < 0 || int(class) >= k || !(t.Prob[i] > TailLimit && t.Prob[i] <= 1) {
			return fmt.Errorf("tail %d: probability %g of class %d: out of range", i, t.Prob[i], class)
		}
		if i > 0 && (class < t.Class[i-1] || class == t.Class[i-1] && t.Prob[i] < t.Prob[i-1]) {
			return fmt.Errorf("tail %d is not in order", i)
		}
	}
	return nil
}
