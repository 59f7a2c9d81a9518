package neighbours

import (
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// kernelBank holds m calibration rows of k classes. The estimate at probabilities p is
//
//	q_j = sum over the rows i of class j of K_i(p) / sum over all rows of K_i(p),
//
// where K_i is the density of a Dirichlet distribution with the parameters
// alpha_ij = p_ij/b + 1, whose mode is at row i,
//
//	log K_i(p) = sum_j (alpha_ij - 1) log p_j - log B(alpha_i),
//	log B(alpha) = sum_j log Gamma(alpha_j) - log Gamma(sum_j alpha_j).
//
// Probabilities are limited to [1e-10, 1 - 1e-10].
type kernelBank struct {
	Classes   int                 `json:"classes"`   // k
	Bandwidth float64             `json:"bandwidth"` // b
	Labels    []int32             `json:"labels"`    // m
	Logits    fit.Packed[float32] `json:"logits"`    // m x k

	exponents *linear.Packed // alpha - 1, m x k
	constants []float64      // m, -log B(alpha_i)
}

const (
	// mostBankNumbers is the largest m k. Each takes 12 bytes of memory, and 5.3 in a model.
	mostBankNumbers = 10_000_000

	// leastBandwidth and mostBandwidth bound b.
	leastBandwidth = 1e-4
	mostBandwidth  = 100.0

	kernelLeast = 1e-10 // probability
	kernelRows  = 32    // whose kernels are computed at a time
)

// scott returns the bandwidth n^(-2/(d+4)), d = k - 1, at least 1: Scott's rule for the
// squared width.
func scott(n, k int) float64 {
	return softmax.Exp(-2 * softmax.Log(float64(n)) / float64(max(1, k-1)+4))
}

// Prepared returns b, fitted or read from a file and checked, ready for Estimate.
func (b kernelBank) Prepared() kernelBank {
	m, k := len(b.Labels), b.Classes
	exponents := make([]float64, m*k)
	b.constants = make([]float64, m)
	for i := range b.constants {
		row := exponents[i*k : (i+1)*k]
		sum := 0.0
		kernelLogProbs(row, b.Logits[i*k:(i+1)*k])
		softmax.Exps(row, row)
		for j, p := range row {
			row[j] = p / b.Bandwidth
			sum += row[j] + 1
			b.constants[i] -= logGamma(row[j] + 1)
		}
		b.constants[i] += logGamma(sum)
	}
	b.exponents = linear.Pack(exponents, m, k)
	return b
}

// kernelLogProbs writes the logarithms of the limited probabilities of a row.
func kernelLogProbs(dst []float64, logits []float32) {
	logLeast, logMost := softmax.Log(kernelLeast), softmax.Log(1-kernelLeast)
	fit.LogProbs(dst, logits)
	for j, log := range dst {
		dst[j] = min(max(log, logLeast), logMost)
	}
}

// Estimate writes the n x k estimates.
func (b *kernelBank) Estimate(dst data.Probs, logits data.Matrix) {
	m, k := len(b.Labels), b.Classes
	x, kernels := make([]float64, kernelRows*k), make([]float64, kernelRows*m)
	for lo := 0; lo < logits.Rows; lo += kernelRows {
		n := min(kernelRows, logits.Rows-lo)
		for i := range n {
			kernelLogProbs(x[i*k:(i+1)*k], logits.Row(lo+i))
		}
		b.exponents.Times(kernels[:n*m], x[:n*k])
		for i := range n {
			row, q := kernels[i*m:(i+1)*m], dst.Row(lo+i)
			most := math.Inf(-1)
			for j, c := range b.constants {
				row[j] += c
				most = max(most, row[j])
			}
			for j := range row {
				row[j] -= most
			}
			softmax.Exps(row, row)
			clear(q)
			for j, y := range b.Labels {
				q[y] += row[j]
			}
			softmax.Normalise(q)
		}
	}
}

// Check rejects banks that no fit returns.
func (b *kernelBank) Check() error {
	m, k := len(b.Labels), b.Classes
	switch {
	case k < 1 || m < 1 || m > mostBankNumbers/k || len(b.Logits) != m*k:
		return fmt.Errorf("%d logits, want %d rows of %d classes, at most %d in all", len(b.Logits), m, k, mostBankNumbers)
	case !(b.Bandwidth >= leastBandwidth && b.Bandwidth <= mostBandwidth):
		return fmt.Errorf("bandwidth = %v is outside [%v, %v]", b.Bandwidth, leastBandwidth, mostBandwidth)
	}
	for i, y := range b.Labels {
		if y < 0 || int(y) >= k {
			return fmt.Errorf("labels[%d] = %d: want a class from 0 to %d", i, y, k-1)
		}
	}
	for _, l := range b.Logits {
		if !(math.Abs(float64(l)) <= math.MaxFloat32) {
			return errors.New("a logit is not finite")
		}
	}
	return nil
}

// logGamma returns the logarithm of the gamma function of x >= 1. The error is below
// 1e-14, or 1e-14 of the result if that is above 1. Its bits do not depend on the
// processor, unlike those of math.Lgamma, whose products Go may fuse with sums.
func logGamma(x float64) float64 {
	product := 1.0 // of x, x+1, ... up to 15
	for x < 15 {
		product *= x
		x++
	}
	// Stirling's series, 1/(12x) - 1/(360x^3) + ...; the next term is below 1e-16.
	y := 1 / (x * x)
	series := 1.0 / 1188
	for _, c := range [...]float64{-1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12} {
		series = float64(series*y) + c
	}
	const halfLog2Pi = 0.91893853320467274178
	return float64((x-0.5)*softmax.Log(x)) - x + halfLog2Pi + series/x - softmax.Log(product)
}
