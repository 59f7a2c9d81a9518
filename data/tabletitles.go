package data

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A title names a class if the label stands in it between a prefix and a suffix that the titles of all classes have in
// common, as in y_pred_proba_cat, y_pred_proba_dog.

// titledGroup are columns of scores whose titles have a common prefix and suffix.
type titledGroup struct {
	prefix, suffix string
	cols           []int
	titled         []string // what remains of each title
}

// labelTexts returns the labels as they stand in titles: in lower case, and whole numbers without a point.
func (c *columns) labelTexts() []string {
	seen := map[string]bool{}
	for _, split := range []Split{"", Cal, Test} {
		for _, i := range c.rowsOf[split] {
			if text := c.rows[i][c.label]; text != "" {
				seen[titleText(text)] = true
			}
		}
	}
	list := make([]string, 0, len(seen))
	for text := range seen {
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// lowerTitles returns the titles as they name labels: in lower case, with _ between words that are separated.
func (t *textTable) lowerTitles() []string {
	lower := make([]string, len(t.header))
	for j, h := range t.header {
		lower[j] = strings.Trim(plainName(h), "_")
	}
	return lower
}

// titleText returns a label as it stands in titles.
func titleText(label string) string {
	if v, whole := classNumber(label); whole {
		return strconv.Itoa(int(v))
	}
	return strings.Trim(plainName(label), "_")
}

// classNumber returns the number of a class: a whole number, alone or behind label_, as pipelines of text write it.
func classNumber(text string) (int32, bool) {
	if rest, ok := strings.CutPrefix(strings.ToLower(text), "label_"); ok {
		text = rest
	}
	return wholeNumber(text)
}

// spellings are pairs of names of two classes that stand for 0 and 1; the third and fourth also for what they abbreviate.
var spellings = [][2]string{{"false", "true"}, {"no", "yes"}, {"neg", "pos"}, {"negative", "positive"}}

// spelled returns the only group of columns whose titles are another spelling of the two labels, with the labels as its
// titles; nil if there is none.
func (c *columns) spelled(lower, labels []string) *titledGroup {
	if !slices.Equal(labels, []string{"0", "1"}) && !slices.Equal(labels, []string{"negative", "positive"}) {
		return nil
	}
	var found []titledGroup
	for _, names := range spellings {
		if labels[0] == "0" || strings.HasPrefix(labels[0], names[0]) && strings.HasPrefix(labels[1], names[1]) {
			groups, _ := ofKind(c.matchTitles(lower, names[:], between, c.isTaken))
			for _, g := range groups {
				if len(g.cols) == 2 {
					for i, title := range g.titled {
						g.titled[i] = labels[slices.Index(names[:], title)]
					}
					found = append(found, g)
				}
			}
		}
	}
	if len(found) != 1 {
		return nil
	}
	return &found[0]
}

// between reports whether a label between a prefix and a suffix is a word of its own.
func between(prefix, label, suffix string) bool {
	a, _ := utf8.DecodeLastRuneInString(prefix)
	b, _ := utf8.DecodeRuneInString(suffix)
	if _, err := strconv.Atoi(label); err == nil {
		return !unicode.IsDigit(a) && !unicode.IsDigit(b) && !strings.HasSuffix(prefix, "-") && (suffix == "" || !unicode.IsLetter(b))
	}
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return (prefix == "" || !word(a)) && (suffix == "" || !word(b))
}

// anywhere is between for labels that are names, which may be part of a word, as in probCat.
func anywhere(prefix, label, suffix string) bool {
	_, err := strconv.Atoi(label)
	return err != nil || between(prefix, label, suffix)
}

// matchTitles returns the groups of columns of numbers whose titles name all labels, between a prefix and a suffix that fit by
// bounds. Other columns with the same prefix and suffix are classes of which there is no row.
func (c *columns) matchTitles(lower, labels []string, bounds func(prefix, label, suffix string) bool, taken func(j int) bool) (groups []titledGroup) {
	if len(labels) < 2 || len(labels) > len(lower) {
		return nil
	}
	at := map[string]int{}
	for j, title := range lower {
		if !taken(j) && c.isNumeric(j) {
			at[title] = j
		}
	}
	first := slices.MaxFunc(labels, func(a, b string) int { return cmp.Compare(len(a), len(b)) }) // it stands in the fewest titles
	for j, title := range lower {
		if taken(j) {
			continue
		}
		for from := 0; ; {
			i := strings.Index(title[from:], first)
			if i < 0 {
				break
			}
			g := titledGroup{prefix: title[:from+i], suffix: title[from+i+len(first):]}
			from += i + 1
			fits := func(label string) bool {
				_, ok := at[g.prefix+label+g.suffix]
				return ok && bounds(g.prefix, label, g.suffix)
			}
			if slices.ContainsFunc(labels, func(l string) bool { return !fits(l) }) {
				continue
			}
			for k, t := range lower {
				rest, ok := strings.CutPrefix(t, g.prefix)
				rest, ends := strings.CutSuffix(rest, g.suffix)
				_, numeric := at[t]
				of := slices.Contains(labels, rest) || g.prefix+g.suffix != "" && between(g.prefix, rest, g.suffix)
				if ok && ends && rest != "" && numeric && of {
					g.cols, g.titled = append(g.cols, k), append(g.titled, rest)
				}
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// kindOfPrefix returns what a prefix such as y_pred_proba_ says of scores.
func kindOfPrefix(prefix string) Kind {
	words := strings.FieldsFunc(prefix, func(r rune) bool { return !unicode.IsLetter(r) })
	has := func(names ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(names, w) })
	}
	switch {
	case has("logit", "logits", "z"):
		return KindLogits
	case has("logprob", "logprobs", "logp") || has("log") && has("prob", "probs", "proba", "softmax"):
		return KindLogProbs
	case has("p", "prob", "probs", "proba", "probas", "probability", "probabilities", "softmax"):
		return KindProbs
	}
	return AnyKind
}

// ofKind returns the groups of the kind that goes first: logits, log-probabilities, probabilities, others.
func ofKind(groups []titledGroup) (best []titledGroup, kind Kind) {
	for _, kind := range []Kind{KindLogits, KindLogProbs, KindProbs, AnyKind} {
		for _, g := range groups {
			if kindOfPrefix(g.prefix+" "+g.suffix) == kind {
				best = append(best, g)
			}
		}
		if len(best) > 0 {
			return best, kind
		}
	}
	return nil, AnyKind
}

// labelIn returns the only one of some labels that stands as a word in a title; "" if there is none.
func labelIn(title string, labels []string) string {
	found := ""
	for _, l := range labels {
		for from := 0; l != ""; {
			i := strings.Index(title[from:], l)
			if i < 0 {
				break
			}
			if prefix, suffix := title[:from+i], title[from+i+len(l):]; between(prefix, l, suffix) && (prefix == "" || suffix == "") {
				if found != "" && found != l {
					return ""
				}
				found = l
			}
			from += i + 1
		}
	}
	return found
}
