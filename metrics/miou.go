package metrics

import "errors"

var miouEntry = Entry{
	Name:      "miou",
	Outputs:   []Output{{"miou", "mIoU", 0, 1}},
	Better:    Higher,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "mean over classes of intersection over union of predicted and labelled rows, for rows that are pixels",
	Aliases:   []string{"mean-iou", "iou"},
	Reference: "Everingham et al. 2010",

	Formula:   "mean over classes c of #(pred = c and y = c) / #(pred = c or y = c)",
	Code:      "scikit-learn's jaccard_score",
	Agreement: "value to 1e-9 with scikit-learn on a network of data/bundle",
	Departs:   "none",

	Compute: valueOrError(MIoU),
}

// MIoU returns the mean intersection over union (Everingham et al. 2010), in
// [0, 1]: the mean, over the classes that some sample has as its label or its
// prediction, of
//
//	IoU_c = #(predicted = c and label = c) / #(predicted = c or label = c)
//
// over all samples pooled, as segmentation benchmarks pool pixels. It is an error
// for samples FromConfidences, whose classes are unknown.
func MIoU(s *Samples) (float64, error) {
	switch {
	case s.Len() == 0:
		return 0, ErrNoSamples
	case !s.classes:
		return 0, errors.New("undefined: the predicted classes are unknown")
	}
	both, either := map[int32]int{}, map[int32]int{}
	last := int32(0)
	for i, p := range s.scores.Pred {
		y := s.scores.Label[i]
		last = max(last, p, y)
		either[p]++
		if p == y {
			both[p]++
		} else {
			either[y]++
		}
	}
	sum := 0.0
	for c := range last + 1 { // in the order of the classes: the sum is rounded
		if either[c] > 0 {
			sum += float64(both[c]) / float64(either[c])
		}
	}
	return sum / float64(len(either)), nil
}
