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

// ParameterizedTemperature is parameterised temperature scaling: a network computes the
// temperature of a row from its 10 largest logits, in falling order and limited to
// [-100, 100]. With fewer than 10 classes it takes all logits. It has two hidden layers
// of 5 rectified linear units, 91 parameters. It is trained by Adam in shuffled
// minibatches of 1,000 rows. The Brier score is the sum over the classes of (p_j - 1[y
// = j])^2.
//
// The weights are drawn from the seed of the cell, as Keras draws them. The fit does
// not depend on the order of the rows or of the classes, and keeps a copy of the
// logits. The network reads the logits themselves, so their offset matters.
//
//   - Formula: p = softmax(l/T), T = |network(10 largest logits)|, in [0.001, 1000],
//     two layers of 5, by Brier score
//   - Reference: Tomani, Cremers and Buettner 2022
//   - Compared with: tochris/pts-uncertainty (the authors'), shortened; numpy
//   - Agreement: T to 1e-13 on drawn rows, with the same start and 20 steps
//   - Departures: Others who run it "as per paper" take 100,000 minibatches at a rate of
//     5e-5. Ours takes 5,000 at 1e-3, with the same product. The last bias starts at the
//     temperature of ts instead of 0, because with 0 some draws of the weights start at T
//     = 0, where the gradient vanishes. Their limits of T are 1e-12 and 1e12. Only the
//     inputs of our network are limited to [-100, 100], not the logits that are divided by
//     T, so the prediction stays.
type ParameterizedTemperature struct {
	Steps int     // minibatches; 0 means 5,000
	Rate  float64 // of Adam, in (0, 1]; 0 means 0.001
}

// PTSEntry is the entry of ParameterizedTemperature.
var PTSEntry = calib.NewEntry[ParameterizedTemperature, ptsMap](calib.Entry{
	Name:    "pts",
	Label:   "PTS",
	Version: 3,
	Summary: "temperature by a small network of the 10 largest logits, for the Brier score",
	Aliases: []string{"parameterized-temperature-scaling"},
	Cost:    10_000,
	Cost100: 4100,
})

// String returns the name of the method.
func (ParameterizedTemperature) String() string { return PTSEntry.Name }

const (
	ptsInputs = 10
	ptsRows   = 1000 // rows of a minibatch
	ptsMost   = 100  // largest input
)

// ptsNet is the shape of the network for k classes.
func ptsNet(k int) mlp { return mlp{Sizes: []int{min(ptsInputs, k), 5, 5}} }

// Options returns the options.
func (m *ParameterizedTemperature) Options() []calib.Option {
	return []calib.Option{
		calib.IntOption("steps", &m.Steps, 5000, 1, math.MaxInt, "number of minibatches"),
		calib.FloatOption("rate", &m.Rate, 1e-3, math.SmallestNonzeroFloat64, 1, "learning rate of Adam"),
	}
}

// Minimises names the objective.
func (ParameterizedTemperature) Minimises() calib.Objective { return calib.ByBrier }

// Contract needs labels and logits that are not log-probabilities.
func (ParameterizedTemperature) Contract() calib.Contract {
	c := method.OfValues(method.LogitsContract())
	c.TrueLogits = true
	c.Masked = false // the network reads the largest logits
	return c
}

// Fit trains the network. The report counts minibatches as iterations, and has the gradient of
// the last one. Its passes are the passes of the training and of ts together.
func (m ParameterizedTemperature) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	_, start, flat, err := method.Temperature(ctx, in)
	if err != nil {
		return nil, err
	}
	k, n := in.Cal.Logits.Cols, in.Cal.Logits.Rows
	rng := rand.New(rand.NewPCG(in.Seed, 0x707473)) // the stream of this method
	w := ptsNet(k).Initial(rng, false, func(in, out int) float64 { return math.Sqrt(6 / float64(in+out)) })
	w[len(w)-1] = min(max(start, fit.MinT), fit.MaxT) // beyond, T has no slope
	t := newPTSTrainer(inOwnOrder(in.Cal), w)
	read, gradient := 0, 0.0
	var queue []int
	for range m.Steps {
		if len(queue) == 0 {
			queue = rng.Perm(n)
		}
		rows := queue[:min(ptsRows, len(queue))]
		queue = queue[len(rows):]
		if _, err := t.loss(ctx, rows); err != nil {
			return nil, err
		}
		t.solver.Step(t.w, t.grad, m.Rate)
		read += len(rows)
		gradient = floats.Norm(t.grad, math.Inf(1))
	}
	return method.Reported(ctx, ptsMap{Inputs: min(ptsInputs, k), Weights: t.w}, in.Cal, calib.Report{
		Gradient: gradient, Iterations: m.Steps, Passes: flat.Passes + float64(read)/float64(n), Warnings: flat.Warnings,
	})
}

// ptsMap is the trained network.
type ptsMap struct {
	Inputs  int       `json:"inputs"`  // 10, or the number of classes where that is less
	Weights []float64 `json:"weights"` // in the order of network.MLP
}

func (m ptsMap) Check() error {
	if m.Inputs < 1 || m.Inputs > ptsInputs {
		return fmt.Errorf("inputs = %d: want 1 to %d", m.Inputs, ptsInputs)
	}
	return ptsNet(m.Inputs).CheckWeights(m.Weights)
}

func (m ptsMap) CheckSet(set *data.Set) error {
	if set.Logits.Cols < m.Inputs {
		return fmt.Errorf("%d classes, but the network of the model needs %d or more", set.Logits.Cols, m.Inputs)
	}
	return nil
}

// ptsInput writes the largest logits of row to x, in falling order and limited to
// [-ptsMost, ptsMost].
func ptsInput(x []float64, row []float32) {
	have := 0 // numbers in x so far
	for _, l := range row {
		v := float64(l)
		if have == len(x) {
			if v <= x[have-1] {
				continue
			}
			have--
		}
		at := have
		for ; at > 0 && x[at-1] < v; at-- {
			x[at] = x[at-1]
		}
		x[at] = v
		have++
	}
	for i, v := range x {
		x[i] = min(max(v, -ptsMost), ptsMost)
	}
}

// ptsTemperature returns T of the network's output, and dT/d output.
func ptsTemperature(out float64) (t, slope float64) {
	switch t = math.Abs(out); {
	case t < fit.MinT:
		return fit.MinT, 0
	case !(t < fit.MaxT):
		return fit.MaxT, 0
	case out < 0:
		return t, -1
	}
	return t, 1
}

// Scales writes 1/T of every row.
func (m ptsMap) Scales(dst []float64, set *data.Set, _ *calib.Unscaled) {
	net := ptsNet(m.Inputs)
	x, hidden := make([]float64, m.Inputs), make([]float64, net.Units())
	for i := range dst {
		ptsInput(x, set.Logits.Row(i))
		t, _ := ptsTemperature(net.Forward(m.Weights, x, hidden))
		dst[i] = 1 / t
	}
}

// ptsTrainer holds the calibration rows, the parameters and the memory for a
// minibatch.
type ptsTrainer struct {
	set    *data.Set
	net    mlp
	x      []float64 // n x inputs
	w      []float64 // the parameters
	grad   []float64 // of the last loss
	solver *fit.Adam
	rooms  []*ptsRoom // one for each block of a minibatch
}

// ptsRoom is the memory for a block of rows.
type ptsRoom struct {
	logits       []float32
	scale, twice []float64
	slope        []float64 // dT/d output
	hidden       []float64
	once, square []softmax.Moments // at scale and at twice
	grad         []float64
	value        float64
}

func newPTSTrainer(set *data.Set, w []float64) *ptsTrainer {
	n, k := set.Logits.Rows, set.Logits.Cols
	t := &ptsTrainer{set: set, net: ptsNet(k), w: slices.Clone(w), grad: make([]float64, len(w)), solver: fit.NewAdam(len(w))}
	inputs := t.net.Sizes[0]
	t.x = make([]float64, n*inputs)
	for i := range n {
		ptsInput(t.x[i*inputs:(i+1)*inputs], set.Logits.Row(i))
	}
	for range fit.NumBlocks(min(n, ptsRows)) {
		t.rooms = append(t.rooms, &ptsRoom{
			logits: make([]float32, fit.BlockRows*k), scale: make([]float64, fit.BlockRows), twice: make([]float64, fit.BlockRows),
			slope: make([]float64, fit.BlockRows), hidden: make([]float64, fit.BlockRows*t.net.Units()),
			once: make([]softmax.Moments, fit.BlockRows), square: make([]softmax.Moments, fit.BlockRows), grad: make([]float64, len(w)),
		})
	}
	return t
}

// loss returns the mean Brier score of a minibatch, the given rows of the set, and
// leaves its gradient in grad.
func (t *ptsTrainer) loss(ctx context.Context, rows []int) (float64, error) {
	err := fit.EachBlock(ctx, len(rows), func(block, lo, hi int) { t.block(t.rooms[block], rows[lo:hi]) })
	if err != nil {
		return 0, err
	}
	clear(t.grad)
	value := 0.0
	for _, room := range t.rooms[:fit.NumBlocks(len(rows))] {
		value += room.value
		fit.AddTo(t.grad, 1/float64(len(rows)), room.grad)
	}
	return value / float64(len(rows)), nil
}

// block computes the sums over some rows. With beta = 1/T, d_j = l_j - max l,
// S0 = sum of exp(beta d_j), S1 = sum of d_j exp(beta d_j), and Q0, Q1 the same
// at 2 beta, the Brier score of a row and its derivative in beta are
//
//	Q0/S0^2 - 2 p_y + 1,  2 (Q1/S0^2 - Q0 S1/S0^3 - p_y (d_y - S1/S0)).
func (t *ptsTrainer) block(r *ptsRoom, rows []int) {
	n, k, inputs, units := len(rows), t.set.Logits.Cols, t.net.Sizes[0], t.net.Units()
	for b, i := range rows {
		copy(r.logits[b*k:(b+1)*k], t.set.Logits.Row(i))
		out := t.net.Forward(t.w, t.x[i*inputs:(i+1)*inputs], r.hidden[b*units:(b+1)*units])
		temperature, slope := ptsTemperature(out)
		r.scale[b], r.twice[b], r.slope[b] = 1/temperature, 2/temperature, slope
	}
	softmax.Rows(r.once[:n], r.logits[:n*k], k, r.scale[:n])
	softmax.Rows(r.square[:n], r.logits[:n*k], k, r.twice[:n])
	r.value = 0
	clear(r.grad)
	for b, i := range rows {
		m, q, beta := &r.once[b], &r.square[b], r.scale[b]
		s0 := 1 + m.Tail
		mean := m.S1 / s0
		label := float64(r.logits[b*k+int(t.set.Labels[i])]) - float64(m.Max)
		p := softmax.Exp(float64(beta*label)) / s0
		squares := (1 + q.Tail) / (s0 * s0)
		r.value += squares - 2*p + 1
		toBeta := 2 * (q.S1/(s0*s0) - float64(squares*mean) - float64(p*(label-mean)))
		toOut := -float64(beta*beta) * toBeta * r.slope[b]
		if toOut != 0 {
			t.net.Backward(r.grad, t.w, t.x[i*inputs:(i+1)*inputs], r.hidden[b*units:(b+1)*units], toOut)
		}
	}
}
