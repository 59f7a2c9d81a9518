package quantile

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/internal/lists"
)

// QaTSReading is QaTS as other readers of the paper may fit it. With the default
// options it is QaTS.
//
//   - Loss: nll is the mean NLL; brier is the mean Brier score over all classes, the
//     other usual proper score; top is the NLL of the statement that the prediction is
//     right, whose probability is the confidence, which the definition of calibration
//     is about; gap is the mean over the rows of the squared gap of their bin, of 15
//     bins of equal mass by rank (of equal ranks in one bin), a smooth form of Eq. 7.
//   - Form: falling is T = a (1-q) + b, the paper's Eq. 6; rising is T = a q + b, with
//     the same bounds, for a reader who takes q for the rank from the top; constant is
//     T = b, which is temperature scaling by the loss.
//   - Solver: newton ends at the minimum within a >= 0, b >= 0.001; adam takes a number
//     of steps of Adam (Kingma and Ba 2015) and stops there.
//
// Adam's recipe is the first that a reader would write. Both parameters are positive,
// as functions of u and v. Each step uses all calibration rows. The constants are 0.9,
// 0.999 and 1e-8. With few steps or a small rate the result is the start more than the
// data, and a never reaches 0, where QaTS is temperature scaling.
//
// All losses except the NLL are not convex in T. Newton's method starts at the temperature of ts,
// at 1, and halfway from both to a falling line, and the least minimum is taken.
//
// A and B are the parameters of Eq. 6, T = A (1-q) + B. So a rising temperature has A = -a
// and B = a + b.
//
//   - Formula: qats with the mean Brier score, the NLL of "the prediction is right" or
//     the mean squared gap of 15 quantile bins as the loss, with T = a q + b, with T =
//     b, or after a number of steps of Adam from a = b = 1, where a = softplus(u), b =
//     0.001 + softplus(v)
//   - Reference: variant of QaTS, Eqs. 6 and 10
//   - Compared with: scipy's L-BFGS-B; optax's adam; the authors published none
//   - Agreement: a and b to 1e-7 with scipy and to 1e-9 with optax on networks of
//     data/bundle
//   - Departures: These are choices that the paper leaves open. It minimises "the
//     chosen loss" with "smooth surrogates such as" the NLL, asks for a, b > 0, and
//     names no optimiser. Eq. 6 has a falling temperature.
type QaTSReading struct {
	Loss   string  // nll, brier, top or gap; empty means nll
	Form   string  // falling, rising or constant; empty means falling
	Solver string  // newton or adam; empty means newton
	Steps  int     // of Adam, from 1 to 10,000; 0 means 200
	Rate   float64 // of Adam, in (0, 1]; 0 means 0.01
}

// QaTSReadingEntry is the entry of QaTSReading.
var QaTSReadingEntry = calib.NewEntry[QaTSReading, lineMap](calib.Entry{
	Name:    "qats-reading",
	Label:   "QaTS (reading)",
	Version: 3,
	Summary: "qats by the Brier score, by only the top label, with a rising temperature, or by some steps of Adam",
})

// String returns the name of the method.
func (QaTSReading) String() string { return QaTSReadingEntry.Name }

// The words of the options.
const (
	lossNLL      = "nll"
	lossBrier    = "brier"
	lossTop      = "top"
	lossGap      = "gap"
	formFalling  = "falling"
	formRising   = "rising"
	formConstant = "constant"
	solverNewton = "newton"
	solverAdam   = "adam"
)

// Options returns the options loss, form, solver, steps and rate.
func (m *QaTSReading) Options() []calib.Option {
	return []calib.Option{
		calib.ChoiceOption("loss", &m.Loss, []string{lossNLL, lossBrier, lossTop, lossGap}, "what is minimised: the mean NLL, the mean Brier score over all classes, the mean NLL of \"the prediction is right\", or the mean squared gap of 15 quantile bins"),
		calib.ChoiceOption("form", &m.Form, []string{formFalling, formRising, formConstant}, "the temperature: a (1-q) + b, a q + b, or b"),
		calib.ChoiceOption("solver", &m.Solver, []string{solverNewton, solverAdam}, "Newton's method to the minimum, or steps of Adam from a = b = 1"),
		calib.IntOption("steps", &m.Steps, 200, 1, 10_000, "steps of Adam"),
		calib.FloatOption("rate", &m.Rate, .01, math.SmallestNonzeroFloat64, 1, "learning rate of Adam"),
	}
}

// Contract needs logits and labels, and accepts a Stream.
func (QaTSReading) Contract() calib.Contract { return method.StreamedContract() }

// Fit returns a, b and the ranks.
func (m QaTSReading) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	o, err := method.Objective(in)
	if err != nil {
		return nil, err
	}
	s, ranks, err := o.Ranked(ctx, in.Stage)
	if err != nil {
		return nil, err
	}
	var bin []int // of the loss gap alone
	if m.Loss == lossGap {
		bin = lists.Values(s, func(q float64) int { return int(math.Ceil(q*gapBins)) - 1 }) // q is above 0 and at most 1
	}
	for i, q := range s { // T = a (1-s) + b
		switch m.Form {
		case formRising:
			s[i] = 1 - q
		case formConstant:
			s[i] = 1
		}
	}
	x, report, err := m.line(ctx, in, o, s, bin)
	if err != nil {
		return nil, err
	}
	line := lineMap{fit.Line{A: x[0], B: x[1], ECDF: ranks}}
	switch {
	case m.Form == formConstant:
		line.A = 0 // T does not depend on a
	case m.Form == formRising && x[0] != 0:
		line.A, line.B = -x[0], x[0]+x[1]
	}
	return &calib.Fitted{Map: line, Report: report}, nil
}

// gapBins is the number of bins of the loss gap, as of the ECE.
const gapBins = 15

// line returns a and b. bin holds, for the loss gap, the bin of each row by its rank.
func (m QaTSReading) line(ctx context.Context, in calib.Input, o *fit.Objective, s []float64, bin []int) ([]float64, calib.Report, error) {
	curve := fit.Curve{Segments: 1}
	if m.Loss == lossNLL && m.Solver == solverNewton {
		return fit.TemperatureCurve(ctx, in.Stage, o, s, curve)
	}
	loss := func(x []float64) (calib.Local, error) { return curve.At(ctx, o, s, x) }
	switch m.Loss {
	case lossBrier:
		loss = func(x []float64) (calib.Local, error) { return o.BrierLine(ctx, s, x) }
	case lossTop:
		loss = func(x []float64) (calib.Local, error) { return o.TopLine(ctx, s, x) }
	case lossGap:
		loss = func(x []float64) (calib.Local, error) { return o.GapLine(ctx, s, x, bin, gapBins) }
	}
	var x []float64
	var report calib.Report
	var err error
	if m.Solver == solverAdam {
		x, report, err = m.adam(loss)
	} else {
		x, report, err = minimalLine(ctx, o, loss)
	}
	if err != nil {
		return nil, calib.Report{}, err
	}
	report.NLL, err = o.NLLAt(ctx, fit.ByRow(func(i int) float64 { return 1 / (float64(x[0]*(1-s[i])) + x[1]) }))
	report.Passes = o.Passes
	fit.Stage(in.Stage).End("qats", o.Passes)
	return x, report, err
}

// minimalLine returns the a and b with the least loss.
func minimalLine(ctx context.Context, o *fit.Objective, loss func(x []float64) (calib.Local, error)) ([]float64, calib.Report, error) {
	t, flat, err := fit.Temperature(ctx, o)
	if err != nil {
		return nil, calib.Report{}, err
	}
	span := fit.Usual()
	if t < span.Least || t > span.Most {
		spread, err := o.Spread(ctx)
		if err != nil {
			return nil, calib.Report{}, err
		}
		span = fit.SpanOf(spread)
	}
	var starts [][]float64
	for _, t := range []float64{t, 1} {
		starts = append(starts, []float64{0, t}, []float64{t, max(t/2, span.Least)})
	}
	end, err := calib.MinimiseInBox(loss, starts, []calib.Range{{Name: "a", Least: 0, Most: span.Most}, {Name: "b", Least: span.Least, Most: span.Most}}, t)
	if err != nil {
		return nil, calib.Report{}, err
	}
	end.Steps += flat.Iterations
	return end.At, end.Report(o.Passes), nil
}

// adam returns a and b after the steps of Adam. The gradient of the report is that in u
// and v at the end.
func (m QaTSReading) adam(loss func(x []float64) (calib.Local, error)) ([]float64, calib.Report, error) {
	w := []float64{fit.InverseSoftplus(1), fit.InverseSoftplus(1 - fit.MinT)} // u, v
	line := func() []float64 { return []float64{fit.Softplus(w[0]), fit.MinT + fit.Softplus(w[1])} }
	slope := func() ([]float64, error) {
		x := line()
		if !fit.Usable(x[1]) || !fit.Usable(x[0]+x[1]) {
			return nil, fmt.Errorf("the recipe of Adam steps to a = %g, b = %g, which is no temperature", x[0], x[1])
		}
		f, err := loss(x)
		if err != nil {
			return nil, err
		}
		return []float64{float64(f.Gradient[0] * fit.Sigmoid(w[0])), float64(f.Gradient[1] * fit.Sigmoid(w[1]))}, nil
	}
	solver := fit.NewAdam(len(w))
	for range m.Steps {
		g, err := slope()
		if err != nil {
			return nil, calib.Report{}, err
		}
		solver.Step(w, g, m.Rate)
	}
	g, err := slope()
	if err != nil {
		return nil, calib.Report{}, err
	}
	r := calib.Report{Gradient: max(math.Abs(g[0]), math.Abs(g[1])), Iterations: m.Steps}
	if r.Gradient > 1e-7 {
		r.Warn(report.Early(r.Gradient, m.Steps))
	}
	return line(), r, nil
}
