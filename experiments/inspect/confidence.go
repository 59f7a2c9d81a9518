package inspect

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

// scanConfidence reads the rows of a set with a confidence alone.
func (x *inspected) scanConfidence(ctx context.Context, r data.Reader) error {
	samples := &scoring.SampleScores{ConfidenceOnly: true}
	x.row.Least, x.row.Largest = math.Inf(1), math.Inf(-1)
	err := data.Blocks(ctx, r, blockBytes, func(_ int, set *data.Set) error {
		for i, c := range set.Confidence {
			x.row.Least, x.row.Largest = min(x.row.Least, c), max(x.row.Largest, c)
			if set.Labels[i] == 0 {
				x.correct++
			}
		}
		return samples.AppendTopLabel(make([]int32, set.Len()), set.Confidence, set.Labels)
	})
	if err != nil {
		return err
	}
	all := metrics.Of(samples)
	x.row.Accuracy, x.row.ECE = float64(x.correct)/float64(max(1, r.Rows())), metrics.ECE(all, 15)
	x.auroc = math.NaN()
	if v, err := metrics.AUROC(all); err == nil {
		x.auroc = v
	}
	x.ok = true
	return nil
}

// fewest is the least number of right and of wrong rows from which an AUROC says something.
const fewest = 20

// judgeConfidence adds findings on a set with a confidence alone that was read. A confidence that ranks right rows below
// wrong ones is most likely one of rows in another order, or a score of which less is better.
func (x *inspected) judgeConfidence(in *Inspection) {
	n := x.row.Rows
	wrong := n - x.correct
	right, miss := float64(x.correct), float64(wrong)
	switch {
	case x.correct == 0 || wrong == 0:
		what, other := "right", "wrong"
		if x.correct == 0 {
			what, other = "wrong", "right"
		}
		in.warn(Problem{Place: x.name, Oddity: folder.OddFewRows, Cause: fmt.Sprintf("all %d predictions are %s", n, what),
			Fix: "save rows of which some predictions are " + other + " (or do the two sorts stand for each other?)"}, x)
	case min(x.correct, wrong) < fewest:
	case x.auroc < 0.5-3*math.Sqrt((right+miss+1)/(12*right*miss)): // the deviation of AUROC without a relation
		in.warn(Problem{Place: x.name, Oddity: folder.OddChance, Cause: fmt.Sprintf("wrong predictions have more confidence than right ones (AUROC %.1f %%): the rows may be in another order, or 0 and 1 may be exchanged", 100*x.auroc),
			Fix: "save confidence and correctness in the same loop, with 1 where the prediction is right"}, x)
	}
	if x.row.Least == x.row.Largest {
		in.add(Problem{Severity: Note, Place: x.name, Cause: fmt.Sprintf("every confidence is %g: a calibrator can only change it to the accuracy", x.row.Least)})
	}
}
