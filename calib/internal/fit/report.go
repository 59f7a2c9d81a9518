package fit

import "github.com/qats-bench/qats/calib/report"

// Report says how a fit ended.
type Report = report.Report

// WarnUnconverged adds a warning to r if the gradient is above GradTol.
func WarnUnconverged(r *Report) {
	if r.Gradient > GradTol {
		r.Warn(report.Unconverged(r.Gradient, r.Iterations))
	}
}
