// Package report has the values with which a fit says how it ended, and those with which a loss
// speaks to its solver. Methods write reports; notes in results.csv, tables and pages are made
// from them.
package report

// Report says how a fit ended. The solvers of dirichlet, label-shift, ms-odir, sms, svs and
// vs measure the parameters in units in which the curvature is about 1, and so does Gradient.
type Report struct {
	NLL        float64  `json:"nll"`                // mean NLL on the calibration set, nats; 0 if none is computed (uncal, TopLabel)
	Gradient   float64  `json:"gradient"`           // largest absolute component of the projected gradient of the objective, in the units of the solver
	Iterations int      `json:"iterations"`         // steps taken by the solver
	Passes     float64  `json:"passes"`             // reads of the whole calibration set by the row kernel; reading a part counts as its share, a result from Shared as if it were computed
	AtBound    Bounds   `json:"at_bound,omitempty"` // that are active at the solution
	Warnings   Warnings `json:"warnings,omitempty"` // they reach the tables as footnotes
}

// Warn adds a warning.
func (r *Report) Warn(w Warning) { r.Warnings = append(r.Warnings, w) }
