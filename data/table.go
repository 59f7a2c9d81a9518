package data

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/lists"
)

// readTable returns the arrays of a labelled table, as a .safetensors, and what was taken from it in
// lines. The table is a text with a header, as parseTable reads it. The arrays are, as the header names them,
//
//	logits, log_probs or probs   n x k in float64, or n for the score of one of two classes
//	labels                       n in int32
//	confidence, correct          n in float64 and in int32, of predictions with a confidence alone
//
// with cal_ and test_ before their names where a column says which rows calibrate. Errors say line
// and column. The columns are found by the rules of columnsOf.
func readTextTable(name string, r io.Reader, limit int64) (npy.Held, []string, error) {
	t, err := parseTable(name, r, limit)
	if err != nil {
		return nil, nil, err
	}
	c, err := columnsOf(t)
	if err != nil {
		return nil, nil, err
	}
	return c.arrays()
}

// columns are the columns of a table that make sets.
type columns struct {
	*textTable
	scores []int    // in the order of the classes; one for the score of one of two classes
	titled []string // the class in the title of each
	label  int
	split  int // -1 where no column says the set

	kind     Kind
	decimals map[rune]bool // the decimal points of the numbers so far
	classes  map[string]int32
	rowsOf   map[Split][]int
	told     []string

	alone *aloneColumns // of a confidence alone; else nil
}

// splitTitles are the titles of a column that says the set of a row.
var splitTitles = []string{"split", "set", "subset", "part", "partition", "fold"}

// indexTitles are the titles of columns that name a row.
var indexTitles = []string{"", "id", "index", "idx", "row", "row_id", "unnamed:_0", "unnamed:0", "sample", "sample_id", "image", "image_id", "file", "filename", "path", "name", "text", "uid", "uuid"}

// weakLabels are titles of labels where no column has one of labelNames.
var weakLabels = []string{"class", "true_class", "class_id", "actual", "y_val", "y_cal", "category", "outcome"}

// scorePrefixes are what stands before the class in the titles of columns of scores, with what it says
// of them.
var scorePrefixes = []struct {
	kind  Kind
	names []string
}{
	{KindLogits, []string{"logits", "logit", "z"}},
	{KindLogProbs, []string{"log_probs", "logprobs", "log_prob", "logprob", "log_proba", "log_softmax", "logp"}},
	{KindProbs, []string{"probabilities", "probability", "probas", "proba", "probs", "prob", "p", "softmax", "y_proba", "y_prob", "pred_prob", "pred_proba"}},
	{AnyKind, []string{"scores", "score", "y_score", "s", "decision", "decision_function", "outputs", "output", "out", "confidence", "conf", "predictions", "prediction", "preds", "pred", "y_pred", "class", "c", "x"}},
}

// columnsOf finds the columns of a table:
//
//   - confidence or conf, with correct, or with a column of predictions such as pred_label and one of labels, are predictions
//     with a confidence alone, where no prefix below has several columns;
//   - the label is the only column with one of labelNames as its title, or else with one of weakLabels;
//   - split, set, part or fold says which rows calibrate (cal, val, ...) and which test; rows of other
//     sets, such as train, are left out;
//   - the scores are the columns with one prefix, such as p_0, p_1 or logit_cat, logit_dog; of several
//     prefixes logits go before log-probabilities, probabilities and others. Else they are the columns
//     whose titles are the labels, or numbers from 0, or else all other columns of numbers. One column
//     is the score of one of two classes.
//
// Numbers after the prefix give the order of the classes. Labels that are names, or numbers that all
// stand in the titles, are the classes of the columns with them in the title. Other names are the
// classes in ascending order, which is a warning, and an error where the accuracy is at most that of
// chance.
func columnsOf(t *textTable) (*columns, error) {
	c := &columns{textTable: t, split: -1, rowsOf: map[Split][]int{}, classes: map[string]int32{}, decimals: map[rune]bool{}}
	plain := make([]string, len(t.header))
	for j, h := range t.header {
		plain[j] = strings.Trim(plainName(h), "_")
		if h != "" && slices.Index(t.header, h) != j {
			return nil, t.fail("two columns are named "+h, "")
		}
	}
	with := func(titles []string) (found []int) {
		for j, h := range plain {
			if slices.Contains(titles, h) {
				found = append(found, j)
			}
		}
		return found
	}
	labels := with(labelNames)
	if len(labels) == 0 {
		labels = with(weakLabels)
	}
	if found := with(splitTitles); len(found) > 0 && !c.isFraction(found[0]) {
		c.split = found[0]
	}
	if a := c.aloneOf(plain, with(confidenceNames), with(correctNames), with(predictedNames), labels); a != nil {
		c.alone = a
		return c, c.chooseRows()
	}
	switch {
	case len(labels) == 0:
		return nil, t.fail("no column of labels (the columns are "+few(t.header, 12)+")", t.labelFix(plain))
	case len(labels) > 1:
		return nil, t.fail("several columns can be the labels: "+t.titles(labels), "keep one of them, or name it: python3 -m qatsbench.datasets import csv --label COLUMN")
	}
	c.label = labels[0]
	if err := c.chooseRows(); err != nil {
		return nil, err
	}
	if err := c.chooseScores(plain); err != nil {
		return nil, err
	}
	return c, c.chooseClasses()
}

// labelFix is what to do about a table without a column of labels.
func (t *textTable) labelFix(plain []string) string {
	if len(plain) == 1 {
		return "separate the fields of a line by commas, semicolons or tabs"
	}
	for _, name := range labelNames {
		if n := len(lists.Where(plain, func(title string) bool { suffix, ok := suffixOf(title, name); return ok && suffix != "" })); n > 1 {
			return fmt.Sprintf("%d columns have a name such as %s_0: if each row has exactly one 1, store the number of its column in one column label", n, name)
		}
	}
	return "name it label, target or y_true; python3 -m qatsbench.datasets import csv --label COLUMN takes any name"
}

// isNumeric reports whether more than a tenth of the fields of a column are numbers, without empty ones. A field that is
// none is an error when it is read: a column with some NA is not left out.
func (c *columns) isNumeric(col int) bool {
	numbers, others := 0, 0
	for _, row := range c.rows {
		switch {
		case isNumber(row[col]):
			numbers++
		case row[col] != "":
			others++
		}
	}
	return 9*numbers > others
}

// isFraction reports whether a column has numbers, and one is not whole. 2.0 is whole: it is a class that was written
// as a float.
func (c *columns) isFraction(col int) bool {
	return c.isNumeric(col) && slices.ContainsFunc(c.rows, func(row []string) bool {
		_, whole := wholeNumber(row[col])
		return isNumber(row[col]) && !whole
	})
}

// chooseRows divides the rows into sets.
func (c *columns) chooseRows() error {
	if c.split < 0 {
		for i := range c.rows {
			c.rowsOf[""] = append(c.rowsOf[""], i)
		}
		return nil
	}
	by := map[string][]int{}
	var names []string
	for i, row := range c.rows {
		name := strings.ToLower(row[c.split])
		if by[name] == nil {
			names = append(names, name)
		}
		by[name] = append(by[name], i)
	}
	take := func(to Split, among []string) string {
		for _, name := range among {
			if rows := by[name]; rows != nil {
				c.rowsOf[to] = rows
				return name
			}
		}
		return ""
	}
	var cals []string
	for _, s := range CalNames() {
		cals = append(cals, string(s))
	}
	cal, test := take(Cal, append(cals, "calib", "dev", "holdout")), take(Test, []string{"test", "testing", "eval", "evaluation"})
	if cal == "" && test == "" {
		return c.fail(fmt.Sprintf("column %s has the values %s, and none of cal, val and test", c.title(c.split), few(names, 8)), "name the values: python3 -m qatsbench.datasets import csv --split "+c.title(c.split)+" --cal VALUE --test VALUE")
	}
	var left []string
	for _, name := range names {
		if name != cal && name != test {
			left = append(left, fmt.Sprintf("%s (%d rows)", name, len(by[name])))
		}
	}
	if len(left) > 0 {
		c.told = append(c.told, "left out are the rows whose "+c.title(c.split)+" is "+strings.Join(left, ", "))
	}
	return nil
}

// suffixOf returns what stands behind a prefix in a title, without separators.
func suffixOf(title, prefix string) (suffix string, ok bool) {
	rest, ok := strings.CutPrefix(title, prefix)
	if !ok || rest == "" {
		return "", ok
	}
	if rest[0] == '_' || rest[0] == '[' || rest[0] == '(' {
		return strings.Trim(rest, "_[]()"), true
	}
	_, err := strconv.Atoi(rest)
	return rest, err == nil
}

// chooseScores finds the columns of scores, in the order of their numbers or of the file.
func (c *columns) chooseScores(plain []string) error {
	for _, p := range scorePrefixes {
		groups := map[string][]int{}
		var several, one []string // prefixes with several columns, and with one
		for _, prefix := range p.names {
			for j, title := range plain {
				suffix, ok := suffixOf(title, prefix)
				if !ok || j == c.label || j == c.split || !c.isNumeric(j) || suffix == "" && (!c.isFraction(j) || slices.Contains(confidences, prefix)) {
					continue
				}
				groups[prefix] = append(groups[prefix], j)
			}
			switch len(groups[prefix]) {
			case 0:
			case 1:
				one = append(one, prefix)
			default:
				several = append(several, prefix)
			}
		}
		if len(several) == 0 {
			several = one
		}
		if len(several) > 1 {
			var names []string
			for _, prefix := range several {
				names = append(names, c.titles(groups[prefix]))
			}
			return c.fail("several groups of columns can be the scores: "+strings.Join(names, "; "), "keep one of them, or name it: python3 -m qatsbench.datasets import csv --classes 'PATTERN*'")
		}
		if len(several) == 1 {
			if err := c.noNumbers(plain, several[:1], groups[several[0]]); err != nil {
				return err
			}
			c.scores, c.kind = groups[several[0]], p.kind
			for _, j := range c.scores {
				suffix, _ := suffixOf(plain[j], several[0])
				c.titled = append(c.titled, suffix)
			}
			return c.order()
		}
	}
	c.scores = c.unprefixed(plain)
	for _, j := range c.scores {
		c.titled = append(c.titled, plain[j])
	}
	if len(c.scores) == 0 {
		for _, p := range scorePrefixes {
			if err := c.noNumbers(plain, p.names, nil); err != nil {
				return err
			}
		}
		return c.fail("no columns of scores, such as p_0, p_1 or logit_cat, logit_dog (the columns are "+few(c.header, 12)+")", "integers in one column are labels, and are never taken as scores")
	}
	return c.order()
}

// noNumbers is the error of a column that is not among the scores although its title has one of the prefixes and a number,
// since its fields are no numbers.
func (c *columns) noNumbers(plain, prefixes []string, scores []int) error {
	for _, prefix := range prefixes {
		for j, title := range plain {
			suffix, ok := suffixOf(title, prefix)
			if _, err := strconv.Atoi(suffix); !ok || err != nil || slices.Contains(scores, j) || j == c.label || j == c.split {
				continue
			}
			for i := range c.rows {
				if _, err := c.number(i, j); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// confidences are prefixes that do not make a single column the score of class 1: it would be that of
// the predicted class.
var confidences = []string{"confidence", "conf"}

// unprefixed returns the columns of scores whose titles have no prefix: all columns of numbers that
// are probabilities together, or those whose titles are the labels, or numbers; or the only one that
// is no integer.
func (c *columns) unprefixed(plain []string) []int {
	values := map[string]bool{}
	for _, row := range c.rows {
		values[plainName(row[c.label])] = true
	}
	var named, numbered, fractions []int
	for j, title := range plain {
		if j == c.label || j == c.split || !c.isNumeric(j) {
			continue
		}
		if _, err := strconv.Atoi(title); err == nil {
			numbered = append(numbered, j)
			continue
		}
		if values[title] {
			named = append(named, j)
		}
		if values[title] || c.isFraction(j) && !slices.Contains(indexTitles, title) {
			fractions = append(fractions, j)
		}
	}
	switch {
	case len(numbered) >= 2:
		return numbered
	case len(fractions) == 1 && !slices.Contains(confidences, plain[fractions[0]]) || c.sumsToOne(fractions):
		return fractions
	case len(named) >= 2 && len(named) == len(values):
		return named
	}
	return nil
}

// sumsToOne reports whether columns are probabilities together.
func (c *columns) sumsToOne(cols []int) bool {
	for i := range c.rows {
		sum := 0.0
		for _, j := range cols {
			v, err := c.number(i, j)
			if err != nil || !(v >= 0 && v <= 1+looseSum) {
				return false
			}
			sum += v
		}
		if !(math.Abs(sum-1) <= 0.1) {
			return false
		}
	}
	return len(cols) >= 2
}

// order sorts the columns of scores by the numbers in their titles, where all have one.
func (c *columns) order() error {
	numbers := make([]int, len(c.titled))
	for i, s := range c.titled {
		n, err := strconv.Atoi(s)
		if err != nil {
			return nil
		}
		numbers[i] = n
	}
	if len(numbers) == 1 {
		return nil
	}
	at := make([]int, len(numbers))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int { return numbers[a] - numbers[b] })
	cols, titled := slices.Clone(c.scores), slices.Clone(c.titled)
	for i, k := range at {
		if i > 0 && numbers[k] != numbers[at[0]]+i {
			return c.fail(fmt.Sprintf("the columns of scores have the numbers %d and %d, and none between them", numbers[at[i-1]], numbers[k]), "give the scores of all classes")
		}
		c.scores[i], c.titled[i] = cols[k], titled[k]
	}
	return nil
}

// chooseClasses finds the class of each label.
func (c *columns) chooseClasses() error {
	distinct := map[string]bool{}
	integers := true
	for _, split := range []Split{"", Cal, Test} {
		for _, i := range c.rowsOf[split] {
			text := c.rows[i][c.label]
			if text == "" {
				return c.problem(i, c.label, "no label", "remove the row, or give it a label")
			}
			if _, ok := wholeNumber(text); !ok {
				integers = false
			}
			distinct[text] = true
		}
	}
	names := slices.Sorted(maps.Keys(distinct))
	titled := map[string]int32{}
	for i, title := range c.titled {
		titled[title] = int32(i)
	}
	if len(titled) < len(c.scores) {
		return c.fail("two columns of scores are of one class: "+c.titles(c.scores), "")
	}
	var missing []string
	for _, text := range names {
		class, ok := titled[plainName(text)]
		if v, whole := wholeNumber(text); whole && !ok {
			class, ok = titled[strconv.Itoa(int(v))]
		}
		if !ok {
			missing = append(missing, text)
			continue
		}
		c.classes[text] = class
	}
	single := len(c.scores) == 1
	switch {
	case single && len(names) == 2 && len(missing) == 1: // the title names the class whose score it is
		other := missing[0]
		for _, text := range names {
			c.classes[text] = 1
		}
		c.classes[other] = 0
		if integers && c.titled[0] == "1" && other == "0" {
			return nil
		}
		c.told = append(c.told, fmt.Sprintf("%s is the score of label %s, which is class 1; label %s is class 0", c.titles(c.scores), names[1-slices.Index(names, other)], other))
		return nil
	case !single && len(missing) == 0:
		if integers && c.titled[0] != "0" {
			c.told = append(c.told, fmt.Sprintf("the labels are the numbers in the titles: label %s is class 0", c.titled[0]))
		}
		return nil
	case integers:
		for _, text := range names {
			c.classes[text], _ = wholeNumber(text)
		}
		return nil
	case !single && len(missing) < len(names):
		return c.fail("no column of scores is of "+few(missing, 8)+", and others are of "+few(slices.DeleteFunc(names, func(n string) bool { return slices.Contains(missing, n) }), 8), "name each column by its class, such as p_"+missing[0])
	case len(names) != max(2, len(c.scores)):
		return c.fail(fmt.Sprintf("%d labels (%s), and %d classes by the columns %s, whose titles do not name the labels", len(names), few(names, 8), max(2, len(c.scores)), c.titles(c.scores)), "name each column by its class, such as p_"+names[0])
	}
	return c.ascending(names)
}

// wholeNumber returns the integer that a label is, as 3 or 3.0.
func wholeNumber(text string) (int32, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return int32(v), err == nil && v == math.Trunc(v) && math.Abs(v) <= math.MaxInt32
}

// ascending makes the sorted names the classes in this order, and says so.
func (c *columns) ascending(names []string) error {
	var pairs []string
	for i, text := range names {
		c.classes[text] = int32(i)
		switch {
		case len(c.scores) > 1:
			pairs = append(pairs, text+" is "+c.title(c.scores[i]))
		case i == 1:
			pairs = append(pairs, c.title(c.scores[0])+" is the score of "+text)
		}
	}
	if len(names) == 2 && strings.EqualFold(names[0], "false") && strings.EqualFold(names[1], "true") {
		return nil
	}
	c.told = append(c.told, "warning: the titles do not name the labels, which are the classes in ascending order: "+few(pairs, 8))
	return c.beyondChance(names[0])
}

// beyondChance returns an error if the classes in ascending order are right in no more rows than
// chance.
func (c *columns) beyondChance(first string) error {
	right, n := 0, 0
	for _, split := range []Split{"", Cal, Test} {
		for _, i := range c.rowsOf[split] {
			best, most := 0, math.Inf(-1)
			for k, j := range c.scores {
				v, err := c.number(i, j)
				if err != nil {
					return err
				}
				if v > most {
					best, most = k, v
				}
			}
			if len(c.scores) == 1 {
				best = 0
				if most > 0.5 && c.kind != KindLogits || most > 0 && c.kind == KindLogits {
					best = 1
				}
			}
			n++
			if int(c.classes[c.rows[i][c.label]]) == best {
				right++
			}
		}
	}
	if k := max(2, len(c.scores)); right*k <= n {
		return c.fail(fmt.Sprintf("the titles do not name the labels, and in ascending order accuracy is %.1f %%, at most that of chance", 100*float64(right)/float64(n)), "name each column by its class, such as p_"+first)
	}
	return nil
}

// number returns the number of a field, which is finite or, of a masked class, -Inf. A decimal comma is read where the
// fields are separated otherwise, and a per cent sign divides by 100.
func (c *columns) number(row, col int) (float64, error) {
	field := c.rows[row][col]
	text, percent := strings.CutSuffix(field, "%")
	if c.comma != ',' && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
		c.decimals[','] = true
	} else if strings.Contains(text, ".") {
		c.decimals['.'] = true
	}
	if c.decimals[','] && c.decimals['.'] {
		return 0, c.problem(row, col, fmt.Sprintf("%q: numbers with a decimal comma and numbers with a point in one file", field), "write all with a point")
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	case text == "":
		return 0, c.problem(row, col, "no number", "remove the row, or give it one")
	case err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(text, "xX_"):
		return 0, c.problem(row, col, fmt.Sprintf("%q is not a number", field), numberFix(text))
	case math.IsNaN(v) || math.IsInf(v, 1):
		return 0, c.problem(row, col, fmt.Sprintf("%q is not a finite number", field), "remove the row, or give it one")
	case percent:
		v /= 100
	}
	return v, nil
}

// numberFix is what to do about a field that is no number.
func numberFix(text string) string {
	if strings.ContainsAny(text, ",'") {
		return "write numbers with a decimal point, and nothing between thousands"
	}
	return "remove the row, or give it a number"
}

// arrays returns the arrays, as a .safetensors, and what was taken.
func (c *columns) arrays() (npy.Held, []string, error) {
	if c.alone != nil {
		return c.aloneArrays()
	}
	values := map[Split][]float64{}
	for _, split := range []Split{"", Cal, Test} {
		for _, i := range c.rowsOf[split] {
			for _, j := range c.scores {
				v, err := c.number(i, j)
				if err != nil {
					return nil, nil, err
				}
				values[split] = append(values[split], v)
			}
		}
	}
	percent := c.percent(values)
	if percent {
		for _, list := range values {
			for i := range list {
				list[i] /= 100
			}
		}
	}
	kind, why := c.kindOf(values)
	if percent {
		why = " (every row is in [0, 100] and sums to 100: read as per cent)"
	}
	role := map[Kind]string{KindLogits: "logits", KindLogProbs: "log_probs", KindProbs: "probs"}[kind]
	var w npy.TensorWriter
	for _, split := range []Split{"", Cal, Test} {
		n := len(c.rowsOf[split])
		if n == 0 {
			continue
		}
		before, shape := "", []int{n, len(c.scores)}
		if split != "" {
			before = string(split) + "_"
		}
		if len(c.scores) == 1 {
			shape = shape[:1]
		}
		labels := make([]int32, n)
		for r, i := range c.rowsOf[split] {
			labels[r] = c.classes[c.rows[i][c.label]]
		}
		w.Add(before+role, "F64", shape, npy.Little(values[split]))
		w.Add(before+"labels", "I32", []int{n}, npy.Little(labels))
	}
	what := map[Kind]string{KindLogits: "logits", KindLogProbs: "log-probabilities", KindProbs: "probabilities"}[kind]
	told := []string{fmt.Sprintf("%s in %s%s, labels in %s", what, c.titles(c.scores), why, c.title(c.label))}
	b, err := w.Bytes()
	return b, append(told, c.told...), err
}

// percent reports whether every row looks like probabilities in per cent.
func (c *columns) percent(values map[Split][]float64) bool {
	k := len(c.scores)
	for _, list := range values {
		for row := range slices.Chunk(list, k) {
			if k == 1 || !inPercent(row) {
				return false
			}
		}
	}
	return true
}

// kindOf returns what the scores are, and why where their values say it. Values that look like
// probabilities are probabilities whatever the titles say, and so are log-probabilities.
func (c *columns) kindOf(values map[Split][]float64) (Kind, string) {
	k := len(c.scores)
	unit, sums, logs := true, true, true
	for _, split := range []Split{"", Cal, Test} {
		for row := range slices.Chunk(values[split], k) {
			sum, expSum := 0.0, 0.0
			for _, v := range row {
				unit = unit && v >= 0 && v <= 1+looseSum
				logs = logs && v <= 0
				sum += v
				expSum += math.Exp(v)
			}
			sums = sums && math.Abs(sum-1) <= 0.1
			logs = logs && math.Abs(expSum-1) <= probsTolerance(k)
		}
	}
	why := func(kind Kind, text string) (Kind, string) {
		if c.kind == kind {
			return kind, ""
		}
		return kind, " (" + text + ")"
	}
	switch {
	case k == 1 && unit && c.kind != KindLogits:
		return why(KindProbs, "every number is in [0, 1]")
	case k == 1 && c.kind != KindProbs:
		return why(KindLogits, "some are not in [0, 1]")
	case k > 1 && unit && sums:
		return why(KindProbs, "every row is in [0, 1] and sums to 1")
	case k > 1 && logs:
		return why(KindLogProbs, "the exponentials of every row sum to 1")
	case c.kind == AnyKind || c.kind == KindLogProbs:
		return KindLogits, " (the rows are not in [0, 1] with the sum 1)"
	}
	return c.kind, ""
}
