package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/splitmix"
)

// Folds is the number of folds of a cross-fitting, unless the set has folds of its owner or fewer groups.
const Folds = 5

// FewestRows is the least number of rows that are dealt into folds.
const FewestRows = 2 * Folds

// Folded is a set whose rows are in the order of their folds.
type Folded struct {
	set   *data.Set // its rows, and the same rows once more
	order []int
	edges []int
}

// Fold deals the rows of a set into folds by a hash of the number of the row, whatever their
// labels. Folds with equal shares of the classes would have the same chance in these shares as
// the rows that a method is fitted on, and so flatter methods that fit a number for each class.
//
// Folds of the owner of the set are kept, in the order of their numbers. Rows of one group are in one fold: the groups, in the order of a
// hash of their number, each go to the fold with the fewest rows. It is an error if all rows are in one fold or in one group.
func Fold(set *data.Set) (*Folded, error) {
	of, folds, err := dealt(set)
	if err != nil {
		return nil, err
	}
	f := Folded{edges: make([]int, folds+1)}
	var order []int
	for k := range folds {
		for row, fold := range of {
			if fold == k {
				order = append(order, row)
			}
		}
		f.edges[k+1] = len(order)
	}
	f.order, f.set = order, data.Gather(slices.Concat(order, order), set)
	return &f, nil
}

// dealt returns the fold of each row, from 0 on, and the number of folds.
func dealt(set *data.Set) (of []int, folds int, err error) {
	n := set.Len()
	of = make([]int, n)
	switch {
	case set.Folds != nil:
		known := slices.Compact(slices.Sorted(slices.Values(set.Folds)))
		if len(known) < 2 {
			return nil, 0, errors.New("folds: all rows are of one fold; cross-fitting needs two or more: leave the folds out, and rows are dealt into five")
		}
		for i, v := range set.Folds {
			of[i], _ = slices.BinarySearch(known, v)
		}
		return of, len(known), nil
	case set.Groups != nil:
		rows := map[int][]int{}
		for i, g := range set.Groups {
			rows[int(g)] = append(rows[int(g)], i)
		}
		if len(rows) < 2 {
			return nil, 0, errors.New("groups: all rows are of one group, and the rows of a group stay in one fold; cross-fitting needs two groups or more: leave the groups out if rows are independent")
		}
		held := make([]int, min(Folds, len(rows)))
		for _, g := range hashed(slices.Sorted(maps.Keys(rows))) {
			k := slices.Index(held, slices.Min(held))
			held[k] += len(rows[g])
			for _, row := range rows[g] {
				of[row] = k
			}
		}
		return of, len(held), nil
	}
	for i := range of {
		of[i] = i
	}
	for place, row := range hashed(slices.Clone(of)) {
		of[row] = place % Folds
	}
	return of, Folds, nil
}

// hashed puts numbers in the order of their hashes.
func hashed(numbers []int) []int {
	slices.SortFunc(numbers, func(i, j int) int { return cmp.Or(cmp.Compare(hash(i), hash(j)), cmp.Compare(i, j)) })
	return numbers
}

// Count returns the number of folds.
func (f *Folded) Count() int { return len(f.edges) - 1 }

// Order returns the rows of the set in the order of the folds.
func (f *Folded) Order() []int { return f.order }

// Groups returns the groups of the rows in the order of the folds; nil without.
func (f *Folded) Groups() []int32 { return f.set.Rows(0, f.Len()).Groups }

// Len returns the number of rows of the set.
func (f *Folded) Len() int { return f.edges[f.Count()] }

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
	fitted, err := calib.FitInput(ctx, m, in)
	if err != nil {
		return err
	}
	c.Map = fitted.Map
	return cmp.Or(Score(ctx, data.ReadRows(f.Only(k)), []*Column{c}, ScoreOptions{}), c.Err)
}

// hash mixes the number of a row.
func hash(row int) uint64 { return splitmix.Mix(uint64(row+1) * splitmix.Golden) }
