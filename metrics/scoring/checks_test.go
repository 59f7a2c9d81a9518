package scoring

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// full returns scores of two rows of one class whose numbers are at the ends of their
// ranges.
func full() *SampleScores {
	bins := func() Bins {
		b := Bins{Rows: append(make([]int32, 14), 2), Hits: append(make([]int32, 14), 2), Conf: append(make([]float64, 14), 2*(1+1e-9)),
			GroupRows: make([]int32, 15*Groups), GroupResidual: make([]float64, 15*Groups), GroupSquare: make([]float64, 15*Groups)}
		b.GroupRows[14*Groups+3], b.GroupSquare[14*Groups+3] = 2, 2*(1+1e-9)
		return b
	}
	return &SampleScores{
		Conf: []float64{1, 1e-300}, Rest: []float64{0, 1}, Pred: []int32{0, 0}, Label: []int32{0, 0}, NLL: []float64{0, 700}, Brier: []float64{0, 2}, Changed: []bool{false, true},
		Classes: &ClassBins{bins(), Tail{[]int32{0, 0}, []float64{1, 1}, []bool{false, true}}, bins()},
		Vectors: &VectorScores{NLL: []float64{0, 1}, Brier: []float64{0, 2}, Temperature: VectorTerms{[]float64{-2, 2}, []float64{-2, 2}, []float64{-1, 1}},
			Isotonic: VectorTerms{[]float64{-2 - 1e-9, 2 + 1e-9}, []float64{-2, 2}, []float64{-1, 1}}},
	}
}

// Numbers at the ends of their ranges are accepted. One that is beyond, and a column that is
// absent, too short or too long, is an error that names its place.
func TestChecksOfSavedScores(t *testing.T) {
	if err := full().check(); err != nil {
		t.Fatal(err)
	}
	top := full()
	top.NLL, top.Brier, top.Conf[1] = nil, nil, 0
	if err := top.check(); err != nil || !top.TopLabel {
		t.Errorf("top-label scores: %v, %v", top.TopLabel, err)
	}
	lists := func(s *SampleScores) []reflect.Value {
		var all []reflect.Value
		for _, c := range s.columns() {
			all = append(all, reflect.ValueOf(c.at).Elem())
		}
		return all
	}
	for i, c := range full().columns() {
		for change, edit := range map[string]func(v reflect.Value) reflect.Value{
			"absent": func(v reflect.Value) reflect.Value { return reflect.Zero(v.Type()) },
			"short":  func(v reflect.Value) reflect.Value { return v.Slice(0, v.Len()-1) },
			"long":   func(v reflect.Value) reflect.Value { return reflect.AppendSlice(v.Slice(0, v.Len()), v.Slice(0, 1)) },
		} {
			s := full()
			v := lists(s)[i]
			if v.Set(edit(v)); s.check() == nil {
				t.Errorf("%s, %s: accepted", c.name, change)
			}
		}
	}
	for want, spoil := range map[string]func(*SampleScores){
		"row 1: confidence -0.5, rest":                                     func(s *SampleScores) { s.Conf[1] = -.5 },
		"row 0: confidence 1.5, rest":                                      func(s *SampleScores) { s.Conf[0] = 1.5 },
		"row 0: confidence NaN, rest":                                      func(s *SampleScores) { s.Conf[0] = math.NaN() },
		"row 0: confidence 1, rest -1e-09":                                 func(s *SampleScores) { s.Rest[0] = -1e-9 },
		"row 1: confidence 1e-300, rest 1.5":                               func(s *SampleScores) { s.Rest[1] = 1.5 },
		"row 1: confidence 0, nll":                                         func(s *SampleScores) { s.Conf[1] = 0 },
		"row 0: confidence 1, rest 0, prediction -1, label 0":              func(s *SampleScores) { s.Pred[0] = -1 },
		"row 0: confidence 1, rest 0, prediction 0, label -1":              func(s *SampleScores) { s.Label[0] = -1 },
		"row 0: confidence 1, nll -1":                                      func(s *SampleScores) { s.NLL[0] = -1 },
		"row 0: confidence 1, nll 0, brier -1":                             func(s *SampleScores) { s.Brier[0] = -1 },
		"class 0, bin 13: -1 rows":                                         func(s *SampleScores) { s.Classes.Rows[13] = -1 },
		"class 0, bin 12: 0 rows, -1 hits":                                 func(s *SampleScores) { s.Classes.Hits[12] = -1 },
		"class 0, bin 11: 0 rows, 1 hits":                                  func(s *SampleScores) { s.Classes.Hits[11] = 1 },
		"class 0, bin 14: 2 rows, 2 hits, proba":                           func(s *SampleScores) { s.Classes.Conf[14] = 2.0001 },
		"class 0: bins of 3 rows, but there are 2":                         func(s *SampleScores) { s.Classes.Rows[0] = 1 },
		"class bins have 1 hits for 2 rows":                                func(s *SampleScores) { s.Classes.Hits[14] = 1 },
		"tail 0: probability 1 of class -1":                                func(s *SampleScores) { s.Classes.Tail.Class[0] = -1 },
		"tail 1: probability 1 of class 1":                                 func(s *SampleScores) { s.Classes.Tail.Class[1] = 1 },
		"tail 0: probability 0.01 of class 0":                              func(s *SampleScores) { s.Classes.Tail.Prob[0] = TailLimit },
		"tail 1: probability 1.5 of class 0":                               func(s *SampleScores) { s.Classes.Tail.Prob[1] = 1.5 },
		"tail 1 is not in order":                                           func(s *SampleScores) { s.Classes.Tail.Prob[1] = .5 },
		"largest probabilities, bin 13: -1":                                func(s *SampleScores) { s.Classes.Top.Rows[13] = -1 },
		"largest probabilities, bin 12: 0":                                 func(s *SampleScores) { s.Classes.Top.Hits[12] = -1 },
		"largest probabilities, bin 11: 0":                                 func(s *SampleScores) { s.Classes.Top.Hits[11] = 1 },
		"largest probabilities, bin 14: 2":                                 func(s *SampleScores) { s.Classes.Top.Conf[14] = 2.0001 },
		"largest probabilities, bin 10: 0":                                 func(s *SampleScores) { s.Classes.Top.Conf[10] = -.5 },
		"largest probabilities: bins of 3 rows, b":                         func(s *SampleScores) { s.Classes.Top.Rows[0] = 1 },
		"class bins, 2: residuals of 0 and squares of -1":                  func(s *SampleScores) { s.Classes.GroupSquare[2*Groups] = -1 },
		"class bins, 14: residuals of 0 and squares of 2.001":              func(s *SampleScores) { s.Classes.GroupSquare[14*Groups+3] = 2.001 },
		"class bins, 14: its groups are not its rows":                      func(s *SampleScores) { s.Classes.GroupRows[14*Groups+4] = 1 },
		"class bins, 14: residuals of 0 and squares of 0 in a group of -1": func(s *SampleScores) { s.Classes.GroupRows[14*Groups] = -1 },
		"class bins, 0: residuals of 0.1 and":                              func(s *SampleScores) { s.Classes.GroupResidual[0] = .1 },
		"largest probabilities, 14: its groups are":                        func(s *SampleScores) { s.Classes.Top.GroupResidual[14*Groups+3] = .1 },
		"row 1: isotonic_linf is 1.1":                                      func(s *SampleScores) { s.Vectors.Isotonic.LInf[1] = 1.1 },
		"row 0: ts_brier is -1":                                            func(s *SampleScores) { s.Vectors.Brier[0] = -1 },
	} {
		s := full()
		if spoil(s); s.check() == nil || !strings.HasPrefix(s.check().Error(), want) {
			t.Errorf("%v, want %s", s.check(), want)
		}
	}
	more := full()
	b := more.Classes
	b.Rows, b.Hits, b.Conf = append(b.Rows, 2), append(b.Hits, 0), append(b.Conf, 0)
	if err := more.check(); err == nil || !strings.Contains(err.Error(), "unequal length") {
		t.Errorf("16 bins: %v", err)
	}
	second := full() // bins of a second class are named by it
	b = second.Classes
	b.Rows, b.Hits, b.Conf = append(b.Rows, b.Rows...), append(b.Hits, make([]int32, 15)...), append(b.Conf, b.Conf...)
	b.GroupRows, b.GroupResidual, b.GroupSquare = append(b.GroupRows, b.GroupRows...), append(b.GroupResidual, b.GroupResidual...), append(b.GroupSquare, b.GroupSquare...)
	b.GroupResidual[(15+14)*Groups+3] = -2
	if err := second.check(); err != nil {
		t.Error(err)
	}
	b.Conf[15+3] = -1
	if err := second.check(); err == nil || !strings.HasPrefix(err.Error(), "class 1, bin 3: ") {
		t.Error(err)
	}
	b.Conf[15+3], b.Rows[15] = 0, 1
	if err := second.check(); err == nil || !strings.HasPrefix(err.Error(), "class 1: bins of 3 rows") {
		t.Error(err)
	}
}

// Encoded scores have the columns of their kind and fit the memory that is reserved.
func TestEncodedScoresFitTheirMemory(t *testing.T) {
	s := full()
	top := &SampleScores{}
	if err := top.AppendTopLabel([]int32{1, 0}, []float64{0, 1}, []int32{1, 1}); err != nil {
		t.Fatal(err)
	}
	const n, k = 5000, 100
	rng := rand.New(rand.NewPCG(1, 1))
	large, tally, p := scored(rng, n), NewClassTally(k), data.NewProbs(n, k)
	for i := range n {
		p.Row(i)[i%k], p.Row(i)[(i+1)%k] = .5, .5
	}
	tally.Add(0, p, make([]int32, n))
	large.Classes, large.Vectors = tally.Bins(), NewVectorScores(n)
	for _, s := range []*SampleScores{s, top, scored(rng, n), large} {
		body, err := s.AppendEncoded(nil)
		if err != nil || cap(body) > len(body)+16384 { // memory that grows doubles
			t.Errorf("%d bytes in %d (%v)", len(body), cap(body), err)
		}
		if again, err := Decode(body); err != nil || !reflect.DeepEqual(again.Conf, s.Conf) || again.TopLabel != s.TopLabel {
			t.Errorf("decoded: top-label %v (%v)", again != nil && again.TopLabel, err)
		}
	}
	s.Changed = nil
	if _, err := s.AppendEncoded(nil); err == nil || !strings.Contains(err.Error(), "without the uncalibrated predictions") {
		t.Errorf("scores without the uncalibrated predictions: %v", err)
	}
}

// Memory grows with rows and classes.
func TestMemoryOfTallies(t *testing.T) {
	if a, b := ClassBytes(0, 7), ClassBytes(11, 7); a != 7*15*(16+40*Groups) || b-a != 11*tailBytes {
		t.Errorf("class bins take %d and %d bytes", a, b)
	}
	if got := VectorBytes(11, 7); got != 11*(7*16+vectorRowBytes) {
		t.Errorf("vectors take %d bytes", got)
	}
}

// A probability of exactly the limit is not in the tail. Of equal ones the rows without a
// hit come first, in any order of the rows.
func TestTailIsInOneOrder(t *testing.T) {
	rows := [][]float64{{.5, .49, TailLimit}, {.5, .49, TailLimit}, {.5, .5, 0}, {.5, .5, 0}}
	labels := []int32{0, 1, 0, 1}
	var want *ClassBins
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 3, 1}} {
		tally := NewClassTally(3)
		for _, i := range order {
			tally.Add(i, table(rows[i]), labels[i:i+1])
		}
		got := tally.Bins()
		if want == nil {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("order %v: %+v, want %+v", order, got.Tail, want.Tail)
		}
	}
	if tail := want.Tail; !slices.Equal(tail.Class, []int32{0, 0, 0, 0, 1, 1, 1, 1}) || !slices.Equal(tail.Prob, []float64{.5, .5, .5, .5, .49, .49, .5, .5}) ||
		!slices.Equal(tail.Hit, []bool{false, false, true, true, false, true, false, true}) {
		t.Errorf("tail %+v", tail)
	}
}

// Shapes that disagree panic.
func TestShapesThatDisagreePanic(t *testing.T) {
	p := table([]float64{.5, .5}, []float64{.5, .5})
	set := logits([]int32{0, 1}, []float32{0, 0}, []float32{0, 0})
	for name, f := range map[string]func(){
		"labels": func() { (&SampleScores{}).AppendProbs(p, &data.Set{Labels: set.Labels[:1]}) },
		"rows of logits": func() {
			(&SampleScores{}).AppendProbs(p, &data.Set{Labels: set.Labels, Logits: set.Logits.Slice(0, 1)})
		},
		"classes of logits": func() {
			(&SampleScores{}).AppendProbs(p, logits([]int32{0, 1}, []float32{0, 0, 0}, []float32{0, 0, 0}))
		},
		"classes of top labels": func() { (&SampleScores{}).AppendTopLabel([]int32{0}, []float64{.5, .5}, []int32{0, 0}) },
		"labels of top labels":  func() { (&SampleScores{}).AppendTopLabel([]int32{0, 0}, []float64{.5, .5}, []int32{0}) },
		"labels of scales": func() {
			AppendScaled([]*SampleScores{{}}, &data.Set{Labels: set.Labels[:1], Logits: set.Logits}, []float64{1, 1})
		},
		"scales": func() { AppendScaled([]*SampleScores{{}}, set, []float64{1}) },
	} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "scoring: ") {
					t.Errorf("%s: no panic of this package", name)
				}
			}()
			f()
		}()
	}
}
