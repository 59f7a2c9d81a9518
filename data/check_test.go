package data

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// A Set that a program fills itself is checked as the files of a reader are.
func TestCheckNamesTheArrayRowAndClassAtFault(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	good := func() *Set {
		m := func(n, k int) Matrix { return NewMatrix(n, k) }
		return &Set{
			Logits: m(3, 4), Labels: []int32{0, 3, 1}, Features: m(3, 2), Augmented: []Matrix{m(3, 4), m(3, 4)},
			Head: Linear{W: m(4, 2), B: make([]float32, 4)}, OOD: m(5, 4),
		}
	}
	if err := good().Check(); err != nil {
		t.Errorf("a good set: %v", err)
	}
	for want, spoil := range map[string]func(s *Set){
		"logits: row 2, class 1: NaN":  func(s *Set) { s.Logits.Data[9] = nan },
		"logits: row 0, class 3: +Inf": func(s *Set) { s.Logits.Data[3] = inf },
		"logits: row 0, class 0: -Inf; the logit of a masked class is data.Masked in a Set": func(s *Set) { s.Logits.Data[0] = -inf },
		"logits: 3 rows and 4 columns with 11 numbers":                                      func(s *Set) { s.Logits.Data = s.Logits.Data[:11] },
		"logits: 9 rows and 4 columns with 12 numbers":                                      func(s *Set) { s.Logits.Rows = 9 },
		"logits: -3 rows and -4 columns with 12 numbers":                                    func(s *Set) { s.Logits.Rows, s.Logits.Cols = -3, -4 },
		"logits: 3 rows without a column":                                                   func(s *Set) { s.Logits = Matrix{Rows: 3, Data: []float32{}} },
		"labels: 2 for 3 rows of logits":                                                    func(s *Set) { s.Labels = s.Labels[:2] },
		"labels: row 1: label 4 is no class; the classes are 0 to 3":                        func(s *Set) { s.Labels[1] = 4 },
		"labels: row 2: label -1 is no class; the classes are 0 to 3":                       func(s *Set) { s.Labels[2] = -1 },
		"features: row 1, feature 0: NaN":                                                   func(s *Set) { s.Features.Data[2] = nan },
		"features: 2 x 2, want 3 x 2":                                                       func(s *Set) { s.Features = NewMatrix(2, 2) },
		"augmented view 1: row 1, class 1: +Inf":                                            func(s *Set) { s.Augmented[1].Data[5] = inf },
		"augmented view 0: 3 x 5, want 3 x 4":                                               func(s *Set) { s.Augmented[0] = NewMatrix(3, 5) },
		"weights of the last layer: 4 x 3, want 4 x 2":                                      func(s *Set) { s.Head.W = NewMatrix(4, 3) },
		"bias of the last layer: 3 numbers for 4 rows of weights":                           func(s *Set) { s.Head.B = s.Head.B[:3] },
		"bias of the last layer: class 2: NaN":                                              func(s *Set) { s.Head.B[2] = nan },
		"ood: 5 x 3, want 5 x 4":                                                            func(s *Set) { s.OOD = NewMatrix(5, 3) },
		fmt.Sprintf("logits: %d rows and 4 columns with 12 numbers", math.MaxInt/2+1):       func(s *Set) { s.Logits.Rows = math.MaxInt/2 + 1 },
		"weights of the last layer: 9 rows and 2 columns with 8 numbers":                    func(s *Set) { s.Head.W.Rows = 9 },
		"augmented view 0: 3 rows and 4 columns with 0 numbers":                             func(s *Set) { s.Augmented[0].Data = nil },
		"ood: row 4, class 3: NaN":                                                          func(s *Set) { s.OOD.Data[19] = nan },
	} {
		s := good()
		spoil(s)
		if err := s.Check(); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	if err := (*Set)(nil).Check(); err == nil {
		t.Error("no set")
	}
	for name, s := range map[string]*Set{
		"no arrays": {}, "features alone": {Features: NewMatrix(2, 3)}, "labels alone": {Labels: []int32{9}},
		"head alone": {Head: Linear{W: NewMatrix(2, 3), B: make([]float32, 2)}}, "no rows": {Logits: NewMatrix(0, 3), Labels: []int32{}},
	} {
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A NaN is found wherever it is.
func TestCheckLooksAtEveryNumber(t *testing.T) {
	for i := range 200 {
		s := &Set{Logits: NewMatrix(40, 5)}
		s.Logits.Data[i] = float32(math.NaN())
		if s.Check() == nil {
			t.Fatalf("number %d", i)
		}
	}
	m := Matrix{Rows: 2, Cols: 2, Data: slices.Repeat([]float32{math.MaxFloat32}, 4)}
	if err := (&Set{Logits: m}).Check(); err != nil {
		t.Error(err)
	}
}
