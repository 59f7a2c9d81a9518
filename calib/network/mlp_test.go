package network

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

func TestMLPHasItsNumberOfParameters(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		want  int
	}{{[]int{10, 5, 5}, 91}, {[]int{1, 16, 16}, 321}, {[]int{3}, 4}, {[]int{2, 4}, 17}} {
		if got := (mlp{c.sizes}).Size(); got != c.want {
			t.Errorf("%v: %d parameters, want %d", c.sizes, got, c.want)
		}
	}
}

func TestMLPForwardByHand(t *testing.T) {
	m := mlp{[]int{2, 2}}
	w := []float64{1, -1, 0.5, 2, 1, -10, 3, 4, 0.25} // the second unit is off
	hidden := make([]float64, 2)
	if got, want := m.Forward(w, []float64{2, 1}, hidden), 3*1.5+0.25; got != want || !slices.Equal(hidden, []float64{1.5, 0}) {
		t.Errorf("output %v, want %v; hidden %v", got, want, hidden)
	}
}

func TestMLPGradientAgreesWithDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, sizes := range [][]int{{3}, {2, 4}, {10, 5, 5}, {1, 16, 16}, {4, 3, 7, 2}} {
		m := mlp{sizes}
		w := m.Initial(rng, true, func(in, _ int) float64 { return 1 })
		x, hidden, grad := make([]float64, sizes[0]), make([]float64, m.Units()), make([]float64, m.Size())
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		m.Forward(w, x, hidden)
		m.Backward(grad, w, x, hidden, 0.7)
		want := fd.Gradient(nil, func(w []float64) float64 { return 0.7 * m.Forward(w, x, hidden) }, w, &fd.Settings{Formula: fd.Central, Step: 1e-6})
		if !testset.Near(grad, want, 1e-8) {
			t.Errorf("%v: gradient %v, differences %v", sizes, grad, want)
		}
	}
}

// Weights, and biases that are asked for, are uniform in [-b, b]; other biases are 0.
func TestInitialWeightsAreUniform(t *testing.T) {
	m := mlp{[]int{50, 400}}
	for _, biases := range []bool{false, true} {
		w := m.Initial(rand.New(rand.NewPCG(2, 2)), biases, func(in, _ int) float64 { return 1 / float64(in) })
		sums := [2][2]float64{} // of weights and biases of the hidden units: values and squares
		for u := range 400 {
			for j, v := range w[u*51 : (u+1)*51] {
				kind := 0
				if j == 50 {
					kind = 1
				}
				sums[kind][0] += v
				sums[kind][1] += v * v
				if math.Abs(v) > .02 {
					t.Fatalf("unit %d: %v, beyond 1/50", u, v)
				}
			}
		}
		variance := .02 * .02 / 3
		if mean := sums[0][0] / 20000; !(math.Abs(mean) <= 4*math.Sqrt(variance/20000)) || !(math.Abs(sums[0][1]/20000/variance-1) <= .05) {
			t.Errorf("weights: mean %v, variance %v", mean, sums[0][1]/20000)
		}
		switch mean := sums[1][0] / 400; {
		case !biases && sums[1][1] != 0:
			t.Errorf("biases of mean %v", mean)
		case biases && (!(math.Abs(mean) <= 4*math.Sqrt(variance/400)) || !(math.Abs(sums[1][1]/400/variance-1) <= .3)):
			t.Errorf("biases: mean %v, variance %v", mean, sums[1][1]/400)
		}
	}
}

// Saved weights are rejected if there are more or fewer than parameters, or one is outside
// [-1e6, 1e6].
func TestChecksWeights(t *testing.T) {
	m := mlp{[]int{2}}
	for _, c := range []struct {
		w  []float64
		ok bool
	}{
		{[]float64{1, -1e6, 1e6}, true}, {[]float64{1, 2}, false}, {[]float64{1, 2, 3, 4}, false},
		{[]float64{1, 2, 1.1e6}, false}, {[]float64{-1.1e6, 2, 1}, false}, {[]float64{0, math.NaN(), 0}, false},
	} {
		if err := m.CheckWeights(c.w); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.w, err)
		}
	}
}

// Rows are in the order of falling confidence, then of the loss of their label, then of
// the offset of the logits, whatever their order was.
func TestRowsHaveAnOrderOfTheirOwn(t *testing.T) {
	logits := [][]float32{{9, 1, 1}, {3, 1, 1}, {3, 1, 1}, {4, 2, 2}, {0, 0, 0}}
	labels := []int32{1, 0, 2, 1, 1} // losses 8, 0, 2, 2, 0
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 3, 4, 1}} {
		set := &data.Set{Logits: data.NewMatrix(5, 3)}
		for i, from := range order {
			copy(set.Logits.Row(i), logits[from])
			set.Labels = append(set.Labels, labels[from])
		}
		got := inOwnOrder(set)
		for i, row := range logits {
			if !slices.Equal(got.Logits.Row(i), row) || got.Labels[i] != labels[i] {
				t.Errorf("from %v: row %d is %v with label %d, want %v with %d", order, i, got.Logits.Row(i), got.Labels[i], row, labels[i])
			}
		}
	}
}
