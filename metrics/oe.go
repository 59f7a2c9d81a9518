package metrics

import (
	"errors"

	"github.com/qats-bench/qats/internal/exact"
)

var oeEntry = Entry{
	Name:      "oe",
	Group:     Unbinned,
	Outputs:   []Output{{"oe", "Observed / expected", 0, unbounded}},
	Better:    Target,
	Target:    1,
	OnRequest: true,
	Vector:    true,
	Positive:  true,
	Version:   1,
	Summary:   "rows of the positive class over the sum of its probabilities, of two classes: below 1 where they are too high",
	Aliases:   []string{"o/e", "observed-expected", "observed/expected"},

	Compute: valueOrError(OE),
	Influence: func(s *Samples, _ uint64) ([][]float64, error) {
		oe, err := OE(s)
		if err != nil {
			return nil, err
		}
		mean, rows := s.meanPositive(), make([]float64, s.Len())
		for i := range rows {
			p, _ := s.odds(i)
			rows[i] = -float64(oe*p) / mean
			if s.isPositive(i) {
				rows[i] += 1 / mean
			}
		}
		return [][]float64{rows}, nil
	},
}

// OE returns the ratio of the observed to the expected rows of the positive class: the number of
// rows with this label over the sum of its probabilities. It is 1 for a model that is calibrated
// in the large, below 1 where the probabilities are too high on average, and 0 without a row of
// the class. It is an error if there are not two classes, or if the sum is 0.
//
//   - Metric: oe
//   - Formula: sum of y / sum of p, with y = 1 for a row of the positive class, else 0, and p its
//     probability
//   - Reference: Debray et al. 2017
//   - Compared with: numpy
//   - Agreement: random rows: to 1e-14
//   - Departures: The interval is that of the ratio of two means, with the probabilities of the
//     rows drawn as well as their labels; Debray et al. take the expected number as given.
func OE(s *Samples) (float64, error) {
	if err := s.two(); err != nil {
		return 0, err
	}
	mean := s.meanPositive()
	if mean == 0 {
		return 0, errors.New("undefined: the positive class has the probability 0 on every row")
	}
	return float64(s.positives()) / float64(s.Len()) / mean, nil
}

// meanPositive returns the mean probability of the positive class.
func (s *Samples) meanPositive() float64 {
	var sum exact.Sum
	for i := range s.Len() {
		p, _ := s.odds(i)
		sum.Add(p)
	}
	return sum.Value() / float64(s.Len())
}
