package calib

import (
	"errors"
	"fmt"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Map is a fitted calibrator without its report. It is Tempered, TopLabel or
// Vector, exactly one of them. A Map is row-wise: the result for row i depends
// on row i of the set and on the fit alone, so a set may be applied in blocks
// of any size with the same bits. A Map is saved as JSON: its exported fields,
// under the names that users know (T; a, b; ...).
type Map interface {
	// Check returns an error if the parameters, read from a file, cannot be
	// those of a fit. A Map that passes it does not panic on finite logits.
	Check() error
}

// Tempered is a Map that divides the logits of each row by one temperature and
// does nothing else,
//
//	p_i = softmax(s_i l_i),  s_i = 1/T_i.
//
// Such maps keep the predicted class, and confidence, NLL and Brier score of a
// row follow from sums over its exponentials. Several of them on one set are
// scored together while a row is in the cache, without the n x k
// probabilities (softmax.Scores, package scoring).
type Tempered interface {
	Map

	// Scales writes s_i, finite and >= 0, of the n rows of set to dst. at is
	// the same rows at T = 1, shared with the other maps of the run; set holds
	// what the contract names.
	Scales(dst []float64, set *data.Set, at *Unscaled)
}

// TopLabel is a Map that keeps the predicted class of every row, the lowest
// index of the largest logit, and gives it a new confidence. The method predicts
// this pair alone, and its authors score nothing else. It says nothing about the
// other classes, so metrics of the whole vector (NLL, Brier score) are undefined
// for it.
type TopLabel interface {
	Map

	// Confidences writes the new confidences, in [0, 1], of the n rows of set to
	// dst. at is the same rows at T = 1, as in Tempered.Scales; set holds what the
	// contract names.
	Confidences(dst []float64, set *data.Set, at *Unscaled)
}

// Vector is a Map from the arrays of a set to a vector of probabilities.
type Vector interface {
	Map

	// Apply writes the n x k probabilities to dst, which has the shape of the logits.
	Apply(dst data.Probs, set *data.Set)
}

// Apply writes the n x k probabilities of the rows of set to dst, which has the
// shape of the logits. Rows sum to 1 within rounding. It is an error, and dst stays as it
// is, if the arrays of the set are not what data.Set.Check allows, if the map is for other
// classes or features (CheckSet), or if dst has another shape. Labels are not read.
//
// For a TopLabel map, which has no probabilities of the other classes, the
// predicted class has its confidence g, and the others share 1 - g in the
// proportions of the softmax, p_j (1 - g)/(1 - conf) (Xiong et al. 2023), evenly
// if conf rounds to 1. If g is small, another class of that vector may be the
// largest. A score by the argmax of the vector would then be the score of another
// method, which is worse on real networks. Score TopLabels instead.
//
// A masked class (data.Masked) has probability 0, whatever the map gives it.
func Apply(m Map, dst data.Probs, set *data.Set) error {
	if err := checkApplied(m, set); err != nil {
		return err
	}
	if set.Confidence != nil {
		return ErrConfidence
	}
	if n, k := set.Logits.Rows, set.Logits.Cols; set.Logits.Present() && (dst.Rows != n || dst.Cols != k) || dst.Rows < 0 || len(dst.Data) != dst.Rows*dst.Cols {
		return fmt.Errorf("probabilities of %d x %d with %d numbers, for logits of %d x %d", dst.Rows, dst.Cols, len(dst.Data), n, k)
	}
	apply(m, dst, set)
	return nil
}

// checkApplied returns an error if the map cannot be applied to the set.
func checkApplied(m Map, set *data.Set) error {
	if set == nil {
		return errors.New("no set")
	}
	if err := set.View(^data.Labels).Check(); err != nil {
		return err
	}
	return CheckSet(m, set)
}

// apply is Apply for a set that has been checked.
func apply(m Map, dst data.Probs, set *data.Set) {
	switch m := m.(type) {
	case Vector:
		m.Apply(dst, set)
		if set.Logits.Masked() > 0 {
			for i := range set.Logits.Rows {
				clearMasked(dst.Row(i), set.Logits.Row(i))
			}
		}
	case Tempered:
		eachUnscaled(set, func(lo int, part *data.Set, at *Unscaled) {
			scale := make([]float64, part.Logits.Rows)
			m.Scales(scale, part, at)
			for i, s := range scale {
				row := part.Logits.Row(i)
				if p := fit.Softmax(dst.Row(lo+i), row, s); s < leastMasking {
					clearMasked(p, row)
				}
			}
		})
	case TopLabel:
		scale := 1.0
		if d, ok := m.(interface{ divisor() float64 }); ok {
			scale = 1 / d.divisor()
		}
		eachUnscaled(set, func(lo int, part *data.Set, at *Unscaled) {
			for i, g := range confidences(m, part, at) {
				row := part.Logits.Row(i)
				q := softmax.Probs(dst.Row(lo+i), row, scale)
				if len(q) > 1 {
					resetTop(q, row, g)
				}
			}
		})
	default:
		panic(fmt.Sprintf("calib: a %T is neither Tempered nor TopLabel nor Vector", m))
	}
}

// TopLabels returns the predictions of m for the n rows of set: the class of each
// row, and its confidence. It returns the errors that Apply returns. In a set with a confidence
// alone the class is 0, as is the label of a right prediction.
func TopLabels(m TopLabel, set *data.Set) (class []int32, conf []float64, err error) {
	if err := checkApplied(m, set); err != nil {
		return nil, nil, err
	}
	class = make([]int32, set.Len())
	for i := range set.Logits.Rows {
		class[i] = int32(fit.TopClass(set.Logits.Row(i)))
	}
	return class, confidences(m, set, UnscaledOf(set)), nil
}

// OfConfidence returns the map as it is applied to sets with a confidence alone: a TopLabel map itself and, of
// Uncalibrated, the map that keeps every confidence. ok is false for other maps.
func OfConfidence(m Map) (top TopLabel, ok bool) {
	if _, uncal := m.(uncalMap); uncal {
		return keptConfidence{uncalMap{}}, true
	}
	top, ok = m.(TopLabel)
	return top, ok
}

// keptConfidence is the map of Uncalibrated for sets with a confidence alone.
type keptConfidence struct{ uncalMap }

// Confidences writes the confidences of the set.
func (keptConfidence) Confidences(dst []float64, _ *data.Set, at *Unscaled) {
	copy(dst, at.Confidences())
}

// confidences returns the new confidence of each row. It is 1 where a row has a single class that is not
// masked.
func confidences(m TopLabel, set *data.Set, at *Unscaled) []float64 {
	conf := make([]float64, set.Len())
	if set.Confidence != nil {
		m.Confidences(conf, set, at)
		return conf
	}
	if set.Logits.Cols <= 1 {
		fill(conf, 1)
		return conf
	}
	m.Confidences(conf, set, at)
	if set.Logits.Masked() > 0 {
		for i := range conf {
			if left := set.Logits.Cols - set.Logits.Slice(i, i+1).Masked(); left == 1 {
				conf[i] = 1
			}
		}
	}
	return conf
}

// FixedClasses is a Map that serves only sets with the k classes of its fit.
type FixedClasses interface {
	Map
	NumClasses() int // k
}

// SetChecker is a Map that serves some sets only. CheckSet gets a set with the
// arrays that the contract names. It returns an error if a feature or the last
// layer, for example, has another width than in the fit.
type SetChecker interface {
	Map
	CheckSet(set *data.Set) error
}

// CheckSet returns an error if m cannot be applied to a set that holds what the
// contract names: see FixedClasses and SetChecker. Most maps that read logits
// alone fit any set.
func CheckSet(m Map, set *data.Set) error {
	if c, ok := m.(FixedClasses); ok && c.NumClasses() != set.Logits.Cols && set.Logits.Cols != 0 {
		return fmt.Errorf("%d classes, but the model is for %d", set.Logits.Cols, c.NumClasses())
	}
	if set.Confidence != nil {
		if _, ok := OfConfidence(m); !ok {
			return fmt.Errorf("the model %w", ErrConfidence)
		}
	}
	if c, ok := m.(SetChecker); ok {
		return c.CheckSet(set)
	}
	return nil
}

// eachUnscaled calls do for the blocks of rows of set; lo is the first row of a block.
func eachUnscaled(set *data.Set, do func(lo int, part *data.Set, at *Unscaled)) {
	for lo := 0; lo < set.Logits.Rows; lo += fit.BlockRows {
		part := set.Rows(lo, min(lo+fit.BlockRows, set.Logits.Rows))
		do(lo, part, NewUnscaled(part.Logits))
	}
}

// resetTop sets the top class of the logits row, of two or more probabilities q, to g in
// [0, 1] and scales the others so that they sum to 1 - g. Their old sum is computed by
// addition, since 1 minus that of the top class is 0 if it rounds to 1. If they all underflow,
// those that are not masked share 1 - g evenly.
func resetTop(q []float64, row []float32, g float64) {
	top := fit.TopClass(row)
	q[top] = 0
	rest, others := 0.0, -1
	for j, p := range q {
		rest += p
		if row[j] != data.Masked {
			others++
		}
	}
	for j, p := range q {
		switch {
		case rest > 0:
			q[j] = (p / rest) * (1 - g)
		case row[j] != data.Masked:
			q[j] = (1 - g) / float64(others)
		}
	}
	q[top] = g
}

// leastMasking is the least scale, 1/T, at which a masked class is certain to have the probability
// 0: beside a largest logit of -2^59 or more its exponent is -2^11 or less.
const leastMasking = 0x1p-48

// clearMasked sets the probabilities p of masked classes to 0 and divides the others by their
// sum, where a masked class had a share.
func clearMasked(p []float64, row []float32) {
	rest, lost := 0.0, false
	for j, l := range row {
		if l == data.Masked {
			lost = lost || p[j] != 0
			p[j] = 0
		}
		rest += p[j]
	}
	if lost && rest > 0 {
		for j := range p {
			p[j] /= rest
		}
	}
}

// fill writes one number to all rows.
func fill(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}

// Unscaled is a block of n rows at T = 1, from which temperatures that depend
// on the row are computed. Each quantity is computed when it is first asked for
// and then shared, so an Unscaled belongs to one goroutine. The slices that it
// returns are read-only.
type Unscaled struct {
	logits                            data.Matrix
	tails                             []float64
	confidences                       []float64
	entropies, logEntropies, energies []float64
	moments                           []softmax.Moments
}

// NewUnscaled returns the rows of logits at T = 1.
func NewUnscaled(logits data.Matrix) *Unscaled { return &Unscaled{logits: logits} }

// UnscaledOf returns the rows of set at T = 1. A set with a confidence alone has Confidences and Tails
// only; see fit.TailOf.
func UnscaledOf(set *data.Set) *Unscaled {
	u := NewUnscaled(set.Logits)
	if set.Confidence != nil {
		u.confidences, u.tails = set.Confidence, make([]float64, len(set.Confidence))
		for i, c := range set.Confidence {
			u.tails[i] = fit.TailOf(c)
		}
	}
	return u
}

// Tails returns the n tail sums of the other classes, sum of exp(l_j - max l)
// over all j but the top class, by which QaTS ranks. The confidence is
// 1/(1 + tail); it rounds to 1 for many rows whose tails still differ.
func (u *Unscaled) Tails() []float64 {
	if u.tails == nil {
		u.tails = make([]float64, u.logits.Rows)
		softmax.Tails(u.tails, u.logits.Data, u.logits.Cols)
	}
	return u.tails
}

// Confidences returns the n largest probabilities, in (0, 1].
func (u *Unscaled) Confidences() []float64 {
	if u.confidences == nil {
		u.confidences = make([]float64, u.logits.Rows)
		for i, tail := range u.Tails() {
			u.confidences[i] = 1 / (1 + tail)
		}
	}
	return u.confidences
}

// LogEntropies returns the n logarithms of Entropies, at least -693.
func (u *Unscaled) LogEntropies() []float64 {
	if u.logEntropies == nil {
		u.logEntropies = make([]float64, u.logits.Rows)
		for i := range u.rows() {
			u.logEntropies[i] = fit.LogEntropy(&u.moments[i], u.logits.Cols)
		}
	}
	return u.logEntropies
}

// Entropies returns the n entropies of the softmax divided by log k: in [0, 1],
// 1 if all logits are equal, 0 if one class has all the probability. With one
// class it is 1. Rows whose confidence rounds to 1 keep all their digits.
func (u *Unscaled) Entropies() []float64 {
	if u.entropies == nil {
		u.entropies = make([]float64, u.logits.Rows)
		for i := range u.rows() {
			u.entropies[i] = fit.ScaledEntropy(&u.moments[i], u.logits.Cols)
		}
	}
	return u.entropies
}

// Energies returns the n energies, -log sum of exp(l_j) over the classes.
func (u *Unscaled) Energies() []float64 {
	if u.energies == nil {
		u.energies = make([]float64, u.logits.Rows)
		for i := range u.rows() {
			u.energies[i] = fit.Energy(&u.moments[i])
		}
	}
	return u.energies
}

// rows returns the n moments at scale 1.
func (u *Unscaled) rows() []softmax.Moments {
	if u.moments == nil {
		u.moments = fit.Moments(u.logits)
	}
	return u.moments
}
