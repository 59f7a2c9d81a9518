package scoring

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/qats-bench/qats/data"
)

// tallied returns the scores of n rows of k probabilities with their class bins.
func tallied(t *testing.T, n, k int) (data.Probs, *data.Set, *SampleScores) {
	t.Helper()
	rng := rand.New(rand.NewPCG(34, 1))
	p, set := data.NewProbs(n, k), hardLogits(rng, n, k)
	for i := range n {
		sum := 0.0
		for j := range k {
			p.Row(i)[j] = rng.ExpFloat64()
			sum += p.Row(i)[j]
		}
		for j := range k {
			p.Row(i)[j] /= sum
		}
	}
	s := New(n)
	if err := s.AppendProbs(p, set); err != nil {
		t.Fatal(err)
	}
	tally := NewClassTally(k)
	tally.Add(0, p, set.Labels)
	s.Classes = tally.Bins()
	return p, set, s
}

// clone returns bins with lists of their own.
func clone(b Bins) Bins {
	return Bins{slices.Clone(b.Rows), slices.Clone(b.Hits), slices.Clone(b.Conf), slices.Clone(b.GroupRows), slices.Clone(b.GroupResidual), slices.Clone(b.GroupSquare)}
}

func TestClassBinsCountEveryRowOfEveryClass(t *testing.T) {
	const n, k = 300, 4
	p, set, s := tallied(t, n, k)
	for j := range k {
		var rows, hits [BinsPerClass]int32
		var conf [BinsPerClass]float64
		var groupRows [BinsPerClass][Groups]int32
		var residual, square [BinsPerClass][Groups]float64
		for i := range n {
			b := 0
			for b+1 < BinsPerClass && BinsPerClass*p.Row(i)[j] > float64(b+1) {
				b++
			}
			rows[b]++
			conf[b] += p.Row(i)[j]
			r := -p.Row(i)[j]
			if int(set.Labels[i]) == j {
				hits[b]++
				r++
			}
			square[b][group(i)] += r * r
			groupRows[b][group(i)]++
			residual[b][group(i)] += r
		}
		for b := range BinsPerClass {
			at := BinsPerClass*j + b
			if s.Classes.Rows[at] != rows[b] || s.Classes.Hits[at] != hits[b] {
				t.Errorf("class %d, bin %d: %d rows and %d hits, want %d and %d", j, b, s.Classes.Rows[at], s.Classes.Hits[at], rows[b], hits[b])
			}
			near(t, "sum of probabilities", s.Classes.Conf[at], conf[b], 1e-12)
			for g := range Groups {
				if s.Classes.GroupRows[at*Groups+g] != groupRows[b][g] {
					t.Errorf("class %d, bin %d, group %d: %d rows, want %d", j, b, g, s.Classes.GroupRows[at*Groups+g], groupRows[b][g])
				}
				near(t, "squares of a group", s.Classes.GroupSquare[at*Groups+g], square[b][g], 1e-12)
				near(t, "residuals of a group", s.Classes.GroupResidual[at*Groups+g], residual[b][g], 1e-12)
			}
		}
	}
}

func TestBlocksOfClassBinsChangeNoBit(t *testing.T) {
	const n, k = 300, 4
	p, set, s := tallied(t, n, k)
	parts := NewClassTally(k)
	for lo := n; lo > 0; lo -= 20 { // from the end
		parts.Add(lo-20, p.Slice(lo-20, lo), set.Labels[lo-20:lo])
	}
	if !reflect.DeepEqual(parts.Bins(), s.Classes) {
		t.Error("blocks from the end give other bins")
	}
}

func TestDecodeReturnsClassBinsAndRejectsImpossibleOnes(t *testing.T) {
	_, _, s := tallied(t, 300, 4)
	encode := func() []byte {
		body, err := s.AppendEncoded(nil)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	again, err := Decode(encode())
	if err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("the class bins changed, %v", err)
	}
	good := *s.Classes
	for name, spoil := range map[string]func(*ClassBins){
		"a hit too many":         func(b *ClassBins) { b.Hits[0]++ },
		"a row too few":          func(b *ClassBins) { b.Rows[0]-- },
		"a negative probability": func(b *ClassBins) { b.Conf[3] = -1 },
		"a missing bin":          func(b *ClassBins) { b.Rows, b.Hits, b.Conf = b.Rows[1:], b.Hits[1:], b.Conf[1:] },
		"columns that differ":    func(b *ClassBins) { b.Conf = b.Conf[1:] },
		"a tail out of order":    func(b *ClassBins) { b.Tail.Prob[0] = 1 },
		"a class too many":       func(b *ClassBins) { b.Tail.Class[len(b.Tail.Class)-1] = 4 },
		"a tail below its limit": func(b *ClassBins) { b.Tail.Prob[0] = .01 },
		"a short tail":           func(b *ClassBins) { b.Tail.Hit = b.Tail.Hit[1:] },
		"a negative square":      func(b *ClassBins) { b.GroupSquare[0] = -1 },
		"a square too large":     func(b *ClassBins) { b.GroupSquare[0] = float64(b.GroupRows[0]) + 1 },
		"a row of no group":      func(b *ClassBins) { b.GroupRows[0]-- },
		"a group below zero":     func(b *ClassBins) { b.GroupRows[0], b.GroupRows[1] = -1, b.GroupRows[1]+b.GroupRows[0]+1 },
		"a large residual":       func(b *ClassBins) { b.GroupResidual[0] = float64(b.GroupRows[0]) + 1 },
		"another residual":       func(b *ClassBins) { b.GroupResidual[0] += 1e-3 },
		"a residual of no size":  func(b *ClassBins) { b.GroupResidual[0] = math.NaN() },
		"a top row too many":     func(b *ClassBins) { b.Top.Rows[14]++ },
		"a top hit too many":     func(b *ClassBins) { b.Top.Hits[14] = 301 },
		"a top bin too few": func(b *ClassBins) {
			b.Top.Rows, b.Top.Hits, b.Top.Conf = b.Top.Rows[1:], b.Top.Hits[1:], b.Top.Conf[1:]
		},
	} {
		s.Classes = &ClassBins{clone(good.Bins), Tail{slices.Clone(good.Tail.Class), slices.Clone(good.Tail.Prob), slices.Clone(good.Tail.Hit)}, clone(good.Top)}
		spoil(s.Classes)
		if _, err := Decode(encode()); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestDecodeReturnsVectorsAndRejectsImpossibleOnes(t *testing.T) {
	_, _, s := tallied(t, 30, 4)
	s.Vectors = NewVectorScores(30)
	for j, m := range s.Vectors.members() {
		for i := range *m.column {
			(*m.column)[i] = float64(i+j) / 60
		}
	}
	encode := func() []byte {
		body, err := s.AppendEncoded(nil)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	again, err := Decode(encode())
	if err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("the vectors changed, %v", err)
	}
	for name, spoil := range map[string]func(*VectorScores){
		"a negative NLL": func(v *VectorScores) { v.NLL[3] = -1 },
		"a Brier score":  func(v *VectorScores) { v.Brier[3] = 2.1 },
		"a term of Linf": func(v *VectorScores) { v.Isotonic.LInf[3] = 1.5 },
		"NaN":            func(v *VectorScores) { v.Temperature.L1[0] = math.NaN() },
		"a row too few":  func(v *VectorScores) { v.Temperature.L2 = v.Temperature.L2[1:] },
	} {
		good := s.Vectors
		s.Vectors = NewVectorScores(30)
		spoil(s.Vectors)
		if _, err := Decode(encode()); err == nil {
			t.Errorf("%s was accepted", name)
		}
		s.Vectors = good
	}
}

func TestAnEmptyTailSurvivesEncoding(t *testing.T) {
	const n, k = 3, 200
	p, set := data.NewProbs(n, k), hardLogits(rand.New(rand.NewPCG(35, 1)), n, k)
	for i := range p.Data {
		p.Data[i] = 1. / k
	}
	s := New(n)
	if err := s.AppendProbs(p, set); err != nil {
		t.Fatal(err)
	}
	tally := NewClassTally(k)
	tally.Add(0, p, set.Labels)
	s.Classes = tally.Bins()
	if len(s.Classes.Tail.Class) != 0 {
		t.Fatalf("tail %v of probabilities of 1/200", s.Classes.Tail)
	}
	body, err := s.AppendEncoded(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(body)
	if err != nil || !slices.Equal(again.Classes.Top.Conf, s.Classes.Top.Conf) || len(again.Classes.Tail.Class) != 0 {
		t.Errorf("%+v, %v", again, err)
	}
}

// Rows in the order of their labels, or every third row, fill all groups alike.
func TestGroupsAreRandomParts(t *testing.T) {
	for _, step := range []int{1, 3, 16, 1000} {
		var rows [Groups]int
		for i := range 1600 {
			rows[group(i*step)]++
		}
		for g, n := range rows {
			if n < 60 || n > 140 { // 100 expected, standard deviation 9.7
				t.Errorf("step %d: group %d has %d of 1,600 rows", step, g, n)
			}
		}
	}
}
