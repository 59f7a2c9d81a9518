package metrics

import (
	"errors"
	"math"

	"github.com/qats-bench/qats/internal/exact"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

var topLabelEntry = Entry{
	Name:      "ece_toplabel",
	Group:     Binned,
	Outputs:   []Output{{"ece_toplabel", "Top-label ECE", 0, 1}},
	Better:    Lower,
	Percent:   true,
	OnRequest: true,
	Version:   1,
	Summary:   "ECE given the predicted class (TL-ECE): 15 bins of equal width for the rows of each predicted class, weighted by rows",

	Compute: valueOrError(func(s *Samples) (float64, error) { return TopLabelECE(s, 15) }),
}

// TopLabelECE returns the top-label calibration error (TL-ECE), in [0, 1]: the mean of
// the ECE of the samples of each predicted class, weighted by their number. Bin jb
// holds the samples predicted as j with a confidence in bin b of bins >= 1 bins, see
// WidthBins. It is never below ECE(s, bins), because errors of two classes in one bin
// do not cancel. With many classes the bins have few samples, and the noise of their
// accuracies adds to the value. It is an error for samples FromConfidences, whose
// classes are unknown.
//
//   - Metric: ece_toplabel
//   - Formula: sum over predicted classes j and bins b of (n_jb/n) |acc_jb - conf_jb|
//   - Reference: Gupta and Ramdas 2022
//   - Compared with: numpy
//   - Agreement: 499 rows: to 1e-14
//   - Departures: Bins are of equal width. MAPIE (top_label_ece) has left-closed bins
//     and weights classes equally.
func TopLabelECE(s *Samples, bins int) (float64, error) {
	switch {
	case s.Len() == 0:
		return 0, ErrNoSamples
	case !s.classes:
		return 0, errors.New("undefined: the predicted classes are unknown")
	}
	m, k := max(1, bins), int32(0)
	for _, p := range s.scores.Pred {
		k = max(k, p+1)
	}
	conf, hits := make([]exact.Sum, int(k)*m), make([]int, int(k)*m)
	for _, x := range s.sorted {
		at := int(s.scores.Pred[x.row])*m + softmax.Bin(x.conf, m)
		conf[at].Add(x.conf)
		if x.correct {
			hits[at]++
		}
	}
	sum := 0.0
	for i := range conf {
		sum += math.Abs(conf[i].Value() - float64(hits[i]))
	}
	return sum / float64(s.Len()), nil
}
