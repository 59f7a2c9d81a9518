package calib

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/softmax"
	"github.com/qats-bench/qats/data"
)

// hfeEntry is energy-based instance-wise scaling (Kim and Kwon 2024), the row
// that the QaTS paper calls HFE. With the energy F = -logsumexp(l) of a row,
//
//	T = max(T0 - theta1 N_o(F) + theta2 N_x(F), 1e-3),  0 <= theta <= 10,
//
// where T0 is the temperature of ts, N_o and N_x are the densities of normal
// distributions fitted by maximum likelihood to the energies of the correct
// calibration rows and of the wrong ones together with those of m rows of
// semantically out-of-distribution (OOD) images. The thetas minimise the mean
// over all n + m rows of
//
//	sum_j (p_j - 1[y = j])^2,
//
// where an OOD row has no class: its target is 0 everywhere, so it asks for
// the flattest p. F depends on the offset of the logits, hence TrueLogits.
//
// Departures. The original bounds T0 to [0.05, 5] and lets T fall below 0; we
// take the T0 of ts, so that thetas of 0 are ts to the bit, and floor T. Its
// loss is the mean over the k classes too; ours is the sum, which has the same
// minimum. A density of fewer than two distinct energies does not exist: it
// counts as 0 and its theta stays 0.
//
// The thetas depend on the share of OOD rows. The original takes few: 100 for
// CIFAR-10, 400 for CIFAR-100, 3,500 for ImageNet. We take the first m rows of
// the array, 400 unless said otherwise, all where there are fewer or m is 0.
func hfeEntry() Entry {
	return Entry{
		Name:      "hfe",
		Label:     "HFE",
		Version:   1,
		Summary:   "temperature from the energy of the row, fitted with out-of-distribution samples; option m (400)",
		Reference: "Kim and Kwon 2024",
		New:       newHFE(hfeSemantic),
		Restore:   restore(func(m hfeMap) (Map, error) { return m, m.check() }),
	}
}

// hfeNoOODEntry is hfe without OOD rows.
func hfeNoOODEntry() Entry {
	return Entry{
		Name:      "hfe-noood",
		Label:     "HFE (no OOD)",
		Version:   1,
		Summary:   "temperature from the energy of the row, without out-of-distribution samples",
		Reference: "Kim and Kwon 2024",
		New:       func(func(any) error) (Method, error) { return hfe{rows: hfeNone}, nil },
		Restore:   restore(func(m hfeMap) (Map, error) { return m, m.check() }),
	}
}

// hfeTargetEntry is hfe with unlabelled rows of the domain that it will be
// applied to in the place of OOD rows. So the QaTS paper describes its HFE
// column ("needs access to OOD samples of each target domain"); the original
// never sees that domain. Most of these rows do have a class, and the loss
// asks for flat probabilities on them all the same: the temperature grows with
// m, whatever the network's accuracy there.
func hfeTargetEntry() Entry {
	return Entry{
		Name:      "hfe-target",
		Label:     "HFE (target)",
		Version:   1,
		Summary:   "temperature from the energy of the row, fitted with unlabelled target samples as out-of-distribution; option m (400)",
		Reference: "Kim and Kwon 2024, as described in the QaTS paper",
		New:       newHFE(hfeTarget),
		Restore:   restore(func(m hfeMap) (Map, error) { return m, m.check() }),
	}
}

const (
	hfeFloor = 1e-3 // the least temperature
	hfeMost  = 10.0 // the largest theta
)

type hfeOptions struct {
	M int `yaml:"m"` // OOD rows used, the first ones; 0 for all
}

func newHFE(rows hfeRows) func(func(any) error) (Method, error) {
	return func(decode func(any) error) (Method, error) {
		o := hfeOptions{M: 400}
		if err := decode(&o); err != nil {
			return nil, err
		}
		if o.M < 0 {
			return nil, fmt.Errorf("m: %d: want 1 or more, or 0 for all", o.M)
		}
		return hfe{rows, o.M}, nil
	}
}

// hfeRows says which rows count as out of distribution.
type hfeRows int

const (
	hfeNone hfeRows = iota
	hfeSemantic
	hfeTarget
)

type hfe struct {
	rows hfeRows
	m    int // 0 for all
}

func (h hfe) Contract() Contract {
	c := Contract{Cal: data.Logits | data.Labels, Test: data.Logits, TrueLogits: true, KeepsTop1: true}
	switch h.rows {
	case hfeSemantic:
		c.Cal |= data.OOD
	case hfeTarget:
		c.Target = data.Logits
	}
	return c
}

// outside returns the rows that count as out of distribution.
func (h hfe) outside(in Input) (data.Matrix, error) {
	var rows data.Matrix
	name := "out-of-distribution"
	switch h.rows {
	case hfeNone:
		return rows, nil
	case hfeSemantic:
		rows = in.Cal.OOD
	case hfeTarget:
		name = "target"
		if in.Target != nil {
			rows = in.Target.Logits
		}
	}
	switch k := in.Cal.Logits.Cols; {
	case rows.Rows == 0:
		return rows, fmt.Errorf("no %s rows", name)
	case rows.Cols != k:
		return rows, fmt.Errorf("%s rows have %d classes, calibration rows %d", name, rows.Cols, k)
	case data.LogProbs(rows):
		return rows, fmt.Errorf("the %s rows are log-probabilities: their offset, which is the energy, is lost", name)
	}
	if h.m > 0 {
		rows = rows.Slice(0, min(h.m, rows.Rows))
	}
	return rows, nil
}

// Fit starts at ts (thetas 0) and descends. The squared error is not convex in
// the thetas: what is found is a stationary point of the box that is no worse
// than ts on the calibration set, in practice the minimum over the box, but
// that is not promised. The gradient of the report is of the squared error,
// its mean over rows of the sum over classes.
func (h hfe) Fit(ctx context.Context, in Input) (*Fitted, error) {
	o, err := newObjective(in.Cal)
	if err != nil {
		return nil, err
	}
	if data.LogProbs(in.Cal.Logits) {
		return nil, errors.New("the logits are log-probabilities: their offset, which is the energy, is lost")
	}
	ood, err := h.outside(in)
	if err != nil {
		return nil, err
	}
	t0, flat, err := fitTemperature(ctx, o)
	if err != nil {
		return nil, err
	}
	m := hfeMap{T0: t0}
	f, err := newHFEFit(ctx, o, in.Cal.Labels, ood, &m)
	if err != nil {
		return nil, err
	}
	hi := []float64{hfeMost, hfeMost}
	sol, err := boxNewton(func(theta []float64) (local, error) {
		m := m
		m.Theta1, m.Theta2 = theta[0], theta[1]
		return f.squaredError(ctx, m)
	}, []float64{0, 0}, []float64{0, 0}, hi, 1)
	if err != nil {
		return nil, err
	}
	m.Theta1, m.Theta2 = sol.at[0], sol.at[1]
	nll, floored, err := f.nll(ctx, m)
	if err != nil {
		return nil, err
	}
	r := Report{
		NLL: nll, Gradient: sol.gradient, Iterations: flat.Iterations + sol.steps, Passes: o.passes,
		Warnings: flat.Warnings,
	}
	if floored > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("T is floored at %g on %d of %d calibration rows", hfeFloor, floored, o.rows()))
	}
	m.explain(&r)
	return &Fitted{Map: m, Report: r}, nil
}

// explain adds to r the bounds that are active and the warnings about m.
func (m hfeMap) explain(r *Report) {
	for _, part := range []struct {
		name, rows string
		theta      float64
		normal
	}{{"theta1", "correct", m.Theta1, m.Correct}, {"theta2", "wrong", m.Theta2, m.Wrong}} {
		switch part.theta {
		case 0:
			r.AtBound = append(r.AtBound, part.name+" >= 0")
		case hfeMost:
			r.AtBound = append(r.AtBound, fmt.Sprintf("%s <= %g", part.name, hfeMost))
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s is at its bound %g", part.name, hfeMost))
		}
		if part.Std == 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("fewer than two energies among the %s calibration rows: they have no density", part.rows))
		}
	}
	if r.Gradient > gradTol {
		r.Warnings = append(r.Warnings, fmt.Sprintf("not converged: gradient %.1e after %d iterations", r.Gradient, r.Iterations))
	}
}

// hfeFit is a calibration set with its energies, and rows out of distribution
// with theirs: rows 0..n-1 are of the one, n..n+m-1 of the other.
type hfeFit struct {
	*objective
	labels         []int32     // n
	ood            data.Matrix // m x k
	correct, wrong []float64   // n + m, densities at the energies
	p              []float64   // k, scratch
}

// newHFEFit computes the energies, fits both normals of m to them and keeps
// the values of their densities.
func newHFEFit(ctx context.Context, o *objective, labels []int32, ood data.Matrix, m *hfeMap) (*hfeFit, error) {
	total := o.rows() + ood.Rows
	energies := make([]float64, total)
	var right, wrong []float64
	err := o.pass(ctx, []float64{1}, func(lo int, block []softmax.Moments) {
		for i := range block {
			e := energy(&block[i])
			energies[lo+i] = e
			if block[i].Top == labels[lo+i] {
				right = append(right, e)
			} else {
				wrong = append(wrong, e)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for i := range ood.Rows {
		var moments [1]softmax.Moments
		softmax.Rows(moments[:], ood.Row(i), ood.Cols, []float64{1})
		energies[o.rows()+i] = energy(&moments[0])
	}
	m.Correct, m.Wrong = fitNormal(right), fitNormal(append(wrong, energies[o.rows():]...))
	f := &hfeFit{
		objective: o, labels: labels, ood: ood,
		correct: make([]float64, total), wrong: make([]float64, total), p: make([]float64, o.logits.Cols),
	}
	for i, e := range energies {
		f.correct[i], f.wrong[i] = m.Correct.density(e), m.Wrong.density(e)
	}
	return f, nil
}

// row returns row i with its class, -1 where it has none.
func (f *hfeFit) row(i int) (logits []float32, class int) {
	if i < f.rows() {
		return f.logits.Row(i), int(f.labels[i])
	}
	return f.ood.Row(i - f.rows()), -1
}

// energy returns -logsumexp of the row of m, moments at scale 1.
func energy(m *softmax.Moments) float64 { return -(float64(m.Max) + softmax.Log1p(m.Tail)) }

// squaredError returns the mean over all rows of sum_j (p_j - 1[y = j])^2 with its
// derivatives in the thetas. With s = 1/T, d_j = l_j - E_p[l] and V = Var_p[l]
// the derivatives of p_j in s are p_j d_j and p_j (d_j^2 - V).
func (f *hfeFit) squaredError(ctx context.Context, m hfeMap) (local, error) {
	f.passes++
	out := local{gradient: make([]float64, 2), hessian: make([]float64, 4)}
	n := float64(len(f.correct))
	for i := range f.correct {
		if i%blockRows == 0 && ctx.Err() != nil {
			return local{}, ctx.Err()
		}
		t := m.temperature(f.correct[i], f.wrong[i])
		value, first, second := f.rowError(i, 1/t)
		out.value += value / n
		if t <= hfeFloor {
			continue // T does not move with theta here
		}
		s := 1 / t
		s2 := float64(s * s)
		dT := -s2 * first / n
		dTT := (float64(float64(s2*s2)*second) + float64(float64(2*s2*s)*first)) / n
		c, w := -f.correct[i], f.wrong[i]
		out.gradient[0] += float64(dT * c)
		out.gradient[1] += float64(dT * w)
		out.hessian[0] += float64(dTT * c * c)
		out.hessian[1] += float64(dTT * c * w)
		out.hessian[3] += float64(dTT * w * w)
	}
	out.hessian[2] = out.hessian[1]
	return out, ctx.Err()
}

// rowError returns the squared error of row i at scale s and its first and
// second derivative in s.
func (f *hfeFit) rowError(i int, s float64) (value, first, second float64) {
	row, class := f.row(i)
	softmax.Probs(f.p, row, s)
	top := float64(row[topClass(row)])
	mean, square := 0.0, 0.0 // of l - max
	for j, p := range f.p {
		d := float64(row[j]) - top
		mean += float64(p * d)
		square += float64(p * d * d)
	}
	variance := max(0, square-float64(mean*mean))
	for j, p := range f.p {
		miss := p
		if j == class {
			miss = p - 1
		}
		d := float64(row[j]) - top - mean
		dp := float64(p * d)
		value += float64(miss * miss)
		first += float64(2 * miss * dp)
		second += 2 * (float64(dp*dp) + float64(miss*p*(float64(d*d)-variance)))
	}
	return value, first, second
}

// nll returns the mean NLL of the calibration rows under m and how many of
// them are at the floor.
func (f *hfeFit) nll(ctx context.Context, m hfeMap) (nll float64, floored int, err error) {
	scale := make([]float64, f.rows())
	for i := range scale {
		t := m.temperature(f.correct[i], f.wrong[i])
		if t <= hfeFloor {
			floored++
		}
		scale[i] = 1 / t
	}
	err = f.pass(ctx, scale, func(lo int, block []softmax.Moments) {
		sum := 0.0
		for i := range block {
			sum += block[i].NLL(scale[lo+i], f.label[lo+i])
		}
		nll += sum
	})
	return nll / float64(f.rows()), floored, err
}

// normal is a normal distribution; Std 0 stands for none, a density of 0.
type normal struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
}

// narrow is the standard deviation, relative to max(1, |mean|), below which
// energies of float32 logits are the same number but for rounding.
const narrow = 1e-6

// fitNormal returns the maximum-likelihood normal of the energies (Std divides
// by their number), or none where they do not differ.
func fitNormal(energies []float64) normal {
	n := float64(len(energies))
	if n == 0 {
		return normal{}
	}
	var g normal
	for _, e := range energies {
		g.Mean += e / n
	}
	square := 0.0
	for _, e := range energies {
		square += float64((e - g.Mean) * (e - g.Mean))
	}
	if g.Std = math.Sqrt(square / n); g.Std < narrow*max(1, math.Abs(g.Mean)) {
		g.Std = 0
	}
	return g
}

func (g normal) density(e float64) float64 {
	if g.Std == 0 {
		return 0
	}
	z := (e - g.Mean) / g.Std
	return softmax.Exp(-float64(z*z)/2) / (g.Std * math.Sqrt(2*math.Pi))
}

func (g normal) check() error {
	if math.IsInf(g.Mean, 0) || math.IsNaN(g.Mean) || math.IsInf(g.Std, 0) ||
		!(g.Std == 0 || g.Std >= narrow*max(1, math.Abs(g.Mean))) {
		return fmt.Errorf("mean %v, std %v: want finite numbers, std 0 or at least %g max(1, |mean|)", g.Mean, g.Std, narrow)
	}
	return nil
}

// hfeMap is the temperature of the entry's comment.
type hfeMap struct {
	T0      float64 // of ts
	Correct normal  `json:"correct"`
	Wrong   normal  `json:"wrong"`
	Theta1  float64 `json:"theta1"` // in [0, 10]
	Theta2  float64 `json:"theta2"` // in [0, 10]
}

// Apply writes softmax(l/T).
func (m hfeMap) Apply(dst data.Probs, set *data.Set) {
	var moments [1]softmax.Moments
	for i := range set.Logits.Rows {
		row := set.Logits.Row(i)
		softmax.Rows(moments[:], row, len(row), []float64{1})
		e := energy(&moments[0])
		t := m.temperature(m.Correct.density(e), m.Wrong.density(e))
		softmax.Probs(dst.Row(i), row, 1/t)
	}
}

// temperature returns T where the densities have the given values.
func (m hfeMap) temperature(correct, wrong float64) float64 {
	return max(m.T0-float64(m.Theta1*correct)+float64(m.Theta2*wrong), hfeFloor)
}

func (m hfeMap) check() error {
	if !(m.T0 >= hfeFloor) || math.IsInf(m.T0, 0) {
		return fmt.Errorf("T0 = %v: want a finite temperature of %g or more", m.T0, hfeFloor)
	}
	for i, theta := range []float64{m.Theta1, m.Theta2} {
		if !(theta >= 0 && theta <= hfeMost) {
			return fmt.Errorf("theta%d = %v is outside [0, %g]", i+1, theta, hfeMost)
		}
	}
	if err := m.Correct.check(); err != nil {
		return fmt.Errorf("correct: %w", err)
	}
	if err := m.Wrong.check(); err != nil {
		return fmt.Errorf("wrong: %w", err)
	}
	return nil
}
