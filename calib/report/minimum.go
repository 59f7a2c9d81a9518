package report

// Local is a function of p parameters near one point: what a loss says to its solver.
type Local struct {
	Value    float64
	Gradient []float64 // p
	Hessian  []float64 // p x p, symmetric, row-major
}

// Minimum says how a solver of a smooth function of a few parameters ended.
type Minimum struct {
	At       []float64 // p, the parameters
	Value    float64
	Gradient float64 // largest absolute component of the projected gradient, in units of the scaled parameters
	Steps    int     // accepted steps, of all starts
	AtBound  Bounds  // active bounds, if the solver was told their names
	Starts   int     // number of starts
	Spread   float64 // the largest value at which a start ended minus Value
}

// GradTol is the largest gradient of a fit that counts as converged.
const GradTol = 1e-9

// SameMinimum is the largest difference of values of one and the same minimum.
const SameMinimum = 1e-9

// Report returns the report of a fit that ended at m, a minimum of the mean NLL,
// after so many passes over the calibration set. It has a warning if the starts ended at
// different minima, and one if the fit did not converge.
func (m Minimum) Report(passes float64) Report {
	r := Report{NLL: m.Value, Gradient: m.Gradient, Iterations: m.Steps, Passes: passes, AtBound: m.AtBound}
	r.WarnLocalMinima(m.Starts, m.Spread)
	r.WarnUnconverged()
	return r
}

// WarnUnconverged adds a warning if the gradient is above GradTol.
func (r *Report) WarnUnconverged() {
	if r.Gradient > GradTol {
		r.Warn(Unconverged(r.Gradient, r.Iterations))
	}
}

// WarnLocalMinima adds a warning if so many starts ended at values that differ by spread,
// which is more than SameMinimum.
func (r *Report) WarnLocalMinima(starts int, spread float64) {
	if spread > SameMinimum {
		r.Warn(Warning{Text: "no unique fit: of {count} starts some end at a local minimum, {value} higher; the least is taken", Count: starts, Value: Rounded(spread, 2)})
	}
}
