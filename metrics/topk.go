package metrics

import (
	"fmt"
	"math"

	"github.com/qats-bench/qats/metrics/scoring"
)

var topFiveEntry = Entry{
	Name:         "ece_top5",
	Group:        Binned,
	Outputs:      []Output{{"ece_top5", "Top-5 ECE", 0, 1}},
	Better:       Lower,
	Percent:      true,
	OnRequest:    true,
	NeedsClasses: true,
	Vector:       true,
	NoBootstrap:  true,
	Version:      1,
	Summary:      "ECE of the event that the label is among the 5 most probable classes, whose probability is the sum of theirs: 15 right-closed bins of equal width",

	Compute: valueOrError(TopFiveECE),
}

// TopFiveECE returns the expected calibration error, in [0, 1], of the event that the
// label is among the five most probable classes, with the sum of their probabilities as
// its probability (the within-top-r event). The bins are 15 of equal width,
// right-closed as those of WidthBins. Of equal probabilities the lower class counts as
// the larger one. It is an error with five classes or fewer, where the event is
// certain, and ErrNoVector of samples FromConfidences.
//
//   - Metric: ece_top5
//   - Formula: sum_b (n_b/n) |share of labels among the top 5 - mean of the sum of the
//     top 5 p|
//   - Reference: Gupta et al. 2021 (within-top-r)
//   - Compared with: numpy
//   - Agreement: 300 rows of 9 classes: to 1e-13
//   - Departures: Gupta et al. give the event's KS error. Here it is the ECE.
func TopFiveECE(s *Samples) (float64, error) {
	bins, err := s.classBins()
	switch {
	case err != nil:
		return 0, err
	case bins.Classes() <= scoring.TopK:
		return 0, fmt.Errorf("undefined: %d classes or fewer, so every label is among the top %d", scoring.TopK, scoring.TopK)
	}
	sum, top := 0.0, &bins.Top
	for b, conf := range top.Conf {
		sum += math.Abs(conf - float64(top.Hits[b]))
	}
	return sum / float64(s.Len()), nil
}
