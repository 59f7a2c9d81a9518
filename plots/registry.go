package plots

// Entry is one line of the registry: a figure kind as users meet it.
type Entry struct {
	Name    string // id, and the stem of file names
	Summary string // one line
	PerCell bool   // drawn once for each cell: Input.Bins holds the rows of one

	// Draw checks the rows and returns the figure. It keeps the slices of in
	// until the figure is dropped; they must not be changed meanwhile. Errors
	// name the figure and the row that cannot be drawn.
	Draw func(in Input) (*Figure, error)
}

// Registry returns every figure kind, in the order of reports.
func Registry() []Entry {
	return []Entry{
		{
			Name:    "reliability",
			Summary: "accuracy against confidence in 15 bins of equal width, with the share of rows beneath; one panel a method",
			PerCell: true,
			Draw:    Reliability,
		},
		{
			Name:    "quantile-gap",
			Summary: "accuracy - confidence in 15 bins of equal mass over the quantile of confidence; one line a method",
			PerCell: true,
			Draw:    QuantileGap,
		},
	}
}
