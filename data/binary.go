package data

import (
	"fmt"
	"math"

	"github.com/qats-bench/qats/data/problem"
)

// A binary set may store one number a row instead of two: n x 1, or n. Its kind must be
// stated, because a number in [0, 1] can be a probability or a logit:
//
//	kind probs:  p, the probability of class 1, becomes [log(1-p), log p]
//	kind logits: z, the log odds of class 1,    becomes [0, z]
//
// As for other sets of kind probs, a probability of exactly 0 counts as 2^-126, and the
// offset of a row is lost. A probability a little above 1, by rounding, is 1.

// makeBinary makes an array of one column one of two classes.
func (a *scores) makeBinary(kind Kind) error {
	switch kind {
	case KindProbs:
		a.conversion = binaryProbs
	case KindLogits:
		a.conversion = binaryLogits
	default:
		fix := "state kind: probs in " + ManifestName + ", or --kind probs, if it holds the probability of class 1, and kind: logits if it holds its log odds"
		return &problem.Problem{Place: a.Name(), Cause: "one column", Fix: fix, Remedy: problem.Remedy{Argument: "kind", Words: fix}}
	}
	return nil
}

// tableCols returns the number of columns after the conversion.
func (a scores) tableCols() int {
	if a.conversion == binaryProbs || a.conversion == binaryLogits {
		return 2
	}
	return a.Cols()
}

// examineBinary is examine for a single column. It reads all of it.
func (a scores) examineBinary() (conversion, Form, error) {
	form := Form{OffsetLost: a.conversion == binaryProbs}
	unit, zeros := true, 0
	var bad error
	err := a.Each(func(i int, row []float64) bool {
		v := row[0]
		switch unit = unit && v >= 0 && v <= 1; {
		case a.conversion == binaryLogits:
		case !(v >= 0 && v <= 1+beyondOne):
			bad = notProbs(fmt.Sprintf("%s: row %d", a.Name(), a.FileRow(i)), v, row)
			return false
		case v == 0 || v >= 1:
			zeros++
		}
		return unit || a.conversion == binaryProbs
	})
	switch {
	case err != nil:
		return a.conversion, form, nil // reading the row will give the same error
	case bad != nil:
		return a.conversion, form, bad
	case a.conversion == binaryLogits && unit:
		form.Notes = append(form.Notes, Note{Warning: true, Text: "all log odds are in [0, 1] (probabilities? then state kind: probs)"})
	case zeros > 0:
		form.Notes = append(form.Notes, ZeroNote(zeros))
	}
	return a.conversion, form, nil
}

// binaryRow writes the two logits of a number.
func (c conversion) binaryRow(dst []float32, v float64) {
	if c == binaryLogits {
		dst[0], dst[1] = 0, float32(v)
		return
	}
	v = min(v, 1)
	dst[0], dst[1] = float32(math.Log1p(-v)), logProb(v, 1)
	if v == 1 {
		dst[0] = logProb(0, 1)
	}
}
