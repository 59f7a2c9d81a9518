package metrics

import (
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/metrics/scoring"
)

// Metrics of two classes read the probability of one of them, the positive class, instead of
// the confidence of the prediction. The two differ where it matters most: a model that gives the
// positive class .2 too much on every row may have a top-label ECE of 0, because what it adds to
// the confidence of rows above .5 it takes from those below.

// Positive is the positive class where none is named, the second of two.
const Positive = 1

var (
	errUnknownClasses = errors.New("undefined: the number of classes is unknown, and a positive class is one of two")
	errOneLabel       = errors.New("undefined: all rows have one label")
)

// WithPositive returns the same samples with the class, 0 or 1, as the positive one. An error
// says that the class is neither, or that there are not two.
func (s *Samples) WithPositive(class int) (*Samples, error) {
	if err := s.two(); err != nil {
		return nil, err
	}
	if class != 0 && class != 1 {
		return nil, fmt.Errorf("positive class %d: of two classes it is 0 or 1", class)
	}
	named := *s
	named.turned = class != Positive
	return &named, nil
}

// PositiveClass returns the positive class: Positive, unless WithPositive named another one.
func (s *Samples) PositiveClass() int {
	if s.turned {
		return 1 - Positive
	}
	return Positive
}

// two returns why there is no positive class, or nil.
func (s *Samples) two() error {
	scores, err := s.vectors()
	switch {
	case err != nil:
		return err
	case scores.K == 0:
		return errUnknownClasses
	case scores.K != 2:
		return fmt.Errorf("undefined: of %d classes none is the positive one, which is one of two", scores.K)
	}
	return nil
}

// OfPositive returns the rows of two classes as predictions of the positive class alone: the
// confidence is its probability, in [0, 1], and a row is right if its label is this class. So
// ECE, WidthBins, ECEBand and other functions of confidences are then of P(positive class). It
// is ErrNoVector of samples that have no probability of each class, and an error if there are
// not two classes.
func (s *Samples) OfPositive() (*Samples, error) {
	if err := s.two(); err != nil {
		return nil, err
	}
	n, class := s.Len(), int32(s.PositiveClass())
	of := &scoring.SampleScores{Conf: make([]float64, n), Rest: make([]float64, n), Pred: make([]int32, n), Label: s.scores.Label, TopLabel: true, Group: s.scores.Group, Unit: s.scores.Unit}
	for i := range n {
		of.Conf[i], of.Rest[i] = s.odds(i)
		of.Pred[i] = class
	}
	return Of(of), nil
}

// odds returns the probabilities of the positive class and of the other one. The smaller of them
// has all digits where the larger rounds to 1.
func (s *Samples) odds(row int) (positive, other float64) {
	if int(s.scores.Pred[row]) == s.PositiveClass() {
		return s.scores.Conf[row], s.scores.Rest[row]
	}
	return s.scores.Rest[row], s.scores.Conf[row]
}

// isPositive reports whether the label of a row is the positive class.
func (s *Samples) isPositive(row int) bool { return int(s.scores.Label[row]) == s.PositiveClass() }

// positives returns the number of rows of the positive class.
func (s *Samples) positives() int {
	n := 0
	for i := range s.scores.Label {
		if s.isPositive(i) {
			n++
		}
	}
	return n
}

// logOdds returns ln(p / (1-p)) of each row, with the probability p of the positive class, and
// whether its label is this class. It is an error if all rows have one label, or if some p is 0
// or 1: such a row has no finite log odds. A probability of at most data.ZeroProb, which is what
// an exact 0 in a file counts as, is 0.
func (s *Samples) logOdds() (z []float64, positive []bool, err error) {
	if err := s.two(); err != nil {
		return nil, nil, err
	}
	n := s.Len()
	if p := s.positives(); p == 0 || p == n {
		return nil, nil, errOneLabel
	}
	z, positive = make([]float64, n), make([]bool, n)
	certain := 0
	for i := range n {
		p, q := s.odds(i)
		if min(p, q) <= data.ZeroProb {
			certain++
			continue
		}
		z[i], positive[i] = softmax.Log(p)-softmax.Log(q), s.isPositive(i)
	}
	if certain > 0 {
		return nil, nil, fmt.Errorf("undefined: %d of %d rows have a probability of 0 or 1, which has no log odds", certain, n)
	}
	return z, positive, nil
}

// enoughLabels returns why samples have too few rows of one of two classes for an interval, or nil.
func enoughLabels(s *Samples) error {
	if err := s.two(); err != nil {
		return err
	}
	p := s.positives()
	if group := s.groups(); group != nil {
		with, without := groupsWith(group, s.isPositive)
		if min(with, without) < FewestRows {
			return fmt.Errorf("%d groups with rows of the positive class and %d with the other: intervals take %d of each", with, without, FewestRows)
		}
		return nil
	}
	if other := s.Len() - p; min(p, other) < FewestRows {
		return fmt.Errorf("%d rows of the positive class and %d of the other: intervals take %d of each", p, other, FewestRows)
	}
	return nil
}

// ends of metrics without a bound.
var (
	unbounded = math.Inf(1)
	below     = math.Inf(-1)
)
