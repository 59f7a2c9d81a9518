package network

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"gonum.org/v1/gonum/floats"
)

// SMART is sample margin-aware recalibration of temperature: a small network computes
// the temperature of a row from the gap between its two largest logits, standardised by
// mean and deviation on the calibration set. The loss is a smooth surrogate of the
// calibration error; see smartTrainer.loss. As in the authors' public benchmark, the
// hidden layers have rectified linear units, 321 parameters in all (the paper states
// fewer, so its own network may be smaller). It is trained by Adam at 0.005 on all rows
// at once. Training ends when the loss has not fallen by 1e-4 for a number of epochs.
//
// Starting weights are drawn from the seed of the cell, as torch draws them. The fit
// does not depend on the order of the rows or of the classes, and keeps a copy of the
// logits.
//
//   - Formula: p = softmax(l/T), T = softplus(network(standardised gap of the two
//     largest logits)) + 0.1, at most 1000, two layers of 16, by a smooth ECE
//   - Reference: Guo et al. 2026
//   - Compared with: Misakaaaaaz/calibench (the authors'); numpy
//   - Agreement: T to 1e-12 on drawn rows, with the same start and 20 steps
//   - Departures: The best epoch is returned. The authors' copy of the best network is
//     shallow, so they use the last epoch. Their code adds 1e-6 to denominators; ours
//     adds nothing.
type SMART struct {
	Epochs   int // at most; 0 means 2,000
	Patience int // epochs without a lower loss before training ends; 0 means 200
}

// SMARTEntry is the entry of SMART.
var SMARTEntry = calib.NewEntry[SMART, smartMap](calib.Entry{
	Name:    "smart",
	Label:   "SMART",
	Version: 2,
	Summary: "temperature by a small network of the logit gap, for a smooth ECE",
	Cost:    23_000,
	Cost100: 5000,
})

// String returns the name of the method.
func (SMART) String() string { return SMARTEntry.Name }

const (
	smartRate  = 0.005
	smartGain  = 1e-4 // the least decrease that counts as a lower loss
	smartFloor = 0.1  // the least temperature
)

// smartNet is the shape of the network.
func smartNet() mlp { return mlp{Sizes: []int{1, 16, 16}} }

// Options returns the options.
func (m *SMART) Options() []calib.Option {
	return []calib.Option{
		calib.IntOption("epochs", &m.Epochs, 2000, 1, math.MaxInt, "largest number of passes over the calibration set"),
		calib.IntOption("patience", &m.Patience, 200, 1, math.MaxInt, "epochs without a lower loss after which training ends"),
	}
}

// Contract needs logits and labels.
func (SMART) Contract() calib.Contract { return method.OfValues(method.Sized(method.LogitsContract())) }

// Fit trains the network. The report's iterations and passes are epochs. It has the
// gradient of the surrogate at the best network.
func (m SMART) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := method.Ready(m, in)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := newSMARTTrainer(inOwnOrder(in.Cal))
	rng := rand.New(rand.NewPCG(in.Seed, 0x736d617274)) // the stream of this method
	start := smartNet().Initial(rng, true, func(in, _ int) float64 { return 1 / math.Sqrt(float64(in)) })
	end, err := t.train(ctx, start, m)
	if err != nil {
		return nil, err
	}
	report := calib.Report{Gradient: end.gradient, Iterations: end.epochs, Passes: float64(end.epochs)}
	if end.waited < m.Patience {
		report.Warn(calib.Warning{Text: "the loss still fell {count} epochs before the last of {of}", Count: end.waited, Of: end.epochs})
	}
	return method.Reported(ctx, end.best, in.Cal, report)
}

// smartMap is the trained network.
type smartMap struct {
	Mean    float64   `json:"mean"`    // of the gap on the calibration rows, in logits
	Scale   float64   `json:"scale"`   // 1 over its standard deviation, 0 if it does not vary
	Weights []float64 `json:"weights"` // 321, in the order of network.MLP
}

func (m smartMap) Check() error {
	if !(math.Abs(m.Mean) <= math.MaxFloat32*2) || !(m.Scale >= 0 && m.Scale <= 1e300) {
		return fmt.Errorf("mean = %v, scale = %v: want |mean| <= %v and scale in [0, 1e300]", m.Mean, m.Scale, math.MaxFloat32*2)
	}
	return smartNet().CheckWeights(m.Weights)
}

// input returns the input of the network for a row.
func (m smartMap) input(row []float32) float64 { return (fit.TopGap(row) - m.Mean) * m.Scale }

// smartTemperature returns T of the network's output, and dT/d output. If the
// network overflowed to NaN, T is the largest temperature.
func smartTemperature(out float64) (t, slope float64) {
	if t = fit.Softplus(out) + smartFloor; !(t < fit.MaxT) {
		return fit.MaxT, 0
	}
	return t, fit.Sigmoid(out)
}

// Scales writes 1/T of every row.
func (m smartMap) Scales(dst []float64, set *data.Set, _ *calib.Unscaled) {
	net := smartNet()
	x, hidden := make([]float64, 1), make([]float64, net.Units())
	for i := range dst {
		x[0] = m.input(set.Logits.Row(i))
		t, _ := smartTemperature(net.Forward(m.Weights, x, hidden))
		dst[i] = 1 / t
	}
}

// smartTrainer holds the calibration rows and the results of a pass over them.
type smartTrainer struct {
	set    *data.Set
	shape  smartMap  // the standardisation
	x      []float64 // n, input of the network
	hidden []float64 // n x units
	conf   []float64 // n
	toOut  []float64 // n, derivative of conf in the output of the network
	share  []float64 // n x smartBins, shares of each row in the bins
	hit    []float64 // n, 1 if the prediction is right
}

func newSMARTTrainer(set *data.Set) *smartTrainer {
	n, units := set.Logits.Rows, smartNet().Units()
	t := &smartTrainer{
		set: set, x: make([]float64, n), hidden: make([]float64, n*units), conf: make([]float64, n),
		toOut: make([]float64, n), share: make([]float64, n*smartBins), hit: make([]float64, n),
	}
	sum, square := 0.0, 0.0
	for i := range n {
		row := set.Logits.Row(i)
		sum += fit.TopGap(row) / float64(n)
		if fit.TopClass(row) == int(set.Labels[i]) {
			t.hit[i] = 1
		}
	}
	for i := range n {
		e := fit.TopGap(set.Logits.Row(i)) - sum
		square += float64(e*e) / float64(n)
	}
	t.shape.Mean = sum
	if std := math.Sqrt(square); std > 1e-6*sum {
		t.shape.Scale = 1 / std
	}
	for i := range n {
		t.x[i] = t.shape.input(set.Logits.Row(i))
	}
	return t
}

// smartEnd is how training ended.
type smartEnd struct {
	best     smartMap
	loss     float64 // the least
	gradient float64 // largest absolute element, there
	epochs   int
	waited   int // epochs since the least loss
}

// train trains from the parameters w.
func (t *smartTrainer) train(ctx context.Context, w []float64, o SMART) (smartEnd, error) {
	w = slices.Clone(w)
	grad, solver := make([]float64, len(w)), fit.NewAdam(len(w))
	end := smartEnd{best: t.shape, loss: math.Inf(1)}
	for end.epochs < o.Epochs && end.waited < o.Patience {
		loss, err := t.loss(ctx, w, grad)
		if err != nil {
			return smartEnd{}, err
		}
		end.epochs++
		end.waited++
		if loss < end.loss-smartGain {
			end.loss, end.gradient, end.waited = loss, floats.Norm(grad, math.Inf(1)), 0
			end.best.Weights = slices.Clone(w)
		}
		solver.Step(w, grad, smartRate)
	}
	return end, nil
}

const (
	smartBins  = 15
	smartWidth = 0.05 // standard deviation of the assignment to bins
	smartDelta = 1e-3 // where the discrepancy turns from square to absolute
)

// smartDiscrepancy returns sqrt(r^2 + delta^2) - delta and its derivative.
func smartDiscrepancy(r float64) (value, slope float64) {
	root := math.Sqrt(float64(r*r) + smartDelta*smartDelta)
	return root - smartDelta, r / root
}

// loss returns the smooth soft calibration error at the parameters w and
// writes its gradient. A row with confidence c has in bin b, whose centre is
// m_b = (2 b + 1)/30, the share
//
//	s_b = exp(-(c - m_b)^2 / (2 * 0.05^2)) / sum of the same over the bins,
//
// With the sums over the rows W_b of s_b and r_b of s_b (c - hit) / W_b, the loss is
// the sum over the bins of W_b/n phi(r_b), where phi is smartDiscrepancy.
func (t *smartTrainer) loss(ctx context.Context, w, grad []float64) (float64, error) {
	n := len(t.x)
	total, err := fit.SumBlocks(ctx, n, 2*smartBins, func(sum []float64, lo, hi int) { t.forward(sum, w, lo, hi) })
	if err != nil {
		return 0, err
	}
	value := 0.0
	var perShare, perGap [smartBins]float64 // derivatives in W_b and in the sum of s_b (c - hit)
	for b, weight := range total[:smartBins] {
		r := total[smartBins+b] / weight
		phi, slope := smartDiscrepancy(r)
		value += float64(weight*phi) / float64(n)
		perShare[b] = (phi - float64(slope*r)) / float64(n)
		perGap[b] = slope / float64(n)
	}
	sums, err := fit.SumBlocks(ctx, n, len(w), func(sum []float64, lo, hi int) {
		t.backward(sum, w, &perShare, &perGap, lo, hi)
	})
	copy(grad, sums)
	return value, err
}

// forward computes the confidences and shares of rows lo..hi-1. It adds the shares in each
// bin to the first half of sum, and the shares times confidence minus hit to the second.
func (t *smartTrainer) forward(sum, w []float64, lo, hi int) {
	var scale, slope [fit.BlockRows]float64
	var moments [fit.BlockRows]softmax.Moments
	net, units, k := smartNet(), smartNet().Units(), t.set.Logits.Cols
	for i := lo; i < hi; i++ {
		temperature, rate := smartTemperature(net.Forward(w, t.x[i:i+1], t.hidden[i*units:(i+1)*units]))
		scale[i-lo], slope[i-lo] = 1/temperature, rate
	}
	softmax.Rows(moments[:hi-lo], t.set.Logits.Data[lo*k:hi*k], k, scale[:hi-lo])
	for i := lo; i < hi; i++ {
		m, beta := &moments[i-lo], scale[i-lo]
		conf := m.Conf()
		t.conf[i] = conf
		t.toOut[i] = float64(float64(conf*conf)*m.S1) * float64(beta*beta) * slope[i-lo]
		share := t.share[i*smartBins : (i+1)*smartBins]
		total := 0.0
		for b := range share {
			e := (conf - smartCentre(b)) / smartWidth
			share[b] = softmax.Exp(-float64(e*e) / 2)
			total += share[b]
		}
		for b := range share {
			share[b] /= total
			sum[b] += share[b]
			sum[smartBins+b] += float64(share[b] * (conf - t.hit[i]))
		}
	}
}

// smartCentre returns the centre of bin b.
func smartCentre(b int) float64 { return float64(2*b+1) / (2 * smartBins) }

// backward adds the gradient in the parameters to grad, from the derivatives in the sums
// over the bins, for rows lo..hi-1.
func (t *smartTrainer) backward(grad, w []float64, perShare, perGap *[smartBins]float64, lo, hi int) {
	net, units := smartNet(), smartNet().Units()
	for i := lo; i < hi; i++ {
		if t.toOut[i] == 0 {
			continue // the confidence is constant
		}
		conf, share := t.conf[i], t.share[i*smartBins:(i+1)*smartBins]
		centre := 0.0 // mean of the row's bins
		for b, s := range share {
			centre += float64(s * smartCentre(b))
		}
		toConf := 0.0
		for b, s := range share {
			moved := float64(s*(smartCentre(b)-centre)) / (smartWidth * smartWidth) // ds_b/dc
			toConf += float64(moved*(perShare[b]+float64(perGap[b]*(conf-t.hit[i])))) + float64(perGap[b]*s)
		}
		net.Backward(grad, w, t.x[i:i+1], t.hidden[i*units:(i+1)*units], float64(toConf*t.toOut[i]))
	}
}
