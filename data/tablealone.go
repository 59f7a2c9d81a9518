package data

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data/npy"
)

// aloneColumns are the columns of predictions with a confidence alone.
type aloneColumns struct {
	confidence       int
	correct          int // -1 where predicted and label say it
	predicted, label int

	logs bool   // the confidence is a logarithm
	why  string // what says that it is the probability of the predicted class
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
	if c.several(plain, slices.Concat(confidence, correct, predicted, labels, []int{c.split})) {
		return nil
	}
	return a
}

// several reports whether a prefix has the scores of several classes, in columns that are none of own.
func (c *columns) several(plain []string, own []int) bool {
	for _, p := range scorePrefixes {
		for _, prefix := range p.names {
			n := 0
			for j, title := range plain {
				if suffix, ok := suffixOf(title, prefix); ok && suffix != "" && !slices.Contains(own, j) && c.isNumeric(j) {
					n++
				}
			}
			if n > 1 {
				return true
			}
		}
	}
	return false
}

// confidenceColumns returns the columns whose titles name a confidence.
func (c *columns) confidenceColumns(plain []string) (found []int) {
	for j, title := range plain {
		if isConfidenceName(title) {
			found = append(found, j)
		}
	}
	return found
}

// predictedOrClass returns the columns of predictions with a confidence alone where one column of probabilities stands beside
// predictions or flags of correctness under a name such as prob or score, which may be of class 1 as well. nil says that it is
// that of a class. Evidence decides:
//
//   - without labels, or of three classes or more, one probability is that of the predicted class;
//   - of two classes, a probability below .5 is none of a predicted class. Where none is, and predictions are not always
//     the same class, it is that of the predicted class;
//   - predictions that no threshold of the probability gives, with probabilities below .5, are an error.
func (c *columns) predictedOrClass(plain []string, correct, predicted []int) (*aloneColumns, error) {
	if len(correct) > 1 || len(predicted) > 1 {
		return nil, nil
	}
	own := slices.Concat(correct, predicted, []int{c.label, c.split})
	var scores []int
	logs := false
	for _, p := range scorePrefixes {
		for _, prefix := range p.names {
			if j := slices.Index(plain, prefix); j >= 0 && p.kind != KindLogits && !slices.Contains(own, j) && (c.isNumeric(j) && c.isScore(j, p.kind, prefix) || c.isFraction(j)) {
				scores, logs = append(scores, j), p.kind == KindLogProbs
			}
		}
		if len(scores) > 0 {
			break
		}
	}
	if len(scores) != 1 || c.several(plain, append(own, scores...)) {
		return nil, nil
	}
	a := &aloneColumns{confidence: scores[0], correct: -1, label: c.label, logs: logs}
	switch {
	case len(predicted) == 1 && c.label >= 0:
		a.predicted = predicted[0]
	case len(correct) == 1:
		a.correct = correct[0]
	case c.label < 0:
		return nil, nil
	default:
		a.predicted = -1
	}
	if c.label < 0 {
		return a, nil
	}
	e := newEvidence()
	for _, split := range []Split{"", Cal, Test} {
		for _, i := range c.rowsOf[split] {
			v, err := c.number(i, a.confidence)
			if err != nil {
				return nil, nil // reading it says what is wrong
			}
			if logs {
				v = math.Exp(v)
			}
			predicted := ""
			if a.correct < 0 && a.predicted >= 0 {
				predicted = titleText(c.rows[i][a.predicted])
			}
			e.add(v, titleText(c.rows[i][c.label]), predicted)
		}
	}
	title := c.title(a.confidence)
	switch r, why := e.decide(a.correct >= 0 || a.predicted >= 0); {
	case r == ofPredicted:
		a.why = why
		return a, nil
	case r == unclear:
		return nil, c.fail(fmt.Sprintf("%s is the probability of the predicted class or that of one class: some numbers are below .5, and no threshold of it gives %s", title, c.title(a.predicted)),
			fmt.Sprintf("say which: --confidence %s --prediction %s, or --classes %s", title, c.title(a.predicted), title))
	case r == ofOther && labelIn(plainName(c.header[a.confidence]), c.labelTexts()) == "":
		return nil, c.fail(fmt.Sprintf("%s is the probability of class 0 of two: the predictions in %s are class 1 where it is low", title, c.title(a.predicted)), "give the probability of class 1, or name the column by its class, such as p_0")
	case r == noPredicted:
		return nil, c.fail("no number of "+title+" is below .5: it looks like the probability of the predicted class, and no column has the predictions", "add the predicted class of each row as a column pred; or, if it is the probability of one class, name it: --classes "+title)
	case a.correct < 0 && a.predicted < 0:
		return nil, nil
	}
	c.used = append(c.used, max(a.correct, a.predicted))
	return nil, nil
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
	p, isNumber := classNumber(predicted)
	y, also := classNumber(label)
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
			if a.logs {
				v = math.Exp(v)
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
		if err := c.addBeside(&w, before, rows); err != nil {
			return nil, nil, err
		}
	}
	right, used := "", append([]int{a.confidence}, c.used...)
	if a.correct >= 0 {
		right, used = "correctness in "+c.title(a.correct), append(used, a.correct)
	} else {
		right, used = "right where "+c.title(a.predicted)+" is "+c.title(a.label), append(used, a.predicted, a.label)
	}
	exp := ""
	if a.logs {
		exp = "exp of "
	}
	b, err := w.Bytes()
	return b, append([]string{"predictions with a confidence alone: confidence in " + exp + c.title(a.confidence) + a.why + ", " + right + c.besideWords(used...)}, c.told...), err
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
