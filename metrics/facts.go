package metrics

import (
	"fmt"
	"math"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Facts are what scoring keeps of each of the n rows of a calibrated test set.
// Every metric is a function of them, so a new metric or a new pairing of
// methods needs neither fit nor logits. Facts are read-only once complete. The
// zero Facts are empty and ready for Append.
type Facts struct {
	Conf    []float64 // largest probability, in (0, 1]; of top-label rows in [0, 1]
	Pred    []int32   // predicted class; see Append for ties
	Label   []int32   // true class
	NLL     []float64 // -ln max(p_label, Floor), nats; empty for top-label rows
	Brier   []float64 // sum over classes of (p - 1[label])^2, in [0, 2]; empty for top-label rows
	Changed []bool    // the prediction differs from that of the uncalibrated logits

	Class *ClassBins // of all classes; nil unless a metric asked for them

	// TopLabel: a row is the pair of predicted class and confidence, of a method
	// that has no vector of probabilities (calib.TopLabel). Metrics with
	// Entry.Vector have no value for it.
	TopLabel bool
}

// FactsVersion is raised whenever Append or AppendScaled yields other values;
// it belongs in the cache key of facts.
const FactsVersion = 2

// Floor is the least probability of the true class that NLL sees. It matters
// for methods that put exact zeros on classes (isotonic regression): a row
// costs 691 nats at most.
const Floor = 1e-300

// sumTolerance bounds how far a row of k probabilities may be from summing to
// one: 1e-6, plus what a softmax summed in float32 can lose over k terms.
func sumTolerance(k int) float64 { return 1e-6 + float64(k)*0x1p-24 }

// LooseSum is how far from 1 the sum of a row may be that Normalise divides by
// it.
const LooseSum = 1e-2

// Normalise divides a row of numbers >= 0 by its sum where that is farther from
// 1 than Append accepts, but within LooseSum, and reports whether it did: files
// of float16, or of a few decimals, hold such rows.
func Normalise(p []float64) bool {
	sum := 0.0
	for _, v := range p {
		if !(v >= 0) {
			return false
		}
		sum += v
	}
	off := math.Abs(sum - 1)
	if !(off > sumTolerance(len(p)) && off <= LooseSum) {
		return false
	}
	for j := range p {
		p[j] /= sum
	}
	return true
}

// NewFacts returns empty facts with room for n rows.
func NewFacts(n int) *Facts {
	return &Facts{
		Conf:    make([]float64, 0, n),
		Pred:    make([]int32, 0, n),
		Label:   make([]int32, 0, n),
		NLL:     make([]float64, 0, n),
		Brier:   make([]float64, 0, n),
		Changed: make([]bool, 0, n),
	}
}

// Reset empties f, whose memory is used again, and makes room for n rows.
func (f *Facts) Reset(n int) {
	if cap(f.Conf) < n {
		*f = *NewFacts(n)
		return
	}
	f.truncate(0)
	f.Class, f.TopLabel = nil, false
}

// N returns the number of rows.
func (f *Facts) N() int { return len(f.Conf) }

// Hit reports whether row i is predicted correctly.
func (f *Facts) Hit(i int) bool { return f.Pred[i] == f.Label[i] }

// Append scores a block of rows of a map that is no temperature, for which see
// AppendScaled: n x k probabilities, and the labels and the
// logits of the same rows of the set. Blocks of any size give the same bits.
//
// The raw top class of a row is the lowest index among the largest logits; a
// set without logits (probabilities that came from elsewhere) has that of the
// probabilities instead. The prediction is the raw top class where its
// probability equals the row's largest, so a calibrator that ties classes
// changes nothing; otherwise it is the lowest index among the largest
// probabilities, and the row counts as changed.
//
// NLL is -ln of the float64 probability, not of the logits, because calibrated
// rows need not have any. It has one floor, -ln Floor, the same as from logits
// (AppendScaled). Above it the two agree to about 1e-14 nats, since maps that
// divide by a temperature keep probabilities down to Floor and below.
//
// An error names row (counted from the first one appended) and class: a
// probability that is NaN or outside [0, 1], a row that does not sum to one
// within 1e-6 + k 2^-24, a label outside the classes. The facts are then
// as before. Shapes that disagree are our own mistake and panic.
func (f *Facts) Append(probs data.Probs, set *data.Set) error { return f.append(probs, set, f.N()) }

// append is Append where errors count rows from the given first one.
func (f *Facts) append(probs data.Probs, set *data.Set, first int) error {
	if len(set.Labels) != probs.Rows {
		panic("metrics: probabilities and labels differ in rows")
	}
	logits := set.Logits
	if logits.Present() && (logits.Rows != probs.Rows || logits.Cols != probs.Cols) {
		panic("metrics: probabilities and logits differ in shape")
	}
	n := f.N()
	for i := range probs.Rows {
		p, y := probs.Row(i), set.Labels[i]
		if y < 0 || int(y) >= len(p) {
			f.truncate(n)
			return fmt.Errorf("row %d: label %d, but the classes are 0 to %d", first+i, y, len(p)-1)
		}
		conf, brier, ok := scanRow(p, int(y))
		if !ok {
			if err := checkRow(p); err != nil {
				f.truncate(n)
				return fmt.Errorf("row %d%w", first+i, err)
			}
		}
		top := -1
		if logits.Present() {
			top = argmax(logits.Row(i))
		}
		pred := top
		if top < 0 || p[top] != conf {
			pred = argmax(p)
		}
		f.Conf = append(f.Conf, conf)
		f.Pred = append(f.Pred, int32(pred))
		f.Label = append(f.Label, y)
		f.NLL = append(f.NLL, 0-softmax.Log(max(p[y], Floor))) // 0- turns -0 into 0
		f.Brier = append(f.Brier, brier)
		f.Changed = append(f.Changed, top >= 0 && pred != top)
	}
	return nil
}

// AppendTopLabel appends rows of a top-label method: the pair of class and
// confidence, in [0, 1], and the label of each. first is the number of the
// first row, for errors; a confidence that is NaN or outside [0, 1], a negative
// class and a negative label are errors, and leave the facts as they were. All
// rows of facts are of one kind.
func (f *Facts) AppendTopLabel(class []int32, conf []float64, labels []int32, first int) error {
	if len(class) != len(conf) || len(labels) != len(conf) {
		panic("metrics: classes, confidences and labels differ in rows")
	}
	if !f.TopLabel && f.N() > 0 {
		panic("metrics: rows with and without a vector of probabilities")
	}
	for i, c := range conf {
		switch {
		case !(c >= 0 && c <= 1):
			return fmt.Errorf("row %d: %g is not a confidence", first+i, c)
		case class[i] < 0 || labels[i] < 0:
			return fmt.Errorf("row %d: class %d and label %d: want 0 or more", first+i, class[i], labels[i])
		}
	}
	f.TopLabel = true
	f.Conf, f.Pred, f.Label = append(f.Conf, conf...), append(f.Pred, class...), append(f.Label, labels...)
	f.Changed = append(f.Changed, make([]bool, len(conf))...)
	return nil
}

func (f *Facts) truncate(n int) {
	f.Conf, f.Pred, f.Label, f.Changed = f.Conf[:n], f.Pred[:n], f.Label[:n], f.Changed[:n]
	if !f.TopLabel {
		f.NLL, f.Brier = f.NLL[:n], f.Brier[:n]
	}
}

// scanRow returns the largest probability and the Brier score of a row with
// label y. ok is false where checkRow has to look.
func scanRow(p []float64, y int) (conf, brier float64, ok bool) {
	miss := 1 - p[y]
	conf, sum := p[y], p[y]
	rest := 0.0 // squares of the other classes, summed apart: they may be many and tiny
	sign := math.Float64bits(p[y])
	for _, part := range [2][]float64{p[:y], p[y+1:]} { // not p_y^2 of all: it would cancel
		for _, v := range part {
			sum += v
			rest += float64(v * v)
			sign |= math.Float64bits(v)
			if v > conf {
				conf = v
			}
		}
	}
	// NaN and Inf reach the sum, which then fails the comparison.
	ok = math.Abs(sum-1) <= sumTolerance(len(p)) && conf <= 1 && sign>>63 == 0
	return conf, float64(miss*miss) + rest, ok
}

// checkRow says what is wrong with a row of probabilities, as the end of a
// sentence that begins with "row 812".
func checkRow(p []float64) error {
	sum := 0.0
	for j, v := range p {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf(", class %d: %g is not a probability", j, v)
		}
		sum += v
	}
	if tol := sumTolerance(len(p)); math.Abs(sum-1) > tol {
		return fmt.Errorf(": probabilities sum to %.9g, which is not 1 within %.2g", sum, tol)
	}
	return nil // a negative zero
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
