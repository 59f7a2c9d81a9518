package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/stretch"
)

// TopRow is one calibration row of a top-label method: its tail sum, see Unscaled.Tails, its
// confidence, and whether the predicted class is right.
type TopRow struct {
	Tail, Conf float64
	Hit        bool
}

// TopConf returns the softmax confidence of a row with the given tail, in (0, 1].
func TopConf(tail float64) float64 { return 1 / (1 + tail) }

// TopStretched returns that confidence stretched (package stretch).
func TopStretched(tail float64) float64 { return stretch.OfTail(TopConf(tail), tail) }

// TopRows returns the rows of a labelled set, which may have a confidence alone. It leaves out those with one class that is
// not masked: they are right whatever is fitted, and get a confidence of 1 that the map does not choose, so they say nothing
// about the others. If there are no others, they are the rows. A confidence alone does not tell them from rows that are sure.
func TopRows(ctx context.Context, set *data.Set) ([]TopRow, error) {
	if set.Confidence != nil {
		return confidenceRows(set)
	}
	if err := fit.CheckLabelled(set); err != nil {
		return nil, err
	}
	t, err := fit.Tails(ctx, set.Logits)
	if err != nil {
		return nil, err
	}
	rows, certain := make([]TopRow, 0, len(t)), []TopRow(nil)
	for i, tail := range t {
		logits := set.Logits.Row(i)
		row := TopRow{tail, TopConf(tail), fit.Hit(logits, set.Labels[i])}
		if tail == 0 && fit.Open(logits) < 2 {
			certain = append(certain, row)
		} else {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return certain, nil
	}
	return rows, nil
}

// confidenceRows is TopRows for a set with a confidence alone.
func confidenceRows(set *data.Set) ([]TopRow, error) {
	switch n := len(set.Confidence); {
	case n == 0:
		return nil, errors.New("the calibration set is empty")
	case len(set.Labels) != n:
		return nil, fmt.Errorf("%d confidences but %d labels", n, len(set.Labels))
	}
	at := calib.UnscaledOf(set)
	rows := make([]TopRow, len(set.Confidence))
	for i, tail := range at.Tails() {
		rows[i] = TopRow{tail, set.Confidence[i], set.Labels[i] == 0}
	}
	return rows, nil
}

// OpenClasses returns the number of classes that share what the prediction of a calibration row leaves, and that
// itself: those that are not masked in every row or, with a confidence alone, those that are stated; 2 where none are.
func OpenClasses(set *data.Set) int {
	if set.Confidence != nil {
		return cmp.Or(set.Classes, 2)
	}
	return max(2, fit.Count(OpenSomewhere(set.Logits)))
}

// OpenSomewhere tells of each class whether it is not masked in every row of logits.
func OpenSomewhere(logits data.Matrix) []bool {
	open := make([]bool, logits.Cols)
	left := len(open)
	for i := 0; i < logits.Rows && left > 0; i++ {
		for j, l := range logits.Row(i) {
			if !open[j] && l != data.Masked {
				open[j] = true
				left--
			}
		}
	}
	return open
}

// Odds returns the log odds of each confidence and whether the row is right; see fit.LogOdds.
func Odds(rows []TopRow) (odds []float64, hit []bool) {
	odds, hit = make([]float64, len(rows)), make([]bool, len(rows))
	for i, r := range rows {
		odds[i], hit[i] = fit.LogOdds(r.Tail), r.Hit
	}
	return odds, hit
}

// TopFitted returns a fitted top-label map with its report: one pass, and no NLL.
func TopFitted(m calib.TopLabel) *calib.Fitted {
	return &calib.Fitted{Map: m, Report: calib.Report{Passes: 1}}
}

// TopMixed is TopFitted for a map of n rows that may be calib.Certain, and then has its mass.
func TopMixed(m calib.TopLabel, n int) *calib.Fitted {
	return &calib.Fitted{Map: calib.MassOf(m, n).Map(m), Report: calib.Report{Passes: 1}}
}

// EachConfidence writes the new confidence of every row, a function of its tail.
func EachConfidence(dst []float64, at *calib.Unscaled, confidence func(tail float64) float64) {
	for i, tail := range at.Tails() {
		dst[i] = confidence(tail)
	}
}

// TopTemperature returns the temperature of derived logits at the least mean NLL of "the prediction is right", in the
// span of logits of usual size. The NLL is convex in 1/T, so the minimum is the only one. The report has no NLL, as
// those of all top-label methods.
func TopTemperature(ctx context.Context, rows *fit.TopOdds) (float64, calib.Report, error) {
	if rows.Undetermined() {
		r := calib.Report{Passes: 1}
		r.Warn(calib.Warning{Text: "the derived logits of every row are equal: any temperature gives the same confidence; T = 1"})
		return 1, r, nil
	}
	span := fit.Usual()
	passes := 1.0
	end, err := fit.BoxNewton(func(x []float64) (calib.Local, error) {
		passes++
		return rows.Scale(ctx, x)
	}, []float64{1}, []float64{1 / span.Most}, []float64{1 / span.Least}, 1)
	if err != nil {
		return 0, calib.Report{}, err
	}
	r := calib.Report{Gradient: end.Gradient, Iterations: end.Steps, Passes: passes}
	t := 1 / end.At[0]
	switch end.At[0] {
	case 1 / span.Most:
		t = span.Most
		r.AtBound = report.Bounds{report.AtMost("T", 0, t)}
		r.Warn(report.End(r.AtBound[0]))
	case 1 / span.Least:
		t = span.Least
		r.AtBound = report.Bounds{report.AtLeast("T", 0, t)}
		r.Warn(report.End(r.AtBound[0]))
	}
	r.WarnUnconverged()
	return t, r, nil
}

// WarnClasses warns that a method needs the number of classes: the set has a confidence alone without it, and half or more of the
// predictions are wrong. Log odds that are divided by a temperature do not fall below 0.
func WarnClasses(set *data.Set, r *calib.Report) {
	if set.Confidence == nil || set.Classes != 0 {
		return
	}
	wrong := 0
	for _, y := range set.Labels {
		if y != 0 {
			wrong++
		}
	}
	if 2*wrong >= len(set.Labels) {
		r.Warn(calib.Warning{Text: "{count} of {of} predictions are wrong, and without the number of classes no temperature gives a confidence below 0.5: state it", Count: wrong, Of: len(set.Labels)})
	}
}
