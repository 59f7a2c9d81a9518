package scoring

import (
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
)

// SampleScores are the scores of n samples, the data that is kept of each row of a
// calibrated test set. Every metric is a function of them, so a new metric or a new
// pairing of methods needs neither a fit nor logits. They are read-only once
// complete. The zero SampleScores have no rows and are ready for AppendProbs.
//
// All rows are of one kind. A row of a top-label method (calib.TopLabel) is a
// pair of predicted class and confidence, without a probability of every class.
type SampleScores struct {
	Conf    []float64 // confidence: the largest probability, in (0, 1]; of top-label rows in [0, 1]
	Rest    []float64 // 1 - Conf, in [0, 1]: the sum of the other probabilities, which has all digits where Conf rounds to 1
	Pred    []int32   // predicted class; see AppendProbs for ties
	Label   []int32   // true class
	NLL     []float64 // -ln max(p_label, Floor), in nats; empty for top-label rows
	Brier   []float64 // sum over classes of (p - 1[label])^2, in [0, 2]; empty for top-label rows
	Changed []bool    // the prediction differs from that of the uncalibrated logits; empty where these are unknown

	Classes *ClassBins    // bins by the probability of each class; nil unless a metric asked for them
	Vectors *VectorScores // numbers of whole probability vectors; nil unless a metric asked for them

	Group []int32 // group of each row, from 0 on; nil if each row is one of its own

	// Unit is one number, how many rows stand for a weight of 1 where weights were no whole numbers; empty for 1.
	Unit []float64

	K int // number of classes, which callers set; 0 where it is unknown

	TopLabel       bool // the rows are of a top-label method
	ConfidenceOnly bool // Pred and Label say only whether they agree: the set has a confidence alone, and no classes

	first int // number of the first row, for errors
}

// Version is raised whenever AppendProbs or AppendScaled gives other values. It
// belongs in the cache key of sample scores.
const Version = 3

// Floor is the smallest probability of the true class that NLL uses. It matters for
// methods that give some classes a probability of exactly zero (isotonic
// regression): a row costs 691 nats at most. A zero in a file of probabilities counts as
// data.ZeroProb; whoever reads the file writes that in its place (data.RaiseZeros).
const Floor = data.LeastProb

// RowBytes is the memory of the scores of a row, without class bins and numbers of whole
// vectors.
const RowBytes = 4*8 + 2*4 + 1

// New returns sample scores without rows, with room for n.
func New(n int) *SampleScores {
	return &SampleScores{
		Conf:    make([]float64, 0, n),
		Rest:    make([]float64, 0, n),
		Pred:    make([]int32, 0, n),
		Label:   make([]int32, 0, n),
		NLL:     make([]float64, 0, n),
		Brier:   make([]float64, 0, n),
		Changed: make([]bool, 0, n),
	}
}

// Zeros returns n rows of zeros, which are then filled through Part.
func Zeros(n int) *SampleScores {
	s := New(n)
	s.Conf, s.Rest, s.Pred, s.Label = s.Conf[:n], s.Rest[:n], s.Pred[:n], s.Label[:n]
	s.NLL, s.Brier, s.Changed = s.NLL[:n], s.Brier[:n], s.Changed[:n]
	return s
}

// Part returns sample scores without rows that use the memory of rows lo to hi-1 of
// s: the rows appended to them, hi-lo at most, become these rows of s. Several
// parts may be filled at the same time. Errors count rows from the first row of s.
func (s *SampleScores) Part(lo, hi int) *SampleScores {
	return &SampleScores{
		Conf:           part(s.Conf, lo, hi),
		Rest:           part(s.Rest, lo, hi),
		Pred:           part(s.Pred, lo, hi),
		Label:          part(s.Label, lo, hi),
		NLL:            part(s.NLL, lo, hi),
		Brier:          part(s.Brier, lo, hi),
		Changed:        part(s.Changed, lo, hi),
		TopLabel:       s.TopLabel,
		ConfidenceOnly: s.ConfidenceOnly,
		first:          s.first + lo,
	}
}

// part returns the empty slice at lo with room up to hi; a column that s lacks
// stays absent.
func part[T any](column []T, lo, hi int) []T {
	if column == nil {
		return nil
	}
	return column[lo:lo:hi]
}

// Len returns the number of rows.
func (s *SampleScores) Len() int { return len(s.Conf) }

// Correct reports whether row i is predicted correctly.
func (s *SampleScores) Correct(i int) bool { return s.Pred[i] == s.Label[i] }

// AppendProbs scores a block of rows: n x k probabilities, with the labels and
// the logits of the same rows in set. AppendScaled does it faster where a map
// divides each row by a temperature. Blocks of any size give the same bits.
//
// The raw top class of a row is the lowest index among the largest logits. A set
// without logits (probabilities that were computed elsewhere) has the raw top
// class of the probabilities, and Changed stays empty. The prediction is the raw
// top class where its probability equals the largest of the row, up to rounding
// (stretch.Sums), so a calibrator that ties classes changes nothing. Otherwise the
// prediction is the lowest index among the largest probabilities, and the row counts
// as changed.
//
// NLL is -ln of the float64 probability, not of the logits, because calibrated
// rows need not have any. Its floor -ln Floor is the same as that of
// AppendScaled. Above the floor the two agree to about 1e-14 nats, since maps
// that divide by a temperature keep probabilities down to Floor and below.
//
// An error names row and class: a probability that is NaN or outside [0, 1], a
// row whose sum is not 1 within 1e-6 + k 2^-24, a label outside the classes. The
// scores are then as before. Shapes that disagree are a bug of the caller and
// panic.
func (s *SampleScores) AppendProbs(probs data.Probs, set *data.Set) error {
	if len(set.Labels) != probs.Rows {
		panic("scoring: probabilities and labels differ in rows")
	}
	logits := set.Logits
	if logits.Present() && (logits.Rows != probs.Rows || logits.Cols != probs.Cols) {
		panic("scoring: probabilities and logits differ in shape")
	}
	n := s.Len()
	for i := range probs.Rows {
		p, y := probs.Row(i), set.Labels[i]
		if y < 0 || int(y) >= len(p) {
			s.truncate(n)
			return badLabel(s.first+n+i, y, len(p))
		}
		conf, rest, brier, err := scoreRow(p, int(y))
		if err != nil {
			s.truncate(n)
			return &RowError{s.first + n + i, err}
		}
		top := -1
		if logits.Present() {
			top = argmax(logits.Row(i))
		}
		pred := top
		if top < 0 || conf > stretch.Sums.End(p[top]) {
			pred = argmax(p)
		}
		s.Conf, s.Rest = append(s.Conf, conf), append(s.Rest, rest)
		s.Pred = append(s.Pred, int32(pred))
		s.Label = append(s.Label, y)
		s.NLL = append(s.NLL, 0-softmax.Log(max(p[y], Floor))) // 0- turns -0 into 0
		s.Brier = append(s.Brier, brier)
		if top >= 0 {
			s.Changed = append(s.Changed, pred != top)
		}
	}
	return nil
}

// RowError is the error of a row that cannot be scored.
type RowError struct {
	Row int   // as the caller counts; where a file has other rows too, it may put the number of the file here
	err error // what follows the number
}

// Error names the row.
func (e *RowError) Error() string { return fmt.Sprintf("row %d%v", e.Row, e.err) }

// InFile returns err, of which a RowError names the row of the file that fileRow returns.
func InFile(err error, fileRow func(row int) int) error {
	var row *RowError
	if errors.As(err, &row) {
		return &RowError{fileRow(row.Row), row.err}
	}
	return err
}

// badLabel is the error of a label outside k classes.
func badLabel(row int, label int32, k int) error {
	return &RowError{row, fmt.Errorf(": label %d, but the classes are 0 to %d", label, k-1)}
}

// AppendTopLabel appends rows of a top-label method: predicted class, confidence
// in [0, 1], and label of each. The method keeps the predictions of the logits,
// so no row counts as changed. An error names the row: a confidence that is NaN
// or outside [0, 1], a negative class, a negative label. The scores are then as
// before.
func (s *SampleScores) AppendTopLabel(class []int32, conf []float64, labels []int32) error {
	if len(class) != len(conf) || len(labels) != len(conf) {
		panic("scoring: classes, confidences and labels differ in rows")
	}
	if !s.TopLabel && s.Len() > 0 {
		panic("scoring: rows with and without a vector of probabilities")
	}
	for i, c := range conf {
		row := s.first + s.Len() + i
		switch {
		case !(c >= 0 && c <= 1):
			return &RowError{row, fmt.Errorf(": %g is not a confidence", c)}
		case class[i] < 0 || labels[i] < 0:
			return &RowError{row, fmt.Errorf(": class %d and label %d: want 0 or more", class[i], labels[i])}
		}
	}
	s.TopLabel = true
	s.Conf, s.Pred, s.Label = append(s.Conf, conf...), append(s.Pred, class...), append(s.Label, labels...)
	for _, c := range conf {
		s.Rest = append(s.Rest, 1-c)
	}
	s.Changed = append(s.Changed, make([]bool, len(conf))...)
	return nil
}

// truncate keeps the first n rows.
func (s *SampleScores) truncate(n int) {
	s.Conf, s.Rest, s.Pred, s.Label = s.Conf[:n], s.Rest[:n], s.Pred[:n], s.Label[:n]
	s.NLL, s.Brier, s.Changed = s.NLL[:min(n, len(s.NLL))], s.Brier[:min(n, len(s.Brier))], s.Changed[:min(n, len(s.Changed))]
}

// scoreRow returns the largest probability, the sum of the others and the Brier score of
// a row with label y. The error of an invalid row is the end of a sentence that begins
// with "row 812".
func scoreRow(p []float64, y int) (conf, rest, brier float64, err error) {
	sum, squares := 0.0, 0.0
	for j, v := range p {
		if !(v >= 0 && v <= 1) {
			return 0, 0, 0, fmt.Errorf(", class %d: %g is not a probability", j, v)
		}
		sum += v
		if v > conf { // the largest so far is not in rest
			rest += conf
			conf = v
		} else {
			rest += v
		}
		if j != y { // subtracting p_y^2 from the sum over all would cancel
			squares += float64(v * v)
		}
	}
	if tol := sumTolerance(len(p)); math.Abs(sum-1) > tol {
		return 0, 0, 0, fmt.Errorf(": probabilities sum to %.9g, which is not 1 within %.2g", sum, tol)
	}
	miss := 1 - p[y]
	return conf, min(rest, 1), float64(miss*miss) + squares, nil
}

// sumTolerance bounds the distance from one of the sum of k probabilities: 1e-6,
// plus the rounding errors of a softmax of k terms in float32.
func sumTolerance(k int) float64 { return 1e-6 + float64(k)*0x1p-24 }

// ZeroRows returns how many rows have exactly the NLL of data.ZeroProb: in the file that they
// come from, the probability of their class is 0.
func (s *SampleScores) ZeroRows() (n int) {
	zero := 0 - softmax.Log(data.ZeroProb)
	for _, nll := range s.NLL {
		if nll == zero {
			n++
		}
	}
	return n
}

// argmax returns the lowest index of the largest value.
func argmax[F float32 | float64](v []F) int {
	best := 0
	for j, x := range v {
		if x > v[best] {
			best = j
		}
	}
	return best
}
