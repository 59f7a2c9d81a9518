package temperature

import (
	"context"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// EnsembleTemperatureScaling is ensemble temperature scaling: a mixture of the softmax
// at a temperature, the softmax at 1 and the uniform distribution. It is fitted in two
// stages by the mean squared error of the probabilities (the Brier score): T with w =
// (1, 0, 0), then w with that T. The paper allows any loss; its code uses this one in
// both stages.
//
//   - Formula: q = w_1 softmax(l/T) + w_2 softmax(l) + w_3/k, w >= 0, sum w = 1, T in
//     [0.05 min(1, spread), 5 max(1, spread)], spread the mean gap of the two largest
//     logits, by squared error: first T, then w
//   - Reference: Zhang, Kailkhura and Han 2020
//   - Compared with: zhang64-llnl/Mix-n-Match-Calibration (the authors')
//   - Agreement: probabilities to 1e-6 on drawn rows, where its solver stops
//   - Departures: The authors' code descends to a minimum in T from 1. The error need not
//     be convex in T, so ours takes the best of 25 temperatures and goes to the minimum
//     next to it. Their code finds w by sequential quadratic programming. Ours solves a
//     linear system on every face of the triangle of weights and takes the best solution,
//     which is exact. Their T is in [0.05, 5]. Ours is too if the minimum is inside; else
//     the bounds go with the spread of the logits, and the grid goes on with its steps.
type EnsembleTemperatureScaling struct{}

// ETSEntry is the entry of EnsembleTemperatureScaling.
var ETSEntry = calib.NewEntry[EnsembleTemperatureScaling, etsMap](calib.Entry{
	Name:    "ets",
	Label:   "ETS",
	Version: 3,
	Summary: "mixture of the softmax at a temperature, at 1 and the uniform distribution, fitted by squared error",
	Aliases: []string{"ensemble-temperature-scaling"},
	Cost:    60,
	Cost100: 30,
})

// String returns the name of the method.
func (EnsembleTemperatureScaling) String() string { return ETSEntry.Name }

const (
	etsLeastT = 0.05
	etsMostT  = 5.0
	etsGrid   = 25 // temperatures, evenly spaced in log T from bound to bound
)

// Minimises names the objective.
func (EnsembleTemperatureScaling) Minimises() calib.Objective { return calib.ByBrier }

// Contract needs logits and labels. Every part of the mixture has the same top
// class, or none.
func (EnsembleTemperatureScaling) Contract() calib.Contract {
	c := method.LogitsContract()
	c.Masked = false // the third part of the mean gives every class 1/k
	return c
}

// Fit returns T and w. The report has the gradient of the squared error in
// log T, which is 0 at a bound.
func (EnsembleTemperatureScaling) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	if err := fit.CheckLabelled(in.Cal); err != nil {
		return nil, err
	}
	f := &etsFit{set: in.Cal}
	t, report, err := f.temperature(ctx)
	if err != nil {
		return nil, err
	}
	total, labels, err := f.moments(ctx, 1/t)
	if err != nil {
		return nil, err
	}
	m := etsMap{T: t, W: total.weights(in.Cal.Logits.Cols)}
	report.NLL, report.Passes = m.nll(labels, in.Cal.Logits.Cols), f.passes
	return &calib.Fitted{Map: m, Report: report}, nil
}

// etsFit computes the squared error of a calibration set. With e_j = exp(beta (l_j -
// max l)) and Z(beta) their sum, sum_j p_j^2 = Z(2 beta)/Z(beta)^2. So the error and
// its derivatives need only the sums of the row kernel, at two scales.
type etsFit struct {
	set    *data.Set
	passes float64 // reads of the set, at any number of scales each
}

// means returns the means over the rows of width sums, which add adds for the rows
// lo..hi-1 of one block.
func (f *etsFit) means(ctx context.Context, width int, add func(sum []float64, lo, hi int)) ([]float64, error) {
	f.passes++
	total, err := fit.SumBlocks(ctx, f.set.Logits.Rows, width, add)
	for i := range total {
		total[i] /= float64(f.set.Logits.Rows)
	}
	return total, err
}

// gap returns l_y - max l of row i.
func (f *etsFit) gap(i, top int) float64 {
	row := f.set.Logits.Row(i)
	return float64(row[f.set.Labels[i]]) - float64(row[top])
}

// scored calls visit for the rows lo..hi-1 with their scores at each of the scales, and
// with exp(scale (l_y - max l)).
func (f *etsFit) scored(lo, hi int, scales []float64, visit func(i int, at []softmax.Score, own []float64)) {
	m, k := len(scales), f.set.Logits.Cols
	top, scores := make([]int32, hi-lo), make([]softmax.Score, (hi-lo)*m)
	own := make([]float64, 0, (hi-lo)*m) // the scales of every row, then the exponentials
	for range hi - lo {
		own = append(own, scales...)
	}
	softmax.Scores(scores, top, f.set.Logits.Data[lo*k:hi*k], k, own)
	for i, v := range own {
		own[i] = float64(v * f.gap(lo+i/m, int(top[i/m])))
	}
	softmax.Exps(own, own)
	for i := range hi - lo {
		visit(lo+i, scores[i*m:(i+1)*m], own[i*m:(i+1)*m])
	}
}

// errors returns the mean squared error sum_j (p_j - 1[j = y])^2 at each scale, in one
// pass.
func (f *etsFit) errors(ctx context.Context, scales []float64) ([]float64, error) {
	return f.means(ctx, len(scales), func(sum []float64, lo, hi int) {
		f.scored(lo, hi, scales, func(_ int, at []softmax.Score, own []float64) {
			for c, s := range at {
				z := 1 + s.Tail
				sum[c] += (1+s.Squares)/float64(z*z) - 2*own[c]/z + 1
			}
		})
	})
}

// etsSlope holds the first two derivatives of the mean squared error in log beta.
type etsSlope struct{ first, second float64 }

// slope returns the derivatives at one scale, in one pass. With A = Z(2 beta),
// Z = Z(beta), a_i and z_i their i-th derivatives in log beta divided by A and Z,
// and g and h the two derivatives of log p_y, the derivatives of a row are
//
//	A/Z^2 (a_1 - 2 z_1) - 2 p_y g,
//	A/Z^2 (a_2 - 4 a_1 z_1 - 2 z_2 + 6 z_1^2) - 2 p_y (g^2 + h).
func (f *etsFit) slope(ctx context.Context, beta float64) (etsSlope, error) {
	k := f.set.Logits.Cols
	total, err := f.means(ctx, 2, func(sum []float64, lo, hi int) {
		logits := f.set.Logits.Data[lo*k : hi*k]
		once, twice := make([]softmax.Moments, hi-lo), make([]softmax.Moments, hi-lo)
		softmax.Rows(once, logits, k, []float64{beta})
		softmax.Rows(twice, logits, k, []float64{2 * beta})
		own := make([]float64, hi-lo) // beta (l_y - max l)
		for i := range own {
			own[i] = float64(beta * f.gap(lo+i, int(once[i].Top)))
		}
		p := make([]float64, hi-lo) // p_y, before the division by Z
		softmax.Exps(p, own)
		for i, own := range own {
			s, d := &once[i], &twice[i]
			z, a := 1+s.Tail, 1+d.Tail
			squares, p := a/float64(z*z), p[i]/z
			z1, a1 := beta*s.S1/z, 2*beta*d.S1/a
			z2 := float64(beta*beta*s.S2)/z + z1 // beta^2 Z'' + beta Z'
			a2 := float64(4*beta*beta*d.S2)/a + a1
			g := own - z1
			h := own - z2 + float64(z1*z1)
			sum[0] += float64(squares*(a1-2*z1)) - float64(2*p*g)
			sum[1] += float64(squares*(a2-float64(4*a1*z1)-2*z2+float64(6*z1*z1))) - float64(2*p*(float64(g*g)+h))
		}
	})
	return etsSlope{total[0], total[1]}, err
}

// etsMoments are means over the rows, with p = softmax(beta l), r = softmax(l)
// and y the label.
type etsMoments struct {
	pp, pr float64 // sum_j p_j^2, sum_j p_j r_j
	rr     float64
	py, ry float64 // p_y, r_y
}

// moments returns the moments at one scale and (p_y, r_y) of every row, in one pass:
// sum_j p_j r_j is Z(1 + beta)/(Z(1) Z(beta)).
func (f *etsFit) moments(ctx context.Context, beta float64) (etsMoments, [][2]float64, error) {
	labels := make([][2]float64, f.set.Logits.Rows)
	total, err := f.means(ctx, 5, func(sum []float64, lo, hi int) {
		f.scored(lo, hi, []float64{beta, 1, 1 + beta}, func(i int, at []softmax.Score, own []float64) {
			p, r := 1+at[0].Tail, 1+at[1].Tail
			sum[0] += (1 + at[0].Squares) / float64(p*p)
			sum[1] += (1 + at[2].Tail) / float64(p*r)
			sum[2] += (1 + at[1].Squares) / float64(r*r)
			labels[i] = [2]float64{own[0] / p, own[1] / r}
			sum[3] += labels[i][0]
			sum[4] += labels[i][1]
		})
	})
	return etsMoments{total[0], total[1], total[2], total[3], total[4]}, labels, err
}

// temperature returns the T with the least squared error, the largest T on ties.
func (f *etsFit) temperature(ctx context.Context) (float64, calib.Report, error) {
	minU, maxU := softmax.Log(1/etsMostT), softmax.Log(1/etsLeastT)
	step := func(i int) float64 { return minU + float64((maxU-minU)*float64(i)/(etsGrid-1)) }
	var grid []float64 // log beta
	for i := range etsGrid {
		grid = append(grid, step(i))
	}
	best, s, err := f.best(ctx, grid)
	if err != nil {
		return 0, calib.Report{}, err
	}
	least, most := etsLeastT, etsMostT
	if s.first >= 0 && best == 0 || s.first <= 0 && best == etsGrid-1 {
		spread, err := f.spread(ctx)
		if err != nil {
			return 0, calib.Report{}, err
		}
		least, most = least*min(1, spread), most*max(1, spread)
		// The grid goes on with its own steps, up to a last one that ends at the new bound.
		var before []float64
		for i := -1; step(i) > softmax.Log(1/most); i-- {
			before = append([]float64{step(i)}, before...)
		}
		if most > etsMostT {
			before = append([]float64{softmax.Log(1 / most)}, before...)
		}
		for i := etsGrid; step(i) < softmax.Log(1/least); i++ {
			grid = append(grid, step(i))
		}
		if least < etsLeastT {
			grid = append(grid, softmax.Log(1/least))
		}
		if longer := append(before, grid...); len(longer) > etsGrid {
			grid = longer
			if best, s, err = f.best(ctx, grid); err != nil {
				return 0, calib.Report{}, err
			}
		}
	}
	r := calib.Report{Iterations: len(grid)}
	at := func(bound calib.Bound, t float64) (float64, calib.Report, error) {
		r.AtBound = report.Bounds{bound}
		r.Warn(report.End(bound))
		return t, r, nil
	}
	// The minimum is on the side to which the error falls.
	lo, hi := best, best
	switch {
	case s.first > 0 && best == 0:
		return at(report.AtMost("T", 0, most), most)
	case s.first < 0 && best == len(grid)-1:
		return at(report.AtLeast("T", 0, least), least)
	case s.first > 0:
		lo--
	case s.first < 0:
		hi++
	}
	u, slope, steps, err := f.root(ctx, grid[best], s, grid[lo], grid[hi])
	r.Iterations += steps
	r.Gradient = math.Abs(slope)
	return 1 / softmax.Exp(u), r, err
}

// best returns the place of the least squared error in a grid of log beta, the first one on
// ties, and the slope there.
func (f *etsFit) best(ctx context.Context, grid []float64) (best int, s etsSlope, err error) {
	scales := make([]float64, len(grid))
	for i, u := range grid {
		scales[i] = softmax.Exp(u)
	}
	seen, err := f.errors(ctx, scales)
	if err != nil {
		return 0, s, err
	}
	for i, e := range seen {
		if e < seen[best] {
			best = i
		}
	}
	s, err = f.slope(ctx, scales[best])
	return best, s, err
}

// spread returns the spread of the logits; see fit.SpanOf.
func (f *etsFit) spread(ctx context.Context) (float64, error) {
	o, err := fit.NewObjective(f.set)
	if err != nil {
		return 0, err
	}
	return o.Spread(ctx)
}

// root returns a zero of the slope s between lo and hi in u, from u, which is one of
// the two. The error falls at lo, or is not below that at hi, and rises at hi, or is
// not below that at lo. The method is Newton's, with a bisection where a step leaves
// the bracket or the last one did not halve the slope.
func (f *etsFit) root(ctx context.Context, u float64, s etsSlope, lo, hi float64) (root, slope float64, steps int, err error) {
	const maxSteps = 100
	last := math.Inf(1)
	for steps < maxSteps && hi-lo > 1e-13 && math.Abs(s.first) > 1e-14 {
		next := u - s.first/s.second
		if !(s.second > 0 && next > lo && next < hi && math.Abs(s.first) <= last/2) {
			next = lo + (hi-lo)/2
		}
		last, u = math.Abs(s.first), next
		if s, err = f.slope(ctx, softmax.Exp(u)); err != nil {
			return 0, 0, steps, err
		}
		steps++
		if s.first < 0 {
			lo = u
		} else {
			hi = u
		}
	}
	return u, s.first, steps, nil
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

// nll returns the mean NLL of rows of k classes, given p_y and r_y of each; see
// etsMoments.
func (m etsMap) nll(labels [][2]float64, k int) float64 {
	q := make([]float64, len(labels))
	uniform := m.W[2] / float64(k)
	for i, l := range labels {
		q[i] = max(float64(m.W[0]*l[0])+float64(m.W[1]*l[1])+uniform, fit.LeastProb)
	}
	softmax.Logs(q, q)
	sum := 0.0
	for _, v := range q {
		sum -= v
	}
	return sum / float64(len(q))
}

func (m etsMap) Check() error {
	if err := fit.CheckTemperature("T", m.T); err != nil {
		return err
	}
	return fit.CheckWeights("w", m.W[:])
}

// Parameters returns T and the three weights.
func (m etsMap) Parameters() []calib.Parameter {
	return []calib.Parameter{
		{Name: "T", Value: m.T, Meaning: "temperature of the first part of the mixture"},
		{Name: "w_1", Value: m.W[0], Meaning: "weight of the softmax with temperature T"},
		{Name: "w_2", Value: m.W[1], Meaning: "weight of the softmax of the logits"},
		{Name: "w_3", Value: m.W[2], Meaning: "weight of the uniform distribution"},
	}
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
