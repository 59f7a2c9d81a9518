package metrics

import "errors"

var aurocEntry = Entry{
	Name:      "auroc",
	Group:     Ranking,
	Outputs:   []Output{{"auroc", "AUROC", 0, 1}},
	Better:    Higher,
	Percent:   true,
	OnRequest: true,
	Version:   2,
	Summary:   "chance that a correct row has more confidence than a wrong one, ties counting half",
	Aliases:   []string{"auc", "roc-auc"},

	Compute: valueOrError(AUROC),
	Influence: func(s *Samples, _ uint64) ([][]float64, error) {
		rows, err := aurocInfluence(s)
		return [][]float64{rows}, err
	},
}

// AUROC returns the probability, in [0, 1], that a correct prediction has a higher
// confidence than a wrong one: the Mann-Whitney U between the two, divided by its
// largest value. Confidences that differ by rounding alone are tied (package stretch).
// Close to 1 a calibrator keeps differences far below 1e-9. It is an error if every
// prediction is correct, or every one wrong.
//
// U is counted in whole numbers. gonum's stat.ROC sums areas in float64, so its last
// digits depend on the order of the samples.
//
//   - Metric: auroc
//   - Formula: chance that conf of a hit > conf of a miss, ties 1/2
//   - Reference: Hanley and McNeil 1982
//   - Compared with: scikit-learn's roc_auc_score
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with
//     scikit-learn; all pairs of small sets to 1e-15
//   - Departures: none
func AUROC(s *Samples) (float64, error) {
	n := s.Len()
	if n == 0 {
		return 0, ErrNoSamples
	}
	hits, below, twice := 0, 0, 0 // below: wrong samples so far; twice: 2U, a whole number
	for lo, hi := range s.ties(equal) {
		h := hitsOf(s.sorted[lo:hi])
		wrong := hi - lo - h
		twice += h * (2*below + wrong)
		hits += h
		below += wrong
	}
	switch {
	case hits == n:
		return 0, errors.New("undefined: every row is predicted correctly")
	case hits == 0:
		return 0, errors.New("undefined: no row is predicted correctly")
	}
	return float64(twice) / (2 * float64(hits) * float64(n-hits)), nil
}

// aurocInfluence returns the influence of each row (DeLong, DeLong and Clarke-Pearson 1988):
// of a hit the share of misses below it minus AUROC, over the share of hits, and of a miss
// the same with hits and misses exchanged.
func aurocInfluence(s *Samples) ([]float64, error) {
	auroc, err := AUROC(s)
	if err != nil {
		return nil, err
	}
	n := float64(s.Len())
	hits := float64(s.correct())
	misses := n - hits
	rows := make([]float64, s.Len())
	hitsBelow, missesBelow := 0.0, 0.0
	for lo, hi := range s.ties(equal) {
		h := float64(hitsOf(s.sorted[lo:hi]))
		m := float64(hi-lo) - h
		ofHit := ((missesBelow+m/2)/misses - auroc) * n / hits
		ofMiss := ((hits-hitsBelow-h/2)/hits - auroc) * n / misses
		for _, x := range s.sorted[lo:hi] {
			rows[x.row] = ofMiss
			if x.correct {
				rows[x.row] = ofHit
			}
		}
		hitsBelow, missesBelow = hitsBelow+h, missesBelow+m
	}
	return rows, nil
}
