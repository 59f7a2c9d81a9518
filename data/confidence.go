package data

import (
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/lists"
)

// A set of KindConfidence has no logits: of each row the confidence of the prediction, and whether that is
// right. It is what interfaces of language models, detectors and published reliability data give. Files have
//
//	confidence   n or n x 1  floats in [0, 1]
//	correct      n           0 and 1, 1 where the prediction is right, in the place of labels
//
// or confidence, predicted and labels, where predicted and labels are classes. Of these only the
// agreement is kept, so a set has the same numbers either way: label 0 where the prediction is
// right and 1 where it is wrong.

// examineConfidence looks at every confidence and every outcome.
func (r *setReader) examineConfidence(form *Form) error {
	form.Confidence = true
	if r.confidence != nil {
		ends := 0
		var bad error
		err := r.confidence.Each(func(i int, row []float64) bool {
			if bad = r.badConfidence(i, row[0]); row[0] == 0 || row[0] == 1 {
				ends++
			}
			return bad == nil
		})
		switch {
		case bad != nil:
			return bad
		case err != nil:
			return nil // reading the row will give the same error
		case ends > 0:
			form.Notes = append(form.Notes, Note{Text: "{count} of {of} confidences are exactly 0 or 1", Count: ends, Of: r.n})
		}
	}
	return nil
}

// badConfidence returns an error unless the number of a row is a confidence.
func (r *setReader) badConfidence(row int, c float64) error {
	if c >= 0 && c <= 1 {
		return nil
	}
	p := &problem.Problem{Place: fmt.Sprintf("%s: row %d", r.confidence.Name(), r.confidence.FileRow(row)), Cause: fmt.Sprintf("%.6g is not a confidence in [0, 1]", c)}
	least, most := math.Inf(1), math.Inf(-1)
	err := r.confidence.Each(func(_ int, row []float64) bool {
		least, most = min(least, row[0]), max(most, row[0])
		return true
	})
	switch {
	case err != nil:
	case least >= 0 && most >= 2 && most <= 100: // less is above 1 by another mistake
		p.Fix = fmt.Sprintf("the largest is %.4g: if these are per cent, divide them by 100", most)
	case most <= 0:
		p.Fix = "none is above 0: if these are logarithms, store their exponentials"
	}
	return p
}

// readConfidence reads rows lo..hi-1 into s, which has none where the set has logits.
func (r *setReader) readConfidence(s *Set, buf *[]byte, lo, hi int) error {
	s.Classes = 0
	if r.confidence == nil {
		s.Confidence = nil
		return nil
	}
	s.Confidence, s.Classes = lists.Resize(s.Confidence, hi-lo), r.stated
	if err := npy.Floats(r.confidence, s.Confidence, buf, lo, hi); err != nil {
		return err
	}
	for i, c := range s.Confidence {
		if err := r.badConfidence(lo+i, c); err != nil {
			return err
		}
	}
	return nil
}

// readOutcomes reads what the predictions of rows lo..hi-1 are: 0 where they are right, 1 where they
// are wrong.
func (r *setReader) readOutcomes(dst []int32, buf *[]byte, lo, hi int) error {
	limit := 2
	if r.predicted != nil {
		limit = r.stated
	}
	if err := r.wholeNumbers(r.labels, dst, buf, lo, hi, limit); err != nil {
		return err
	}
	if r.predicted == nil {
		for i, v := range dst {
			dst[i] = 1 - v
		}
		return nil
	}
	predicted := make([]int32, hi-lo)
	if err := r.wholeNumbers(r.predicted, predicted, buf, lo, hi, limit); err != nil {
		return err
	}
	for i, v := range predicted {
		if dst[i] == v {
			dst[i] = 0
		} else {
			dst[i] = 1
		}
	}
	return nil
}

// wholeNumbers reads rows lo..hi-1 of an array of classes or of 0 and 1, all below the limit; 0 is no limit.
func (r *setReader) wholeNumbers(a *npy.Array, dst []int32, buf *[]byte, lo, hi, limit int) error {
	wrong := func(i int, v float64) error {
		p := &problem.Problem{Place: fmt.Sprintf("%s: row %d", a.Name(), a.FileRow(lo+i)), Cause: fmt.Sprintf("%.10g is no class", v), Fix: "classes are whole numbers from 0 on"}
		switch {
		case r.predicted == nil:
			p.Cause = fmt.Sprintf("%.10g is neither 0 nor 1", v)
			p.Fix = "with a confidence alone, labels are 1 where the prediction is right and 0 where it is wrong; labels that are classes need the predicted classes, too"
		case v == math.Trunc(v) && limit > 0:
			p.Fix = fmt.Sprintf("the set has the classes 0 to %d, as is stated", limit-1)
		}
		return p
	}
	if a.DType().Integer() {
		if err := a.Integers(dst, buf, lo, hi); err != nil {
			return err
		}
		for i, v := range dst {
			if v < 0 || limit > 0 && int(v) >= limit {
				return wrong(i, float64(v))
			}
		}
		return nil
	}
	wide := make([]float64, hi-lo)
	if err := npy.Floats(a, wide, buf, lo, hi); err != nil {
		return err
	}
	for i, v := range wide {
		if v != math.Trunc(v) || v < 0 || v > math.MaxInt32 || limit > 0 && v >= float64(limit) {
			return wrong(i, v)
		}
		dst[i] = int32(v)
	}
	return nil
}

// checkConfidence is Check for a set with Confidence.
func (s *Set) checkConfidence() error {
	if s.Logits.Present() {
		return errors.New("confidence: the set has logits, too; give one of the two")
	}
	n := len(s.Confidence)
	if s.Classes < 0 || s.Classes == 1 {
		return fmt.Errorf("confidence: %d classes; want 2 or more, or 0 for a number that is not known", s.Classes)
	}
	for i, c := range s.Confidence {
		if !(c >= 0 && c <= 1) {
			p := &problem.Problem{Place: fmt.Sprintf("confidence: row %d", i), Cause: fmt.Sprintf("%g is not in [0, 1]", c)}
			if c >= 2 && c <= 100 {
				p.Fix = "if these are per cent, divide them by 100"
			}
			return p
		}
	}
	if s.Labels != nil && len(s.Labels) != n {
		return fmt.Errorf("labels: %d for %d confidences", len(s.Labels), n)
	}
	for i, y := range s.Labels {
		if y != 0 && y != 1 {
			return fmt.Errorf("labels: row %d: label %d; with a confidence alone a label is 0 where the prediction is right and 1 where it is wrong", i, y)
		}
	}
	if s.Features.Present() && s.Features.Rows != n {
		return fmt.Errorf("features: %d rows for %d confidences", s.Features.Rows, n)
	}
	return s.checkWeights()
}

// FromConfidences returns the set of predictions with a confidence alone: their confidences, in [0, 1], and
// whether they are right, which may be nil where this is not known. classes is the number of classes, 0 where it
// is not known. The set keeps confidence.
func FromConfidences(confidence []float64, correct []bool, classes int) (*Set, error) {
	s := &Set{Confidence: confidence, Classes: classes}
	if correct != nil {
		if len(correct) != len(confidence) {
			return nil, fmt.Errorf("%d confidences, but %d flags of correctness", len(confidence), len(correct))
		}
		s.Labels = make([]int32, len(correct))
		for i, right := range correct {
			if !right {
				s.Labels[i] = 1
			}
		}
	}
	return s, s.Check()
}
