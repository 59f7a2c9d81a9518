package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// LabelShift corrects the probabilities of a network for other shares of the classes in
// the target domain, which it estimates from unlabelled target rows by the EM
// algorithm, after the calibration that Alexandari, Kundaje and Shrikumar (2020) found
// necessary. EM starts at the mean of p over the calibration rows. It sets pi to the
// mean of q over the target rows until no share changes by more than 1e-6, or after 100
// steps. It assumes that each class looks the same in both domains, p(x | y). If the
// target rows are the calibration rows, q = p. The prediction may change.
//
// The calibration is one of
//
//   - bcts: bias-corrected temperature scaling, T and an offset b_j for each class, at
//     the minimum of the calibration NLL;
//   - ts: b = 0, and T as in TemperatureScaling;
//   - none: b = 0, T = 1, as in 2002.
//
// The report has the NLL of q on the calibration rows, where the shares of the classes are
// not those of the target. It grows with the shift.
//
//   - Formula: q_j = w_j p_j / sum of the same, p = softmax(l/T + b), w_j = pi_j / mean
//     of p_j over the calibration rows, pi at the maximum of the likelihood of the
//     target rows, by EM
//   - Reference: Saerens, Latinne and Decaestecker 2002; Alexandari, Kundaje and
//     Shrikumar 2020
//   - Compared with: kundajelab/abstention, the authors': TempScaling, then
//     EMImbalanceAdapter on its probabilities
//   - Agreement: without calibration on networks of others, with the test rows as target:
//     docs/evidence.md; with ts and bcts their solver ends before the minimum
//   - Departures: A ridge of 1e-6 (sum of b^2 + (T0/T - 1)^2), with T0 the temperature of
//     ts, is added to the NLL of bcts, because a class without calibration rows has no
//     minimum otherwise; the authors' code fails there. Like their code, EM compares with
//     the mean of p and not with the shares of the labels; for bcts the two are the same.
//     Their adapter passes uncalibrated target rows to EM; ours calibrates both sets, as
//     the paper says.
type LabelShift struct {
	Calibration string  // "bcts", "ts" or "none"; empty means "bcts"
	Steps       int     // most steps of EM, 1 to 100,000; 0 means 100
	Tolerance   float64 // largest change of a share in the last step, 1e-15 to 1; 0 means 1e-6
}

// LabelShiftEntry is the entry of LabelShift.
var LabelShiftEntry = calib.NewEntry[LabelShift, labelShiftMap](calib.Entry{
	Name:    "label-shift",
	Label:   "Label shift (EM)",
	Version: 5,
	Summary: "class shares of the target estimated by EM from unlabelled target samples, after bias-corrected temperature scaling",
	Cost:    130,
	Cost100: 210,
})

// String returns the name of the method.
func (LabelShift) String() string { return LabelShiftEntry.Name }

// labelShiftRidge is the penalty of bcts.
const labelShiftRidge = 1e-6

// Options returns the options.
func (m *LabelShift) Options() []calib.Option {
	return []calib.Option{
		calib.ChoiceOption("calibration", &m.Calibration, []string{"bcts", "ts", "none"}, "calibration before the correction"),
		calib.IntOption("steps", &m.Steps, 100, 1, 100_000, "most steps of EM"),
		calib.FloatOption("tolerance", &m.Tolerance, 1e-6, 1e-15, 1, "largest change of a share in the last step of EM"),
	}
}

// Contract needs logits and labels, and logits of the target. The prediction may
// change.
func (LabelShift) Contract() calib.Contract {
	c := method.VectorContract()
	c.Target = data.Logits
	return c
}

// Fit returns T, b and w. The report counts the iterations of the calibration
// and the steps of EM together.
func (m LabelShift) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := method.Ready(m, in)
	if err != nil {
		return nil, err
	}
	k := in.Cal.Logits.Cols
	switch {
	case in.Target == nil || in.Target.Logits.Rows == 0:
		return nil, errors.New("no target rows")
	case in.Target.Logits.Cols != k:
		return nil, fmt.Errorf("target rows have %d classes, calibration rows %d", in.Target.Logits.Cols, k)
	}
	shift := labelShiftMap{T: 1, B: make([]float64, k), W: make([]float64, k)}
	var r calib.Report
	if m.Calibration != "none" {
		if r, err = shift.calibrate(ctx, in, m.Calibration == "bcts"); err != nil {
			return nil, err
		}
	}
	steps, change, err := shift.reweight(ctx, in.Cal.Logits, in.Target.Logits, m.Steps, m.Tolerance)
	if err != nil {
		return nil, err
	}
	r.Iterations += steps
	r.Passes++
	r.AtBound = nil // of ts
	if change > m.Tolerance {
		r.Warn(calib.Warning{Text: "EM ended after {steps} steps: the last changed a class share by {value}", Steps: steps, Value: report.Rounded(change, 2)})
	}
	return method.Reported(ctx, shift, in.Cal, r)
}

// calibrate sets T and, with offsets, b.
func (m *labelShiftMap) calibrate(ctx context.Context, in calib.Input, offsets bool) (calib.Report, error) {
	o, t, r, err := method.Temperature(ctx, in)
	r.Passes = o.Passes
	if m.T = t; err != nil || !offsets {
		return r, err
	}
	scale := 1 / t
	p := newSharedProblem(in.Cal, func(dst []float64, row []float32) {
		most := float64(row[fit.TopClass(row)])
		for j, l := range row {
			dst[j] = float64(scale * (float64(l) - most))
		}
	})
	for j := range p.Penalty {
		p.Penalty[j] = labelShiftRidge
	}
	theta := make([]float64, len(p.Penalty))
	end, err := p.MinimiseWhitened(ctx, theta)
	if err != nil {
		return r, err
	}
	if end.Gradient > linearDone {
		r.Warn(report.Unconverged(end.Gradient, end.Steps))
	}
	// A slope of 0 or less, when the labels contradict the logits, is 1/T at its bound.
	m.T = min(t/max(1+theta[0], 1e-9), fit.MaxT*max(1, t/fit.MaxT))
	m.B = theta[1:]
	r.Gradient, r.Iterations, r.Passes = end.Gradient, r.Iterations+end.Steps, o.Passes+p.Passes
	return r, nil
}

// reweight sets w by EM. It returns the steps and the largest change of a share in the
// last one. The calibrated probabilities of a row are v_j s_j, divided by their sum, with
// s = softmax(l/T) and v = exp(b). So s is computed once, and each step changes its weights.
func (m *labelShiftMap) reweight(ctx context.Context, cal, target data.Matrix, most int, tolerance float64) (steps int, change float64, err error) {
	largest := slices.Max(m.B)
	v := make([]float64, len(m.B)) // divided by the largest
	for j, b := range m.B {
		m.W[j], v[j] = 1, softmax.Exp(b-largest)
	}
	mean, err := meanWeighted(ctx, cal.Rows, v, func(s []float64, i int) []float64 {
		return softmax.Probs(s, cal.Row(i), 1/m.T)
	})
	if err != nil {
		return 0, 0, err
	}
	p := data.NewProbs(target.Rows, target.Cols) // s of the target rows
	if err = fit.EachBlock(ctx, target.Rows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			softmax.Probs(p.Row(i), target.Row(i), 1/m.T)
		}
	}); err != nil {
		return 0, 0, err
	}
	share := mean
	for weights := slices.Clone(v); ; {
		next, err := meanWeighted(ctx, target.Rows, weights, func(_ []float64, i int) []float64 { return p.Row(i) })
		if err != nil {
			return 0, 0, err
		}
		steps, change = steps+1, 0
		for j := range next {
			change = max(change, math.Abs(next[j]-share[j]))
			m.W[j] = min(next[j]/max(mean[j], fit.LeastProb), fit.MostParameter)
			weights[j] = float64(m.W[j] * v[j])
		}
		if share = next; change <= tolerance || steps == most {
			return steps, change, nil
		}
	}
}

// meanWeighted returns the mean over n rows of w_j s_j, divided by its sum over the k
// classes. row returns s of a row, for which it may use k numbers of memory.
func meanWeighted(ctx context.Context, n int, w []float64, row func(s []float64, i int) []float64) ([]float64, error) {
	mean, err := fit.SumBlocks(ctx, n, len(w), func(sum []float64, lo, hi int) {
		memory := make([]float64, len(w))
		for i := lo; i < hi; i++ {
			s := row(memory, i)
			if total := linear.Inner(w, s); total > fit.LeastProb {
				linear.Line(sum, sum, s, 1/total)
			}
		}
	})
	for j := range mean {
		mean[j] *= w[j] / float64(n)
	}
	return mean, err
}

// labelShiftMap is softmax(l/T + b + log w).
type labelShiftMap struct {
	T float64   // above 0
	B []float64 `json:"b"` // k
	W []float64 `json:"w"` // k, class shares of the target over class shares of the calibration set
}

// Parameters returns T.
func (m labelShiftMap) Parameters() []calib.Parameter {
	return calib.Temperature{T: m.T}.Parameters()
}

// NumClasses returns k.
func (m labelShiftMap) NumClasses() int { return len(m.B) }

func (m labelShiftMap) Check() error {
	if err := fit.CheckTemperature("T", m.T); err != nil {
		return err
	}
	if err := fit.CheckVectors([]string{"b", "w"}, m.B, m.W); err != nil {
		return err
	}
	for j, w := range m.W {
		if w < 0 {
			return fmt.Errorf("w[%d] = %v: want 0 or more", j, w)
		}
	}
	return nil
}

// Apply writes the n x k probabilities. A weight below 1e-300 counts as 1e-300.
func (m labelShiftMap) Apply(dst data.Probs, set *data.Set) {
	k, scale := len(m.B), 1/m.T
	offsets := make([]float64, k)
	for j, w := range m.W {
		offsets[j] = m.B[j] + softmax.Log(max(w, fit.LeastProb))
	}
	var most, sums [fit.BlockRows]float64
	for lo := 0; lo < set.Logits.Rows; lo += fit.BlockRows {
		block := dst.Slice(lo, min(lo+fit.BlockRows, set.Logits.Rows))
		for i := range block.Rows {
			q, row := block.Row(i), set.Logits.Row(lo+i)
			largest := float64(row[fit.TopClass(row)])
			for j, l := range row {
				q[j] = float64(scale * (float64(l) - largest))
			}
			most[i] = q[linear.Line(q, q, offsets, 1)]
		}
		fit.ShiftedSoftmaxes(block.Data, k, most[:block.Rows], sums[:block.Rows])
	}
}
