package fit

import "fmt"

// Report says how a fit ended; calib.Report documents the fields.
type Report struct {
	NLL        float64
	Gradient   float64
	Iterations int
	Passes     float64
	AtBound    []string
	Warnings   []string
}

// WarnUnconverged adds a warning if the gradient is above GradTol.
func (r *Report) WarnUnconverged() {
	if r.Gradient > GradTol {
		r.Warnings = append(r.Warnings, fmt.Sprintf("not converged: gradient %.1e after %d iterations", r.Gradient, r.Iterations))
	}
}
