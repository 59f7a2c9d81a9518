package metrics

import (
	"math"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/exact"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

var nllTopEntry = Entry{
	Name:      "nll_top",
	Group:     Proper,
	Outputs:   []Output{{"nll_top", "top-label NLL", 0, math.Inf(1)}},
	Better:    Lower,
	OnRequest: true,
	Version:   1,
	Summary:   "mean of -ln of the probability of what happened to the prediction: the confidence where it is right, 1 - confidence where it is wrong",
	Aliases:   []string{"binary-cross-entropy"},

	Compute: value(TopNLL),
	Influence: func(s *Samples, _ uint64) ([][]float64, error) {
		return oneRow(s.topNLL)(s, 0)
	},
}

// TopNLL returns the negative log-likelihood, in nats, of the statement "the prediction is right", whose probability
// is the confidence. It is the proper score that predictions with a confidence alone have, and 0 for no samples. 1 -
// confidence has all its digits where the probabilities of the other classes are known.
//
//   - Metric: nll_top
//   - Formula: (1/n) sum of -ln max(conf, 2^-126) where the prediction is right and -ln max(1 - conf, 2^-126) where it
//     is wrong
//   - Reference: none
//   - Compared with: numpy
//   - Agreement: cifar10-jpeg/resnet50-w8-s2 of data/bundle: value to 1e-9 with numpy
//   - Departures: The floor bounds the cost of a sample at 87 nats: it is what a probability of 0 in a file counts as,
//     and a confidence of exactly 1 in a file is one that was rounded.
func TopNLL(s *Samples) float64 {
	var sum exact.Sum
	for _, x := range s.sorted {
		sum.Add(s.topNLL(x))
	}
	return sum.Value() / float64(max(1, s.Len()))
}

// topNLL returns the NLL of one sample.
func (s *Samples) topNLL(x sample) float64 {
	p := x.conf
	if !x.correct {
		p = rest(x, s.scores.Rest)
	}
	return 0 - softmax.Log(max(p, data.ZeroProb))
}
