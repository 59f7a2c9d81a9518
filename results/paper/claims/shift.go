package claims

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
)

// Predicates about corruptions, the paper's Tables 3 and 7.

// averages returns the rows of a table that are means over corruptions.
func (b *book) averages(id string) []paper.Row {
	return b.rows(func(s paper.Setting) bool { return s.Corruption == paper.Average }, id)
}

// corrupted returns the networks of the averages.
func (b *book) corrupted(id string) []network {
	return lists.Distinct(b.averages(id), func(r paper.Row) network { return network{r.Dataset, r.Backbone} })
}

// series returns the averages of a method on a network by severity; ok is false if
// one is missing, and for a single severity, which neither rises nor falls.
func (b *book) series(id, label string, n network) (list []paper.Points, ok bool) {
	for _, r := range b.averages(id) {
		if (network{r.Dataset, r.Backbone}) != n {
			continue
		}
		x, ok := b.values[valueID{r.Setting, label}]
		if !ok {
			return nil, false
		}
		list = append(list, x)
	}
	return list, len(list) > 1
}

// of adds the network to a text. The paper has a single network under corruptions
// and needs no name for it.
func (b *book) of(n network, what string) string {
	if b.like == nil {
		return what
	}
	return fmt.Sprintf("%s of %s", what, cellName(results.Setting{Dataset: n.dataset, Backbone: n.backbone, Loss: "ce"}))
}

// timesLower judges whether the lowest preserving method is at least twice QaTS.
func timesLower(b *book) Judgement {
	var t tally
	var ratios []string
	for _, r := range b.rows(nil, "shift") {
		v := b.row(r)
		if !v.has("QaTS") || v.of["QaTS"] == 0 {
			t.add(open, "")
			continue
		}
		best, found, missing := paper.Points(0), false, false
		for _, l := range preserving {
			x, ok := v.of[l]
			missing = missing || !ok && b.complete()
			if ok && (!found || x < best) {
				best, found = x, true
			}
		}
		switch {
		case found && best < 2*v.of["QaTS"]:
			t.add(no, b.name(r.Setting))
		case missing || !found:
			t.add(open, "")
		default:
			t.add(yes, "")
		}
		if found {
			ratios = append(ratios, fmt.Sprintf("%.2f", float64(best)/float64(v.of["QaTS"])))
		}
	}
	j := t.all("severities", 0)
	if len(ratios) > 0 {
		j.Figures += "; lowest divided by QaTS: " + strings.Join(ratios, ", ")
	}
	return j
}

// widening judges whether FeatClip minus QaTS rises with each severity.
func widening(b *book) Judgement {
	j := Judgement{Unjudged, none("severities")}
	for _, n := range b.corrupted("shift") {
		x, ok := b.series("shift", "FeatClip", n)
		y, also := b.series("shift", "QaTS", n)
		if !ok || !also {
			continue
		}
		if figures := b.of(n, "FeatClip minus QaTS") + ":"; j.Truth == Unjudged {
			j = Judgement{Holds, figures}
		} else {
			j.Figures += "; " + figures
		}
		for i := range x {
			j.Figures += " " + (x[i] - y[i]).String()
			if i > 0 && x[i]-y[i] <= x[i-1]-y[i-1] {
				j.Truth = Fails
			}
		}
	}
	return j
}

// steady judges for each method whether its averages rise strictly with severity.
func steady(b *book) Judgement {
	var t tally
	for _, n := range b.corrupted("shift-full") {
		for _, label := range append(slices.Clone(preserving), "FeatClip", "QaTS", "HFE") {
			x, ok := b.series("shift-full", label, n)
			if !ok {
				t.add(open, "")
				continue
			}
			strictly := slices.IsSorted(x) && len(slices.Compact(slices.Clone(x))) == len(x)
			t.add(when(strictly), b.of(n, label))
		}
	}
	return t.all("methods", 0)
}
