package data

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
)

// evidence collects what says whether one probability a row is that of the predicted class or that of class 1.
type evidence struct {
	rows, above int // above: at least .5
	low, high   float64
	classes     map[string]bool
	ends        map[string][2]float64 // the least and the largest number of rows that are predicted to be of a class
}

func newEvidence() *evidence {
	return &evidence{low: math.Inf(1), high: math.Inf(-1), classes: map[string]bool{}, ends: map[string][2]float64{}}
}

// add adds a row; predicted is empty where no predictions are known.
func (e *evidence) add(p float64, label, predicted string) {
	e.rows++
	if e.low, e.high = min(e.low, p), max(e.high, p); p >= .5 {
		e.above++
	}
	e.classes[label] = true
	if predicted == "" {
		return
	}
	e.classes[predicted] = true
	ends, seen := e.ends[predicted]
	if !seen {
		ends = [2]float64{p, p}
	}
	e.ends[predicted] = [2]float64{min(ends[0], p), max(ends[1], p)}
}

// reading is what one probability a row is.
type reading int

const (
	ofOneClass  reading = iota // that of class 1, or of the class in its title
	ofPredicted                // that of the predicted class
	unclear                    // neither fits
	noPredicted                // that of the predicted class, which is not known
	ofOther                    // that of class 0 of two
)

// decide returns the reading, and why in parentheses where it is not that of one class. predictions says that predictions
// are known, or whether they are right.
func (e *evidence) decide(predictions bool) (reading, string) {
	if !(e.low >= 0 && e.high <= 1+looseSum) {
		return ofOneClass, ""
	}
	switch k := len(e.classes); {
	case !predictions && k == 2 && e.rows >= fewestProbs && e.above == e.rows && e.low < e.high:
		return noPredicted, ""
	case !predictions:
		return ofOneClass, ""
	case k > 2:
		return ofPredicted, fmt.Sprintf(" (one probability of %d classes is that of the predicted class)", k)
	case e.low >= .5 && len(e.ends) != 1:
		return ofPredicted, " (no number is below .5: that of the predicted class)"
	}
	if len(e.ends) == 2 {
		classes := slices.SortedFunc(maps.Keys(e.ends), func(a, b string) int {
			x, one := wholeNumber(a)
			y, other := wholeNumber(b)
			if one && other {
				return cmp.Compare(x, y)
			}
			return cmp.Compare(a, b)
		})
		first, last := e.ends[classes[0]], e.ends[classes[1]]
		switch {
		case first[1] > last[0] && last[1] > first[0]:
			return unclear, ""
		case first[0] >= last[1] && first[1] > last[0]:
			return ofOther, ""
		}
	}
	return ofOneClass, ""
}

// Decide returns the arrays of a set of a file with the reading that the numbers say, where one number a row stands beside
// labels and predictions: it may be the probability of the predicted class. why says it; both are as they were for other
// sets. It is an error that names both readings if neither fits.
func (c Chosen) Decide(place string, open func(name string) (*npy.Array, error)) (_ Chosen, why string, err error) {
	if c.maybe == "" {
		return c, "", nil
	}
	e := newEvidence()
	var columns [3][]float64
	for i, name := range []string{c.Logits, c.Labels, c.maybe} {
		a, err := open(name)
		if err != nil {
			return c, "", nil // reading it gives the same error
		}
		v := make([]float64, a.Rows()*a.Cols())
		err = a.ReadFloat64(v, 0, a.Rows())
		a.Close()
		if err != nil {
			return c, "", nil
		}
		if a.Rows() == 1 || i > 0 && len(v) != len(columns[0]) {
			return c, "", nil
		}
		columns[i] = v
	}
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for i, p := range columns[0] {
		e.add(p, text(columns[1][i]), text(columns[2][i]))
	}
	switch r, why := e.decide(true); r {
	case ofPredicted:
		c.Predicted, c.Kind = c.maybe, KindConfidence
		return c, c.Logits + " with the predictions " + c.maybe + why, nil
	case ofOther:
		return c, "", &problem.Problem{Place: place, Cause: fmt.Sprintf("%s is the probability of class 0 of two: %s has class 1 where it is low", c.Logits, c.maybe), Fix: "give the probability of class 1"}
	case unclear:
		return c, "", &problem.Problem{Place: place, Cause: fmt.Sprintf("%s is the probability of the predicted class or that of class 1: some numbers are below .5, and no threshold of it gives %s", c.Logits, c.maybe),
			Fix: "rename it: confidence for that of the predicted class; or leave out the predictions"}
	}
	return c, "", nil
}
