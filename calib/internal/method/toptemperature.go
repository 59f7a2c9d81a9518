package method

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

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
