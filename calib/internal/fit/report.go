package fit

// Report says how a fit ended; calib.Report documents the fields.
type Report struct {
	NLL        float64
	Gradient   float64
	Iterations int
	Passes     float64
	AtBound    []string
	Warnings   []string
}
