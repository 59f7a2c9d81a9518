package network

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
// rectified linear units max(W x + b, 0), then a linear layer. Its parameters are
// one vector, layer by layer; the weights of a unit are followed by its bias. It
// computes in float64, row by row and without a library, so its bits are the same on
// every processor. (The large network of adats is in package calib.)
type mlp struct {
	Sizes []int // inputs, then the hidden layers
}

// Size returns the number of parameters.
func (m mlp) Size() int {
	total := 0
	m.each(func(in, out int) { total += (in + 1) * out })
	return total
}

// each calls do for every layer, including the output.
func (m mlp) each(do func(in, out int)) {
	for l, in := range m.Sizes {
		out := 1
		if l+1 < len(m.Sizes) {
			out = m.Sizes[l+1]
		}
		do(in, out)
	}
}

// Units returns the number of hidden units.
func (m mlp) Units() int {
	total := 0
	for _, size := range m.Sizes[1:] {
		total += size
	}
	return total
}

// Initial draws weights, and biases if biases is set, uniformly in [-b, b] with
// b = bound(inputs, outputs). Other biases are 0.
func (m mlp) Initial(rng *rand.Rand, biases bool, bound func(in, out int) float64) []float64 {
	w := make([]float64, 0, m.Size())
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

// Forward returns the output of the network with parameters w for the inputs x, and
// writes the values of the hidden units to hidden.
func (m mlp) Forward(w, x, hidden []float64) float64 {
	for _, out := range m.Sizes[1:] {
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

// Backward adds the gradient of a loss in the parameters to grad. slope is the
// derivative of the loss in the output, and hidden the values that Forward wrote.
// They are overwritten with derivatives.
func (m mlp) Backward(grad, w, x, hidden []float64, slope float64) {
	layers := len(m.Sizes)
	end, top := len(w), len(hidden)
	delta := []float64{slope}
	for l := layers - 1; l >= 0; l-- {
		in := m.Sizes[l]
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

// CheckWeights rejects saved parameters of another number, or outside [-1e6, 1e6].
func (m mlp) CheckWeights(w []float64) error {
	if len(w) != m.Size() {
		return fmt.Errorf("%d weights, want %d", len(w), m.Size())
	}
	for i, v := range w {
		if !(math.Abs(v) <= 1e6) {
			return fmt.Errorf("weights[%d] = %v: want one in [-1e6, 1e6]", i, v)
		}
	}
	return nil
}

// inOwnOrder returns a copy of set with its rows in an order that depends on their
// content alone, so that a network trained on them does not depend on the order of
// set. The order is by falling confidence, then by the loss of the label, then by the
// offset of the logits. Rows that are equal in all three are equal for a network.
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
