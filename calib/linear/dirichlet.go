package linear

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// Dirichlet is Dirichlet calibration with off-diagonal and intercept regularisation
// (Dir-ODIR). As in the authors' code for networks, the calibration set is split into
// folds and (A, b) is fitted without each of them. The lambda with the least NLL on the
// excluded rows is chosen. The probabilities are the mean over its fits, so no fit has
// seen all rows. The method has k^2 + k parameters. The prediction may change. The penalties
// have a scale, so logits of an unusual size are divided first (calib.LogitSize).
//
//   - Formula: p = mean over folds of softmax(A x + b), x = log softmax(l), each by
//     mean NLL + lambda sum over c != j of A_cj^2 + mu sum b^2
//   - Reference: Kull, Perello-Nieto, Kaengsepp, Silva Filho, Song and Flach 2019
//   - Compared with: numpy
//   - Agreement: probabilities to 1e-6 with Newton's method on drawn rows, for given
//     penalties; the choice of lambda is compared with independent fits, not with the
//     authors' code
//   - Departures: The authors stop their solver, Adam, early. Ours goes to the minimum,
//     and adds 1e-6 sum (A_cc-1)^2 so that there is one. They choose mu in two ways; ours
//     is mu = lambda, unless it is given. Their grid of lambda has three values a decade
//     from 10^-5 to 10^6 (from 10^-2 for 100 classes). Ours is shorter, and ends when two
//     values in a row are worse than the best. More than 100 classes are an error.
type Dirichlet struct {
	Lambda float64 // penalty of the elements off the diagonal, 1e-9 to 1e9; 0: by cross-validation
	Mu     float64 // penalty of the offsets, 1e-9 to 1e9; 0: that of Lambda
	Folds  int     // 2 to 20; 0 means 5
}

// DirichletEntry is the entry of Dirichlet.
var DirichletEntry = calib.NewEntry[Dirichlet, dirichletMap](calib.Entry{
	Name:    "dirichlet",
	Label:   "Dirichlet",
	Version: 5,
	Summary: "linear map of the log-probabilities with penalties off the diagonal and of the offsets (Dir-ODIR), mean over folds; at most 100 classes",
	Aliases: []string{"dirichlet-calibration", "dir-odir"},
	Cost:    2600,
	Cost100: 13_000,
})

// String returns the name of the method.
func (Dirichlet) String() string { return DirichletEntry.Name }

// MatrixODIR is matrix scaling (Guo et al. 2017): Dirichlet with the logits in place of
// the log-probabilities, and with the same penalties. It needs true logits, like
// Vector.
//
//   - Formula: p = mean over folds of softmax(A l + b), penalties as in dirichlet
//   - Reference: Kull, Perello-Nieto, Kaengsepp, Silva Filho, Song and Flach 2019;
//     after Guo, Pleiss, Sun and Weinberger 2017
//   - Compared with: none
//   - Agreement: not compared by itself; dirichlet has the same solver
//   - Departures: Those of dirichlet.
type MatrixODIR Dirichlet

// MSODIREntry is the entry of MatrixODIR.
var MSODIREntry = calib.NewEntry[MatrixODIR, matrixMap](calib.Entry{
	Name:    "ms-odir",
	Label:   "MS-ODIR",
	Version: 5,
	Summary: "dirichlet with the logits in place of the log-probabilities",
	Aliases: []string{"matrix-scaling"},
	Cost:    2000,
	Cost100: 6200,
})

// String returns the name of the method.
func (MatrixODIR) String() string { return MSODIREntry.Name }

// odirGrid are the lambdas that are tried.
func odirGrid() []float64 { return []float64{10, 1, 1e-1, 1e-2, 1e-3, 1e-4} }

// odirDiagonal is the penalty of (A_cc-1)^2.
const odirDiagonal = 1e-6

// odirGradients are the gradients to which candidates are fitted until they differ.
func odirGradients() []float64 { return []float64{1e-4, 1e-5, 1e-6, tolerance} }

// odirPasses limits the evaluations of all fits of a cross-validation; then they end where they
// are. Fits to networks need less than half of it. On logits of 1e10 and more they would take a
// hundred thousand, and not converge.
const odirPasses = 10000

// Options returns the options.
func (d *Dirichlet) Options() []calib.Option {
	return []calib.Option{
		calib.FloatOption("lambda", &d.Lambda, 0, leastPenalty, mostPenalty, "penalty of the elements off the diagonal; 0: chosen by cross-validation"),
		calib.FloatOption("mu", &d.Mu, 0, leastPenalty, mostPenalty, "penalty of the offsets; 0: the value of lambda"),
		calib.IntOption("folds", &d.Folds, 5, 2, 20, "number of folds of the cross-validation"),
	}
}

// Options returns the options.
func (m *MatrixODIR) Options() []calib.Option { return (*Dirichlet)(m).Options() }

// Contract needs logits and labels.
func (Dirichlet) Contract() calib.Contract {
	return method.OfValues(method.Sized(method.VectorContract()))
}

// Contract needs labels and logits that are not log-probabilities.
func (MatrixODIR) Contract() calib.Contract {
	c := method.OfValues(method.Sized(method.VectorContract()))
	c.TrueLogits = true
	return c
}

// Fit returns lambda, mu and the fits without each fold. The report has the steps and
// passes of all fits, the largest gradient of the fits that are kept, and the NLL of
// their mean on the whole calibration set.
func (d Dirichlet) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	return d.fitOn(ctx, in, "dirichlet", fit.LogProbs, func(m odirMap) calib.Map { return dirichletMap{m} })
}

// Fit reports as Dirichlet does.
func (m MatrixODIR) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	return Dirichlet(m).fitOn(ctx, in, "ms-odir", rawLogits, func(m odirMap) calib.Map { return matrixMap{m} })
}

// scores writes x of a row of logits.
type scores func(dst []float64, row []float32)

// rawLogits is x of matrix scaling.
func rawLogits(dst []float64, row []float32) {
	for j, l := range row {
		dst[j] = float64(l)
	}
}

// fitOn is fit on the scores x.
func (d Dirichlet) fitOn(ctx context.Context, in calib.Input, name string, x scores, mapOf func(odirMap) calib.Map) (*calib.Fitted, error) {
	d, err := method.Ready(d, in)
	if err != nil {
		return nil, err
	}
	if err := checkMatrixClasses(name, in.Cal.Logits.Cols); err != nil {
		return nil, err
	}
	all := d.folds(in.Cal, x, in.Seed)
	c := newODIRCandidate(all, d.Lambda)
	if d.Lambda == 0 {
		if c, err = d.choose(ctx, all); err != nil {
			return nil, err
		}
	}
	if err := d.refine(ctx, all, c, tolerance, nil); err != nil {
		return nil, err
	}
	m := odirMap{Lambda: c.lambda, Mu: d.mu(c.lambda)}
	end, passes := fit.Descent{Gradient: c.left}, 0.0
	for p, f := range all {
		w, b := matrixOf(c.theta[p], in.Cal.Logits.Cols)
		m.Models = append(m.Models, odirModel{w, b})
		end.Steps += f.steps
		passes += f.passes(in.Cal.Logits.Rows)
	}
	fitted, err := reportedDescent(ctx, mapOf(m), in.Cal, end, calib.Report{}, passes)
	if err != nil {
		return nil, err
	}
	if allRight(in.Cal, rawLogits) { // scores that grow on the diagonal have next to no penalty
		fitted.Report.Warn(report.Separable(false))
	}
	if grid := odirGrid(); d.Lambda == 0 {
		switch c.lambda {
		case grid[0]:
			fitted.Report.AtBound = report.Bounds{report.AtMost("lambda", 0, c.lambda)}
		case grid[len(grid)-1]:
			fitted.Report.AtBound = report.Bounds{report.AtLeast("lambda", 0, c.lambda)}
		}
	}
	return fitted, nil
}

// mu returns the penalty of the offsets that goes with lambda.
func (d Dirichlet) mu(lambda float64) float64 {
	if d.Mu != 0 {
		return d.Mu
	}
	return lambda
}

// odirFold is one fold: the rows outside it, which are fitted, and the rows inside it.
type odirFold struct {
	problem, left *matrixProblem // outside and inside; left is nil if there is a single row, which is fitted
	steps         int            // of all fits
}

func (d Dirichlet) folds(set *data.Set, x scores, seed uint64) []*odirFold {
	if set.Logits.Rows < 2 {
		return []*odirFold{{problem: newProblem(set, true, x)}}
	}
	all := make([]*odirFold, min(d.Folds, set.Logits.Rows))
	part := fit.Folds(set, len(all), seed)
	for p := range all {
		outside, inside := fit.Split(set, part, p)
		all[p] = &odirFold{problem: newProblem(outside, true, x), left: newProblem(inside, true, x)}
	}
	return all
}

// passes returns the number of rows read, divided by n.
func (f *odirFold) passes(n int) float64 {
	rows := f.problem.Passes * float64(f.problem.Logits.Rows)
	if f.left != nil {
		rows += f.left.Passes * float64(f.left.Logits.Rows)
	}
	return rows / float64(n)
}

// odirCandidate holds the fits of all folds with one lambda.
type odirCandidate struct {
	lambda   float64
	theta    [][]float64 // of each fold; nil: start at the fold before
	gradient float64     // that was asked for; 0 before the first fit
	left     float64     // largest gradient that remains
	nll      float64     // mean over the excluded rows
	folds    []float64   // the same, of the rows of each fold
	doubt    float64     // how much the NLL may still fall, of fits that ended early
}

// newODIRCandidate returns a candidate that starts at the identity.
func newODIRCandidate(all []*odirFold, lambda float64) *odirCandidate {
	c := &odirCandidate{lambda: lambda, theta: make([][]float64, len(all)), folds: make([]float64, len(all))}
	c.theta[0] = make([]float64, len(all[0].problem.Penalty))
	return c
}

// with returns a candidate with another lambda that starts at the fits of c.
func (c *odirCandidate) with(lambda float64) *odirCandidate {
	next := &odirCandidate{lambda: lambda, folds: make([]float64, len(c.folds))}
	for _, theta := range c.theta {
		next.theta = append(next.theta, slices.Clone(theta))
	}
	return next
}

// lost reports whether fits of c ended early and c is worse than best even if its NLL
// falls by the doubt.
func (c *odirCandidate) lost(best *odirCandidate) bool {
	return c.doubt != 0 && c.nll-best.nll > c.doubt
}

// refine fits every fold to a gradient, unless c has been fitted to it. If best is not
// nil, the fit of a fold ends early if it has lost; see race.
func (d Dirichlet) refine(ctx context.Context, all []*odirFold, c *odirCandidate, gradient float64, best *odirCandidate) error {
	if c.gradient != 0 && c.gradient <= gradient && c.doubt == 0 {
		return nil
	}
	c.gradient, c.left, c.nll, c.doubt = gradient, 0, 0, 0
	rows := 0
	for p, f := range all {
		if c.theta[p] == nil {
			c.theta[p] = slices.Clone(c.theta[p-1])
		}
		var r race
		if best != nil {
			r = race{ctx: ctx, left: f.left, best: best.folds[p], before: math.Inf(1)}
		}
		f.problem.Penalise(odirDiagonal, c.lambda, d.mu(c.lambda))
		f.problem.Most = f.problem.Passes + odirPasses
		for _, other := range all {
			f.problem.Most -= other.problem.Passes
		}
		end, err := f.problem.MinimiseTo(ctx, c.theta[p], gradient, r.lost)
		if err = errors.Join(err, r.err); err != nil {
			return err
		}
		f.steps += end.Steps
		c.left = max(c.left, end.Gradient)
		if f.left == nil {
			continue
		}
		if c.folds[p], err = f.left.Pass(ctx, c.theta[p], nil, false); err != nil {
			return err
		}
		rows += f.left.Logits.Rows
		c.nll += float64(c.folds[p] * float64(f.left.Logits.Rows))
		c.doubt += float64(r.doubt * float64(f.left.Logits.Rows))
	}
	c.nll /= float64(max(1, rows))
	c.doubt /= float64(max(1, rows))
	return nil
}

// race watches a fit that is compared with the best candidate on the excluded rows.
type race struct {
	ctx    context.Context
	left   *matrixProblem // the excluded rows; nil: no race
	best   float64        // their NLL with the best candidate
	steps  int
	before float64 // their NLL when it was last computed
	doubt  float64 // above 0: the fit has ended early, and its NLL may still fall by this
	err    error
}

const (
	raceEvery = 8  // steps between two looks at the excluded rows
	raceClear = 10 // an excess over the best that is clear, as a multiple of the last change
)

// lost reports whether the fit can end: the NLL is above that of the best candidate by
// raceClear times its change in the last raceEvery steps.
func (r *race) lost(theta []float64) bool {
	if r.left == nil {
		return false
	}
	if r.steps++; r.steps%raceEvery != 0 {
		return false
	}
	var now float64
	if now, r.err = r.left.Pass(r.ctx, theta, nil, false); r.err != nil {
		return true
	}
	doubt := float64(raceClear * math.Abs(now-r.before))
	r.before = now
	if doubt == 0 || now-r.best <= doubt {
		return false
	}
	r.doubt = doubt
	return true
}

// choose returns the candidate of the grid with the least NLL on the excluded rows, on
// ties the one with the largest lambda. Its fits may have to be refined.
//
// Plain cross-validation spends most of its time on values of lambda that overfit. Here
// their fits end when they have lost. If folds disagree, the fits go on. Two candidates
// of nearly the same NLL are fitted further until they differ by ten times the
// gradient, so the choice does not depend on where a fit ends.
func (d Dirichlet) choose(ctx context.Context, all []*odirFold) (*odirCandidate, error) {
	grid := odirGrid()
	best := newODIRCandidate(all, grid[0])
	if err := d.refine(ctx, all, best, odirGradients()[0], nil); err != nil {
		return nil, err
	}
	for last, worse := best, 0; worse < 2 && len(grid) > 1; {
		grid = grid[1:]
		next := last.with(grid[0])
		if err := d.refine(ctx, all, next, odirGradients()[0], best); err != nil {
			return nil, err
		}
		if !next.lost(best) {
			if err := d.separate(ctx, all, best, next); err != nil {
				return nil, err
			}
		}
		last = next
		if worse++; next.nll < best.nll {
			best, worse = next, 0
		}
	}
	return best, nil
}

// separate refines two candidates until their NLL differ clearly.
func (d Dirichlet) separate(ctx context.Context, all []*odirFold, a, b *odirCandidate) error {
	for _, gradient := range odirGradients() {
		for _, c := range []*odirCandidate{a, b} {
			if err := d.refine(ctx, all, c, gradient, nil); err != nil {
				return err
			}
		}
		if math.Abs(a.nll-b.nll) > 10*gradient {
			break
		}
	}
	return nil
}
