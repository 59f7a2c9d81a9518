package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data/npy"
)

// aloneColumns are the columns of predictions with a confidence alone.
type aloneColumns struct {
	confidence       int
	correct          int // -1 where predicted and label say it
	predicted, label int
}

// aloneOf returns the columns of predictions with a confidence alone, or nil: there is one column of the confidence,
// with one of correctness or one each of predictions and labels, and no prefix has the scores of several classes.
func (c *columns) aloneOf(plain []string, confidence, correct, predicted, labels []int) *aloneColumns {
	if len(confidence) != 1 || !c.isNumeric(confidence[0]) {
		return nil
	}
	a := &aloneColumns{confidence: confidence[0], correct: -1}
	switch {
	case len(correct) == 1:
		a.correct = correct[0]
	case len(predicted) == 1 && len(labels) == 1:
		a.predicted, a.label = predicted[0], labels[0]
	default:
		return nil
	}
	own := slices.Concat(confidence, correct, predicted, labels, []int{c.split})
	for _, p := range scorePrefixes {
		for _, prefix := range p.names {
			n := 0
			for j, title := range plain {
				if suffix, ok := suffixOf(title, prefix); ok && suffix != "" && !slices.Contains(own, j) && c.isNumeric(j) {
					n++
				}
			}
			if n > 1 {
				return nil
			}
		}
	}
	return a
}

// isRight reports whether the prediction of a row is right.
func (c *columns) isRight(row int) (bool, error) {
	a := c.alone
	if a.correct >= 0 {
		text := c.rows[row][a.correct]
		switch strings.ToLower(text) {
		case "1", "1.0", "true":
			return true, nil
		case "0", "0.0", "false":
			return false, nil
		}
		return false, c.problem(row, a.correct, fmt.Sprintf("%q says neither that the prediction is right nor that it is wrong", text), "write 1 or true where it is right, 0 or false where it is wrong")
	}
	for _, col := range []int{a.predicted, a.label} {
		if c.rows[row][col] == "" {
			return false, c.problem(row, col, "no class", "remove the row, or give it a class")
		}
	}
	predicted, label := c.rows[row][a.predicted], c.rows[row][a.label]
	p, isNumber := wholeNumber(predicted)
	y, also := wholeNumber(label)
	return predicted == label || isNumber && also && p == y, nil
}

// aloneArrays is arrays for predictions with a confidence alone.
func (c *columns) aloneArrays() (npy.Held, []string, error) {
	a := c.alone
	var w npy.TensorWriter
	for _, split := range []Split{"", Cal, Test} {
		rows := c.rowsOf[split]
		if len(rows) == 0 {
			continue
		}
		before := ""
		if split != "" {
			before = string(split) + "_"
		}
		confidence, correct := make([]float64, len(rows)), make([]int32, len(rows))
		for r, i := range rows {
			v, err := c.number(i, a.confidence)
			if err != nil {
				return nil, nil, err
			}
			if !(v >= 0 && v <= 1) {
				return nil, nil, c.badConfidence(i, v)
			}
			right, err := c.isRight(i)
			if err != nil {
				return nil, nil, err
			}
			if confidence[r] = v; right {
				correct[r] = 1
			}
		}
		w.Add(before+"confidence", "F64", []int{len(rows)}, npy.Little(confidence))
		w.Add(before+"correct", "I32", []int{len(rows)}, npy.Little(correct))
	}
	right := "right where " + c.title(a.predicted) + " is " + c.title(a.label)
	if a.correct >= 0 {
		right = "correctness in " + c.title(a.correct)
	}
	b, err := w.Bytes()
	return b, append([]string{"predictions with a confidence alone: confidence in " + c.title(a.confidence) + ", " + right}, c.told...), err
}

// badConfidence is the error of a confidence outside [0, 1].
func (c *columns) badConfidence(row int, v float64) error {
	fix := ""
	least, most := v, v
	for i := range c.rows {
		if x, err := c.number(i, c.alone.confidence); err == nil {
			least, most = min(least, x), max(most, x)
		}
	}
	if least >= 0 && most >= 2 && most <= 100 {
		fix = fmt.Sprintf("the largest is %.4g: if these are per cent, divide them by 100", most)
	}
	return c.problem(row, c.alone.confidence, fmt.Sprintf("%.6g is not a confidence in [0, 1]", v), fix)
}
