package calib

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/softmax"
	"github.com/qats-bench/qats/data"
)

// hfeNoOODEntry is energy-based instance-wise scaling (Kim and Kwon 2024), the
// row that the QaTS paper calls HFE, without out-of-distribution samples. With
// the energy F = -logsumexp(l) of a row,
//
//	T = max(T0 - theta1 N_o(F) + theta2 N_x(F), 1e-3),  0 <= theta <= 10,
//
// where T0 is the temperature of ts and N_o, N_x are the densities of normal
// distributions fitted by maximum likelihood to the energies of the correct
// and of the wrong calibration rows. The thetas minimise the squared error of
// the probabilities. F depends on the offset of the logits, hence TrueLogits.
//
// Departures. The original bounds T0 to [0.05, 5] and lets T fall below 0; we
// take the T0 of ts, so that thetas of 0 are ts to the bit, and floor T. Its
// loss is the mean over the k classes too; ours is the sum, which has the same
// minimum. A density of fewer than two distinct energies does not exist: it
// counts as 0 and its theta stays 0.
func hfeNoOODEntry() Entry {
	return Entry{
		Name:      "hfe-noood",
		Label:     "HFE (no OOD)",
		Version:   1,
		Summary:   "temperature from the energy of the row, without out-of-distribution samples",
		Reference: "Kim and Kwon 2024",
		New:       func(func(any) error) (Method, error) { return hfe{}, nil },
		Restore:   restore(func(m hfeMap) (Map, error) { return m, m.check() }),
	}
}

const (
	hfeFloor = 1e-3 // the least temperature
	hfeMost  = 10.0 // the largest theta
)

type hfe struct{}

func (hfe) Contract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits, TrueLogits: true, KeepsTop1: true}
}

// Fit starts at ts (thetas 0) and descends. The squared error is not convex in
// the thetas: what is found is a stationary point of the box that is no worse
// than ts on the calibration set, in practice the minimum over the box, but
// that is not promised. The gradient of the report is of the squared error,
// its mean over rows of the sum over classes.
func (hfe) Fit(ctx context.Context, in Input) (*Fitted, error) {
	o, err := newObjective(in.Cal)
	if err != nil {
		return nil, err
	}
	if data.LogProbs(in.Cal.Logits) {
		return nil, errors.New("the logits are log-probabilities: their offset, which is the energy, is lost")
	}
	t0, flat, err := fitTemperature(ctx, o)
	if err != nil {
		return nil, err
	}
	m := hfeMap{T0: t0}
	f := &hfeFit{objective: o, labels: in.Cal.Labels, p: make([]float64, in.Cal.Logits.Cols)}
	if err := f.densities(ctx, &m); err != nil {
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

// hfeFit is a calibration set with its energies.
type hfeFit struct {
	*objective
	labels         []int32
	energy         []float64 // n
	correct, wrong []float64 // n, densities at the energies
	p              []float64 // k, scratch
}

// densities computes the energies, fits both normals of m to them and keeps
// the values of their densities.
func (f *hfeFit) densities(ctx context.Context, m *hfeMap) error {
	f.energy = make([]float64, f.rows())
	var right, wrong []float64
	err := f.pass(ctx, []float64{1}, func(lo int, block []softmax.Moments) {
		for i := range block {
			e := energy(&block[i])
			f.energy[lo+i] = e
			if block[i].Top == f.labels[lo+i] {
				right = append(right, e)
			} else {
				wrong = append(wrong, e)
			}
		}
	})
	if err != nil {
		return err
	}
	m.Correct, m.Wrong = fitNormal(right), fitNormal(wrong)
	f.correct, f.wrong = make([]float64, f.rows()), make([]float64, f.rows())
	for i, e := range f.energy {
		f.correct[i], f.wrong[i] = m.Correct.density(e), m.Wrong.density(e)
	}
	return nil
}

// energy returns -logsumexp of the row of m, moments at scale 1.
func energy(m *softmax.Moments) float64 { return -(float64(m.Max) + softmax.Log1p(m.Tail)) }

// squaredError returns the mean over rows of sum_j (p_j - 1[y = j])^2 with its
// derivatives in the thetas. With s = 1/T, d_j = l_j - E_p[l] and V = Var_p[l]
// the derivatives of p_j in s are p_j d_j and p_j (d_j^2 - V).
func (f *hfeFit) squaredError(ctx context.Context, m hfeMap) (local, error) {
	f.passes++
	out := local{gradient: make([]float64, 2), hessian: make([]float64, 4)}
	n := float64(f.rows())
	for i := range f.rows() {
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
		dTT := (float64(s2*s2)*second + float64(2*s2*s)*first) / n
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
	row := f.logits.Row(i)
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
		if int(f.labels[i]) == j {
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

// nll returns the mean NLL under m and the number of rows at the floor.
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
