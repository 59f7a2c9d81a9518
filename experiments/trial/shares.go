package trial

import (
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// fewestExpected is the number of expected rows of the more frequent class from which shares are tested.
const fewestExpected = 5

// Share is what the calibration rows say of the share of one class.
type Share struct {
	Class       int
	Probability float64 // mean probability of the class at the temperature of Reference
	Rows        float64 // share of the rows that are of the class
	P           float64 // of no difference
}

// shareOf compares the mean probability of class 1 of two, with the logits divided by t, with its
// share of the rows. P is that of the two-sided normal test of the differences 1[y = 1] - p_1 of the rows, and 1
// where the rows are too few or do not vary. t was fitted on the same rows. It is one number, and no
// temperature can move a share to where it must be, so the test is nearly that of other rows.
func shareOf(set *data.Set, t float64) (Share, error) {
	fitted := calib.Fitted{Map: calib.Temperature{T: t}}
	probs, err := fitted.Probabilities(set)
	if err != nil {
		return Share{}, err
	}
	n := float64(set.Len())
	s := Share{Class: 1, P: 1}
	var squares float64
	for i, y := range set.Labels {
		p := probs.Row(i)[1]
		s.Probability += p / n
		s.Rows += float64(y) / n
		d := float64(y) - p
		squares += float64(d*d) / n
	}
	d := s.Rows - s.Probability
	if variance := (squares - float64(d*d)) / n; variance > 0 && n*max(s.Probability, 1-s.Probability) >= fewestExpected {
		s.P = math.Erfc(math.Abs(d) / math.Sqrt(2*variance))
	}
	return s, nil
}
