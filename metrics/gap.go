package metrics

import "github.com/qats-bench/qats/internal/exact"

var gapEntry = Entry{
	Name:      "gap",
	Group:     Unbinned,
	Outputs:   []Output{{"gap", "signed gap", -1, 1}},
	Better:    Target,
	Target:    0,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "mean confidence minus accuracy: positive where overconfident",

	Compute:   value(Gap),
	Influence: oneRow(func(x sample) float64 { return x.conf - x.hit() }),
}

// Gap returns the mean confidence minus the accuracy, in [-1, 1]: positive where the
// model is overconfident.
//
//   - Metric: gap
//   - Formula: (1/n) sum of (conf - hit)
//   - Reference: none
//   - Compared with: numpy
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy
//   - Departures: none
func Gap(s *Samples) float64 {
	var conf exact.Sum
	for _, x := range s.sorted {
		conf.Add(x.conf)
	}
	return conf.Value()/float64(max(1, s.Len())) - Accuracy(s)
}
