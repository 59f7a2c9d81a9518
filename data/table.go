package data

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/inputfile"
	"github.com/qats-bench/qats/internal/lists"
)

// readTable returns the arrays of a labelled table, as a .safetensors, and what was taken from it in
// lines. The table is a text with a header, as parseTable reads it. The arrays are, as the header names them,
//
//	logits, log_probs or probs   n x k in float64, or n for the score of one of two classes
//	labels                       n in int32
//	confidence, correct          n in float64 and in int32, of predictions with a confidence alone
//	weights, groups, folds       n in float64 and in int32, where columns hold them
//
// with cal_ and test_ before their names where a column says which rows calibrate. Errors say line
// and column. The columns are found by the rules of columnsOf.
func readTextTable(name string, r io.Reader, limit int64, reading Reading) (npy.Held, []string, error) {
	t, err := parseTable(name, r, limit)
	if err != nil {
		return nil, nil, err
	}
	return t.read(reading)
}

// read returns the arrays of a table as readTextTable does.
func (t *textTable) read(reading Reading) (npy.Held, []string, error) {
	c, err := columnsOf(t, reading)
	if err != nil {
		return nil, nil, err
	}
	return c.arrays()
}

// ReadTables returns the arrays of a labelled table of at most limit bytes, as the bytes of a .safetensors, and what was taken
// from it in lines, as Forms reads it. Of two tables with the same columns the first calibrates.
func ReadTables(files []string, limit int64, reading Reading) (arrays []byte, told []string, err error) {
	var all *textTable
	for i, name := range files {
		f, _, err := inputfile.Open(name)
		if err != nil {
			return nil, nil, err
		}
		t, err := parseTable(name, f, limit)
		f.Close()
		if err != nil {
			return nil, nil, err
		}
		if i == 0 {
			all = t
			if len(files) > 1 {
				all.files = slices.Repeat([]string{name}, len(t.rows))
			}
			continue
		}
		if !slices.Equal(all.header, t.header) {
			return nil, nil, all.fail("the files have different columns: "+few(all.header, 12)+"; "+few(t.header, 12), "")
		}
		all.rows, all.lines = append(all.rows, t.rows...), append(all.lines, t.lines...)
		all.files = append(all.files, slices.Repeat([]string{name}, len(t.rows))...)
	}
	return all.read(reading)
}

// columns are the columns of a table that make sets.
type columns struct {
	*textTable
	reading Reading
	scores  []int    // in the order of the classes; one for the score of one of two classes
	titled  []string // the class in the title of each
	label   int
	split   int // -1 where no column says the set

	kind     Kind
	decimals map[rune]bool // the decimal points of the numbers so far
	classes  map[string]int32
	rowsOf   map[Split][]int
	told     []string

	alone *aloneColumns // of a confidence alone; else nil

	beside beside
	made   map[int]bool // columns that were made of others
	used   []int        // columns that only decided how others are read
	stated bool         // the owner names the columns of scores
}

// splitTitles are the titles of a column that says the set of a row.
var splitTitles = []string{"split", "set", "subset", "part", "partition", "fold"}

// indexTitles are the titles of columns that name a row.
var indexTitles = []string{"", "id", "index", "idx", "row", "row_id", "unnamed:_0", "unnamed:0", "sample", "sample_id", "image", "image_id", "file", "filename", "path", "name", "text", "uid", "uuid"}

// weakLabels are titles of labels where no column has one of labelNames.
var weakLabels = []string{"class", "true_class", "class_id", "actual", "y_val", "y_cal", "category", "outcome", "answer", "correct_answer", "gold_answer", "reference", "expected"}

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
//     with a confidence alone, where no prefix below has several columns. So is one probability beside predictions that say so
//     (see predictedOrClass);
//   - the label is the only column with one of labelNames as its title, or else with one of weakLabels;
//   - split, set, part or fold says which rows calibrate (cal, val, ...) and which test; rows of other
//     sets, such as train, are left out;
//   - the scores are the columns with one prefix, such as p_0, p_1 or logit_cat, logit_dog; of several
//     prefixes logits go before log-probabilities, probabilities and others. Else they are the columns
//     whose titles are the labels, or numbers from 0, or else all other columns of numbers. Where a group of columns names
//     all labels between a common prefix and suffix, it goes before one that does not. One column
//     is the score of one of two classes.
//   - weight, group (patient_id, ...) and fold are what stands beside labels.
//
// Numbers after the prefix give the order of the classes. Labels that are names, or numbers that all
// stand in the titles, are the classes of the columns with them in the title. Other names are the
// classes in ascending order, which is a warning, and an error where the accuracy is at most that of
// chance.
func columnsOf(t *textTable, r Reading) (*columns, error) {
	c := &columns{textTable: t, reading: r, label: -1, split: -1, made: map[int]bool{}, stated: len(r.Classes) > 0, rowsOf: map[Split][]int{}, classes: map[string]int32{}, decimals: map[rune]bool{}}
	for j, h := range t.header {
		if h != "" && slices.Index(t.header, h) != j {
			return nil, t.fail("two columns are named "+h, "")
		}
	}
	plain := t.plainTitles()
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
	if len(labels) == 0 && r.Label == "" {
		j, err := c.oneHot(plain)
		if err != nil {
			return nil, err
		}
		if j >= 0 {
			labels, plain = []int{j}, t.plainTitles()
		}
	}
	if found := with(splitTitles); len(found) > 0 && t.files == nil && !c.isFraction(found[0]) && !((slices.Contains(foldTitles, plain[found[0]]) || c.namesFolds(found[0])) && c.isFold(found[0])) {
		c.split = found[0]
	}
	confidence, correct := c.confidenceColumns(plain), lists.Where(with(correctNames), func(j int) bool { return c.isFlag(j) || strings.Contains(plain[j], "correct") })
	var predicted []int
	for _, x := range []struct {
		flag, title string
		set         func(j int)
	}{
		{"label", r.Label, func(j int) { labels = []int{j} }},
		{"split", r.Split, func(j int) { c.split = j }},
		{"fold", r.Fold, func(j int) {
			if c.split == j {
				c.split = -1
			}
		}},
		{"prediction", r.Prediction, func(j int) { predicted = []int{j} }},
		{"confidence", r.Confidence, func(j int) { confidence = []int{j} }},
	} {
		j, err := t.column(x.flag, x.title)
		if err != nil {
			return nil, err
		}
		if j >= 0 {
			x.set(j)
		}
	}
	if answers := lists.Where(labels, func(j int) bool { return plain[j] == "answer" }); len(labels) == 2 && len(answers) == 1 { // beside the reference
		predicted, labels = answers, lists.Where(labels, func(j int) bool { return plain[j] != "answer" })
	}
	if len(labels) == 1 {
		c.label = labels[0]
		if err := c.leaveOut(r.Ignore); err != nil {
			return nil, err
		}
	}
	if predicted == nil {
		predicted = c.predictionsOf(plain)
	}
	var a *aloneColumns
	mayBeAlone := !c.stated && (r.Kind == AnyKind || r.Kind == KindConfidence)
	if mayBeAlone {
		a = c.aloneOf(plain, confidence, correct, predicted, labels)
	}
	if a == nil && r.Confidence != "" {
		return nil, t.fail("column "+r.Confidence+" is a confidence, and nothing says which predictions are right", "name the predictions by --prediction and the labels by --label")
	}
	if err := c.chooseRows(); err != nil {
		return nil, err
	}
	if a == nil && mayBeAlone && len(labels) <= 1 {
		var err error
		if a, err = c.predictedOrClass(plain, correct, predicted); err != nil {
			return nil, err
		}
	}
	if a != nil {
		c.alone = a
		return c, c.chooseBeside(plain, r)
	}
	if r.Kind == KindConfidence {
		return nil, t.fail("no column confidence with one of correctness, or with predictions and labels (the columns are "+few(t.header, 12)+")", "")
	}
	switch {
	case len(labels) == 0:
		return nil, t.fail("no column of labels (the columns are "+few(t.header, 12)+")", t.labelFix(plain))
	case len(labels) > 1:
		return nil, t.fail("several columns can be the labels: "+t.titles(labels), "keep one of them, or name it: --label COLUMN")
	}
	if err := c.areClasses(); err != nil {
		return nil, err
	}
	if err := c.chooseBeside(plain, r); err != nil { // they are no scores
		return nil, err
	}
	var err error
	if c.stated {
		err = c.statedScores(plain, r.Classes)
	} else {
		err = c.chooseScores(plain)
	}
	if err != nil {
		return nil, err
	}
	return c, c.chooseClasses()
}

// plainTitles returns the titles in lower case, with _ between words.
func (t *textTable) plainTitles() []string {
	plain := make([]string, len(t.header))
	for j, h := range t.header {
		plain[j] = strings.Trim(titleName(h), "_")
	}
	return plain
}

// leaveOut removes the rows of some labels.
func (c *columns) leaveOut(labels []string) error {
	if len(labels) == 0 {
		return nil
	}
	var rows [][]string
	var lines []int
	var files []string
	left := map[string]int{}
	for i, row := range c.rows {
		if slices.Contains(labels, row[c.label]) {
			left[row[c.label]]++
			continue
		}
		rows, lines = append(rows, row), append(lines, c.lines[i])
		if c.files != nil {
			files = append(files, c.files[i])
		}
	}
	for _, l := range labels {
		if left[l] == 0 {
			return c.fail(fmt.Sprintf("no row has the label %q (the labels are %s)", l, few(c.distinct(c.label), 8)), "--ignore takes labels of the table")
		}
		c.told = append(c.told, fmt.Sprintf("left out are %d rows with the label %q", left[l], l))
	}
	if len(rows) == 0 {
		return c.fail("no row is left", "")
	}
	c.rows, c.lines, c.files = rows, lines, files
	return nil
}

// areClasses returns an error if the labels are the targets of a regression: numbers of which some are not whole.
func (c *columns) areClasses() error {
	if !c.isFraction(c.label) {
		return nil
	}
	for i, row := range c.rows {
		if _, whole := wholeNumber(row[c.label]); whole || !isNumber(row[c.label]) || strings.EqualFold(row[c.label], "nan") {
			continue
		}
		return c.problem(i, c.label, fmt.Sprintf("%s is no class: numbers with fractions are the targets of a regression or soft labels, and calibration here is of classes", row[c.label]), "name the column of classes: --label COLUMN")
	}
	return nil
}

// oneHot makes a column of labels of columns such as y_0, y_1 of 0 and 1, and returns it; -1 if there are none. Rows with
// several 1, or none, are an error.
func (c *columns) oneHot(plain []string) (int, error) {
	for _, name := range labelNames {
		var cols []int
		var classes []string
		for j, title := range plain {
			if suffix, ok := suffixOf(title, name); ok && suffix != "" && c.isFlag(j) {
				cols, classes = append(cols, j), append(classes, suffix)
			}
		}
		if len(cols) < 2 {
			continue
		}
		texts := make([]string, len(c.rows))
		for i, row := range c.rows {
			ones := 0
			for k, j := range cols {
				if one, _ := flagOf(row[j]); one {
					texts[i] = classes[k]
					ones++
				}
			}
			if ones != 1 {
				return -1, c.problem(i, cols[0], fmt.Sprintf("%d of the columns %s are 1: several labels a row, or none, are not supported", ones, c.titles(cols)), "give each row one class, or make a table of two classes for each label")
			}
		}
		for i := range c.rows {
			c.rows[i] = append(slices.Clip(c.rows[i]), texts[i])
		}
		c.header = append(slices.Clip(c.header), name)
		c.made[len(c.header)-1] = true
		c.used = append(c.used, cols...)
		c.told = append(c.told, fmt.Sprintf("%s have exactly one 1 in each row: they are read as one label", c.titles(cols)))
		return len(c.header) - 1, nil
	}
	return -1, nil
}

// flagOf returns what a field says where it is 1 or 0, true or false, yes or no, or the like.
func flagOf(field string) (value, ok bool) {
	if v, whole := wholeNumber(field); whole {
		return v == 1, v == 0 || v == 1
	}
	switch strings.ToLower(field) {
	case "true", "t", "yes", "y", "correct", "right":
		return true, true
	case "false", "f", "no", "n", "incorrect", "wrong":
		return false, true
	}
	return false, false
}

// isFlag reports whether all fields of a column are flags.
func (t *textTable) isFlag(col int) bool {
	return !slices.ContainsFunc(t.distinct(col), func(s string) bool { _, ok := flagOf(s); return !ok })
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
	return "name it: --label COLUMN"
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
			to := Split("")
			if c.files != nil {
				if to = Test; c.files[i] == c.name {
					to = Cal
				}
			}
			c.rowsOf[to] = append(c.rowsOf[to], i)
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
	calNames, testNames := calTitles(), testTitles
	if c.reading.Cal != "" {
		calNames = []string{strings.ToLower(c.reading.Cal)}
	}
	if c.reading.Test != "" {
		testNames = []string{strings.ToLower(c.reading.Test)}
	}
	cal, test := take(Cal, calNames), take(Test, testNames)
	for _, x := range [][3]string{{c.reading.Cal, cal, "calibration"}, {c.reading.Test, test, "test"}} {
		if x[0] != "" && x[1] == "" {
			return c.fail(fmt.Sprintf("no row of the %s set: no row has %q in column %s (its values are %s)", x[2], x[0], c.title(c.split), few(names, 8)), "")
		}
	}
	if cal == "" && test == "" {
		return c.fail(fmt.Sprintf("column %s has the values %s, and none of cal, val and test", c.title(c.split), few(names, 8)), "if they are folds, --fold "+c.title(c.split)+"; else name the values: python3 -m qatsbench.datasets import csv --split "+c.title(c.split)+" --cal VALUE --test VALUE")
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

// testTitles are the values of a column of sets for the rows of the test set, and calTitles those for the calibration set.
var testTitles = []string{"test", "testing", "eval", "evaluation"}

func calTitles() (names []string) {
	for _, s := range CalNames() {
		names = append(names, string(s))
	}
	return append(names, "calib", "dev", "holdout")
}

// setOf returns the set that a value of a column of sets names; "" for none.
func setOf(value string) Split {
	switch value = strings.ToLower(value); {
	case slices.Contains(calTitles(), value):
		return Cal
	case slices.Contains(testTitles, value):
		return Test
	}
	return ""
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

// isTaken reports whether a column is no score.
func (c *columns) isTaken(j int) bool {
	return j == c.label || j == c.split || j == c.beside.weight || j == c.beside.group || j == c.beside.fold || slices.Contains(c.used, j) || c.made[j]
}

// statedScores takes the columns of scores that the owner names.
func (c *columns) statedScores(plain []string, patterns []string) error {
	var taken []int
	for j := range c.header {
		if c.isTaken(j) {
			taken = append(taken, j)
		}
	}
	found, err := c.columnsLike(patterns, taken)
	if err != nil {
		return err
	}
	c.scores = found
	for _, bounds := range []func(prefix, label, suffix string) bool{between, anywhere} {
		for _, g := range c.matchTitles(c.lowerTitles(), c.labelTexts(), bounds, func(j int) bool { return !slices.Contains(found, j) }) {
			if len(g.cols) == len(found) {
				c.scores, c.titled, c.kind = g.cols, g.titled, kindOfPrefix(g.prefix)
				return c.order()
			}
		}
	}
	for _, p := range scorePrefixes {
		for _, prefix := range p.names {
			var titled []string
			for _, j := range found {
				if suffix, ok := suffixOf(plain[j], prefix); ok {
					titled = append(titled, suffix)
				}
			}
			if len(titled) == len(found) {
				c.titled, c.kind = titled, p.kind
				return c.order()
			}
		}
	}
	for _, j := range found {
		c.titled = append(c.titled, plain[j])
	}
	return c.order()
}

// chooseScores finds the columns of scores, in the order of their numbers or of the file.
func (c *columns) chooseScores(plain []string) error {
	labels := c.labelTexts()
	prefixed, err := c.prefixed(plain)
	if prefixed == nil || len(prefixed.cols) > 1 && slices.ContainsFunc(labels, func(l string) bool { return !slices.Contains(prefixed.titled, l) }) {
		lower := c.lowerTitles()
		groups, kind := ofKind(c.matchTitles(lower, labels, between, c.isTaken))
		if len(groups) == 0 {
			groups, kind = ofKind(c.matchTitles(lower, labels, anywhere, c.isTaken))
		}
		if len(groups) > 1 {
			var names []string
			for _, g := range groups {
				names = append(names, c.titles(g.cols))
			}
			return c.fail("several groups of columns can be the scores: "+strings.Join(names, "; "), "name one of them: --classes '"+c.title(groups[0].cols[0])[:len(groups[0].prefix)]+"*'")
		}
		if len(groups) == 1 {
			c.scores, c.titled, c.kind = groups[0].cols, groups[0].titled, kind
			return c.order()
		}
		if g := c.spelled(lower, labels); g != nil {
			c.scores, c.titled, c.kind = g.cols, g.titled, kindOfPrefix(g.prefix+" "+g.suffix)
			return c.order()
		}
	}
	if err != nil {
		return err
	}
	if prefixed != nil && len(prefixed.cols) == 1 && prefixed.titled[0] == "" { // one of classes that are named by letters, such as a, b, c
		if together := c.unprefixed(); len(together) > 1 && slices.Contains(together, prefixed.cols[0]) {
			prefixed, c.kind = nil, AnyKind
		}
	}
	if prefixed != nil {
		if err := c.noNumbers(plain, []string{prefixed.prefix}, prefixed.cols); err != nil {
			return err
		}
		c.scores, c.titled = prefixed.cols, prefixed.titled
		return c.order()
	}
	c.scores = c.unprefixed()
	for _, j := range c.scores {
		title := plain[j]
		if len(c.scores) == 1 {
			title = cmp.Or(labelIn(c.lowerTitles()[j], labels), title)
		}
		c.titled = append(c.titled, title)
	}
	if len(c.scores) == 0 {
		for _, p := range scorePrefixes {
			if err := c.noNumbers(plain, p.names, nil); err != nil {
				return err
			}
		}
		if j := c.confidenceColumns(plain); len(j) > 0 {
			return c.fail(c.title(j[0])+" is a confidence, and nothing says which predictions are right", "add a column of the predicted classes, such as pred, or one that says whether each prediction is right, such as correct; detections need the latter")
		}
		return c.fail("no columns of scores, such as p_0, p_1 or logit_cat, logit_dog (the columns are "+few(c.header, 12)+")", "name the columns by --classes; integers in one column are labels, and are never taken as scores")
	}
	return c.order()
}

// isScore reports whether a column under a prefix alone, such as prob, can be scores: numbers that are not all whole, or
// 0 and 1 under a name of probabilities, as a full tree has them.
func (c *columns) isScore(j int, kind Kind, prefix string) bool {
	if slices.Contains(confidences, prefix) {
		return false
	}
	return c.isFraction(j) || c.isFlag(j) && c.isNumeric(j) && (kind == KindProbs || kind == AnyKind && slices.Contains([]string{"score", "scores", "y_score"}, prefix))
}

// prefixed returns the columns of scores with one of scorePrefixes, and sets their kind; nil if there are none.
func (c *columns) prefixed(plain []string) (*titledGroup, error) {
	for _, p := range scorePrefixes {
		groups := map[string][]int{}
		var several, one []string // prefixes with several columns, and with one
		for _, prefix := range p.names {
			for j, title := range plain {
				suffix, ok := suffixOf(title, prefix)
				if !ok || c.isTaken(j) || !c.isNumeric(j) || suffix == "" && !c.isScore(j, p.kind, prefix) {
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
			return nil, c.fail("several groups of columns can be the scores: "+strings.Join(names, "; "), "keep one of them, or name it: --classes 'PATTERN*'")
		}
		if len(several) == 1 {
			g := &titledGroup{prefix: several[0], cols: groups[several[0]]}
			c.kind = p.kind
			for _, j := range g.cols {
				suffix, _ := suffixOf(plain[j], several[0])
				g.titled = append(g.titled, suffix)
			}
			return g, nil
		}
	}
	return nil, nil
}

// noNumbers is the error of a column that is not among the scores although its title has one of the prefixes and a number,
// since its fields are no numbers.
func (c *columns) noNumbers(plain, prefixes []string, scores []int) error {
	for _, prefix := range prefixes {
		for j, title := range plain {
			suffix, ok := suffixOf(title, prefix)
			if _, err := strconv.Atoi(suffix); !ok || err != nil || slices.Contains(scores, j) || c.isTaken(j) {
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
func (c *columns) unprefixed() []int {
	plain := c.lowerTitles()
	values := map[string]bool{}
	for _, row := range c.rows {
		values[plainName(row[c.label])] = true
	}
	var named, numbered, fractions []int
	for j, title := range plain {
		if c.isTaken(j) || !c.isNumeric(j) {
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
		if i > 0 && numbers[k] != numbers[at[0]]+i && slices.ContainsFunc(c.labelTexts(), func(l string) bool { return !slices.Contains(titled, l) }) {
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
				return c.problem(i, c.label, "no label", "--ignore '' leaves out such rows; or give it a label")
			}
			if _, ok := wholeNumber(text); !ok {
				integers = false
			}
			distinct[text] = true
		}
	}
	names := slices.Sorted(maps.Keys(distinct))
	if integers {
		slices.SortFunc(names, func(a, b string) int {
			x, _ := wholeNumber(a)
			y, _ := wholeNumber(b)
			return cmp.Compare(x, y)
		})
	}
	titled := map[string]int32{}
	for i, title := range c.titled {
		titled[title] = int32(i)
	}
	if len(titled) < len(c.scores) {
		return c.fail("two columns of scores are of one class: "+c.titles(c.scores), "")
	}
	var missing []string
	for _, text := range names {
		class, ok := titled[titleText(text)]
		if !ok {
			class, ok = titled[plainName(text)]
		}
		if !ok {
			missing = append(missing, text)
			continue
		}
		c.classes[text] = class
	}
	single := len(c.scores) == 1
	if len(missing) > 0 && !single {
		if err := cmp.Or(c.cumulative(len(names)), c.oneModel()); err != nil {
			return err
		}
	}
	numbered := !slices.ContainsFunc(c.titled, func(title string) bool { _, err := strconv.Atoi(title); return err != nil })
	others := lists.Where(missing, func(text string) bool { _, number := wholeNumber(text); return !number })
	ignoring := ""
	if len(others) > 0 && len(others) < len(names) && (len(missing) < len(names) || len(names)-len(others) == max(2, len(c.scores))) {
		ignoring = "if rows of " + few(others, 8) + " have no class, --ignore " + strings.Join(others[:min(len(others), 8)], ",") + "; else "
	}
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
	case integers && single && len(names) > fewestGroups:
		return c.fail(fmt.Sprintf("%d labels (%s), and one column of scores, %s", len(names), few(names, 8), c.titles(c.scores)),
			"if they are the targets of a regression, there is nothing to calibrate: qats is for classes; of classes, give the scores of all, or the predicted class beside its probability")
	case integers && !single && numbered && len(names) == len(c.scores) && len(missing) == len(names) && !c.fromOne(names):
		return c.fail(fmt.Sprintf("the labels are %s, and the columns of scores %s have other numbers", few(names, 8), c.titles(c.scores)), "name each column by its class, such as p_"+names[0])
	case integers && len(names) == max(2, len(c.scores)) && !slices.Contains(names, "255") && (single && !slices.Contains(names, "0") || !single && !numbered && !c.fromZero(names)):
		return c.ascending(names)
	case integers:
		for _, text := range names {
			c.classes[text], _ = wholeNumber(text)
		}
		return nil
	case !single && len(missing) < len(names):
		return c.fail("no column of scores is of "+few(missing, 8)+", and others are of "+few(slices.DeleteFunc(names, func(n string) bool { return slices.Contains(missing, n) }), 8), ignoring+"name each column by its class, such as p_"+missing[0])
	case single && len(names) > 2:
		return c.fail(fmt.Sprintf("%d labels (%s), and one column of scores, %s", len(names), few(names, 8), c.titles(c.scores)),
			ignoring+"give the scores of all classes, or beside one the predicted class, as pred, or whether the prediction is right, as correct; detections need the latter")
	case len(names) != max(2, len(c.scores)):
		return c.fail(fmt.Sprintf("%d labels (%s), and %d classes by the columns %s, whose titles do not name the labels", len(names), few(names, 8), max(2, len(c.scores)), c.titles(c.scores)), "name each column by its class, such as p_"+names[0])
	}
	return c.ascending(names)
}

// fromZero reports whether all labels are numbers from 0 to below that of the columns of scores, and fromOne whether they are
// those from 1 on.
func (c *columns) fromZero(names []string) bool {
	last, _ := wholeNumber(names[len(names)-1])
	first, _ := wholeNumber(names[0])
	return first >= 0 && int(last) < len(c.scores)
}

func (c *columns) fromOne(names []string) bool {
	last, _ := wholeNumber(names[len(names)-1])
	first, _ := wholeNumber(names[0])
	return first == 1 && int(last) == len(c.scores)
}

// eachRow calls f with the scores of each row until it returns false, and reports whether it never did. Fields that are no
// numbers end it too.
func (c *columns) eachRow(f func(row []float64) bool) bool {
	row := make([]float64, len(c.scores))
	for i := range c.rows {
		for k, j := range c.scores {
			v, err := c.number(i, j)
			if err != nil {
				return false
			}
			row[k] = v
		}
		if !f(row) {
			return false
		}
	}
	return true
}

// within reports whether all of some numbers are in [0, 1].
func within(row []float64) bool {
	return !slices.ContainsFunc(row, func(v float64) bool { return !(v >= 0 && v <= 1+looseSum) })
}

// oneModel returns an error if columns whose titles name no labels are probabilities that do not sum to 1: then they are hardly
// of one model.
func (c *columns) oneModel() error {
	if !c.eachRow(within) || c.sumsToOne(c.scores) || !slices.ContainsFunc(c.titled, func(title string) bool { _, err := strconv.Atoi(title); return err != nil }) {
		return nil
	}
	return c.fail(fmt.Sprintf("the columns %s are in [0, 1], do not sum to 1, and do not name the labels in their titles", c.titles(c.scores)), "of several models or outputs, name the columns of one: --classes "+c.title(c.scores[0]))
}

// cumulative returns an error if the scores are those of ordered classes: k-1 probabilities that rise, or fall, along each row.
func (c *columns) cumulative(k int) error {
	if len(c.scores) != k-1 || !c.eachRow(func(row []float64) bool { return within(row) && slices.IsSorted(row) }) && !c.eachRow(func(row []float64) bool {
		return within(row) && slices.IsSortedFunc(row, func(a, b float64) int { return cmp.Compare(b, a) })
	}) {
		return nil
	}
	return c.fail(fmt.Sprintf("%d labels, and %d scores, %s, that rise or fall along every row: they are cumulative probabilities of ordered classes", k, k-1, c.titles(c.scores)), "give the probability of each class: the differences of neighbours, with 0 before and 1 behind them")
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
	threshold := 0.5 // of one score
	if c.kind == KindLogits || !c.eachRow(within) {
		threshold = 0
	}
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
				if most > threshold {
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
	percent := (c.reading.Kind == AnyKind || c.reading.Kind == KindProbs) && c.percent(values)
	if percent {
		for _, list := range values {
			for i := range list {
				list[i] /= 100
			}
		}
	}
	kind, why := c.reading.Kind, ""
	if kind == AnyKind {
		kind, why = c.kindOf(values)
	}
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
		if err := c.addBeside(&w, before, c.rowsOf[split]); err != nil {
			return nil, nil, err
		}
	}
	what := map[Kind]string{KindLogits: "logits", KindLogProbs: "log-probabilities", KindProbs: "probabilities"}[kind]
	told := []string{fmt.Sprintf("%s in %s%s, labels in %s (%d classes)%s", what, c.titles(c.scores), why, c.title(c.label), max(2, len(c.scores)), c.besideWords(append(append([]int{c.label}, c.scores...), c.used...)...))}
	b, err := w.Bytes()
	return b, append(told, c.told...), err
}

// addBeside adds the arrays beside the labels of some rows.
func (c *columns) addBeside(w *npy.TensorWriter, before string, rows []int) error {
	n := len(rows)
	if j := c.beside.weight; j >= 0 {
		weights := make([]float64, n)
		for r, i := range rows {
			v, err := c.number(i, j)
			if err != nil {
				return err
			}
			if !(v >= 0) {
				return c.problem(i, j, fmt.Sprintf("%g is no weight", v), "a weight is a finite number of at least 0; 2 counts the row twice, and 0 leaves it out")
			}
			weights[r] = v
		}
		w.Add(before+"weights", "F64", []int{n}, npy.Little(weights))
	}
	if j := c.beside.group; j >= 0 {
		names := make([]string, n)
		for r, i := range rows {
			if names[r] = c.rows[i][j]; names[r] == "" {
				return c.problem(i, j, "no group", "give each row the id of its group")
			}
		}
		groups, _ := NumberGroups(names)
		w.Add(before+"groups", "I32", []int{n}, npy.Little(groups))
	}
	if j := c.beside.fold; j >= 0 {
		numbers, folds := c.foldNumbers(), make([]int32, n)
		for r, i := range rows {
			folds[r] = numbers[c.rows[i][j]]
		}
		w.Add(before+"folds", "I32", []int{n}, npy.Little(folds))
	}
	return nil
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
