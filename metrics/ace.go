package metrics

var aceEntry = Entry{
	Name:      "ace_netcal",
	Group:     Binned,
	Outputs:   []Output{{"ace_netcal", "ACE (netcal)", 0, 1}},
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "average calibration error: 15 right-closed bins of equal width, unweighted mean over the bins with rows",

	Basis:   &squaredMass,
	Compute: value(func(s *Samples) float64 { return AverageCE(s, 15) }),
}

// AverageCE returns the average calibration error (ACE in netcal), in [0, 1], of bins
// >= 1 bins of equal width. A bin with one sample counts as much as the fullest one.
// The bins are those of WidthBins. It is neither AECE, whose bins have equal mass, nor
// the ACE of Nixon et al. (2019), which reads the probabilities of all classes.
//
//   - Metric: ace_netcal
//   - Formula: mean over bins with rows of |acc_b - conf_b|
//   - Reference: Neumann, Zisserman and Vedaldi 2018; Kueppers et al. 2020 (netcal)
//   - Compared with: numpy with the formula of netcal
//   - Agreement: 499 rows: to 1e-14
//   - Departures: 15 right-closed bins; netcal has left-closed ones, 10 by default.
func AverageCE(s *Samples, bins int) float64 { return unweightedGap(WidthBins(s, bins)) }
