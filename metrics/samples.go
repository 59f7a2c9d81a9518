package metrics

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
	"github.com/qats-bench/qats/metrics/scoring"
)

// Samples are n predictions with their labels, reduced to the numbers that metrics
// read: for each sample the confidence, whether the prediction is correct, and the
// scores NLL and Brier. The constructors copy these numbers and sort them by
// confidence.
type Samples struct {
	sorted  []sample // by increasing confidence, near 1 then by the other probabilities, then by row
	scores  *scoring.SampleScores
	classes bool // predicted and true classes are known, not only whether they agree

	uncal  *scoring.SampleScores // of the uncalibrated network on the same rows; nil where unknown
	origin []int32               // of a resample: the row of the test set that each row copies; else nil

	turned bool // the positive class of two is the first

	last *lastBands // nil for samples that are scratch
}

// sample is one prediction.
type sample struct {
	conf    float64 // probability of the predicted class, in [0, 1]
	row     int32   // place in the test set
	correct bool
}

// hit returns 1 for a correct sample and 0 for a wrong one.
func (x sample) hit() float64 {
	if x.correct {
		return 1
	}
	return 0
}

var (
	// ErrNoSamples is the error of a metric without samples.
	ErrNoSamples = errors.New("there are no samples")

	// ErrNoVector is the error of a metric that reads the probabilities of all
	// classes, if only that of the predicted class is known.
	ErrNoVector = errors.New("a top-label method has no class vector")
)

// FromProbs makes samples of n x k probabilities, k >= 1, whose rows sum to one,
// and the labels of the same rows in set.
//
// The confidence of a row is its largest probability. If several classes share it, the
// prediction is the one with the largest uncalibrated logit of all classes, else the lowest
// of them. So a calibrator that ties classes changes no prediction. For a set without
// logits it is the lowest class.
//
// An error names row and class: a probability that is NaN or outside [0, 1], a
// row whose sum is not 1 within 1e-6 + k 2^-24, a label outside the classes, or
// shapes that disagree. An empty set is an error too.
func FromProbs(probs data.Probs, set *data.Set) (*Samples, error) {
	n, k := probs.Rows, probs.Cols
	switch l := set.Logits; {
	case !rectangular(n, k, len(probs.Data)):
		return nil, fmt.Errorf("probabilities of %d x %d with %d numbers", n, k, len(probs.Data))
	case len(set.Labels) != n:
		return nil, fmt.Errorf("%d rows of probabilities, but %d labels", n, len(set.Labels))
	case l.Present() && (l.Rows != n || l.Cols != k || !rectangular(n, k, len(l.Data))):
		return nil, fmt.Errorf("probabilities of %d x %d, but logits of %d x %d", n, k, l.Rows, l.Cols)
	}
	scores := scoring.New(n)
	scores.K = k
	if err := withGroups(scores, set); err != nil {
		return nil, err
	}
	if err := scores.AppendProbs(probs, set); err != nil {
		return nil, err
	}
	classes := scoring.NewClassTally(k)
	classes.Add(0, probs, set.Labels)
	scores.Classes = classes.Bins()
	return fromScores(scores)
}

// withGroups gives scores the groups of the rows of a set without weights.
func withGroups(scores *scoring.SampleScores, set *data.Set) error {
	switch n := len(set.Labels); {
	case set.Weights != nil:
		return errors.New("the set has weights: score the set that Counted returns, in which rows are repeated")
	case set.Groups != nil && len(set.Groups) != n:
		return fmt.Errorf("%d rows, but %d groups", n, len(set.Groups))
	}
	scores.Group = set.Groups
	if set.Unit != 0 {
		scores.Unit = []float64{set.Unit}
	}
	return nil
}

// rectangular reports whether so many numbers are n rows of k classes.
func rectangular(n, k, numbers int) bool {
	return n >= 0 && k >= 0 && (n == 0 || k > 0 && numbers%k == 0 && numbers/k == n) && (n > 0 || numbers == 0)
}

// FromLogits makes samples of the softmax of the logits of set, n x k with
// k >= 1, and its labels: the uncalibrated network. The prediction is the lowest
// class among the largest logits.
//
// The errors are those of data.Set.Check. Shapes that disagree and an empty set are errors
// too.
func FromLogits(set *data.Set) (*Samples, error) {
	n, k := set.Logits.Rows, set.Logits.Cols
	switch {
	case !rectangular(n, k, len(set.Logits.Data)):
		return nil, fmt.Errorf("logits of %d x %d with %d numbers", n, k, len(set.Logits.Data))
	case len(set.Labels) != n:
		return nil, fmt.Errorf("%d rows of logits, but %d labels", n, len(set.Labels))
	}
	if err := set.View(data.Logits | data.Labels).Check(); err != nil {
		return nil, err
	}
	scores := scoring.New(n)
	scores.K = k
	if err := withGroups(scores, set); err != nil {
		return nil, err
	}
	if err := scoring.AppendScaled([]*scoring.SampleScores{scores}, set, slices.Repeat([]float64{1}, n)); err != nil {
		return nil, err
	}
	classes, row := scoring.NewClassTally(k), data.NewProbs(1, k)
	for i := range n {
		softmax.Probs(row.Data, set.Logits.Row(i), 1)
		classes.Add(i, row, set.Labels[i:i+1])
	}
	scores.Classes = classes.Bins()
	return fromScores(scores)
}

// FromConfidences makes samples of a top-label method: the confidence of each
// prediction, in [0, 1], and whether the prediction is correct. Metrics that read
// the probabilities of all classes are ErrNoVector for them. An error names the
// row of a confidence that is NaN or outside [0, 1], or says that the lengths
// differ. An empty set is an error too.
func FromConfidences(confidence []float64, correct []bool) (*Samples, error) {
	if len(confidence) != len(correct) {
		return nil, fmt.Errorf("%d confidences, but %d flags of correctness", len(confidence), len(correct))
	}
	labels := make([]int32, len(correct)) // class 0 is the predicted one
	for i, c := range correct {
		if !c {
			labels[i] = 1
		}
	}
	scores := &scoring.SampleScores{}
	if err := scores.AppendTopLabel(make([]int32, len(correct)), confidence, labels); err != nil {
		return nil, err
	}
	scores.Changed, scores.ConfidenceOnly = nil, true
	return fromScores(scores)
}

func fromScores(scores *scoring.SampleScores) (*Samples, error) {
	if scores.Len() == 0 {
		return nil, ErrNoSamples
	}
	return Of(scores), nil
}

// Of makes samples of scores that this module has computed block by block. The
// scores must not change while the samples are in use.
func Of(scores *scoring.SampleScores) *Samples {
	return &Samples{sorted: sortByConfidence(scores), scores: scores, classes: !scores.ConfidenceOnly, last: new(lastBands)}
}

// Len returns the number of samples, n.
func (s *Samples) Len() int { return len(s.sorted) }

// Classes returns the number of classes, and 0 where it is unknown, as of confidences alone.
func (s *Samples) Classes() int {
	if s.scores == nil || s.scores.TopLabel {
		return 0
	}
	return s.scores.K
}

// correct returns the number of correct predictions.
func (s *Samples) correct() int { return hitsOf(s.sorted) }

// Ties of confidences, for metrics that compare them (package stretch). For metrics of
// ranks, confidences are tied that differ only by the order of a sum. For metrics that
// compare confidences with outcomes, confidences are tied that agree to seven digits, so
// that neither the rounding of a file in float32 nor the term 1e-9 p of isotonic regression
// makes a point of its own.
const (
	equal = stretch.Sums
	alike = stretch.Logits
)

// ties yields the groups of tied samples, sorted[lo:hi], in order.
func (s *Samples) ties(within stretch.Share) iter.Seq2[int, int] {
	return within.Groups(len(s.sorted), s.stretched)
}

// stretched returns the confidence of a sorted sample as package stretch compares it.
func (s *Samples) stretched(j int) float64 {
	x := s.sorted[j]
	return stretch.Of(x.conf, rest(x, s.scores.Rest))
}

// blocks yields the blocks of samples that bins of equal mass share out, sorted[lo:hi], in
// order: neighbours are in one block whose confidences differ by at most tie.
func (s *Samples) blocks() iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		for lo, hi := 0, 1; lo < len(s.sorted); lo, hi = hi, hi+1 {
			for hi < len(s.sorted) && s.sorted[hi].conf-s.sorted[hi-1].conf <= tie {
				hi++
			}
			if !yield(lo, hi) {
				return
			}
		}
	}
}

// hitsOf returns the number of correct samples.
func hitsOf(list []sample) int {
	n := 0
	for _, x := range list {
		if x.correct {
			n++
		}
	}
	return n
}

// vectors returns the scores of rows that have the probabilities of all classes.
func (s *Samples) vectors() (*scoring.SampleScores, error) {
	if s.Len() == 0 {
		return nil, ErrNoSamples
	}
	if s.scores.TopLabel {
		return nil, ErrNoVector
	}
	return s.scores, nil
}

// errNoClassBins is the error of samples whose class bins were not kept.
var errNoClassBins = errors.New("the sample scores hold no class bins")

// classBins returns the class bins of rows that have the probabilities of all classes.
func (s *Samples) classBins() (*scoring.ClassBins, error) {
	scores, err := s.vectors()
	if err != nil {
		return nil, err
	}
	if scores.Classes == nil {
		return nil, errNoClassBins
	}
	return scores.Classes, nil
}

// nearOne is the confidence from which equal ones are compared by the sum of the other
// probabilities, which still differs where confidences round to the same number. Below, 1 -
// confidence has enough digits.
const nearOne = 1 - 0x1p-7

// ofRow returns the sample of a row. rest is the sum of the other probabilities of the row.
// A confidence near 1 that equals 1 - rest up to rounding becomes 1 - rest, so that
// confidences rise where rests fall.
func ofRow(conf, rest float64, row int, correct bool) sample {
	return sample{precise(conf, rest), int32(row), correct}
}

// precise returns the confidence that ofRow takes.
func precise(conf, rest float64) float64 {
	if conf >= nearOne && math.Abs(1-rest-conf) <= 0x1p-51 {
		return 1 - rest
	}
	return conf
}

// rest returns 1 - confidence. others has the sum of the other probabilities of each row.
func rest(x sample, others []float64) float64 {
	if x.conf < nearOne {
		return 1 - x.conf
	}
	return min(others[x.row], 1-nearOne) // rows of a file may sum to 1 only roughly
}

// less reports whether x has less confidence than y, or an equal one near 1 with a larger sum
// of the other probabilities.
func less(x, y sample, others []float64) bool {
	if x.conf != y.conf || x.conf < nearOne {
		return x.conf < y.conf
	}
	return rest(x, others) > rest(y, others)
}

// buckets per octave of 1 - confidence, and the least exponent of a float64 in
// it, which is that of 2^-53.
const (
	bucketBits  = 8
	leastBucket = (1023 - 54) << bucketBits
	buckets     = 55 << bucketBits
)

// bucket returns a number below buckets that does not grow with conf, in [0, 1]: the
// leading bits of the distance to 1. The leading bits of saturated confidences themselves
// are all equal.
func bucket(conf float64) int {
	return max(int(math.Float64bits(1-conf)>>(52-bucketBits))-leastBucket, 0)
}

// sortByConfidence returns the samples by increasing confidence, those of equal
// confidence near 1 by the sum of the other probabilities, and then by row.
//
// It distributes the samples over buckets and sorts the few large ones. Then insertion
// brings the samples of each small bucket into order. slices.SortFunc alone gives the
// same order in four times as long on 10,000 samples, and a run of many small settings
// takes a fifth longer.
func sortByConfidence(scores *scoring.SampleScores) []sample {
	var place [buckets]int32
	for i, c := range scores.Conf {
		place[bucket(precise(c, scores.Rest[i]))]++
	}
	first := int32(len(scores.Conf))
	for b, n := range place {
		first -= n
		place[b] = first
	}
	sorted := make([]sample, len(scores.Conf))
	for i, c := range scores.Conf {
		x := ofRow(c, scores.Rest[i], i, scores.Correct(i))
		p := &place[bucket(x.conf)]
		sorted[*p] = x
		*p++
	}
	start := int32(0)
	for b := buckets - 1; b >= 0; b-- {
		end := place[b]
		if end-start > fewSamples {
			slices.SortFunc(sorted[start:end], byConfidence(scores.Rest))
		}
		start = end
	}
	insert(sorted, scores.Rest)
	return sorted
}

// fewSamples is the size of a bucket from which slices.SortFunc is faster than insert.
const fewSamples = 24

// insert sorts samples by confidence, and leaves those of equal confidence in their
// order. It is fast if each is near its place.
func insert(list []sample, others []float64) {
	for i := 1; i < len(list); i++ {
		x, j := list[i], i
		for ; j > 0 && less(x, list[j-1], others); j-- {
			list[j] = list[j-1]
		}
		list[j] = x
	}
}

// byConfidence orders samples as less does, those that are equal by row. others has the
// sum of the other probabilities of each row.
func byConfidence(others []float64) func(x, y sample) int {
	return func(x, y sample) int {
		switch {
		case less(x, y, others):
			return -1
		case less(y, x, others):
			return 1
		}
		return int(x.row - y.row)
	}
}
