package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/linearmap"
	"github.com/qats-bench/qats/data"
)

// smsEntry is structured matrix scaling (Berta, Holzmueller, Jordan and Bach
// 2026): svs with a whole matrix,
//
//	p = softmax(W x + b),
//
// x that of svs, (W, b) at the minimum of
//
//	mean NLL + (k/n) (diagonal sum (W_cc-1)^2 + intercept sum b^2)
//	         + (k(k-1)/n) off_diagonal sum over c != j of W_cj^2.
//
// The departures are those of svs. It has k^2 + k parameters: more than
// mostMatrixClasses classes are refused. As off_diagonal grows it becomes svs.
// The prediction may change.
func smsEntry() Entry {
	return Entry{
		Name:      "sms",
		Label:     "SMS",
		Version:   1,
		Summary:   "matrix scaling held near temperature scaling by ridges of k/n and k(k-1)/n, at most 100 classes; options diagonal, intercept, off_diagonal (1 each)",
		Reference: "Berta, Holzmueller, Jordan and Bach 2026",
		New: func(decode func(any) error) (Method, error) {
			o := smsOptions{Diagonal: 1, Intercept: 1, OffDiagonal: 1}
			if err := decode(&o); err != nil {
				return nil, err
			}
			if err := checkPenalty("diagonal", o.Diagonal); err != nil {
				return nil, err
			}
			if err := checkPenalty("intercept", o.Intercept); err != nil {
				return nil, err
			}
			if err := checkPenalty("off_diagonal", o.OffDiagonal); err != nil {
				return nil, err
			}
			return sms{o}, nil
		},
		Restore: restore(func(m smsMap) (Map, error) { return m, m.check() }),
	}
}

type smsOptions struct {
	Diagonal    float64 `yaml:"diagonal"`     // 1e-9 to 1e9, times k/n
	Intercept   float64 `yaml:"intercept"`    // 1e-9 to 1e9, times k/n
	OffDiagonal float64 `yaml:"off_diagonal"` // 1e-9 to 1e9, times k(k-1)/n
}

type sms struct{ options smsOptions }

func (sms) Contract() Contract { return svs{}.Contract() }

func (s sms) Fit(ctx context.Context, in Input) (*Fitted, error) {
	o, err := in.objective()
	if err != nil {
		return nil, err
	}
	n, k := o.Rows(), o.Logits.Cols
	if err := checkMatrixClasses("sms", k); err != nil {
		return nil, err
	}
	base, flat, err := fitMixed(ctx, o)
	if err != nil {
		return nil, err
	}
	a := linearmap.New(in.Cal, true, base.scores)
	unit := float64(k) / float64(n)
	a.Penalise(float64(s.options.Diagonal*unit), float64(s.options.OffDiagonal*unit*float64(k-1)), float64(s.options.Intercept*unit))
	theta := make([]float64, k*k+k)
	end, err := a.Minimise(ctx, theta)
	if err != nil {
		return nil, err
	}
	w, b := linearmap.MatrixOf(theta, k)
	return reportedDescent(ctx, smsMap{base, w, b}, in.Cal, end, flat.Iterations, o.Passes+a.Passes)
}

type smsMap struct {
	mixed
	W [][]float64 `json:"w"` // k x k
	B []float64   `json:"b"` // k
}

func (m smsMap) classes() int { return len(m.W) }

func (m smsMap) check() error {
	if err := m.mixed.check(); err != nil {
		return err
	}
	return checkMatrix(m.W, m.B)
}

// Apply writes softmax(W x + b). It panics where the number of classes is not
// that of the fit.
func (m smsMap) Apply(dst data.Probs, set *data.Set) {
	mustBeOf(len(m.W), set)
	x := make([]float64, len(m.W))
	for i := range set.Logits.Rows {
		m.scores(x, set.Logits.Row(i))
		q := dst.Row(i)
		for c, w := range m.W {
			q[c] = fit.Dot(w, x) + m.B[c]
		}
		fit.ToSoftmax(q)
	}
}
