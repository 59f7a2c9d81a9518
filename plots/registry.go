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
		{
			Name:    "quantile-gap-grid",
			Summary: "quantile-gap of several settings on the same axes; one panel a setting, data sets side by side",
			Draw:    QuantileGapGrid,
		},
		{
			Name:    "severity",
			Summary: "ECE of one network over the severity of corruption, mean and quartiles over corruptions; one line a method",
			Draw:    Severity,
		},
		{
			Name:    "corruptions",
			Summary: "ECE of one network at one severity over the kind of corruption; one dot a method",
			Draw:    Corruptions,
		},
		{
			Name:    "dominance",
			Summary: "accuracy of a first method less that of a second, settings in ascending order; one dot a setting",
			Draw:    Dominance,
		},
		{
			Name:    "losses",
			Summary: "ECE of networks trained with different losses; one panel a network, one line a loss, one dot a method",
			Draw:    Losses,
		},
		{
			Name:    "reliability-grid",
			Summary: "reliability diagrams of several settings with their ECE; one row a setting, one column a method",
			Draw:    ReliabilityGrid,
		},
		{
			Name:    "critical-difference",
			Summary: "mean ranks of methods by ECE over data sets, with Nemenyi's critical difference",
			Draw:    CriticalDifference,
		},
		{
			Name:    "forest",
			Summary: "ECE of a first method less that of a second, with paired 95 % intervals (BC bootstrap); one row a setting",
			Draw:    Forest,
		},
	}
}
