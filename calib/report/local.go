package report

// Local is a function of p parameters near one point: what a loss says to its solver.
type Local struct {
	Value    float64
	Gradient []float64 // p
	Hessian  []float64 // p x p, symmetric, row-major
}
