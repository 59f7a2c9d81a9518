package calib

import (
	"context"
	"errors"
	"fmt"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// QaTS is quantile-adaptive temperature scaling, the paper's method. The temperature of
// a row depends on q in [0, 1], the rank of its confidence among the n calibration rows
// (Eq. 5),
//
//	q = #{j : conf_j <= conf} / n.
//
// Ties get the highest rank, as the definition says. If a = 0, the fit is
// TemperatureScaling to the last bit, and a warning says so.
//
//   - Formula: p = softmax(l/T), T = a (1-q) + b, a >= 0, b >= 0.001 min(1, spread), q the
//     rank of the confidence among the calibration rows, by mean NLL; spread as in ts
//   - Reference: QaTS, Eqs. 5, 6 and 10
//   - Compared with: scipy's L-BFGS-B; the authors published none
//   - Agreement: 20newsgroups-body/transformer-d64-l2 of data/bundle: a and b to 1e-4;
//     25,000 x 1,000 drawn logits: NLL to 3e-16
//   - Departures: The paper asks for a, b > 0 and does not say how. Here the bounds are
//     closed, and reported when they are active; a and b are at most 1000 max(1,
//     spread). Confidences are compared without
//     saturation, by the sum of exp(l_j - max l) over the other classes: in float32,
//     the precision of network outputs, up to a quarter of the confidences tie at
//     exactly 1.
type QaTS struct{}

// FreeQaTS is QaTS without a >= 0: the temperature may rise with confidence.
//
//   - Formula: qats with T >= 0.001 at both ends in place of a >= 0
//   - Reference: variant of QaTS, Eq. 6
//   - Compared with: none: a variant of ours
//   - Agreement: not compared with code; at most the NLL of a brute-force search on
//     networks of data/bundle
//   - Departures: a >= 0 of the paper is left out, to show what it costs.
type FreeQaTS struct{}

// TransductiveQaTS is QaTS whose ranks are those among the unlabelled target rows. A global
// rescaling of their logits leaves its temperatures as they are where it keeps the order of
// the confidences: always with two classes, not always with more. Its probabilities change,
// since the logits do. Among the calibration rows, as in QaTS, a rescaled row has another q.
//
//   - Formula: qats with q the rank of the confidence among unlabelled target rows
//   - Reference: variant of QaTS, Eq. 5
//   - Compared with: none: the authors published none
//   - Agreement: not compared; a and b are those of qats
//   - Departures: Ranks are those of the target rows, where the paper's formula has the
//     calibration rows.
type TransductiveQaTS struct{}

// QaTSEntry is the entry of QaTS.
var QaTSEntry = NewEntry[QaTS, qatsMap](Entry{
	Name:    "qats",
	Label:   "QaTS",
	Version: 3,
	Summary: "temperature linear in the confidence rank, a (1-q) + b with a >= 0, b >= 0.001",
	Aliases: []string{"quantile-adaptive-temperature-scaling"},
})

// QaTSFreeEntry is the entry of FreeQaTS.
var QaTSFreeEntry = NewEntry[FreeQaTS, qatsMap](Entry{
	Name:    "qats-free",
	Label:   "QaTS free",
	Version: 4,
	Summary: "qats without a >= 0: the temperature may rise with confidence",
})

// QaTSTransductiveEntry is the entry of TransductiveQaTS.
var QaTSTransductiveEntry = NewEntry[TransductiveQaTS, qatsMap](Entry{
	Name:    "qats-transductive",
	Label:   "QaTS (trans)",
	Version: 3,
	Summary: "a and b of qats, ranks among the unlabelled target rows",
})

// Minimises names the objective.
func (QaTS) Minimises() Objective { return ByNLL }

// Contract needs logits and labels, and accepts a Stream.
func (QaTS) Contract() Contract { return streamedContract() }

// Minimises names the objective.
func (FreeQaTS) Minimises() Objective { return ByNLL }

// Contract needs logits and labels, and accepts a Stream.
func (FreeQaTS) Contract() Contract { return streamedContract() }

// Contract also needs the logits of the target.
func (TransductiveQaTS) Contract() Contract {
	c := streamedContract()
	c.Target = data.Logits
	return c
}

// Fit returns a, b and the ranks.
func (QaTS) Fit(ctx context.Context, in Input) (*Fitted, error) {
	x, ranks, report, err := fitRanked(ctx, in, fit.Curve{Segments: 1})
	if err != nil {
		return nil, err
	}
	return Result(qatsMap{A: x[0], B: x[1], ECDF: ranks}, report), nil
}

// Fit returns a, which may be below 0, b and the ranks.
func (FreeQaTS) Fit(ctx context.Context, in Input) (*Fitted, error) {
	knots, ranks, report, err := fitRanked(ctx, in, fit.Curve{Segments: 1, Free: true})
	if err != nil {
		return nil, err
	}
	return Result(qatsMap{A: knots[0] - knots[1], B: knots[1], ECDF: ranks}, report), nil
}

// Fit returns a and b of QaTS with the ranks of the target.
func (TransductiveQaTS) Fit(ctx context.Context, in Input) (*Fitted, error) {
	x, _, report, err := fitRanked(ctx, in, fit.Curve{Segments: 1})
	if err != nil {
		return nil, err
	}
	ranks, err := targetECDF(ctx, in)
	if err != nil {
		return nil, err
	}
	return Result(qatsMap{A: x[0], B: x[1], ECDF: ranks}, report), nil
}

// targetECDF returns the distribution of confidence on the target rows.
func targetECDF(ctx context.Context, in Input) (fit.ECDF, error) {
	if in.Target == nil || in.Target.Logits.Rows == 0 {
		return nil, errors.New("no target rows to rank among")
	}
	if got, want := in.Target.Logits.Cols, in.Classes(); got != want {
		return nil, fmt.Errorf("target rows have %d classes, calibration rows %d", got, want)
	}
	t, err := fit.Tails(ctx, in.Target.Logits)
	return fit.NewECDF(t), err
}

// fitRanked fits a curve over the rank and returns its parameters and the ranks.
func fitRanked(ctx context.Context, in Input, c fit.Curve) ([]float64, fit.ECDF, fit.Report, error) {
	o, q, ranks, err := in.ranked(ctx)
	if err != nil {
		return nil, nil, fit.Report{}, err
	}
	x, report, err := fit.TemperatureCurve(ctx, in.stage, o, q, c)
	return x, ranks, report, err
}

// ranked returns the calibration set, the rank q of every row, and the distribution of
// the ranks, which a map holds. In memory these are 16 bytes a row beside the logits.
func (in Input) ranked(ctx context.Context) (o *fit.Objective, q []float64, ranks fit.ECDF, err error) {
	if o, err = in.Objective(); err != nil {
		return nil, nil, nil, err
	}
	if q, err = o.Tails(ctx); err != nil {
		return nil, nil, nil, err
	}
	if ranks, err = fit.RankRows(ctx, q); err != nil {
		return nil, nil, nil, err
	}
	in.stage("rank", o.Passes)
	return o, q, ranks, nil
}

// qatsMap is the temperature A (1-q) + B with the ranks that give q.
type qatsMap struct {
	A    float64  `json:"a"` // >= 0 except for qats-free
	B    float64  `json:"b"` // > 0, as is A + B
	ECDF fit.ECDF `json:"ecdf"`
}

func (m qatsMap) Check() error {
	if !usable(m.B) || !usable(m.A+m.B) {
		return fmt.Errorf("a = %v, b = %v: want b and a + b in [1e-50, 1e50]", m.A, m.B)
	}
	return m.ECDF.Check()
}

// Parameters returns a and b.
func (m qatsMap) Parameters() []Parameter {
	return []Parameter{
		{Name: "a", Value: m.A, Meaning: "how much higher the temperature is at confidence rank q = 0 than at q = 1"},
		{Name: "b", Value: m.B, Meaning: "temperature at confidence rank q = 1"},
	}
}

func (m qatsMap) withoutECDF() (Map, fit.ECDF) {
	e := m.ECDF
	m.ECDF = nil
	return m, e
}

// Scales writes 1/T(q), q the rank of the row.
func (m qatsMap) Scales(dst []float64, _ *data.Set, at *Unscaled) {
	m.ECDF.Scales(dst, at.Tails(), m.temperature)
}

func (m qatsMap) temperature(q float64) float64 { return float64(m.A*(1-q)) + m.B }
