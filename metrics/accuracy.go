package metrics

var accuracyEntry = Entry{
	Name:     "accuracy",
	Group:    Predictions,
	Outputs:  []Output{{"accuracy", "Accuracy", 0, 1}},
	Better:   Higher,
	Percent:  true,
	Unranked: true, // most methods keep it
	Version:  1,
	Summary:  "share of rows predicted correctly",
	Aliases:  []string{"acc", "top1"},

	Compute:   value(Accuracy),
	Influence: oneRow(func(x sample) float64 { return x.hit() }),
	fewRows:   true,
}

// Accuracy returns the share of correct predictions, in [0, 1].
//
//   - Metric: accuracy
//   - Formula: (1/n) sum of hit
//   - Reference: none
//   - Compared with: numpy
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy
//   - Departures: none
func Accuracy(s *Samples) float64 { return float64(s.correct()) / float64(max(1, s.Len())) }
