package engine

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics/scoring"
)

// numbered returns n rows of 3 logits of which the first is the number of the row, with random labels.
func numbered(n int) *data.Set {
	rng := rand.New(rand.NewPCG(8, 1))
	set := &data.Set{Logits: data.NewMatrix(n, 3), Labels: make([]int32, n)}
	for i := range n {
		copy(set.Logits.Row(i), []float32{float32(i), float32(rng.NormFloat64()), float32(rng.NormFloat64())})
		set.Labels[i] = int32(rng.IntN(3))
	}
	return set
}

func numbers(set *data.Set) (list []int) {
	for i := range set.Len() {
		list = append(list, int(set.Logits.Row(i)[0]))
	}
	return list
}

// Each row is in one fold and in the rest of the other four, whatever its label.
func TestFoldsPartTheRows(t *testing.T) {
	set := numbered(203)
	f, err := Fold(set)
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for k := range Folds {
		held, rest := numbers(f.Only(k)), numbers(f.Without(k))
		if lo, hi := f.Edges(k); hi-lo != len(held) || lo != len(all) {
			t.Errorf("fold %d: rows %d to %d, %d held", k, lo, hi, len(held))
		}
		if len(held) < 40 || len(held)+len(rest) != 203 {
			t.Errorf("fold %d: %d rows and %d others", k, len(held), len(rest))
		}
		both := slices.Sorted(slices.Values(append(slices.Clone(held), rest...)))
		for i, row := range both {
			if i != row {
				t.Fatalf("fold %d: row %d is not in its place: %v", k, i, both)
			}
		}
		all = append(all, held...)
	}
	relabelled := *set
	relabelled.Labels = make([]int32, 203)
	if other, err := Fold(&relabelled); err != nil || f.Len() != 203 || !slices.Equal(numbers(other.set), numbers(f.set)) {
		t.Error("other labels are dealt into other folds")
	}
}

// average predicts the mean share of each class of the rows that it has seen, and notes them.
type average struct{ seen *[]int }

func (average) String() string { return "average" }
func (average) Contract() calib.Contract {
	return calib.Contract{Cal: data.Logits | data.Labels, Test: data.Logits}
}

func (a average) Fit(_ context.Context, in calib.Input) (*calib.Fitted, error) {
	*a.seen = numbers(in.Cal)
	m := shares{0, 0, 0}
	for _, y := range in.Cal.Labels {
		m[y] += 1 / float64(in.Cal.Len())
	}
	return &calib.Fitted{Map: m}, nil
}

type shares [3]float64

func (shares) Check() error { return nil }

func (s shares) Apply(dst data.Probs, set *data.Set) {
	for i := range dst.Rows {
		copy(dst.Row(i), s[:])
	}
}

// The rows of a fold are scored by a fit that has seen all others and none of them.
func TestCrossScoresUnseenRows(t *testing.T) {
	set := numbered(100)
	f, err := Fold(set)
	if err != nil {
		t.Fatal(err)
	}
	scores := scoring.Zeros(100)
	tally := scoring.NewShareTally(3)
	var expected [3]float64
	for k := range Folds {
		var seen []int
		lo, hi := f.Edges(k)
		c := &Column{Samples: scores.Part(lo, hi), Shares: tally}
		if err := f.Cross(t.Context(), average{&seen}, calib.Input{}, k, c); err != nil {
			t.Fatal(err)
		}
		held := numbers(f.Only(k))
		if len(seen)+len(held) != 100 || slices.ContainsFunc(held, func(row int) bool { return slices.Contains(seen, row) }) {
			t.Errorf("fold %d: %v is fitted on, %v scored", k, seen, held)
		}
		for i, row := range held {
			p := c.Map.(shares)[set.Labels[row]]
			if got := scores.NLL[lo+i]; math.Abs(got+math.Log(p)) > 1e-9 {
				t.Errorf("row %d: NLL %v, want %v", row, got, -math.Log(p))
			}
		}
		for j := range expected {
			expected[j] += float64(len(held)) * c.Map.(shares)[j]
		}
	}
	for j, c := range tally.Classes() {
		if math.Abs(c.Expected-expected[j]) > 1e-9 {
			t.Errorf("class %d: %v rows expected, want %v", j, c.Expected, expected[j])
		}
	}
}
