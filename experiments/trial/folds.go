package trial

import (
	"cmp"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/splitmix"
)

// Folds is the number of folds of a cross-fitting.
const Folds = 5

// FewestRows is the least number of rows that are dealt into folds.
const FewestRows = 2 * Folds

// folded is a set whose rows are in the order of their folds.
type folded struct {
	set   *data.Set // its rows, and the same rows once more
	edges [Folds + 1]int
}

// fold deals the rows of a set into folds by a hash of the number of the row, whatever their
// labels. Folds with equal shares of the classes would have the same chance in these shares as
// the rows that a method is fitted on, and so flatter methods that fit a number for each class.
func fold(set *data.Set) *folded {
	n := len(set.Labels)
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	slices.SortFunc(rows, func(i, j int) int { return cmp.Or(cmp.Compare(hash(i), hash(j)), cmp.Compare(i, j)) })
	var f folded
	var order []int
	for k := range Folds {
		first := len(order)
		for place := k; place < n; place += Folds {
			order = append(order, rows[place])
		}
		slices.Sort(order[first:])
		f.edges[k+1] = len(order)
	}
	f.set = data.Gather(append(order, order...), set)
	return &f
}

// rows returns the number of rows of the set.
func (f *folded) rows() int { return f.edges[Folds] }

// without returns the rows of all folds but k. They stand beside each other, from the end of
// the fold to its beginning in the second copy of the rows.
func (f *folded) without(k int) *data.Set { return f.set.Rows(f.edges[k+1], f.rows()+f.edges[k]) }

// only returns the rows of fold k.
func (f *folded) only(k int) *data.Set { return f.set.Rows(f.edges[k], f.edges[k+1]) }

// hash mixes the number of a row.
func hash(row int) uint64 { return splitmix.Mix(uint64(row+1) * splitmix.Golden) }
