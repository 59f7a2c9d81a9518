package features

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// HFE is energy-based instance-wise scaling, which the QaTS paper calls HFE. The
// temperature of a row depends on its energy F. N_o and N_x are the densities of normal
// distributions fitted by maximum likelihood: N_o to the energies of the correct
// calibration rows, N_x to the energies of the wrong ones together with m rows of
// semantically out-of-distribution (OOD) images. The thetas are in [0, 10]. They
// minimise the mean over all n + m rows of
//
//	sum_j (p_j - 1[y = j])^2,
//
// where an OOD row has no class: its target is 0 for every class, so the flattest p is
// best. F depends on the offset of the logits, so the method needs true logits.
//
//   - Formula: p = softmax(l/T), T = max(T0 - theta_1 N_o(F) + theta_2 N_x(F), 0.001),
//     F = -logsumexp(l), N_o and N_x normal densities of the energies of right rows and
//     of wrong and OOD rows, T0 of ts
//   - Reference: Kim and Kwon 2024
//   - Compared with: mijoo308/Energy-Calibration (the authors')
//   - Agreement: probabilities to 1.1e-6 on networks of data/bundle, with the authors'
//     objective and solver at the same T0
//   - Departures: The original limits T0 to [0.05, 5] and lets T fall below 0. Ours takes
//     the T0 of ts, so that thetas of 0 give ts to the bit, and T has a floor. Its loss is
//     also averaged over the k classes, which has the same minimum. With fewer than two
//     distinct energies no density is fitted: it counts as 0, and its theta stays 0. The
//     thetas depend on the share of OOD rows. The authors take 100 rows for CIFAR-10, 400
//     for CIFAR-100 and 3,500 for ImageNet: 2 %, 8 % and 14 % of the calibration rows. Our
//     m, of the first rows of the array, has the same shares.
type HFE struct {
	OutsideRows *int // OOD rows used, the first ones; 0, or more than there are: all; nil: outsideRows(n, k)
}

// HFEWithoutOOD is HFE without OOD rows.
//
//   - Formula: hfe without OOD rows
//   - Reference: Kim and Kwon 2024
//   - Compared with: mijoo308/Energy-Calibration (the authors')
//   - Agreement: not compared without OOD rows; hfe has the same function
//   - Departures: Those of hfe that do not concern OOD rows. The authors always use OOD
//     rows.
type HFEWithoutOOD struct{}

// HFETarget is HFE with unlabelled rows of the domain that it will be applied to in
// place of OOD rows. Most of these rows do have a class, but the loss is least at flat
// probabilities. So the temperature grows with m, for any accuracy of the network on
// that domain.
//
//   - Formula: hfe with unlabelled rows of the target domain in place of OOD rows
//   - Reference: Kim and Kwon 2024, as described in the QaTS paper
//   - Compared with: none
//   - Agreement: not compared: the authors never see the target domain
//   - Departures: The QaTS paper describes its HFE column in this form ("needs access
//     to OOD samples of each target domain"). The original never sees that domain.
type HFETarget HFE

// HFEEntry is the entry of HFE.
var HFEEntry = calib.NewEntry[HFE, hfeMap](calib.Entry{
	Name:    "hfe",
	Label:   "HFE",
	Version: 6,
	Summary: "temperature from the energy of the row, fitted with out-of-distribution samples",
	Aliases: []string{"helmholtz-free-energy"},
})

// String returns the name of the method.
func (HFE) String() string { return HFEEntry.Name }

// HFENoOODEntry is the entry of HFEWithoutOOD.
var HFENoOODEntry = calib.NewEntry[HFEWithoutOOD, hfeMap](calib.Entry{
	Name:    "hfe-noood",
	Label:   "HFE (no OOD)",
	Version: 6,
	Summary: "temperature from the energy of the row, without out-of-distribution samples",
})

// String returns the name of the method.
func (HFEWithoutOOD) String() string { return HFENoOODEntry.Name }

// HFETargetEntry is the entry of HFETarget.
var HFETargetEntry = calib.NewEntry[HFETarget, hfeMap](calib.Entry{
	Name:    "hfe-target",
	Label:   "HFE (target)",
	Version: 6,
	Summary: "temperature from the energy of the row, fitted with unlabelled target samples in place of out-of-distribution samples",
})

// String returns the name of the method.
func (HFETarget) String() string { return HFETargetEntry.Name }

const (
	hfeFloor = 1e-3 // the least temperature
	hfeMost  = 10.0 // the largest theta
)

// outsideRows returns how many OOD rows go with n calibration rows of k classes:
// round(s n), at least 1, with the share s of the authors' three data sets: .02
// for 10 classes and fewer, .08 for 100, .14 for 1,000 and more, linear in log k
// between.
func outsideRows(n, k int) int {
	const ten, thousand = .02, .14
	share := ten + (thousand-ten)/2*(math.Log10(float64(k))-1)
	return max(1, int(math.Round(min(max(share, ten), thousand)*float64(n))))
}

// Options returns the option m.
func (h *HFE) Options() []calib.Option {
	return []calib.Option{calib.OptionalInt("m", &h.OutsideRows, nil, 0, math.MaxInt,
		"out-of-distribution rows used, 0 for all; unset: 2 % of the calibration rows for 10 classes, 8 % for 100, 14 % for 1000")}
}

// Options returns the option m.
func (h *HFETarget) Options() []calib.Option { return (*HFE)(h).Options() }

// Contract needs true logits, labels and OOD rows.
func (HFE) Contract() calib.Contract {
	c := HFEWithoutOOD{}.Contract()
	c.Cal |= data.OOD
	c.Sized = true // the rows of no class are not repeated
	return c
}

// Contract needs true logits and labels.
func (HFEWithoutOOD) Contract() calib.Contract {
	c := method.OfValues(method.LogitsContract())
	c.TrueLogits = true
	return c
}

// Contract needs true logits and labels, and logits of the target.
func (HFETarget) Contract() calib.Contract {
	c := HFEWithoutOOD{}.Contract()
	c.Target = data.Logits
	c.Sized = true // the rows of the target are not repeated
	return c
}

// Fit starts at the temperature of ts, with thetas of 0, and descends. The squared
// error is not convex in the thetas, so the result is a stationary point of the box
// that is no worse than ts on the calibration set. In practice it is the minimum over
// the box, but that is not promised. Fits of few rows start twice more, since local
// minima were seen on them. The report has the gradient of the squared error,
// which is summed over classes and averaged over rows.
func (h HFE) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	ood, err := h.outside(in, in.Cal.OOD, "out-of-distribution")
	if err != nil {
		return nil, err
	}
	return fitHFE(ctx, in, ood)
}

// Fit fits as HFE does, on the calibration rows alone.
func (HFEWithoutOOD) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	return fitHFE(ctx, in, data.Matrix{})
}

// Fit fits as HFE does, with target rows in place of OOD rows.
func (h HFETarget) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	var rows data.Matrix
	if in.Target != nil {
		rows = in.Target.Logits
	}
	ood, err := HFE(h).outside(in, rows, "target")
	if err != nil {
		return nil, err
	}
	return fitHFE(ctx, in, ood)
}

// outside returns the rows that count as out of distribution.
func (h HFE) outside(in calib.Input, rows data.Matrix, name string) (data.Matrix, error) {
	h, err := calib.WithDefaults(h)
	if err != nil {
		return rows, err
	}
	switch k := in.Cal.Logits.Cols; {
	case rows.Rows == 0:
		return rows, fmt.Errorf("no %s rows", name)
	case rows.Cols != k:
		return rows, fmt.Errorf("%s rows have %d classes, calibration rows %d", name, rows.Cols, k)
	case data.LogProbs(rows):
		return rows, fmt.Errorf("the %s rows are log-probabilities: their offset, which is the energy, is lost", name)
	}
	m := outsideRows(in.Cal.Logits.Rows, in.Cal.Logits.Cols)
	if h.OutsideRows != nil {
		m = *h.OutsideRows
	}
	if m > 0 {
		rows = rows.Slice(0, min(m, rows.Rows))
	}
	return rows, nil
}

func fitHFE(ctx context.Context, in calib.Input, ood data.Matrix) (*calib.Fitted, error) {
	if data.LogProbs(in.Cal.Logits) {
		return nil, errors.New("the logits are log-probabilities: their offset, which is the energy, is lost")
	}
	o, t0, flat, err := method.Temperature(ctx, in)
	if err != nil {
		return nil, err
	}
	m := hfeMap{T0: t0}
	f, err := newHFEFit(ctx, o, in.Cal.Labels, ood, &m)
	if err != nil {
		return nil, err
	}
	starts := [][]float64{{0, 0}}
	if o.Rows() <= fit.FewRows {
		starts = append(starts, []float64{hfeMost, hfeMost}, []float64{m.Correct.halving(t0), m.Wrong.halving(t0)})
	}
	sol, err := calib.MinimiseInBox(func(theta []float64) (calib.Local, error) {
		m := m
		m.Theta1, m.Theta2 = theta[0], theta[1]
		return f.squaredError(ctx, m)
	}, starts, []calib.Range{{Name: "theta1", Least: 0, Most: hfeMost}, {Name: "theta2", Least: 0, Most: hfeMost}}, 1)
	if err != nil {
		return nil, err
	}
	m.Theta1, m.Theta2 = sol.At[0], sol.At[1]
	nll, floored, err := f.nll(ctx, m)
	if err != nil {
		return nil, err
	}
	r := calib.Report{
		NLL: nll, Gradient: sol.Gradient, Iterations: flat.Iterations + sol.Steps, Passes: o.Passes,
		AtBound: sol.AtBound, Warnings: flat.Warnings,
	}
	if floored > 0 {
		r.Warn(report.Floored(hfeFloor, floored, o.Rows()))
	}
	m.explain(&r)
	r.WarnLocalMinima(sol.Starts, sol.Spread)
	return &calib.Fitted{Map: m, Report: r}, nil
}

// explain adds the warnings about m to r.
func (m hfeMap) explain(r *calib.Report) {
	for _, part := range []struct {
		name, rows string
		theta      float64
		normal
	}{{"theta1", "correct", m.Theta1, m.Correct}, {"theta2", "wrong", m.Theta2, m.Wrong}} {
		if part.theta == hfeMost {
			r.Warn(report.End(report.AtMost(part.name, 0, hfeMost)))
		}
		if part.Std == 0 {
			r.Warn(calib.Warning{Text: "fewer than two energies among the " + part.rows + " calibration rows: they have no density"})
		}
	}
	r.WarnUnconverged()
}

// hfeMap is the temperature max(T0 - Theta1 Correct(F) + Theta2 Wrong(F), 1e-3).
type hfeMap struct {
	T0      float64 // of ts
	Correct normal  `json:"correct"`
	Wrong   normal  `json:"wrong"`
	Theta1  float64 `json:"theta1"` // in [0, 10]
	Theta2  float64 `json:"theta2"` // in [0, 10]
}

// Scales writes 1/T of every row.
func (m hfeMap) Scales(dst []float64, _ *data.Set, at *calib.Unscaled) {
	for i, e := range at.Energies() {
		dst[i] = 1 / m.temperature(m.Correct.density(e), m.Wrong.density(e))
	}
}

// temperature returns T, given the values of the densities.
func (m hfeMap) temperature(correct, wrong float64) float64 {
	return max(m.T0-float64(m.Theta1*correct)+float64(m.Theta2*wrong), hfeFloor)
}

func (m hfeMap) Check() error {
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

// Parameters returns T0, the thetas and both normal distributions.
func (m hfeMap) Parameters() []calib.Parameter {
	return []calib.Parameter{
		{Name: "T0", Value: m.T0, Meaning: "temperature of ts"},
		{Name: "theta1", Value: m.Theta1, Meaning: "how much the density of right rows lowers the temperature"},
		{Name: "theta2", Value: m.Theta2, Meaning: "how much the density of wrong and OOD rows raises the temperature"},
		{Name: "correct.mean", Value: m.Correct.Mean, Meaning: "mean energy of right rows"},
		{Name: "correct.std", Value: m.Correct.Std, Meaning: "standard deviation of the energy of right rows"},
		{Name: "wrong.mean", Value: m.Wrong.Mean, Meaning: "mean energy of wrong and OOD rows"},
		{Name: "wrong.std", Value: m.Wrong.Std, Meaning: "standard deviation of the energy of wrong and OOD rows"},
	}
}
