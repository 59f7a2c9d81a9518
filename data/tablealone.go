package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"
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
	one, kind := c.onlyScore(plain, own)
	if one < 0 || c.several(plain, append(own, one)) {
		return nil, nil
	}
	logs := kind == KindLogProbs
	a := &aloneColumns{confidence: one, correct: -1, label: c.label, logs: logs}
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
				predicted = classText(c.rows[i][a.predicted])
			}
			e.add(v, classText(c.rows[i][c.label]), predicted)
		}
	}
	title := c.title(a.confidence)
	named := labelIn(c.lowerTitles()[one], c.labelTexts()) != ""
	switch r, why := e.decide(a.correct >= 0 || a.predicted >= 0); {
	case named && len(e.classes) == 2:
	case r == ofPredicted:
		a.why = why
		return a, nil
	case r == unclear:
		return nil, c.fail(fmt.Sprintf("%s is the probability of the predicted class or that of one class: some numbers are below .5, and no threshold of it gives %s", title, c.title(a.predicted)),
			fmt.Sprintf("say which: --confidence %s --prediction %s, or --classes %s", title, c.title(a.predicted), title))
	case r == ofOther:
		return nil, c.fail(fmt.Sprintf("%s is the probability of class 0 of two: the predictions in %s are class 1 where it is low", title, c.title(a.predicted)), "give the probability of class 1, or name the column by its class, such as p_0")
	case r == noPredicted:
		return nil, c.fail("no number of "+title+" is below .5: it looks like the probability of the predicted class, and no column has the predictions", "add the predicted class of each row as a column pred, or name it by --prediction; or, if it is the probability of one class, name it: --classes "+title)
	}
	if a.correct < 0 && a.predicted < 0 {
		return nil, nil
	}
	c.used = append(c.used, max(a.correct, a.predicted))
	return nil, nil
}

// onlyScore returns the only column that can be one probability a row, and what its title says of it; -1 where there is none.
// Titles of scores go before those of other numbers with fractions.
func (c *columns) onlyScore(plain []string, own []int) (int, Kind) {
	for _, p := range scorePrefixes {
		var found []int
		for _, prefix := range p.names {
			if j := slices.Index(plain, prefix); j >= 0 && p.kind != KindLogits && !slices.Contains(own, j) && (c.isNumeric(j) && c.isScore(j, p.kind, prefix) || c.isFraction(j)) {
				found = append(found, j)
			}
		}
		switch {
		case len(found) == 1:
			return found[0], p.kind
		case len(found) > 1:
			return -1, AnyKind
		}
	}
	found := -1
	for j, title := range plain {
		if slices.Contains(own, j) || slices.Contains(indexTitles, title) || slices.Contains(weightTitles, title) || !c.isFraction(j) {
			continue
		}
		if found >= 0 {
			return -1, AnyKind
		}
		found = j
	}
	if found < 0 || kindOfPrefix(plain[found]) == KindLogits {
		return -1, AnyKind
	}
	return found, kindOfPrefix(plain[found])
}

// predictionsOf returns the columns of predicted classes: those with a title of them, the exact ones first, or else the only
// column whose fields are all labels, where labels are names.
func (c *columns) predictionsOf(plain []string) []int {
	var exact, like, equal []int
	labels := map[string]bool{}
	names := c.label >= 0
	for i := range c.rows {
		if c.label >= 0 {
			text := classText(c.rows[i][c.label])
			_, number := wholeNumber(text)
			names, labels[text] = names && !number, true
		}
	}
	for j, title := range plain {
		switch {
		case j == c.label || j == c.split || c.isFraction(j):
		case slices.Contains(predictedNames, title):
			exact = append(exact, j)
		case isPredicted(title):
			like = append(like, j)
		case names && len(c.distinct(j)) > 1 && !slices.ContainsFunc(c.distinct(j), func(s string) bool { return !labels[classText(s)] }):
			equal = append(equal, j)
		}
	}
	for _, found := range [][]int{exact, like, equal} {
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// classText returns a class as labels and predictions are compared: in lower case, numbers without a point or label_ before
// them, and true and false as 1 and 0.
func classText(field string) string {
	if v, whole := classNumber(field); whole {
		return strconv.Itoa(int(v))
	}
	switch field = strings.ToLower(field); field {
	case "true":
		return "1"
	case "false":
		return "0"
	}
	return field
}

// isRight reports whether the prediction of a row is right.
func (c *columns) isRight(row int) (bool, error) {
	a := c.alone
	if a.correct >= 0 {
		text := c.rows[row][a.correct]
		if right, ok := flagOf(text); ok {
			return right, nil
		}
		return false, c.problem(row, a.correct, fmt.Sprintf("%q says neither that the prediction is right nor that it is wrong", text), "write 1 or true where it is right, 0 or false where it is wrong")
	}
	for _, col := range []int{a.predicted, a.label} {
		if c.rows[row][col] == "" {
			return false, c.problem(row, col, "no class", "remove the row, or give it a class")
		}
	}
	return classText(c.rows[row][a.predicted]) == classText(c.rows[row][a.label]), nil
}

// aloneArrays is arrays for predictions with a confidence alone.
func (c *columns) aloneArrays() (npy.Held, []string, error) {
	a := c.alone
	if err := c.comparable(); err != nil {
		return nil, nil, err
	}
	percent := c.inPercent()
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
			if percent {
				v /= 100
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
		right, used = fmt.Sprintf("right where %s is %s (%d classes)", c.title(a.predicted), c.title(a.label), c.classCount()), append(used, a.predicted, a.label)
	}
	exp := ""
	if a.logs {
		exp = "exp of "
	}
	if percent {
		a.why += " (all are in [0, 100]: read as per cent)"
	}
	b, err := w.Bytes()
	return b, append([]string{"predictions with a confidence alone: confidence in " + exp + c.title(a.confidence) + a.why + ", " + right + c.besideWords(used...)}, c.told...), err
}

// comparable returns an error if no prediction is a label: then they are written in two ways.
func (c *columns) comparable() error {
	a := c.alone
	if a.correct >= 0 {
		return nil
	}
	labels := c.distinct(a.label)
	for i, l := range labels {
		labels[i] = classText(l)
	}
	predicted := c.distinct(a.predicted)
	if slices.ContainsFunc(predicted, func(p string) bool { return slices.Contains(labels, classText(p)) }) {
		return nil
	}
	return c.fail(fmt.Sprintf("the predictions in %s are %s, and the labels in %s are %s: none is both", c.title(a.predicted), few(predicted, 4), c.title(a.label), few(c.distinct(a.label), 4)), "write classes in one way in both columns")
}

// classCount is the number of classes among labels and predictions.
func (c *columns) classCount() int {
	seen := map[string]bool{}
	for _, col := range []int{c.alone.predicted, c.alone.label} {
		for _, s := range c.distinct(col) {
			seen[classText(s)] = true
		}
	}
	return len(seen)
}

// inPercent reports whether confidences look like per cent: some are above 50, and all are in [0, 100].
func (c *columns) inPercent() bool {
	most := 0.0
	for i := range c.rows {
		v, err := c.number(i, c.alone.confidence)
		if err != nil || v < 0 || v > 100 || strings.Contains(c.rows[i][c.alone.confidence], "%") {
			return false
		}
		most = max(most, v)
	}
	return most > 50
}

// badConfidence is the error of a confidence outside [0, 1].
func (c *columns) badConfidence(row int, v float64) error {
	return c.problem(row, c.alone.confidence, fmt.Sprintf("%.6g is not a confidence in [0, 1]", v), "")
}
