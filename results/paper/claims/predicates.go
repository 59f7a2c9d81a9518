package claims

import (
	"fmt"

	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/table"
)

// Predicates that several tables share.

// single keeps the rows that are not means.
func single(s paper.Setting) bool { return !s.IsAverage() }

// on keeps the rows of a data set.
func on(dataset string) func(paper.Setting) bool {
	return func(s paper.Setting) bool { return s.Dataset == dataset }
}

// corruptions keeps the rows of single corruptions; a severity of 0 keeps all.
func corruptions(severity int) func(paper.Setting) bool {
	return func(s paper.Setting) bool {
		return !s.IsAverage() && (severity == 0 || s.Severity == severity)
	}
}

var (
	// qatsLowest asks whether no ranked method is below QaTS.
	qatsLowest = question{ask: lowestOrEqual}

	// firstOrSecond asks whether at most one lower value is in the row of QaTS.
	firstOrSecond = question{ask: atMostSecond}

	// marginal asks whether QaTS is less than a tenth above the lowest number.
	marginal = question{ask: lessThanATenth}
)

// lowestOrEqual is the question of qatsLowest. One lower method is enough for a no; a yes needs
// all methods. It is level where another method is equal.
func lowestOrEqual(v values) answer {
	qats, ok := v.of["QaTS"]
	if !ok || len(v.ranked) < 2 {
		return open
	}
	found := yes
	for _, l := range v.ranked {
		switch x, ok := v.of[l]; {
		case !ok:
			found = open
		case x < qats:
			return no
		case x == qats && l != "QaTS" && found == yes:
			found = level
		}
	}
	return found
}

// atMostSecond is the question of firstOrSecond.
func atMostSecond(v values) answer {
	if !v.has("QaTS") {
		return open
	}
	lower, missing := map[paper.Points]bool{}, false
	for _, l := range v.ranked {
		x, ok := v.of[l]
		missing = missing || !ok
		if ok && x < v.of["QaTS"] {
			lower[x] = true
		}
	}
	switch {
	case len(lower) > 1:
		return no
	case missing:
		return open
	}
	return yes
}

// below asks whether QaTS is strictly below each of the methods.
func below(labels ...string) question {
	return question{of: labels, ask: func(v values) answer {
		for _, l := range labels {
			if v.has("QaTS", l) && v.of["QaTS"] >= v.of[l] {
				return no
			}
		}
		if !v.has(append([]string{"QaTS"}, labels...)...) {
			return open
		}
		return yes
	}}
}

// anyAbove asks whether one of the other methods is above the first.
func anyAbove(first string, others ...string) question {
	return question{of: others, ask: func(v values) answer {
		if !v.has(first) {
			return open
		}
		found := no
		for _, l := range others {
			switch x, ok := v.of[l]; {
			case ok && x > v.of[first]:
				return yes
			case !ok:
				found = open
			}
		}
		return found
	}}
}

// margin finds the largest distance from QaTS up to a method over the networks of a
// data set. An empty label stands for the lowest other ranked method.
func margin(id, dataset string, want paper.Points, backbone, label string) predicate {
	return func(b *book) Judgement {
		var largest paper.Points
		var at string
		for _, r := range b.rows(on(dataset), id) {
			v, other := b.row(r), label
			if other == "" {
				other = v.lowestOther()
			}
			if !v.has("QaTS", other) {
				return Judgement{Unjudged, none("margins")}
			}
			if d := v.of[other] - v.of["QaTS"]; at == "" || d > largest {
				largest, at = d, r.Backbone
			}
		}
		if at == "" {
			return Judgement{Unjudged, none("margins")}
		}
		holds := largest == want && at == backbone
		return decided(holds, !holds, fmt.Sprintf("largest margin %s (%s)", largest, table.Name("backbone", at)))
	}
}

func countSettings(b *book) Judgement {
	if b.like != nil {
		return Judgement{Unjudged, "the claim counts the paper's own settings"}
	}
	n, of := 0, 0
	for _, r := range b.rows(single, "standard", "longtail", "tasks", "shift-full", "medical-full") {
		of++
		if b.row(r).has("QaTS") {
			n++
		}
	}
	return decided(n == allSettings, n != allSettings && b.records == nil, fmt.Sprintf("%d of %d", n, of))
}
