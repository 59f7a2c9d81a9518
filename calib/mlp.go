package calib

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// mlp is a small multilayer perceptron with one output: hidden layers of
// rectified linear units max(W x + b, 0), then a linear one. Its parameters are
// one vector, layer by layer, each unit's weights followed by its bias. It is
// float64 and works row by row without a library, so its bits are the same on
// every processor; the large network of adats is another matter.
type mlp struct {
	sizes []int // inputs, then the hidden layers
}

// size returns how many parameters there are.
func (m mlp) size() int {
	total := 0
	m.each(func(in, out int) { total += (in + 1) * out })
	return total
}

// each calls do for every layer, the output included.
func (m mlp) each(do func(in, out int)) {
	for l, in := range m.sizes {
		out := 1
		if l+1 < len(m.sizes) {
			out = m.sizes[l+1]
		}
		do(in, out)
	}
}

// units returns how many hidden units there are.
func (m mlp) units() int {
	total := 0
	for _, size := range m.sizes[1:] {
		total += size
	}
	return total
}

// initial draws weights, and biases if asked, uniformly within bound(inputs,
// outputs) of 0.
func (m mlp) initial(rng *rand.Rand, biases bool, bound func(in, out int) float64) []float64 {
	w := make([]float64, 0, m.size())
	m.each(func(in, out int) {
		b := bound(in, out)
		for range out {
			for range in {
				w = append(w, b*(2*rng.Float64()-1))
			}
			bias := 0.0
			if biases {
				bias = b * (2*rng.Float64() - 1)
			}
			w = append(w, bias)
		}
	})
	return w
}

// forward returns the output of the network with parameters w for the inputs x
// and leaves the values of the hidden units in hidden.
func (m mlp) forward(w, x, hidden []float64) float64 {
	for _, out := range m.sizes[1:] {
		in := len(x)
		for u := range out {
			unit := w[u*(in+1) : (u+1)*(in+1)]
			sum := unit[in]
			for j, v := range x {
				sum += float64(unit[j] * v)
			}
			hidden[u] = max(sum, 0)
		}
		w = w[(in+1)*out:]
		x, hidden = hidden[:out], hidden[out:]
	}
	sum := w[len(x)]
	for j, v := range x {
		sum += float64(w[j] * v)
	}
	return sum
}

// backward adds to grad the gradient in the parameters of a loss whose
// derivative in the output is slope, given what forward left in hidden, which
// it overwrites with derivatives.
func (m mlp) backward(grad, w, x, hidden []float64, slope float64) {
	layers := len(m.sizes)
	end, top := len(w), len(hidden)
	delta := []float64{slope}
	for l := layers - 1; l >= 0; l-- {
		in := m.sizes[l]
		end -= (in + 1) * len(delta)
		below := x
		if l > 0 {
			top -= in
			below = hidden[top : top+in]
		}
		for u, d := range delta {
			if d == 0 {
				continue
			}
			g := grad[end+u*(in+1) : end+(u+1)*(in+1)]
			for j, v := range below {
				g[j] += float64(d * v)
			}
			g[in] += d
		}
		if l == 0 {
			return
		}
		for j, v := range below {
			sum := 0.0
			if v > 0 {
				for u, d := range delta {
					sum += float64(d * w[end+u*(in+1)+j])
				}
			}
			below[j] = sum
		}
		delta = below
	}
}

// adam is the state of the method of Kingma and Ba (2015) with its customary
// constants, in float64.
type adam struct {
	first, second  []float64 // moments
	decay1, decay2 float64   // the constants to the power of the steps so far
}

func newAdam(size int) *adam {
	return &adam{make([]float64, size), make([]float64, size), 1, 1}
}

// step moves w against the gradient.
func (a *adam) step(w, gradient []float64, rate float64) {
	const decay1, decay2, tiny = 0.9, 0.999, 1e-8
	a.decay1 *= decay1
	a.decay2 *= decay2
	for i, g := range gradient {
		a.first[i] = float64(decay1*a.first[i]) + float64((1-decay1)*g)
		a.second[i] = float64(decay2*a.second[i]) + float64((1-decay2)*float64(g*g))
		root := math.Sqrt(a.second[i]/(1-a.decay2)) + tiny
		w[i] -= float64(rate * (a.first[i] / (1 - a.decay1) / root))
	}
}

// checkWeights refuses saved parameters that are no numbers or not as many.
func (m mlp) checkWeights(w []float64) error {
	if len(w) != m.size() {
		return fmt.Errorf("%d weights, want %d", len(w), m.size())
	}
	for i, v := range w {
		if !(math.Abs(v) <= 1e6) {
			return fmt.Errorf("weights[%d] = %v: want one in [-1e6, 1e6]", i, v)
		}
	}
	return nil
}

// inOwnOrder returns a copy of set with its rows in an order that depends on
// what they are and not on where they stand, so that neither does a network
// trained on them: by falling confidence, then by the loss of the label, then
// by the offset of the logits. What is then equal is equal to a network.
func inOwnOrder(set *data.Set) *data.Set {
	order := make([]int, set.Logits.Rows)
	most, loss := make([]float64, len(order)), make([]float64, len(order))
	for i := range order {
		row := set.Logits.Row(i)
		order[i] = i
		most[i] = float64(row[fit.TopClass(row)])
		loss[i] = most[i] - float64(row[set.Labels[i]])
	}
	tails := make([]float64, len(order))
	softmax.Tails(tails, set.Logits.Data, set.Logits.Cols)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(tails[a], tails[b]), cmp.Compare(loss[a], loss[b]), cmp.Compare(most[a], most[b]))
	})
	return fit.Pick(set, order)
}
