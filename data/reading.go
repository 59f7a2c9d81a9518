package data

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/data/problem"
)

// Reading is what the owner of a table says of its columns, by their titles. Parts that are empty are found by the rules of
// columnsOf.
type Reading struct {
	Label      string
	Classes    []string // the columns of scores; a title may have one *, as in p_*
	Confidence string   // the column of the probability of the predicted class
	Prediction string   // the column of the predicted class
	Group      string
	Weight     string
	Fold       string
	Split      string

	Ignore []string // labels that are names, of rows without a class, which are left out

	Kind      Kind   // what the scores are; AnyKind where names and values say it
	Cal, Test string // values of the column of sets; empty for the usual ones
}

// Stated reports whether the owner says anything.
func (r Reading) Stated() bool {
	return len(r.Classes) > 0 || len(r.Ignore) > 0 || r.Label+r.Confidence+r.Prediction+r.Group+r.Weight+r.Fold+r.Split != ""
}

// column returns the column of a title that the owner names, or -1 where the title is empty.
func (t *textTable) column(flag, title string) (int, error) {
	if title == "" {
		return -1, nil
	}
	if j := slices.Index(t.header, title); j >= 0 {
		return j, nil
	}
	return -1, &problem.Problem{Place: t.name, Cause: fmt.Sprintf("no column %s (the columns are %s)", title, few(t.header, 12)), Fix: "--" + flag + " takes a title of the table"}
}

// columnsLike returns the columns of titles and of patterns with *, in the order of the file within a pattern. Columns of
// taken match no pattern.
func (t *textTable) columnsLike(patterns []string, taken []int) (found []int, err error) {
	for _, p := range patterns {
		if j := slices.Index(t.header, p); j >= 0 {
			if slices.Contains(found, j) || slices.Contains(taken, j) {
				return nil, &problem.Problem{Place: t.name, Cause: fmt.Sprintf("column %q is named twice, or is no score", p), Fix: "--classes takes the columns of scores, each once"}
			}
			found = append(found, j)
			continue
		}
		n := len(found)
		for j, h := range t.header {
			if ok, err := path.Match(p, h); ok && err == nil && strings.Contains(p, "*") && !slices.Contains(taken, j) && !slices.Contains(found, j) {
				found = append(found, j)
			}
		}
		if len(found) == n {
			return nil, &problem.Problem{Place: t.name, Cause: fmt.Sprintf("no column %q (the columns are %s)", p, few(t.header, 12)), Fix: "--classes takes titles of the table, or patterns such as 'p_*'"}
		}
	}
	return found, nil
}

// beside are the columns of what stands beside labels; -1 for none.
type beside struct{ weight, group, fold int }

// The titles of weights, groups and folds. Columns of indexTitles are groups too where they repeat.
var (
	weightTitles = []string{"weights", "sample_weight", "sample_weights", "sampleweight", "sample_wt", "case_weight", "case_weights", "survey_weight"} // weight alone may be that of a body
	foldTitles   = []string{"fold", "folds", "fold_id", "fold_no", "fold_idx", "fold_index", "fold_nr", "cv_fold", "kfold", "k_fold", "outer_fold"}
	rowTitles    = []string{"id", "sample", "sample_id", "image", "image_id", "file", "filename", "uid", "uuid", "row_id"} // of indexTitles, those that can repeat
)

// fewestGroups is the smallest number of groups that are taken without being stated: of fewer, such as two sexes, no
// interval can be had, and they are rather parts to compare.
const fewestGroups = 10

// chooseBeside finds weights, groups and folds.
func (c *columns) chooseBeside(plain []string, r Reading) (err error) {
	c.beside = beside{-1, -1, -1}
	among := func(titles []string) func(string) bool {
		return func(title string) bool { return slices.Contains(titles, title) }
	}
	for _, x := range []struct {
		at           *int
		flag, stated string
		named        func(title string) bool
		fits         func(j int) bool
	}{
		{&c.beside.weight, "weight", r.Weight, among(weightTitles), c.isNumeric},
		{&c.beside.fold, "fold", r.Fold, among(foldTitles), c.isFold},
		{&c.beside.fold, "fold", r.Fold, among(splitTitles), func(j int) bool { return c.namesFolds(j) && c.isFold(j) }},
		{&c.beside.group, "group", r.Group, isGroup, c.isGroup},
		{&c.beside.group, "group", r.Group, among(rowTitles), func(j int) bool { return c.repeats(j) && c.isGroup(j) }},
	} {
		if *x.at >= 0 {
			continue
		}
		if *x.at, err = c.column(x.flag, x.stated); err != nil {
			return err
		}
		if *x.at < 0 {
			*x.at = slices.IndexFunc(plain, func(title string) bool {
				j := slices.Index(plain, title)
				return x.named(title) && j != c.label && j != c.split && !slices.Contains(c.scores, j) && x.fits(j)
			})
		}
	}
	return nil
}

// distinct returns the fields of a column without repetition, in the order of the rows.
func (t *textTable) distinct(col int) []string {
	seen := map[string]bool{}
	var list []string
	for _, row := range t.rows {
		if !seen[row[col]] {
			seen[row[col]] = true
			list = append(list, row[col])
		}
	}
	return list
}

// repeats reports whether two rows of a column have the same field, and none is empty.
func (t *textTable) repeats(col int) bool {
	list := t.distinct(col)
	return len(list) < len(t.rows) && !slices.Contains(list, "")
}

// isGroup reports whether a column can be groups.
func (c *columns) isGroup(col int) bool {
	return c.repeats(col) && len(c.distinct(col)) >= fewestGroups && !c.isFraction(col)
}

// isFold reports whether a column can be the folds of an owner: two or more, each of two or more rows on average, none of
// which has the name of a set.
func (c *columns) isFold(col int) bool {
	list := c.distinct(col)
	named := slices.ContainsFunc(list, func(s string) bool { return s == "" || setOf(s) != "" || strings.EqualFold(s, "train") })
	return len(list) >= 2 && 2*len(list) <= len(c.rows) && !named && !c.isFraction(col)
}

// namesFolds reports whether all fields of a column name a fold, such as fold_0.
func (c *columns) namesFolds(col int) bool {
	return !slices.ContainsFunc(c.distinct(col), func(s string) bool { return !strings.HasPrefix(strings.ToLower(s), "fold") })
}

// foldNumbers numbers the folds: as they are where all are whole numbers from 0, else by their first rows.
func (c *columns) foldNumbers() map[string]int32 {
	list := c.distinct(c.beside.fold)
	numbers := map[string]int32{}
	for _, s := range list {
		v, whole := wholeNumber(s)
		if !whole || v < 0 {
			numbers = map[string]int32{}
			for i, s := range list {
				numbers[s] = int32(i)
			}
			return numbers
		}
		numbers[s] = v
	}
	return numbers
}

// besideWords says which columns are weights, groups and folds, and which are not used.
func (c *columns) besideWords(used ...int) string {
	text := ""
	for _, x := range []struct {
		what string
		col  int
	}{{"weights", c.beside.weight}, {"groups", c.beside.group}, {"folds", c.beside.fold}} {
		if x.col < 0 {
			continue
		}
		text += "; " + x.what + " in " + c.title(x.col)
		if x.what != "weights" {
			text += " (" + strconv.Itoa(len(c.distinct(x.col))) + ")"
		}
		used = append(used, x.col)
	}
	var left []string
	for j, h := range c.header {
		if !slices.Contains(used, j) && j != c.split && !c.made[j] && (!slices.Contains(indexTitles, strings.Trim(plainName(h), "_")) || c.repeats(j)) {
			left = append(left, c.title(j))
		}
	}
	if len(left) > 0 {
		text += ". Not used: " + few(left, 8)
	}
	return text
}
