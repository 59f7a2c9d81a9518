package calib

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// EnsembleTemperatureScaling is ensemble temperature scaling (Zhang, Kailkhura and
// Han 2020),
//
//	q = w_1 softmax(l/T) + w_2 softmax(l) + w_3/k,   w >= 0, sum w = 1,
//
// fitted in two stages by the mean squared error of the probabilities (the
// Brier score): T in [0.05, 5] with w = (1, 0, 0), then w with that T. The
// paper allows any loss; its code uses this one in both stages.
//
// Departures. The code descends to a minimum in T from 1, with differences as
// derivatives. The error need not be convex in T, so we take the best of etsGrid
// temperatures and go to the minimum next to it. The code finds w by sequential
// quadratic programming. We solve a linear system on every face of the triangle of
// weights and take the best solution.
type EnsembleTemperatureScaling struct{}

func etsEntry() Entry {
	return NewEntry[EnsembleTemperatureScaling, etsMap](Entry{
		Name:      "ets",
		Label:     "ETS",
		Version:   1,
		Summary:   "mixture of the softmax at a temperature, at 1 and the uniform distribution, fitted by squared error",
		Reference: "Zhang, Kailkhura and Han 2020",
		Aliases:   []string{"ensemble-temperature-scaling"},

		Formula:   "q = w_1 softmax(l/T) + w_2 softmax(l) + w_3/k, w >= 0, sum w = 1, T in [0.05, 5], by squared error: first T, then w",
		Code:      "zhang64-llnl/Mix-n-Match-Calibration (the authors')",
		Agreement: "probabilities to 1e-6, where its solver stops",
		Departs:   "the best of 25 starts in T and an exact solution for w, instead of one descent for each",

		Cost: 270,
	})
}

const (
	etsLeastT = 0.05
	etsMostT  = 5.0
	etsGrid   = 25 // temperatures, evenly spaced in log T from bound to bound
)

// Contract needs logits and labels. Every part of the mixture has the same top
// class, or none.
func (EnsembleTemperatureScaling) Contract() Contract { return logitsContract() }

// Fit returns T and w. The gradient of the report is that of the squared error in
// log T, 0 at a bound.
func (EnsembleTemperatureScaling) Fit(ctx context.Context, in Input) (*Fitted, error) {
	if err := fit.CheckLabelled(in.Cal); err != nil {
		return nil, err
	}
	f := &etsFit{set: in.Cal, blocks: make([]etsMoments, fit.NumBlocks(in.Cal.Logits.Rows))}
	t, report, err := f.temperature(ctx)
	if err != nil {
		return nil, err
	}
	total, err := f.pass(ctx, 1/t)
	if err != nil {
		return nil, err
	}
	m := etsMap{T: t, W: total.weights(in.Cal.Logits.Cols)}
	fitted, err := reported(ctx, m, in.Cal, f.passes)
	if err != nil {
		return nil, err
	}
	report.NLL, report.Passes = fitted.Report.NLL, fitted.Report.Passes
	return result(m, report), nil
}

// etsFit computes the squared error of a calibration set.
type etsFit struct {
	set    *data.Set
	blocks []etsMoments // of each block of rows
	passes float64
}

// etsMoments are means over the rows, with p = softmax(beta l), r = softmax(l)
// and y the label.
type etsMoments struct {
	error  float64 // sum_j (p_j - 1[j = y])^2
	slope  float64 // its derivative in log beta
	pp, pr float64 // sum_j p_j^2, sum_j p_j r_j
	rr     float64
	py, ry float64 // p_y, r_y
}

// pass returns the moments at one scale beta. With E the mean of the logits
// under p, dp_j = p_j beta (l_j - E), so that the derivative is
// 2 beta (sum_j p_j^2 (l_j - E) - p_y (l_y - E)).
func (f *etsFit) pass(ctx context.Context, beta float64) (etsMoments, error) {
	f.passes++
	n, k := f.set.Logits.Rows, f.set.Logits.Cols
	err := fit.EachBlock(ctx, n, func(block, lo, hi int) {
		var s etsMoments
		p, r := make([]float64, k), make([]float64, k)
		for i := lo; i < hi; i++ {
			row, y := f.set.Logits.Row(i), f.set.Labels[i]
			softmax.Probs(p, row, beta)
			softmax.Probs(r, row, 1)
			most := float64(row[fit.TopClass(row)])
			var pp, pr, rr, mean, weighted float64
			for j, v := range p {
				gap := float64(row[j]) - most
				square := float64(v * v)
				pp += square
				pr += float64(v * r[j])
				rr += float64(r[j] * r[j])
				mean += float64(v * gap)
				weighted += float64(square * gap)
			}
			own := float64(row[y]) - most
			s.error += pp - 2*p[y] + 1
			s.slope += float64(2 * beta * (weighted - float64(pp*mean) - float64(p[y]*(own-mean))))
			s.pp += pp
			s.pr += pr
			s.rr += rr
			s.py += p[y]
			s.ry += r[y]
		}
		f.blocks[block] = s
	})
	var total etsMoments
	for _, s := range f.blocks {
		total.error += s.error
		total.slope += s.slope
		total.pp += s.pp
		total.pr += s.pr
		total.rr += s.rr
		total.py += s.py
		total.ry += s.ry
	}
	c := float64(n)
	return etsMoments{total.error / c, total.slope / c, total.pp / c, total.pr / c, total.rr / c, total.py / c, total.ry / c}, err
}

// temperature returns the T with the least squared error, the largest T on ties.
func (f *etsFit) temperature(ctx context.Context) (float64, fit.Report, error) {
	minU, maxU := softmax.Log(1/etsMostT), softmax.Log(1/etsLeastT)
	var grid [etsGrid]float64 // log beta
	var seen [etsGrid]etsMoments
	best := 0
	for i := range grid {
		grid[i] = minU + float64((maxU-minU)*float64(i)/(etsGrid-1))
		var err error
		if seen[i], err = f.pass(ctx, softmax.Exp(grid[i])); err != nil {
			return 0, fit.Report{}, err
		}
		if seen[i].error < seen[best].error {
			best = i
		}
	}
	report := fit.Report{Iterations: etsGrid}
	at := func(bound string, t float64) (float64, fit.Report, error) {
		report.AtBound = []string{bound}
		report.Warnings = []string{"the least squared error is at the bound " + bound}
		return t, report, nil
	}
	// The minimum is on the side to which the error falls.
	lo, hi := best, best
	switch s := seen[best].slope; {
	case s > 0 && best == 0:
		return at("T <= 5", etsMostT)
	case s < 0 && best == etsGrid-1:
		return at("T >= 0.05", etsLeastT)
	case s > 0:
		lo--
	case s < 0:
		hi++
	}
	u, slope, steps, err := f.root(ctx, grid[lo], grid[hi], seen[lo].slope, seen[hi].slope)
	report.Iterations += steps
	report.Gradient = math.Abs(slope)
	return 1 / softmax.Exp(u), report, err
}

// root returns a zero of the slope between lo and hi in u. The error falls at lo, or
// is not below that at hi, and rises at hi. The method is false position, with a
// bisection at every third step (Dekker 1969).
func (f *etsFit) root(ctx context.Context, lo, hi, slopeLo, slopeHi float64) (u, slope float64, steps int, err error) {
	if lo == hi {
		return lo, slopeLo, 0, nil
	}
	const maxSteps = 100
	u, slope = lo, slopeLo
	for steps < maxSteps && hi-lo > 1e-13 {
		width := hi - lo
		next := lo + float64(width*slopeLo/(slopeLo-slopeHi))
		if steps%3 == 2 || !(next > lo && next < hi) {
			next = lo + width/2
		}
		s, err := f.pass(ctx, softmax.Exp(next))
		if err != nil {
			return 0, 0, steps, err
		}
		steps++
		u, slope = next, s.slope
		if math.Abs(slope) <= 1e-14 {
			break
		}
		if slope < 0 {
			lo, slopeLo = u, slope
		} else {
			hi, slopeHi = u, slope
		}
	}
	return u, slope, steps, nil
}

// weights returns the w with the least squared error. The minimum is inside the
// triangle, inside an edge or at a corner. On each of these faces it solves a
// linear system. The best solution that is a vector of weights is taken, the first
// one on ties. A system without a unique solution is left out, because then a
// smaller face has a minimum too.
func (m etsMoments) weights(k int) [3]float64 {
	uniform := 1 / float64(k)
	gram := [3][3]float64{
		{m.pp, m.pr, uniform},
		{m.pr, m.rr, uniform},
		{uniform, uniform, uniform},
	}
	inner := [3]float64{m.py, m.ry, uniform}
	best, least := [3]float64{1, 0, 0}, math.Inf(1)
	for _, face := range [][]int{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}} {
		w, ok := onFace(gram, inner, face)
		if !ok {
			continue
		}
		value := 0.0 // the squared error minus 1
		for i := range w {
			value -= float64(2 * w[i] * inner[i])
			for j := range w {
				value += float64(float64(w[i]*w[j]) * gram[i][j])
			}
		}
		if value < least {
			best, least = w, value
		}
	}
	return best
}

// onFace minimises w G w - 2 w c over the w that sum to 1 and are 0 outside a
// face. It reports false if there is no unique minimum or a weight is not above 0.
// The last weight of the face is 1 minus the others.
func onFace(gram [3][3]float64, inner [3]float64, face []int) (w [3]float64, ok bool) {
	d := len(face) - 1
	last := face[d]
	a, b := make([]float64, d*d), make([]float64, d)
	for r, i := range face[:d] {
		b[r] = inner[i] - inner[last] - gram[i][last] + gram[last][last]
		for c, j := range face[:d] {
			a[r*d+c] = gram[i][j] - gram[i][last] - gram[last][j] + gram[last][last]
		}
	}
	if !fit.Cholesky(a, b) {
		return w, false
	}
	w[last] = 1
	for r, i := range face[:d] {
		w[i] = b[r]
		w[last] -= b[r]
		if !(b[r] > 0) {
			return w, false
		}
	}
	return w, w[last] > 0
}

// etsMap is the mixture.
type etsMap struct {
	T float64
	W [3]float64 `json:"w"` // of the softmax at T, that at 1 and the uniform distribution
}

func (m etsMap) Check() error {
	if err := checkTemperature("T", m.T); err != nil {
		return err
	}
	sum := 0.0
	for i, w := range m.W {
		if !(w >= 0 && w <= 1) {
			return fmt.Errorf("w[%d] = %v is outside [0, 1]", i, w)
		}
		sum += w
	}
	if !(math.Abs(sum-1) <= 1e-9) {
		return fmt.Errorf("w sums to %v, want 1", sum)
	}
	return nil
}

// Parameters returns T and the three weights.
func (m etsMap) Parameters() []Parameter {
	return append([]Parameter{{Name: "T", Value: m.T}}, numbered("w_%d", m.W[:])...)
}

// Apply writes the mixture. If the parts with a top class have no weight, or are
// lost to rounding, classes below the top one get the float64 just below it, as in
// softmax.Probs.
func (m etsMap) Apply(dst data.Probs, set *data.Set) {
	k := set.Logits.Cols
	p := make([]float64, k)
	uniform := m.W[2] / float64(k)
	for i := range set.Logits.Rows {
		row, q := set.Logits.Row(i), dst.Row(i)
		softmax.Probs(p, row, 1)
		softmax.Probs(q, row, 1/m.T)
		sum := 0.0
		for j, v := range q {
			q[j] = float64(m.W[0]*v) + float64(m.W[1]*p[j]) + uniform
			sum += q[j]
		}
		fit.KeepTop(q, row, sum)
	}
}
