package metrics

var taceEntry = Entry{
	Name:         "tace",
	Group:        Binned,
	Outputs:      []Output{{"tace", "TACE", 0, 1}},
	Better:       Lower,
	Percent:      true,
	OnRequest:    true,
	NeedsClasses: true,
	Vector:       true,
	NoBootstrap:  true,
	Version:      1,
	Summary:      "thresholded adaptive calibration error: each class's probabilities above .01 in 15 bins of equal mass, mean over the classes",

	Basis:   &squaredClasswise,
	Compute: valueOrError(TACE),
}

// TACE returns the thresholded adaptive calibration error, in [0, 1]: the mean over the
// k classes of the calibration error of each class's probability among the n_j samples
// that give it more than .01, in 15 bins of equal mass. freq_jb is the share of class j
// among the samples in bin b. MassBins has the boundaries. A class without such a
// sample counts 0. Without the threshold the measure is the authors' ACE, which is
// mostly about probabilities near 0 and is not computed here. It is ErrNoVector of
// samples FromConfidences.
//
//   - Metric: tace
//   - Formula: (1/k) sum over classes j of sum_b (n_jb/n_j) |freq_jb - mean p_jb|, of
//     the n_j rows with p_j > .01
//   - Reference: Nixon et al. 2019
//   - Compared with: numpy with the formulas of google/uncertainty-metrics
//   - Agreement: 300 rows of 9 classes: to 1e-14
//   - Departures: 15 bins, where the authors' code (google/uncertainty-metrics) has 30
//     by default. Tied probabilities are shared out among bins. The paper weights the
//     bins equally, which is the same up to O(bins/n_j); the authors' code weights them
//     by samples, as ours does.
func TACE(s *Samples) (float64, error) {
	bins, err := s.classBins()
	if err != nil {
		return 0, err
	}
	tail, sum := &bins.Tail, 0.0
	var sorted []sample
	for lo := 0; lo < len(tail.Class); {
		hi := lo
		sorted = sorted[:0]
		for ; hi < len(tail.Class) && tail.Class[hi] == tail.Class[lo]; hi++ {
			sorted = append(sorted, sample{tail.Prob[hi], int32(hi), tail.Hit[hi]})
		}
		sum += weightedGap(massLayout(sorted, 15).fill(sorted))
		lo = hi
	}
	return sum / float64(bins.Classes()), nil
}
