package method

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/report"
)

// TopTemperature returns the temperature of derived logits at the least mean NLL of "the prediction is right", in the
// span of logits of usual size. The NLL is convex in 1/T, so the minimum is the only one. The report has no NLL, as
// those of all top-label methods.
func TopTemperature(ctx context.Context, rows *fit.TopOdds) (float64, calib.Report, error) {
	if rows.Undetermined() {
		r := fit.Report{Passes: 1}
		r.Warn(report.Warning{Text: "the derived logits of every row are equal: any temperature gives the same confidence; T = 1"})
		return 1, r, nil
	}
	span := fit.Usual()
	passes := 1.0
	end, err := fit.BoxNewton(func(x []float64) (fit.Local, error) {
		passes++
		return rows.Scale(ctx, x)
	}, []float64{1}, []float64{1 / span.Most}, []float64{1 / span.Least}, 1)
	if err != nil {
		return 0, fit.Report{}, err
	}
	r := fit.Report{Gradient: end.Gradient, Iterations: end.Steps, Passes: passes}
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
	fit.WarnUnconverged(&r)
	return t, r, nil
}
