package linear

import (
	"errors"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// odirModel is the fit without one fold.
type odirModel struct {
	W [][]float64 `json:"w"` // k x k, A
	B []float64   `json:"b"` // k
}

// odirMap holds several fits, whose probabilities are averaged.
type odirMap struct {
	Lambda float64     `json:"lambda"` // the penalties of the fit, for the record
	Mu     float64     `json:"mu"`
	Models []odirModel `json:"models"`
}

func (m odirMap) NumClasses() int { return len(m.Models[0].W) }

func (m odirMap) Check() error {
	if len(m.Models) == 0 {
		return errors.New("no models")
	}
	for i, one := range m.Models {
		if err := checkMatrix(one.W, one.B); err != nil {
			return fmt.Errorf("models[%d]: %w", i, err)
		}
		if len(one.W) != m.NumClasses() {
			return fmt.Errorf("models[%d] is for %d classes, models[0] for %d", i, len(one.W), m.NumClasses())
		}
	}
	return nil
}

// Parameters returns the penalties, which cross-validation may have found.
func (m odirMap) Parameters() []calib.Parameter {
	return []calib.Parameter{
		{Name: "lambda", Value: m.Lambda, Meaning: "penalty of the off-diagonal weights"},
		{Name: "mu", Value: m.Mu, Meaning: "penalty of the intercepts"},
	}
}

// dirichletMap is an odirMap of log-probabilities.
type dirichletMap struct{ odirMap }

// Apply writes the mean of softmax(A x + b) over the models.
func (m dirichletMap) Apply(dst data.Probs, set *data.Set) { m.apply(dst, set, fit.LogProbs) }

// matrixMap is an odirMap of logits.
type matrixMap struct{ odirMap }

// Apply writes the mean of softmax(A x + b) over the models.
func (m matrixMap) Apply(dst data.Probs, set *data.Set) { m.apply(dst, set, rawLogits) }

func (m odirMap) apply(dst data.Probs, set *data.Set, scores scores) {
	k := m.NumClasses()
	x, s := make([]float64, k), make([]float64, k)
	for i := range set.Logits.Rows {
		scores(x, set.Logits.Row(i))
		q := dst.Row(i)
		clear(q)
		for _, one := range m.Models {
			for c, w := range one.W {
				s[c] = fit.Dot(w, x) + one.B[c]
			}
			fit.ToSoftmax(s)
			for c, p := range s {
				q[c] += p
			}
		}
		for c := range q {
			q[c] /= float64(len(m.Models))
		}
	}
}
