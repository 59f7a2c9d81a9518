package data

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

func weighted() *Set {
	return &Set{Logits: Matrix{Rows: 3, Cols: 2, Data: make([]float32, 6)}, Labels: []int32{0, 1, 1},
		Weights: []float64{2, 0, .5}, Groups: []int32{0, 1, 0}, Folds: []int32{3, 0, 3}}
}

func TestWeightsGroupsAndFoldsFollowTheirRows(t *testing.T) {
	a := weighted()
	b := weighted()
	b.Weights, b.Groups = nil, nil
	if r := a.Rows(1, 3); !reflect.DeepEqual(r.Weights, []float64{0, .5}) || !reflect.DeepEqual(r.Groups, []int32{1, 0}) || !reflect.DeepEqual(r.Folds, []int32{0, 3}) {
		t.Errorf("rows 1 and 2: %+v", r)
	}
	if got, want := Gather([]int{2, 0, 2}, a), (&Set{Logits: NewMatrix(3, 2), Labels: []int32{1, 0, 1},
		Weights: []float64{.5, 2, .5}, Groups: []int32{0, 0, 0}, Folds: []int32{3, 3, 3}}); !reflect.DeepEqual(got, want) {
		t.Errorf("gathered: %+v, want %+v", got, want)
	}
	got := Gather([]int{5, 0, 3}, a, b)
	if !reflect.DeepEqual(got.Weights, []float64{1, 2, 1}) || !reflect.DeepEqual(got.Groups, []int32{4, 0, 2}) || !reflect.DeepEqual(got.Folds, []int32{3, 3, 3}) {
		t.Errorf("of two sets: %+v", got)
	}
	b.Folds = nil
	if got := Gather([]int{0, 3}, a, b); got.Folds != nil {
		t.Errorf("the second set has no folds: %+v", got)
	}
	if got := Gather([]int{0, 1}, b); got.Weights != nil || got.Groups != nil || got.Folds != nil {
		t.Errorf("of a set without any: %+v", got)
	}
	if v := a.View(Logits); v.Weights != nil || v.Groups != nil || v.Folds != nil {
		t.Errorf("without labels: %+v", v)
	}
	if v := a.View(Logits | Labels); !reflect.DeepEqual(v, a) {
		t.Errorf("with labels: %+v", v)
	}
}

func TestGroupsAreNumberedByTheirFirstRows(t *testing.T) {
	numbers, groups := NumberGroups([]string{"b", "a", "b", "", "a"})
	if groups != 3 || !reflect.DeepEqual(numbers, []int32{0, 1, 0, 2, 1}) {
		t.Errorf("%d groups: %v", groups, numbers)
	}
	if n := weighted().GroupCount(); n != 2 {
		t.Errorf("%d groups", n)
	}
	if n := weighted().View(Logits).GroupCount(); n != 3 {
		t.Errorf("%d groups of 3 rows without groups", n)
	}
}

func TestBadWeightsGroupsAndFoldsAreNamed(t *testing.T) {
	if err := weighted().Check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Set){
		"weights: 2 for 3 rows":         func(s *Set) { s.Weights = s.Weights[:2] },
		"groups: 0 for 3 rows":          func(s *Set) { s.Groups = []int32{} },
		"folds: 4 for 3 rows":           func(s *Set) { s.Folds = []int32{0, 1, 0, 1} },
		"weights: row 1: NaN is no":     func(s *Set) { s.Weights = []float64{1, math.NaN(), 1} },
		"weights: row 2: -1 is no":      func(s *Set) { s.Weights = []float64{1, 1, -1} },
		"weights: row 0: +Inf is no":    func(s *Set) { s.Weights = []float64{math.Inf(1), 1, 1} },
		"groups: row 1: -1 is below 0":  func(s *Set) { s.Groups = []int32{0, -1, 0} },
		"folds: row 2: -2 is no fold":   func(s *Set) { s.Folds = []int32{0, 1, -2} },
		"weights: row 0: -0.5 is no we": func(s *Set) { s.Logits, s.Confidence, s.Weights = Matrix{}, []float64{0, 1, 1}, []float64{-.5, 1, 1} },
	} {
		s := weighted()
		change(s)
		if err := s.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
