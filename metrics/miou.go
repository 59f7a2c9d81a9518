package metrics

import (
	"errors"
	"slices"
)

var miouEntry = Entry{
	Name:      "miou",
	Group:     Predictions,
	Outputs:   []Output{{"miou", "mIoU", 0, 1}},
	Better:    Higher,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "mean over classes of intersection over union of predicted and labelled rows, for rows that are pixels",
	Aliases:   []string{"mean-iou", "iou"},

	Compute: valueOrError(MIoU),
	Influence: func(s *Samples, _ uint64) ([][]float64, error) {
		rows, err := miouInfluence(s)
		return [][]float64{rows}, err
	},
}

// MIoU returns the mean intersection over union, in [0, 1]. The mean is over the
// classes that some sample has as its label or its prediction. All samples are pooled,
// as segmentation benchmarks pool pixels. It is an error for samples FromConfidences,
// whose classes are unknown.
//
//   - Metric: miou
//   - Formula: mean over classes c of #(pred = c and y = c) / #(pred = c or y = c)
//   - Reference: Everingham et al. 2010
//   - Compared with: scikit-learn's jaccard_score
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with
//     scikit-learn
//   - Departures: none
func MIoU(s *Samples) (float64, error) {
	both, either, err := s.unions()
	if err != nil {
		return 0, err
	}
	sum, classes := 0.0, 0
	for c, n := range either { // in the order of the classes: the sum is rounded
		if n > 0 {
			sum += float64(both[c]) / float64(n)
			classes++
		}
	}
	return sum / float64(classes), nil
}

// unions returns, by class, the number of samples with the class as prediction and label,
// and with it as one of the two.
func (s *Samples) unions() (both, either []int, err error) {
	switch {
	case s.Len() == 0:
		return nil, nil, ErrNoSamples
	case !s.classes:
		return nil, nil, errors.New("undefined: the predicted classes are unknown")
	}
	last := max(slices.Max(s.scores.Pred), slices.Max(s.scores.Label))
	both, either = make([]int, last+1), make([]int, last+1)
	for i, p := range s.scores.Pred {
		y := s.scores.Label[i]
		either[p]++
		if p == y {
			both[p]++
		} else {
			either[y]++
		}
	}
	return both, either, nil
}

// miouInfluence returns the influence of each row on the ratios of the classes that it is
// counted in.
func miouInfluence(s *Samples) ([]float64, error) {
	both, either, err := s.unions()
	if err != nil {
		return nil, err
	}
	classes := 0
	for _, n := range either {
		if n > 0 {
			classes++
		}
	}
	rows := make([]float64, s.Len())
	for i, p := range s.scores.Pred {
		y := s.scores.Label[i]
		of := func(c int32, in float64) float64 { // of class c, in whose intersection the row is or is not
			return (in - float64(both[c])/float64(either[c])) * float64(s.Len()) / float64(either[c]) / float64(classes)
		}
		if p == y {
			rows[i] = of(p, 1)
		} else {
			rows[i] = of(p, 0) + of(y, 0)
		}
	}
	return rows, nil
}
