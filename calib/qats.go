package calib

import (
	"context"
	"errors"
	"fmt"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// qatsEntry is the paper's method: T(q) = a (1-q) + b with a >= 0, b >= 1e-3
// (Eq. 6), fitted by NLL (Eq. 10), q the rank of the row's confidence among
// the calibration rows (Eq. 5). The paper wants a, b > 0 and does not say how;
// the bounds are closed, see fit.Curve, and reported when active. Where a = 0
// the fit is ts to the last bit. See ecdf for what departs in the ranks.
func qatsEntry() Entry {
	return Entry{
		Name:      "qats",
		Label:     "QaTS",
		Version:   2,
		Summary:   "temperature linear in the confidence rank, a (1-q) + b with a >= 0, b >= 0.001",
		Reference: "QaTS, Eqs. 5, 6 and 10",
		New:       func(func(any) error) (Method, error) { return qats{}, nil },
		Restore:   restore(restoreQaTS),
	}
}

// qatsFreeEntry lets the temperature rise with confidence: only T >= 1e-3 at
// both ends is asked. It shows what a >= 0 costs.
func qatsFreeEntry() Entry {
	return Entry{
		Name:      "qats-free",
		Label:     "QaTS free",
		Version:   3,
		Summary:   "qats without a >= 0: the temperature may rise with confidence",
		Reference: "variant of QaTS, Eq. 6",
		New:       func(func(any) error) (Method, error) { return qats{free: true}, nil },
		Restore:   restore(restoreQaTS),
	}
}

// qatsTransductiveEntry ranks rows among the unlabelled batch that they come
// from; a and b are those of qats. Only so is the claim true that QaTS does
// not mind a global rescaling of the logits: through the calibration ranks,
// the rescaled row has another q.
func qatsTransductiveEntry() Entry {
	return Entry{
		Name:      "qats-transductive",
		Label:     "QaTS (trans)",
		Version:   2,
		Summary:   "a and b of qats, ranks among the unlabelled target rows",
		Reference: "variant of QaTS, Eq. 5",
		New:       func(func(any) error) (Method, error) { return qats{transductive: true}, nil },
		Restore:   restore(restoreQaTS),
	}
}

type qats struct {
	free         bool
	transductive bool
}

func (m qats) Contract() Contract {
	c := Contract{Cal: data.Logits | data.Labels, Test: data.Logits, KeepsTop1: true, Streams: true}
	if m.transductive {
		c.Target = data.Logits
	}
	return c
}

func (m qats) Fit(ctx context.Context, in Input) (*Fitted, error) {
	shape := fit.Curve{Segments: 1, Free: m.free}
	x, ranks, report, err := fitRanked(ctx, in, shape)
	if err != nil {
		return nil, err
	}
	fitted := qatsMap{A: x[0], B: x[1], ECDF: ranks}
	if m.free {
		fitted.A = x[0] - x[1]
	}
	if m.transductive {
		if fitted.ECDF, err = targetECDF(ctx, in); err != nil {
			return nil, err
		}
	}
	return result(fitted, report), nil
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

// fitRanked fits a curve and returns its parameters with the ranks. In memory
// it keeps 16 bytes a row beside the logits: the rank of every row, and what
// the map holds, their distribution.
func fitRanked(ctx context.Context, in Input, c fit.Curve) ([]float64, fit.ECDF, fit.Report, error) {
	o, err := in.objective()
	if err != nil {
		return nil, nil, fit.Report{}, err
	}
	q, err := o.Tails(ctx)
	if err != nil {
		return nil, nil, fit.Report{}, err
	}
	ranks, err := fit.RankRows(ctx, q)
	if err != nil {
		return nil, nil, fit.Report{}, err
	}
	in.stage("rank", o.Passes)
	x, report, err := fit.TemperatureCurve(ctx, in.stage, o, q, c)
	return x, ranks, report, err
}

// qatsMap is the temperature A (1-q) + B with the ranks that give q.
type qatsMap struct {
	A    float64  `json:"a"` // >= 0 but for qats-free
	B    float64  `json:"b"` // > 0, as is A + B
	ECDF fit.ECDF `json:"ecdf"`
}

func restoreQaTS(m qatsMap) (Map, error) {
	if !usable(m.B) || !usable(m.A+m.B) {
		return nil, fmt.Errorf("a = %v, b = %v: want b and a + b in [1e-6, 1e8]", m.A, m.B)
	}
	return m, m.ECDF.Check()
}

func (m qatsMap) withoutECDF() (Map, fit.ECDF) {
	e := m.ECDF
	m.ECDF = nil
	return m, e
}

// Apply writes softmax(l/T) with T = A (1-q) + B.
func (m qatsMap) Apply(dst data.Probs, set *data.Set) { applyTempered(m, dst, set) }

// Scales writes 1/T(q), q the rank of the row.
func (m qatsMap) Scales(dst []float64, _ *data.Set, at *Unscaled) {
	m.ECDF.Scales(dst, at.Tails(), m.temperature)
}

func (m qatsMap) temperature(q float64) float64 { return float64(m.A*(1-q)) + m.B }
