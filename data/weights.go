package data

import (
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/data/problem"
)

// checkWeights checks the weights, groups and folds of a set, whose other arrays fit together.
func (s *Set) checkWeights() error {
	n := s.Len()
	for _, a := range []struct {
		name string
		have bool
		n    int
	}{{"weights", s.Weights != nil, len(s.Weights)}, {"groups", s.Groups != nil, len(s.Groups)}, {"folds", s.Folds != nil, len(s.Folds)}} {
		if a.have && a.n != n {
			return &problem.Problem{Place: a.name, Cause: fmt.Sprintf("%d for %d rows", a.n, n), Fix: "give one number for each row"}
		}
	}
	for i, w := range s.Weights {
		if err := badWeight("weights", i, w); err != nil {
			return err
		}
	}
	for i, v := range s.Groups {
		if v < 0 {
			return &problem.Problem{Place: fmt.Sprintf("groups: row %d", i), Cause: fmt.Sprintf("%d is below 0", v), Fix: "number the groups from 0 on"}
		}
	}
	for i, v := range s.Folds {
		if err := badFold("folds", i, float64(v)); err != nil {
			return err
		}
	}
	return nil
}

// badWeight returns an error unless the number of a row is a weight.
func badWeight(name string, row int, w float64) error {
	if w >= 0 && w <= math.MaxFloat64 {
		return nil
	}
	return &problem.Problem{Place: fmt.Sprintf("%s: row %d", name, row), Cause: fmt.Sprintf("%g is no weight", w),
		Fix: "a weight is a finite number of at least 0; 2 counts the row twice, and 0 leaves it out"}
}

// badFold returns an error unless the number of a row is a fold.
func badFold(name string, row int, v float64) error {
	if v >= 0 && v == math.Trunc(v) && v <= math.MaxInt32 {
		return nil
	}
	return &problem.Problem{Place: fmt.Sprintf("%s: row %d", name, row), Cause: fmt.Sprintf("%g is no fold", v), Fix: "folds are whole numbers from 0 on"}
}

// NumberGroups numbers groups from 0 by their first rows, and returns how many there are.
func NumberGroups[T comparable](names []T) (numbers []int32, groups int) {
	seen := map[T]int32{}
	numbers = make([]int32, len(names))
	for i, name := range names {
		v, ok := seen[name]
		if !ok {
			v = int32(len(seen))
			seen[name] = v
		}
		numbers[i] = v
	}
	return numbers, len(seen)
}

// GroupCount returns the number of groups of the rows of s; n if it has no groups.
func (s *Set) GroupCount() int {
	if s.Groups == nil {
		return s.Len()
	}
	_, groups := NumberGroups(s.Groups)
	return groups
}

// gatherWeights sets weights, groups and folds to those of the rows of some sets, as Gather numbers rows. A set
// without weights has 1 for each row where another set has weights, and a set without groups has a group for each
// row. Groups of different sets are different groups: the next set is numbered after the last one. Folds are
// present if every set has them, since the owner's folds are folds of all of the rows or of none.
func (s *Set) gatherWeights(rows []int, sets []*Set) {
	has := func(of func(*Set) bool) bool { return slices.ContainsFunc(sets, of) }
	weights, groups := has(func(s *Set) bool { return s.Weights != nil }), has(func(s *Set) bool { return s.Groups != nil })
	folds := !has(func(s *Set) bool { return s.Folds == nil })
	var allWeights []float64
	var allGroups, allFolds []int32
	next := int32(0) // the number of the first group of the next set
	for _, set := range sets {
		n := set.Len()
		if weights {
			w := set.Weights
			if w == nil {
				w = slices.Repeat([]float64{1}, n)
			}
			allWeights = append(allWeights, w...)
		}
		if groups {
			first := next
			for i := range n {
				v := int32(i)
				if set.Groups != nil {
					v = set.Groups[i]
				}
				allGroups = append(allGroups, first+v)
				next = max(next, first+v+1)
			}
		}
		if folds {
			allFolds = append(allFolds, set.Folds...)
		}
	}
	s.Weights, s.Groups, s.Folds = pick(allWeights, weights, rows), pick(allGroups, groups, rows), pick(allFolds, folds, rows)
}

// pick returns the elements of some rows in new memory; nil if there are none to have.
func pick[T any](all []T, have bool, rows []int) []T {
	if !have {
		return nil
	}
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = all[row]
	}
	return out
}
