package scoring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// hardLogits returns n rows of k logits with labels: normal ones, ties, rows
// whose confidence rounds to 1, gaps that underflow, equal logits.
func hardLogits(rng *rand.Rand, n, k int) *data.Set {
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range n {
		row := set.Logits.Row(i)
		spread := []float64{.1, 3, 3, 12, 60, 2000}[rng.IntN(6)]
		for j := range row {
			row[j] = float32(spread * rng.NormFloat64())
			if i%3 == 0 {
				row[j] = float32(math.Round(float64(row[j])))
			}
		}
		if i%17 == 0 {
			for j := range row {
				row[j] = 5
			}
		}
		set.Labels[i] = rng.Int32N(int32(k))
		if rng.IntN(2) == 0 {
			set.Labels[i] = int32(argmax(row))
		}
	}
	return set
}

// For any number of maps and blocks of any size.
func TestScaledScoresAreThoseOfProbabilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for _, k := range []int{1, 2, 3, 10, 300} {
		const n, m = 200, 3
		set := hardLogits(rng, n, k)
		scales := make([]float64, n*m)
		var got, want [m]*SampleScores
		p := data.NewProbs(n, k)
		for c := range m {
			got[c], want[c] = New(n), &SampleScores{}
			for i := range n {
				s := []float64{1, 1 / 1.7, .2 + 3*rng.Float64()}[c]
				if i%50 == 7 {
					s = []float64{0, 1e6, 1e-6}[c]
				}
				scales[i*m+c] = s
				softmax.Probs(p.Row(i), set.Logits.Row(i), s)
			}
			if err := want[c].AppendProbs(p, set); err != nil {
				t.Fatal(err)
			}
		}
		for lo := 0; lo < n; {
			hi := min(n, lo+1+rng.IntN(100))
			if err := AppendScaled(got[:], set.Rows(lo, hi), scales[lo*m:hi*m]); err != nil {
				t.Fatal(err)
			}
			lo = hi
		}
		for c := range m {
			for i := range n {
				what := fmt.Sprintf("k %d, map %d, row %d", k, c, i)
				near(t, what+": NLL", got[c].NLL[i], want[c].NLL[i], 1e-14*(1+want[c].NLL[i]))
				near(t, what+": Brier", got[c].Brier[i], want[c].Brier[i], 1e-14)
				near(t, what+": rest", got[c].Rest[i], want[c].Rest[i], 1e-13*want[c].Rest[i])
				if !(got[c].NLL[i] >= 0 && got[c].Brier[i] >= 0) {
					t.Errorf("%s: NLL %v, Brier %v", what, got[c].NLL[i], got[c].Brier[i])
				}
			}
			got[c].Rest, got[c].NLL, got[c].Brier = want[c].Rest, want[c].NLL, want[c].Brier
			if !reflect.DeepEqual(got[c], want[c]) {
				t.Errorf("k %d, map %d: confidence, prediction, label or change differ", k, c)
			}
		}
	}
}

func TestAppendScaledRejects(t *testing.T) {
	f, g := New(2), New(2)
	set := logits([]int32{0, 1}, []float32{1, 2}, []float32{2, 1})
	if err := AppendScaled([]*SampleScores{f, g}, set, []float64{1, 2, 1, 2}); err != nil {
		t.Fatal(err)
	}
	set.Labels = []int32{0, 2}
	err := AppendScaled([]*SampleScores{f, g}, set, []float64{1, 2, 1, 2})
	if want := "row 3: label 2, but the classes are 0 to 1"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if f.Len() != 2 || g.Len() != 2 {
		t.Error("a rejected block left rows behind")
	}
	if err := AppendScaled(nil, set, nil); err != nil {
		t.Error(err)
	}
}

func TestScaledScoresOfTwoClassesDoneByHand(t *testing.T) {
	f := New(2)
	set := logits([]int32{0, 1}, []float32{4, 0}, []float32{4, 0})
	if err := AppendScaled([]*SampleScores{f}, set, []float64{.5, .5}); err != nil {
		t.Fatal(err)
	}
	p := 1 / (1 + math.Exp(-2))
	near(t, "conf", f.Conf[0], p, 1e-16)
	near(t, "NLL, right", f.NLL[0], -math.Log(p), 1e-15)
	near(t, "NLL, wrong", f.NLL[1], math.Log1p(math.Exp(2)), 1e-15)
	near(t, "Brier, right", f.Brier[0], 2*(1-p)*(1-p), 1e-15)
	near(t, "Brier, wrong", f.Brier[1], 2*p*p, 1e-15)
}
