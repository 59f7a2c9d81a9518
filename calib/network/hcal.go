package network

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
)

// HCalibration is h-calibration: a map that keeps the order of the classes, here a
// mixture of temperatures. It is trained so that the mean probability is the share of
// outcomes in each window of neighbouring probabilities; see boundedObjective. Adam
// takes all rows at once. Training ends when the ECE of the calibration set was above
// its least value for a number of epochs, with either selection. The epoch returned is
// the one with the least debiased ECE, or the least NLL, as the authors select for
// top-label calibration and for proper scores; see hCalTraining.
//
// Starting parameters are drawn from the seed of the cell. An epoch costs a pass over
// all n k probabilities for each class. Memory is up to 144 bytes for each of the n k
// probabilities, 88 above 200 classes.
//
//   - Formula: p = sum_m w_m softmax(l/T_m), 16 temperatures, by the mean over 15
//     clusters of |mean p - mean outcome| in windows of 201 sorted probabilities of all
//     classes
//   - Reference: Huang, Cao, Xia, Chen, Wang and Zhang 2025
//   - Compared with: WenjianHuang93/h-Calibration (the authors'), with faiss
//   - Agreement: losses and gradients to 1e-7 over 40 steps from the same start, if the
//     authors' code takes clusters from quantiles too; ECE and NLL on networks of
//     data/bundle were near those of the authors
//   - Departures: The authors train twelve maps (16 to 128 temperatures, piecewise linear
//     maps and monotone networks) and select one on the calibration set. Ours is one map
//     with 16 temperatures. They find the clusters that weigh the errors by k-means from
//     random points of a sample, in float32; ours start at quantiles of all probabilities.
//     They take batches of 5,000 rows on sets other than ImageNet; ours has no batches.
//     They have a third selection, by class-wise ECE. Sets of fewer than 30 rows have
//     fewer bins for the debiased ECE, where their code fails.
type HCalibration struct {
	Temperatures int    // m, 1 to 1,000; 0 means 16
	Epochs       int    // at most; 0 means 2,000
	Patience     int    // epochs in succession in which the ECE is above its least value so far, after which training ends; 0 means 160
	Select       string // ece or nll; empty means ece
}

// HCalEntry is the entry of HCalibration.
var HCalEntry = calib.NewEntry[HCalibration, hCalMap](calib.Entry{
	Name:    "h-calibration",
	Label:   "h-calibration",
	Version: 2,
	Summary: "mixture of temperatures, trained for small errors in windows of probabilities",
	Aliases: []string{"hcal", "h-cal"},
	Cost:    37_000,
	Cost100: 300_000,
})

// String returns the name of the method.
func (HCalibration) String() string { return HCalEntry.Name }

// Options returns the options.
func (m *HCalibration) Options() []calib.Option {
	return []calib.Option{
		calib.IntOption("temperatures", &m.Temperatures, 16, 1, 1000, "number of temperatures of the mixture"),
		calib.IntOption("epochs", &m.Epochs, 2000, 1, math.MaxInt, "largest number of passes over the calibration set"),
		calib.IntOption("patience", &m.Patience, 160, 1, math.MaxInt, "epochs in which the ECE is above its least value so far, after which training ends, with either select"),
		calib.ChoiceOption("select", &m.Select, []string{"ece", "nll"}, "the epoch returned: the least debiased ECE, or the least NLL"),
	}
}

// Contract needs logits and labels.
func (HCalibration) Contract() calib.Contract {
	c := method.OfValues(method.Sized(method.LogitsContract()))
	c.Masked = false // the network gives every class a share
	return c
}

// Fit trains the mixture. The report's iterations and passes are epochs, and it
// has the gradient of the last epoch.
func (m HCalibration) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := method.Ready(m, in)
	if err != nil {
		return nil, err
	}
	training := hCalTraining{Temperatures: m.Temperatures, Epochs: m.Epochs, Patience: m.Patience, ByNLL: m.Select == "nll"}
	rng := rand.New(rand.NewPCG(in.Seed, 0x6863616c)) // the stream of this method
	end, err := training.Train(ctx, inOwnOrder(in.Cal), rng)
	if err != nil {
		return nil, err
	}
	report := calib.Report{Gradient: end.Gradient, Iterations: end.Epochs, Passes: float64(end.Epochs)}
	if !end.Stopped {
		report.Warn(calib.Warning{Text: "the ECE still fell in the last {count} of {of} epochs", Count: min(m.Patience, end.Epochs), Of: end.Epochs})
	}
	return method.Reported(ctx, hCalMap{end.Best}, in.Cal, report)
}

// hCalMap is the mixture.
type hCalMap struct{ hCalEnsemble }

func (m hCalMap) Check() error {
	if len(m.Inverse) == 0 || len(m.Inverse) != len(m.Weights) {
		return fmt.Errorf("%d inverse temperatures but %d weights: want the same number, at least one", len(m.Inverse), len(m.Weights))
	}
	for i, b := range m.Inverse {
		if !(b >= 0 && b <= 1e6) {
			return fmt.Errorf("inverse[%d] = %v is outside [0, 1e6]", i, b)
		}
	}
	return fit.CheckWeights("weights", m.Weights)
}

// Apply writes the n x k probabilities.
func (m hCalMap) Apply(dst data.Probs, set *data.Set) {
	k := set.Logits.Cols
	gaps, shares := make([]float64, k), make([]float64, len(m.Inverse)*k)
	for i := range set.Logits.Rows {
		row, q := set.Logits.Row(i), dst.Row(i)
		most := row[fit.TopClass(row)]
		for j, l := range row {
			gaps[j] = float64(l) - float64(most)
		}
		m.Row(q, gaps, shares)
		sum := 0.0
		for _, p := range q {
			sum += p
		}
		fit.KeepTop(q, row, sum)
	}
}
