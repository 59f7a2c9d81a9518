package calib

// fitReport says how a fit ended; calib.Report documents the fields.
type fitReport struct {
	NLL        float64
	Gradient   float64
	Iterations int
	Passes     float64
	AtBound    []string
	Warnings   []string
}
