package claims

import (
	"fmt"
	"strings"

	"github.com/qats-bench/qats/results/paper"
)

// answer is the answer of one row to a sentence.
type answer int

const (
	open  answer = iota // a number is missing
	aside               // the sentence is not about the row
	yes
	level // yes, but no better than another: the lowest, and equal to another
	no
)

func when(so bool) answer {
	if so {
		return yes
	}
	return no
}

// tally counts answers and keeps the rows that answered no.
type tally struct {
	yes, no, open, aside int
	level                int // of yes
	exceptions           []string
}

func (t *tally) add(a answer, exception string) {
	switch a {
	case yes:
		t.yes++
	case level:
		t.yes++
		t.level++
	case no:
		t.no++
		t.exceptions = append(t.exceptions, exception)
	case open:
		t.open++
	case aside:
		t.aside++
	}
}

// all judges a sentence about every counted thing, with this number of exceptions
// allowed. Missing numbers leave it unjudged; they cannot confirm it.
func (t *tally) all(what string, allowed int) Judgement {
	switch {
	case t.yes+t.no+t.open == 0 && t.aside > 0:
		return Judgement{Holds, "there are no " + what}
	case t.yes+t.no == 0:
		return Judgement{Unjudged, none(what)}
	}
	j := Judgement{Holds, t.counts(what)}
	if t.open > 0 {
		j = Judgement{Unjudged, fmt.Sprintf("%s; numbers are missing in %d more", j.Figures, t.open)}
	}
	if t.no > allowed {
		j.Truth = Fails
	}
	const shown = 3
	if len(t.exceptions) > 0 {
		list := t.exceptions[:min(shown, len(t.exceptions))]
		j.Figures += "; exceptions: " + strings.Join(list, "; ")
		if more := len(t.exceptions) - len(list); more > 0 {
			j.Figures += fmt.Sprintf("; and %d more", more)
		}
	}
	return j
}

// most judges a sentence about more than half of the counted things.
func (t *tally) most(what string) Judgement {
	if t.yes+t.no == 0 {
		return Judgement{Unjudged, none(what)}
	}
	all := t.yes + t.no + t.open
	return decided(2*t.yes > all, 2*(t.yes+t.open) <= all, t.counts(what))
}

// counts counts the rows that answered yes, and says how many of them are ties.
func (t *tally) counts(what string) string {
	text := fmt.Sprintf("%d of %d %s", t.yes, t.yes+t.no, what)
	if t.level > 0 {
		text = fmt.Sprintf("lowest or equal in %s (equal in %d)", text, t.level)
	}
	return text
}

func none(what string) string { return "no numbers for these " + what }

// question is a question about QaTS in a row.
type question struct {
	ask func(values) answer
	of  []string // labels of the methods that it is asked beside; nil for all that are ranked
}

// ask counts the answers of the kept rows of tables.
func (b *book) ask(q question, keep func(paper.Setting) bool, tables []string) *tally {
	t := &tally{}
	for _, r := range b.rows(keep, tables...) {
		v := b.row(r)
		t.add(q.ask(v), b.describe(r.Setting, v, q.of))
	}
	return t
}

// every judges a sentence about all kept rows of tables.
func every(what string, allowed int, keep func(paper.Setting) bool, q question, tables ...string) predicate {
	return func(b *book) Judgement { return b.ask(q, keep, tables).all(what, allowed) }
}

// most judges a sentence about more than half of the kept rows of tables.
func most(what string, keep func(paper.Setting) bool, q question, tables ...string) predicate {
	return func(b *book) Judgement { return b.ask(q, keep, tables).most(what) }
}

// both requires two predicates and shows the figures of both.
func both(first, second predicate) predicate {
	return func(b *book) Judgement {
		x, y := first(b), second(b)
		return decided(x.Truth == Holds && y.Truth == Holds, x.Truth == Fails || y.Truth == Fails, x.Figures+"; "+y.Figures)
	}
}

// unprinted is the judgement of a claim whose numbers no table prints.
func unprinted(why string) predicate {
	return func(*book) Judgement { return Judgement{Unjudged, why} }
}
