package metrics

import "github.com/qats-bench/qats/internal/exact"

// corpMCBEntry is the entry of corp_mcb.
//
//   - Metric: corp_mcb
//   - Formula: (1/n) sum of (conf - hit)^2 - (g - hit)^2, g the isotonic regression of
//     hit on conf
//   - Reference: Dimitriadis, Gneiting and Jordan 2021
//   - Compared with: scikit-learn
//   - Agreement: 499 rows: to 1e-14 with its IsotonicRegression
//   - Departures: confidences that agree to 2^-22, near 1 in their complements, are one
//     point
var corpMCBEntry = Entry{
	Name:      "corp_mcb",
	Group:     Unbinned,
	Outputs:   []Output{{"corp_mcb", "miscalibration (CORP)", 0, 1}},
	Better:    Lower,
	OnRequest: true,
	Version:   2,
	Summary:   "top-label Brier score minus its value after isotonic recalibration on the same rows (MCB)",

	Basis:   &squaredMass,
	Compute: value(func(s *Samples) float64 { return CORP(s).Miscalibration }),
}

// corpDSCEntry is the entry of corp_dsc.
//
//   - Metric: corp_dsc
//   - Formula: acc (1 - acc) - (1/n) sum of (g - hit)^2, g the isotonic regression of hit
//     on conf
//   - Reference: Dimitriadis, Gneiting and Jordan 2021
//   - Compared with: scikit-learn
//   - Agreement: 499 rows: to 1e-14 with its IsotonicRegression
//   - Departures: confidences that agree to 2^-22, near 1 in their complements, are one
//     point
var corpDSCEntry = Entry{
	Name:      "corp_dsc",
	Group:     Ranking,
	Outputs:   []Output{{"corp_dsc", "discrimination (CORP)", 0, .25}},
	Better:    Higher,
	OnRequest: true,
	Version:   2,
	Summary:   "top-label Brier score of the accuracy as every row's confidence, minus the score after isotonic recalibration on the same rows (DSC)",

	Compute: value(func(s *Samples) float64 { return CORP(s).Discrimination }),
}

// CORPParts are the parts of the CORP decomposition. Miscalibration -
// Discrimination + Uncertainty is the score.
type CORPParts struct {
	Miscalibration float64 // MCB, in [0, 1]
	Discrimination float64 // DSC, in [0, 1/4]
	Uncertainty    float64 // UNC, in [0, 1/4]
}

// CORP splits the top-label Brier score TopBrier as Dimitriadis, Gneiting and
// Jordan (2021) do, with isotonic regression g of 1[correct] on confidence, fitted
// on the same samples that it recalibrates:
//
//	MCB = mean of (confidence - correct)^2 - (g - correct)^2
//	DSC = mean of (accuracy - correct)^2   - (g - correct)^2
//	UNC = accuracy (1 - accuracy)
//
// MCB and DSC are never negative. No bins and no folds are chosen, but g fits the
// noise too, so MCB and DSC are too large on average; Decompose has the
// cross-validated form. The R package reliabilitydiag computes the same numbers.
// Confidences that agree to 2^-22, near 1 in their complements, are one point (package
// stretch). All parts of no samples are 0.
func CORP(s *Samples) CORPParts {
	n := s.Len()
	if n == 0 {
		return CORPParts{}
	}
	points := s.points(alike)
	pools, _ := s.isotonic(nil, points, nil, 0)
	var score exact.Sum
	apply(pools, points, func(lo, hi int, g float64) {
		for _, x := range s.sorted[lo:hi] {
			miss := g
			if x.correct {
				miss = 1 - miss
			}
			score.Add(float64(miss * miss))
		}
	})
	accuracy := Accuracy(s)
	after, uncertainty := score.Value()/float64(n), float64(accuracy*(1-accuracy))
	return CORPParts{max(0, TopBrier(s)-after), max(0, uncertainty-after), uncertainty}
}
