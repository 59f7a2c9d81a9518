package metrics

var ecePositiveEntry = Entry{
	Name:      "ece_positive",
	Group:     Binned,
	Outputs:   []Output{{"ece_positive", "ECE, positive class", 0, 1}},
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Vector:    true,
	Positive:  true,
	Unranked:  true,
	Version:   1,
	Summary:   "ECE of the probability of the positive class, of two classes: 15 right-closed bins of equal width, weighted by rows",
	Aliases:   []string{"ece-binary", "binary-ece"},

	Basis: &squaredPositive,
	Compute: valueOrError(func(s *Samples) (float64, error) {
		of, err := s.OfPositive()
		if err != nil {
			return 0, err
		}
		return ECEPositive(of, 15), nil
	}),
}

// squaredPositive is squaredMass of the probability of the positive class.
var squaredPositive = Basis{
	Name: "sce_positive_mass15", Label: "debiased squared calibration error of the positive class in 15 bins of equal mass", Squared: true,
	positive: true,
	terms: func(s *Samples, _ uint64) (terms, error) {
		of, err := s.OfPositive()
		if err != nil {
			return terms{}, err
		}
		return squaredMassTerms(of, 15), nil
	},
}

// ECEPositive returns the ECE, in [0, 1], of the probability of the positive class in bins >= 1
// bins of equal width, of samples that Samples.OfPositive returns: the mean over bins of the gap
// between the share of rows with this label and their mean probability, weighted by rows. For
// bins, ties and empty bins see ECE. With two classes it shows shifts of the class shares, which
// the ECE of the prediction may hide.
//
//   - Metric: ece_positive
//   - Formula: sum over bins of (n_b/n) |share_b - mean p_b|, 15 bins (lo, hi] of equal width
//     of p = P(positive class)
//   - Reference: Naeini et al. 2015, whose ECE is of two classes
//   - Compared with: numpy
//   - Agreement: random rows: to 1e-14
//   - Departures: none
func ECEPositive(s *Samples, bins int) float64 { return ECE(s, bins) }
