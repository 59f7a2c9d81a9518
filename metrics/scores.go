package metrics

import "math"

// Means over rows.

var accuracyEntry = Entry{
	Name:    "accuracy",
	Outputs: []string{"accuracy"},
	Label:   "Accuracy",
	Better:  Higher,
	Percent: true,
	Version: 1,
	Summary: "share of rows predicted correctly",
	Compute: func(in Input) ([]float64, error) { return []float64{accuracy(in.Facts)}, nil },
}

var nllEntry = Entry{
	Name:    "nll",
	Outputs: []string{"nll"},
	Label:   "NLL",
	Better:  Lower,
	Vector:  true,
	Version: 1,
	Summary: "mean negative log-likelihood in nats, the probability floored at 1e-300",
	Compute: func(in Input) ([]float64, error) { return []float64{mean(in.Facts.NLL)}, nil },
}

var brierEntry = Entry{
	Name:      "brier",
	Outputs:   []string{"brier"},
	Label:     "Brier",
	Better:    Lower,
	Vector:    true,
	Version:   1,
	Summary:   "mean over rows of the sum over classes of (p - 1[label])^2, in [0, 2]",
	Reference: "Brier 1950",
	Compute:   func(in Input) ([]float64, error) { return []float64{mean(in.Facts.Brier)}, nil },
}

var brierTopEntry = Entry{
	Name:    "brier_top",
	Outputs: []string{"brier_top"},
	Label:   "Brier (top)",
	Better:  Lower,
	Version: 1,
	Summary: "mean of (confidence - correct)^2, in [0, 1]",
	Compute: func(in Input) ([]float64, error) {
		var s exactSum
		for i, c := range in.Facts.Conf {
			if in.Facts.Hit(i) {
				c = 1 - c
			}
			s.add(c * c)
		}
		return []float64{s.value() / float64(in.Facts.N())}, nil
	},
}

// gap is positive where the model is overconfident.
var gapEntry = Entry{
	Name:    "gap",
	Outputs: []string{"gap"},
	Label:   "Gap",
	Better:  Neutral, // nearest to zero is best, which is neither direction
	Percent: true,
	Version: 1,
	Summary: "mean confidence minus accuracy: positive where overconfident",
	Compute: func(in Input) ([]float64, error) {
		return []float64{mean(in.Facts.Conf) - accuracy(in.Facts)}, nil
	},
}

var argmaxChangeEntry = Entry{
	Name:    "argmax_change",
	Outputs: []string{"argmax_change"},
	Label:   "Changed",
	Better:  Neutral,
	Percent: true,
	Version: 1,
	Summary: "share of rows whose predicted class differs from that of the uncalibrated logits",
	Compute: func(in Input) ([]float64, error) {
		n := 0
		for _, c := range in.Facts.Changed {
			if c {
				n++
			}
		}
		return []float64{float64(n) / float64(in.Facts.N())}, nil
	},
}

// accuracy returns the share of correct rows.
func accuracy(f *Facts) float64 {
	n := 0
	for i := range f.Conf {
		if f.Hit(i) {
			n++
		}
	}
	return float64(n) / float64(f.N())
}

var ksEntry = Entry{
	Name:      "ks",
	Outputs:   []string{"ks"},
	Label:     "KS",
	Better:    Lower,
	Percent:   true,
	Version:   1,
	Summary:   "largest |sum of (confidence - correct)| / n over the rows up to a confidence; no bins",
	Reference: "Gupta et al. 2021",
	Compute:   func(in Input) ([]float64, error) { return []float64{ks(in.order)}, nil },
}

// ks returns max over c of |sum over rows with conf <= c of (conf - hit)| / n.
// Tied confidences (equal to within 1e-9 of their neighbour) enter together;
// public code evaluates inside ties too, which depends on the sort.
func ks(o *order) float64 {
	var conf exactSum
	hits, worst, n := 0, 0.0, len(o.conf)
	for j := range n {
		conf.add(o.conf[j])
		if o.hit[j] {
			hits++
		}
		if j+1 == n || o.conf[j+1]-o.conf[j] > tie {
			worst = max(worst, math.Abs(conf.value()-float64(hits)))
		}
	}
	return worst / float64(n)
}
