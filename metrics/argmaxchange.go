package metrics

import "errors"

var argmaxChangeEntry = Entry{
	Name:    "argmax_change",
	Group:   Predictions,
	Outputs: []Output{{"argmax_change", "changed predictions", 0, 1}},
	Better:  Neutral,
	Percent: true,
	Version: 1,
	Summary: "share of rows whose predicted class differs from that of the uncalibrated logits",

	Compute: valueOrError(ArgmaxChange),
}

// ArgmaxChange returns the share of samples, in [0, 1], whose predicted class differs
// from that of the uncalibrated logits; FromProbs documents how ties are decided. It is
// an error if these logits are unknown: for samples FromProbs of a set without logits,
// and FromConfidences.
//
//   - Metric: argmax_change
//   - Formula: (1/n) #{i : argmax p_i differs from argmax l_i}
//   - Reference: none
//   - Compared with: none
//   - Agreement: not compared; tests have the definition
//   - Departures: none
func ArgmaxChange(s *Samples) (float64, error) {
	switch {
	case s.Len() == 0:
		return 0, ErrNoSamples
	case len(s.scores.Changed) == 0:
		return 0, errors.New("undefined: the uncalibrated logits are unknown")
	}
	n := 0
	for _, changed := range s.scores.Changed {
		if changed {
			n++
		}
	}
	return float64(n) / float64(s.Len()), nil
}
