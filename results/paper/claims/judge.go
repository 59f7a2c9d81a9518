package claims

import (
	"fmt"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
)

// Truth is the outcome of a claim.
type Truth string

// A claim is Unjudged if no number, or too few numbers, decide it.
const (
	Holds    Truth = "holds"
	Fails    Truth = "does not hold"
	Unjudged Truth = "cannot be judged"
)

// Judgement is an outcome with the figures that it rests on.
type Judgement struct {
	Truth   Truth  `json:"verdict"`
	Figures string `json:"figures"`
}

// Judged is a claim with its two judgements.
type Judged struct {
	Quote     string    `json:"quote"`
	Where     string    `json:"where"`
	Reading   string    `json:"reading"`
	Published Judgement `json:"published"` // on the printed numbers
	Measured  Judgement `json:"measured"`  // on measured records
}

// Count counts the outcomes of one judgement of each claim.
func Count(list []Judged, of func(Judged) Judgement) map[Truth]int {
	n := map[Truth]int{}
	for _, c := range list {
		n[of(c).Truth]++
	}
	return n
}

// decided is the judgement of a claim that holds, fails, or neither. One that would do both
// fails.
func decided(holds, fails bool, figures string) Judgement {
	switch {
	case fails:
		return Judgement{Fails, figures}
	case holds:
		return Judgement{Holds, figures}
	}
	return Judgement{Unjudged, figures}
}

// both requires several judgements, and shows the figures of all.
func both(list ...Judgement) Judgement {
	is := func(t Truth) int { return len(lists.Where(list, func(j Judgement) bool { return j.Truth == t })) }
	return decided(is(Holds) == len(list), is(Fails) > 0, strings.Join(lists.Values(list, func(j Judgement) string { return j.Figures }), "; "))
}

// nothing is the judgement where no number decides.
func nothing(what string) Judgement { return Judgement{Unjudged, "no numbers for these " + what} }

// with adds figures of rows, if there are any.
func (j Judgement) with(before string, figures []string) Judgement {
	if len(figures) > 0 {
		j.Figures += before + strings.Join(figures, ", ")
	}
	return j
}

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
		return nothing(what)
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
		return nothing(what)
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
