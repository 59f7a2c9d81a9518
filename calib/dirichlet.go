package calib

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/linearmap"
	"github.com/qats-bench/qats/data"
)

// dirichletEntry is Dirichlet calibration with off-diagonal and intercept
// regularisation (Dir-ODIR; Kull et al. 2019),
//
//	p = softmax(A x + b),   x = log softmax(l),
//
// (A, b) at the minimum of
//
//	mean NLL + lambda sum over c != j of A_cj^2 + mu sum b^2.
//
// As in the authors' code for networks, the calibration set is parted into
// folds, (A, b) is fitted without each of them, the lambda with the least NLL
// on the rows left out wins, and the probabilities are the mean over the
// fits that it had: no fit has seen all rows.
//
// Departures. Their solver is Adam, stopped early; we go to the minimum, and so
// that there is one add 1e-6 sum (A_cc-1)^2. Of their two ways to choose mu we
// take mu = lambda, unless it is given. Of their grid, three values a decade
// from 10^-5 to 10^6 (from 10^-2 for 100 classes), we take odirGrid from its
// top and stop when two in a row are worse than the best: beyond 10 nothing is
// left free, and below lies what overfits. It has k^2 + k parameters: more
// than mostMatrixClasses classes are refused. The prediction may change.
func dirichletEntry() Entry {
	return Entry{
		Name:      "dirichlet",
		Label:     "Dirichlet",
		Version:   1,
		Summary:   "matrix of the log-probabilities, off-diagonal and offsets penalised (Dir-ODIR), mean over folds, at most 100 classes; options lambda, mu (0: by cross-validation), folds (5)",
		Reference: "Kull, Perello-Nieto, Kaengsepp, Silva Filho, Song and Flach 2019",
		New:       newODIR(false),
		Restore:   restore(func(m odirMap) (Map, error) { return m, m.check() }),
	}
}

// msODIREntry is dirichlet on the logits themselves, matrix scaling (Guo et
// al. 2017) with the same penalties. The logits must be true ones, as for vs.
func msODIREntry() Entry {
	return Entry{
		Name:      "ms-odir",
		Label:     "MS-ODIR",
		Version:   1,
		Summary:   "dirichlet with the logits in place of the log-probabilities; the same options",
		Reference: "Kull, Perello-Nieto, Kaengsepp, Silva Filho, Song and Flach 2019; after Guo, Pleiss, Sun and Weinberger 2017",
		New:       newODIR(true),
		Restore: restore(func(m odirMap) (Map, error) {
			m.raw = true
			return m, m.check()
		}),
	}
}

// odirGrid are the lambdas that are tried.
func odirGrid() []float64 { return []float64{10, 1, 1e-1, 1e-2, 1e-3, 1e-4} }

// odirDiagonal is the penalty of (A_cc-1)^2.
const odirDiagonal = 1e-6

// odirTol is the gradient at which fits end that are only compared: what is
// left of the NLL is near 1e-8.
const odirTol = 1e-4

// odirEnd is the gradient at which those end that are kept: where penalties are
// small a smaller one costs hundreds of steps more.
const odirEnd = 1e-8

type odirOptions struct {
	Lambda float64 `yaml:"lambda"` // 1e-9 to 1e9; 0: by cross-validation
	Mu     float64 `yaml:"mu"`     // 1e-9 to 1e9; 0: that of lambda
	Folds  int     `yaml:"folds"`  // 2 to 20
}

func newODIR(raw bool) func(func(any) error) (Method, error) {
	return func(decode func(any) error) (Method, error) {
		o := odirOptions{Folds: 5}
		if err := decode(&o); err != nil {
			return nil, err
		}
		for _, p := range []struct {
			name  string
			value float64
		}{{"lambda", o.Lambda}, {"mu", o.Mu}} {
			if p.value == 0 {
				continue
			}
			if err := checkPenalty(p.name, p.value); err != nil {
				return nil, err
			}
		}
		if o.Folds < 2 || o.Folds > 20 {
			return nil, fmt.Errorf("folds: %d: want 2 to 20", o.Folds)
		}
		return odir{o, raw}, nil
	}
}

type odir struct {
	options odirOptions
	raw     bool // x are the logits
}

func (o odir) Contract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits, TrueLogits: o.raw}
}

// Fit reports the steps and passes of all fits together and the largest
// gradient of those that are kept; its NLL is that of their mean on the whole
// calibration set.
func (o odir) Fit(ctx context.Context, in Input) (*Fitted, error) {
	if err := fit.CheckLabelled(in.Cal); err != nil {
		return nil, err
	}
	name := "dirichlet"
	if o.raw {
		name = "ms-odir"
	}
	if err := checkMatrixClasses(name, in.Cal.Logits.Cols); err != nil {
		return nil, err
	}
	all := o.folds(in.Cal, in.Seed)
	lambda := o.options.Lambda
	if lambda == 0 {
		var err error
		if lambda, err = o.choose(ctx, all); err != nil {
			return nil, err
		}
	}
	m := odirMap{Lambda: lambda, Mu: o.mu(lambda), raw: o.raw}
	var end linearmap.Descent
	passes := 0.0
	for _, f := range all {
		f.problem.Penalise(odirDiagonal, lambda, m.Mu)
		d, err := f.problem.MinimiseTo(ctx, f.theta, odirEnd)
		if err != nil {
			return nil, err
		}
		end = linearmap.Descent{Gradient: max(end.Gradient, d.Gradient), Steps: end.Steps + f.steps + d.Steps}
		w, b := linearmap.MatrixOf(f.theta, in.Cal.Logits.Cols)
		m.Models = append(m.Models, odirModel{w, b})
		passes += f.passes(in.Cal.Logits.Rows)
	}
	fitted, err := reportedDescent(ctx, m, in.Cal, end, 0, passes)
	if err != nil {
		return nil, err
	}
	if grid := odirGrid(); o.options.Lambda == 0 {
		switch lambda {
		case grid[0]:
			fitted.Report.AtBound = []string{fmt.Sprintf("lambda <= %g", lambda)}
		case grid[len(grid)-1]:
			fitted.Report.AtBound = []string{fmt.Sprintf("lambda >= %g", lambda)}
		}
	}
	return fitted, nil
}

// mu returns the penalty of the offsets that goes with lambda.
func (o odir) mu(lambda float64) float64 {
	if o.options.Mu != 0 {
		return o.options.Mu
	}
	return lambda
}

// odirFold is one fold: the rows outside it, which are fitted, those inside,
// and where the fit stands.
type odirFold struct {
	problem, left *linearmap.Problem // left is nil where there is a single row, which is fitted
	theta         []float64
	steps         int // taken to choose lambda
}

func (o odir) folds(set *data.Set, seed uint64) []*odirFold {
	k := set.Logits.Cols
	scores := odirMap{raw: o.raw}.scores
	if set.Logits.Rows < 2 {
		return []*odirFold{{problem: linearmap.New(set, true, scores), theta: make([]float64, k*k+k)}}
	}
	all := make([]*odirFold, min(o.options.Folds, set.Logits.Rows))
	part := fit.Folds(set, len(all), seed)
	for p := range all {
		outside, inside := fit.Split(set, part, p)
		all[p] = &odirFold{
			problem: linearmap.New(outside, true, scores),
			left:    linearmap.New(inside, true, scores),
			theta:   make([]float64, k*k+k),
		}
	}
	return all
}

// passes returns the reads of rows in shares of a set of n.
func (f *odirFold) passes(n int) float64 {
	rows := f.problem.Passes * float64(f.problem.Logits.Rows)
	if f.left != nil {
		rows += f.left.Passes * float64(f.left.Logits.Rows)
	}
	return rows / float64(n)
}

// choose returns the lambda of the grid with the least NLL on the rows left
// out, the largest of equal ones. Each fit starts from that before; those of
// the lambda that is returned are left in the folds.
func (o odir) choose(ctx context.Context, all []*odirFold) (float64, error) {
	best, least, worse := odirGrid()[0], math.Inf(1), 0
	kept := make([][]float64, len(all))
	for _, lambda := range odirGrid() {
		nll := 0.0
		for _, f := range all {
			f.problem.Penalise(odirDiagonal, lambda, o.mu(lambda))
			end, err := f.problem.MinimiseTo(ctx, f.theta, odirTol)
			if err != nil {
				return 0, err
			}
			f.steps += end.Steps
			if f.left == nil {
				continue
			}
			value, err := f.left.Pass(ctx, f.theta, make([]float64, len(f.theta)), false)
			if err != nil {
				return 0, err
			}
			nll += float64(value * float64(f.left.Logits.Rows))
		}
		if nll < least {
			best, least, worse = lambda, nll, 0
			for p, f := range all {
				kept[p] = append(kept[p][:0], f.theta...)
			}
		} else if worse++; worse == 2 {
			break
		}
	}
	for p, f := range all {
		f.theta = kept[p]
	}
	return best, nil
}

// odirModel is the fit without one fold.
type odirModel struct {
	W [][]float64 `json:"w"` // k x k, A
	B []float64   `json:"b"` // k
}

// odirMap is the mean of several fits.
type odirMap struct {
	Lambda float64     `json:"lambda"` // penalties of the fit; a record, the map needs none
	Mu     float64     `json:"mu"`
	Models []odirModel `json:"models"`
	raw    bool
}

// scores writes x of a row.
func (m odirMap) scores(dst []float64, row []float32) {
	if !m.raw {
		linearmap.LogProbs(dst, row)
		return
	}
	for j, l := range row {
		dst[j] = float64(l)
	}
}

func (m odirMap) classes() int { return len(m.Models[0].W) }

func (m odirMap) check() error {
	if len(m.Models) == 0 {
		return errors.New("no models")
	}
	for i, one := range m.Models {
		if err := checkMatrix(one.W, one.B); err != nil {
			return fmt.Errorf("models[%d]: %w", i, err)
		}
		if len(one.W) != m.classes() {
			return fmt.Errorf("models[%d] is for %d classes, models[0] for %d", i, len(one.W), m.classes())
		}
	}
	return nil
}

// Apply writes the mean of softmax(A x + b) over the models. It panics where
// the number of classes is not that of the fit.
func (m odirMap) Apply(dst data.Probs, set *data.Set) {
	k := m.classes()
	mustBeOf(k, set)
	x, s := make([]float64, k), make([]float64, k)
	for i := range set.Logits.Rows {
		m.scores(x, set.Logits.Row(i))
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
