package binning

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// BaseRate is the floor of knowing nothing: every row gets one confidence, the smoothed accuracy of
// the calibration rows. It has no bins but one, and does not tell a sure prediction from an unsure one.
// A calibration error by bins can be low all the same, since it does not ask for that. NLL and Brier
// score do. So it is no method to choose, but one that every method should be better than.
//
// right of the n calibration rows are predicted as their label. On ties the prediction is the lowest
// index of the largest logit. The confidence is never 0 or 1, since a wrong row would then have an
// infinite NLL. The prediction stays: the confidence is at least (1 + 2^-20)/k, which is above the share
// of each other class by 8 steps of float32 or more. k counts the classes of the row that are not
// masked. A row with one such class has the probability 1 whatever is fitted, so it is none of the n rows;
// without any row, right and n are 0.
//
//   - Formula: confidence c = max((right + 1)/(n + 2), (1 + 2^-20)/k), and (1 - c)/(k - 1) for each other class
//   - Reference: Laplace's rule of succession
//   - Compared with: the closed form
//   - Agreement: probabilities to 1e-15 on drawn rows, with and without masked classes
//   - Departures: The rule of succession has no least confidence; with it the prediction could change.
type BaseRate struct{}

// BaseRateEntry is the entry of BaseRate.
var BaseRateEntry = calib.NewEntry[BaseRate, baseRateMap](calib.Entry{
	Name:    "base-rate",
	Label:   "Base rate",
	Version: 1,
	Summary: "the accuracy of the calibration set as the confidence of every row, the floor of knowing nothing",
	Aliases: []string{"climatology"},
	Cost:    1,
})

// String returns the name of the method.
func (BaseRate) String() string { return BaseRateEntry.Name }

// TopBaseRate is BaseRate of the top label; see TopLabel. It serves predictions that have a confidence
// alone, too. It says nothing about the other classes, so the confidence needs no least value.
//
//   - Formula: confidence = (right + 1)/(n + 2)
//   - Reference: Laplace's rule of succession
//   - Compared with: the closed form
//   - Agreement: confidences to 1e-15 on drawn rows, with and without masked classes
//   - Departures: none
type TopBaseRate struct{}

// BaseRateTopEntry is the entry of TopBaseRate.
var BaseRateTopEntry = calib.NewEntry[TopBaseRate, baseRateTopMap](calib.Entry{
	Name:    "base-rate-top",
	Label:   "Base-rate-top",
	Version: 1,
	Summary: "the accuracy of the calibration set as the confidence of every row; a top-label method",
	Cost:    1,
})

// String returns the name of the method.
func (TopBaseRate) String() string { return BaseRateTopEntry.Name }

// Contract needs logits and labels.
func (BaseRate) Contract() calib.Contract { return method.Sized(method.LogitsContract()) }

// Contract needs logits and labels, or a confidence alone.
func (TopBaseRate) Contract() calib.Contract { return method.Sized(method.TopContract()) }

// Fit returns the smoothed accuracy.
func (BaseRate) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	t, err := tallyOpen(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	m := baseRateMap{baseRate{t.confidence()}}
	return &calib.Fitted{Map: m, Report: calib.Report{NLL: m.nll(t), Passes: 1}}, nil
}

// Fit returns the smoothed accuracy.
func (TopBaseRate) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	var t openTally
	var err error
	if in.Cal.Confidence != nil {
		t, err = tallyAlone(ctx, in.Cal)
	} else {
		t, err = tallyOpen(ctx, in.Cal)
	}
	if err != nil {
		return nil, err
	}
	return method.TopFitted(baseRateTopMap{baseRate{t.confidence()}}), nil
}

// openTally counts right and wrong rows by the number of their classes that are not masked.
type openTally struct{ right, wrong []int } // element k: of k classes

// tallyOpen counts the rows of a labelled set.
func tallyOpen(ctx context.Context, set *data.Set) (openTally, error) {
	if err := fit.CheckLabelled(set); err != nil {
		return openTally{}, err
	}
	t := openTally{make([]int, set.Logits.Cols+1), make([]int, set.Logits.Cols+1)}
	for i, y := range set.Labels {
		if i%fit.BlockRows == 0 && ctx.Err() != nil {
			return openTally{}, ctx.Err()
		}
		row := set.Logits.Row(i)
		if k := fit.Open(row); fit.Hit(row, y) {
			t.right[k]++
		} else {
			t.wrong[k]++
		}
	}
	return t, nil
}

// tallyAlone counts the rows of a labelled set with a confidence alone, each as one of two classes: which are right is
// all that a top-label method asks for.
func tallyAlone(ctx context.Context, set *data.Set) (openTally, error) {
	rows, err := method.TopRows(ctx, set)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return openTally{}, err
	}
	t := openTally{make([]int, 3), make([]int, 3)}
	for _, r := range rows {
		if r.Hit {
			t.right[2]++
		} else {
			t.wrong[2]++
		}
	}
	return t, nil
}

// confidence returns (right + 1)/(n + 2) of the n rows with two classes or more.
func (t openTally) confidence() float64 {
	right, n := 0, 0
	for k := 2; k < len(t.right); k++ {
		right += t.right[k]
		n += t.right[k] + t.wrong[k]
	}
	return float64(right+1) / float64(n+2)
}

// leastOverUniform is the least confidence of BaseRate, as a multiple of 1/k.
const leastOverUniform = 1 + 0x1p-20

// baseRate is one confidence.
type baseRate struct {
	Confidence float64 `json:"confidence"` // in (0, 1)
}

func (m baseRate) Check() error {
	if !(m.Confidence > 0 && m.Confidence < 1) {
		return fmt.Errorf("confidence = %v is outside (0, 1)", m.Confidence)
	}
	return nil
}

// Parameters returns the confidence.
func (m baseRate) Parameters() []calib.Parameter {
	return []calib.Parameter{{Name: "confidence", Value: m.Confidence, Meaning: "(right + 1)/(n + 2) of the calibration rows"}}
}

// baseRateMap gives the predicted class the confidence, and the others the rest.
type baseRateMap struct{ baseRate }

// shares returns the probabilities of the predicted class and of each other one, in a row with k classes that are not
// masked.
func (m baseRateMap) shares(k int) (top, other float64) {
	if k < 2 {
		return 1, 0
	}
	top = max(m.Confidence, leastOverUniform/float64(k))
	return top, (1 - top) / float64(k-1)
}

// nll returns the mean NLL, with the floor of the metric, of the calibration rows.
func (m baseRateMap) nll(t openTally) float64 {
	sum, n := 0.0, 0
	for k := 1; k < len(t.right); k++ {
		top, other := m.shares(k)
		sum -= float64(float64(t.right[k]) * softmax.Log(top))
		sum -= float64(float64(t.wrong[k]) * softmax.Log(max(other, fit.LeastProb)))
		n += t.right[k] + t.wrong[k]
	}
	return sum / float64(n)
}

// Apply writes the n x k probabilities.
func (m baseRateMap) Apply(dst data.Probs, set *data.Set) {
	for i := range set.Logits.Rows {
		row, q := set.Logits.Row(i), dst.Row(i)
		top, other := m.shares(fit.Open(row))
		for j, l := range row {
			if q[j] = other; l == data.Masked {
				q[j] = 0
			}
		}
		q[fit.TopClass(row)] = top
	}
}

// baseRateTopMap gives the predicted class the confidence.
type baseRateTopMap struct{ baseRate }

// Confidences writes the confidence of every row.
func (m baseRateTopMap) Confidences(dst []float64, _ *data.Set, _ *calib.Unscaled) {
	for i := range dst {
		dst[i] = m.Confidence
	}
}
