package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/splitmix"
)

// Folds is the number of folds of a cross-fitting.
const Folds = 5

// FewestRows is the least number of rows that are dealt into folds.
const FewestRows = 2 * Folds

// Folded is a set whose rows are in the order of their folds.
type Folded struct {
	set   *data.Set // its rows, and the same rows once more
	edges [Folds + 1]int
}

// Fold deals the rows of a set into folds by a hash of the number of the row, whatever their
// labels. Folds with equal shares of the classes would have the same chance in these shares as
// the rows that a method is fitted on, and so flatter methods that fit a number for each class.
func Fold(set *data.Set) *Folded {
	n := set.Len()
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	slices.SortFunc(rows, func(i, j int) int { return cmp.Or(cmp.Compare(hash(i), hash(j)), cmp.Compare(i, j)) })
	var f Folded
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

// Len returns the number of rows of the set.
func (f *Folded) Len() int { return f.edges[Folds] }

// Edges returns the first row of fold k in the order of the folds, and the row after its last.
func (f *Folded) Edges(k int) (lo, hi int) { return f.edges[k], f.edges[k+1] }

// Without returns the rows of all folds but k. They stand beside each other, from the end of
// the fold to its beginning in the second copy of the rows.
func (f *Folded) Without(k int) *data.Set { return f.set.Rows(f.edges[k+1], f.Len()+f.edges[k]) }

// Only returns the rows of fold k.
func (f *Folded) Only(k int) *data.Set { return f.set.Rows(f.edges[k], f.edges[k+1]) }

// Cross fits a method without fold k and scores the rows of that fold, so that none is scored by a fit that
// has seen it. in is what the method is fitted on beside the calibration rows. The contract and the map of the column are those of
// the fit.
func (f *Folded) Cross(ctx context.Context, m calib.Method, in calib.Input, k int, c *Column) error {
	c.Contract = m.Contract()
	in.Cal = Input(c.Contract, f.Without(k), in.Target).Cal
	fitted, err := m.Fit(ctx, in)
	if err != nil {
		return err
	}
	c.Map = fitted.Map
	return cmp.Or(Score(ctx, data.ReadRows(f.Only(k)), []*Column{c}, ScoreOptions{}), c.Err)
}

// hash mixes the number of a row.
func hash(row int) uint64 { return splitmix.Mix(uint64(row+1) * splitmix.Golden) }
