package engine

import (
	"slices"
	"testing"
)

// Rows of a group are in one fold, folds are of about equal size, and folds of the owner are kept.
func TestFoldsOfGroupsAndOfTheOwner(t *testing.T) {
	set := numbered(300)
	for i := range 300 {
		set.Groups = append(set.Groups, int32(i*i%37))
	}
	f, err := Fold(set)
	if err != nil {
		t.Fatal(err)
	}
	fold := map[int32]int{}
	for k := range f.Count() {
		held := f.Only(k)
		if n := held.Len(); n < 40 || n > 80 || n+f.Without(k).Len() != 300 {
			t.Errorf("fold %d has %d rows", k, n)
		}
		for _, g := range held.Groups {
			if at, ok := fold[g]; ok && at != k {
				t.Fatalf("group %d is in folds %d and %d", g, at, k)
			}
			fold[g] = k
		}
	}
	if f.Count() != Folds || !slices.Equal(f.Groups(), slices.Concat(f.Only(0).Groups, f.Only(1).Groups, f.Only(2).Groups, f.Only(3).Groups, f.Only(4).Groups)) {
		t.Errorf("%d folds", f.Count())
	}
	for i := range 300 {
		set.Folds = append(set.Folds, []int32{7, 2, 9}[i%3])
	}
	if f, err = Fold(set); err != nil {
		t.Fatal(err)
	}
	for k, v := range []int32{2, 7, 9} {
		held := f.Only(k)
		if f.Count() != 3 || held.Len() != 100 || slices.ContainsFunc(held.Folds, func(x int32) bool { return x != v }) || slices.Contains(f.Without(k).Folds, v) {
			t.Errorf("fold %d: %v", k, held.Folds)
		}
	}
	set.Folds = make([]int32, 300)
	if _, err := Fold(set); err == nil || err.Error()[:6] != "folds:" {
		t.Errorf("one fold: %v", err)
	}
	set.Folds, set.Groups = nil, make([]int32, 300)
	if _, err := Fold(set); err == nil || err.Error()[:7] != "groups:" {
		t.Errorf("one group: %v", err)
	}
	set.Groups[4] = 1
	if f, err := Fold(set); err != nil || f.Count() != 2 {
		t.Errorf("two groups: %v", err)
	}
}
