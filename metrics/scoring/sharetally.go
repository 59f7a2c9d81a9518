package scoring

import (
	"math"
	"sync"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/exact"
)

// ShareTally counts, of n rows of k classes, how often each class is the label and how often it is
// expected to be. Its sums do not depend on the order of the blocks that are added. It may be
// used by several goroutines.
type ShareTally struct {
	mu   sync.Mutex
	rows int
	of   []shareSums

	groups [][]int64 // sums of y-p of the groups by class, in units of 2^-40, which do not depend on the order; nil without groups
}

// shareSums are the sums of a class over rows, with p its probability and y 1 for its rows, else 0.
type shareSums struct {
	observed int
	expected exact.Sum // p
	variance exact.Sum // p (1-p)
	skew     exact.Sum // p^2 (1-p)
	squares  exact.Sum // (y-p)^2
}

// unitOfShares is 1 in the sums of groups.
const unitOfShares = 1 << 40

// ClassShare is the tally of a class.
type ClassShare struct {
	Observed int     // rows with this label
	Expected float64 // sum of p
	Variance float64 // of the number of rows of the class if each is drawn with its p: sum of p (1-p)
	Third    float64 // its third central moment: sum of p (1-p) (1-2p)
	Squares  float64 // sum of (y-p)^2, with y 1 for rows of the class, else 0; with groups the sum of the squared sums of groups
}

// NewShareTally returns a tally of k classes without rows.
func NewShareTally(k int) *ShareTally { return &ShareTally{of: make([]shareSums, k)} }

// Add adds a block of rows, n x k probabilities with their labels.
func (t *ShareTally) Add(probs data.Probs, labels []int32) { t.AddGrouped(probs, labels, nil) }

// AddGrouped is Add for rows of groups, which are numbered from 0 on; nil if each row is one of its own. All blocks have groups, or none
// has.
func (t *ShareTally) AddGrouped(probs data.Probs, labels, groups []int32) {
	type sums struct{ expected, variance, skew, squares float64 }
	block, observed := make([]sums, len(t.of)), make([]int, len(t.of))
	for i := range probs.Rows {
		row := probs.Row(i)
		for j, p := range row {
			v := float64(p * (1 - p))
			s := &block[j]
			s.expected += p
			s.variance += v
			s.skew += float64(v * p)
			s.squares += float64(p * p)
		}
		y := labels[i]
		observed[y]++
		block[y].squares += 1 - 2*row[y]
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows += probs.Rows
	for i, g := range groups {
		for int(g) >= len(t.groups) {
			t.groups = append(t.groups, nil)
		}
		if t.groups[g] == nil {
			t.groups[g] = make([]int64, len(t.of))
		}
		for j, p := range probs.Row(i) {
			if int(labels[i]) == j {
				p--
			}
			t.groups[g][j] -= int64(math.Round(p * unitOfShares))
		}
	}
	for j, s := range block {
		c := &t.of[j]
		c.observed += observed[j]
		c.expected.Add(s.expected)
		c.variance.Add(s.variance)
		c.skew.Add(s.skew)
		c.squares.Add(max(0, s.squares))
	}
}

// Rows returns the number of rows.
func (t *ShareTally) Rows() int { return t.rows }

// Observed returns the share of each class of the rows.
func (t *ShareTally) Observed() []float64 {
	list := make([]float64, len(t.of))
	for j := range t.of {
		list[j] = float64(t.of[j].observed) / float64(max(1, t.rows))
	}
	return list
}

// Classes returns the tally of each class.
func (t *ShareTally) Classes() []ClassShare {
	list := make([]ClassShare, len(t.of))
	for j := range t.of {
		s := &t.of[j]
		v := s.variance.Value()
		list[j] = ClassShare{s.observed, s.expected.Value(), v, v - 2*s.skew.Value(), s.squares.Value()}
		if t.groups == nil {
			continue
		}
		list[j].Squares = 0
		for _, sums := range t.groups {
			if sums != nil {
				x := float64(sums[j]) / unitOfShares
				list[j].Squares += float64(x * x)
			}
		}
	}
	return list
}
