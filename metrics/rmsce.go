package metrics

import "math"

var rmsceEntry = Entry{
	Name:      "rmsce",
	Group:     Binned,
	Outputs:   []Output{{"rmsce", "RMSCE", 0, 1}},
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "root mean square calibration error: 15 right-closed bins of equal width, squared gaps weighted by rows",

	Basis:   &squaredMass,
	Compute: value(func(s *Samples) float64 { return RMSCE(s, 15) }),
}

// RMSCE returns the root mean square calibration error, in [0, 1], of bins >= 1 bins of
// equal width. It is never below ECE(s, bins). DebiasedECE is the L2 error of bins of
// equal mass minus its bias.
//
//   - Metric: rmsce
//   - Formula: sqrt(sum over bins of (n_b/n) (acc_b - conf_b)^2)
//   - Reference: Nguyen and O'Connor 2015; Hendrycks et al. 2019; torchmetrics (norm
//     l2)
//   - Compared with: numpy
//   - Agreement: 499 rows: to 1e-14
//   - Departures: Bins are right-closed and of equal width. Torchmetrics (norm "l2")
//     and probmetrics (rmsce-15) have left-closed ones; see ece_tm. Nguyen and O'Connor
//     (2015) and Hendrycks et al. (2019) use bins of equal mass with 100 samples each.
func RMSCE(s *Samples, bins int) float64 { return squaredGap(WidthBins(s, bins)) }

// squaredGap returns the root of the mean of (acc - conf)^2 over bins, weighted by samples, and
// 0 of no samples.
func squaredGap(bins []Bin) float64 {
	sum, n := 0.0, 0
	for _, b := range bins {
		gap := b.Acc - b.Conf
		sum += float64(float64(b.N) * float64(gap*gap))
		n += b.N
	}
	return math.Sqrt(sum / float64(max(1, n)))
}
