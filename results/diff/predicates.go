package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// Predicates over the numbers of the tables, for one claim each.

func countSettings(b *book) Judgement {
	if b.like != nil {
		return Judgement{Unjudged, "counts the paper's own settings"}
	}
	n, of := 0, 0
	for _, r := range b.rows(func(s results.PublishedSetting) bool { return !s.IsAverage() },
		"standard", "longtail", "tasks", "shift-full", "medical-full") {
		of++
		if b.row(r).has("QaTS") {
			n++
		}
	}
	j := Judgement{Unjudged, fmt.Sprintf("%d of %d", n, of)}
	if n == allSettings {
		j.Truth = Holds
	} else if b.records == nil {
		j.Truth = Fails
	}
	return j
}

func firstOrSecond(v values) answer {
	if !v.has("QaTS") {
		return open
	}
	lower, missing := map[results.Points]bool{}, false
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

// margin asks for the largest distance of QaTS to a method, or with an empty
// label to the lowest other one, over the networks of a dataset.
func margin(id, dataset string, want results.Points, backbone, label string) predicate {
	return func(b *book) Judgement {
		var largest results.Points
		var at string
		for _, r := range b.rows(on(dataset), id) {
			v := b.row(r)
			other, ok := v.of[label]
			if label == "" {
				for _, l := range v.ranked {
					if x, has := v.of[l]; has && l != "QaTS" && (!ok || x < other) {
						other, ok = x, true
					}
				}
			}
			if !ok || !v.has("QaTS") {
				return Judgement{Unjudged, none("margins")}
			}
			if d := other - v.of["QaTS"]; at == "" || d > largest {
				largest, at = d, r.Backbone
			}
		}
		j := Judgement{Fails, fmt.Sprintf("largest margin %s (%s)", largest, table.Name("backbone", at))}
		if largest == want && at == backbone {
			j.Truth = Holds
		}
		return j
	}
}

// most judges a sentence about more than half of some rows.
func most(what string, keep func(results.PublishedSetting) bool, ask func(values) answer, tables ...string) predicate {
	return func(b *book) Judgement {
		var t tally
		for _, r := range b.rows(keep, tables...) {
			t.add(ask(b.row(r)), "")
		}
		return t.most(what)
	}
}

func (t *tally) most(what string) Judgement {
	all := t.yes + t.no + t.open
	j := Judgement{Unjudged, fmt.Sprintf("%d of %d %s", t.yes, t.yes+t.no, what)}
	switch {
	case t.yes+t.no == 0:
		j.Figures = none(what)
	case 2*t.yes > all:
		j.Truth = Holds
	case 2*(t.yes+t.open) <= all:
		j.Truth = Fails
	}
	return j
}

// anyAbove asks whether one of the methods is above the first.
func anyAbove(first string, others ...string) func(values) answer {
	return func(v values) answer {
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
	}
}

func longTailed(s results.PublishedSetting) bool { return strings.HasPrefix(s.Dataset, "cifar100-lt-") }

func reductions(b *book) Judgement {
	var t tally
	var shares []float64
	for _, r := range b.rows(longTailed, "longtail") {
		v := b.row(r)
		for _, l := range []string{"AdaTS", "GC"} {
			if !v.has("QaTS", l) || v.of[l] == 0 {
				t.add(open, "")
				continue
			}
			share := 100 * (1 - float64(v.of["QaTS"])/float64(v.of[l]))
			shares = append(shares, share)
			t.add(when(share >= 80), "")
		}
	}
	if len(shares) == 0 {
		return Judgement{Unjudged, none("long-tailed settings")}
	}
	slices.Sort(shares)
	j := Judgement{Unjudged, fmt.Sprintf("%d of %d reduced by 80 %% or more; reductions from %.0f to %.0f %%, median %.0f %%",
		t.yes, t.yes+t.no, shares[0], shares[len(shares)-1], shares[len(shares)/2])}
	switch all := t.yes + t.no + t.open; {
	case 2*t.yes >= all:
		j.Truth = Holds
	case 2*(t.yes+t.open) < all:
		j.Truth = Fails
	}
	return j
}

func stable(b *book) Judgement {
	var t tally
	var rises []string
	extremes := b.rows(on("cifar100-lt-r100"), "longtail")
	for _, mild := range b.rows(on("cifar100-lt-r10"), "longtail") {
		i := slices.IndexFunc(extremes, func(r results.PublishedRow) bool { return r.Backbone == mild.Backbone })
		if i < 0 {
			continue
		}
		extreme := extremes[i]
		x, y := b.row(mild), b.row(extreme)
		if !x.has("QaTS") || !y.has("QaTS") {
			t.add(open, "")
			continue
		}
		rise := y.of["QaTS"] - x.of["QaTS"]
		rises = append(rises, rise.Signed())
		missing, compared, least := false, 0, ""
		for _, l := range preserving {
			if !x.has(l) || !y.has(l) {
				missing = missing || b.complete()
				continue
			}
			compared++
			if other := y.of[l] - x.of[l]; other <= rise {
				least = fmt.Sprintf("%s %s", l, other.Signed())
				break
			}
		}
		a := when(least == "")
		if a == yes && (missing || compared == 0) {
			a = open
		}
		t.add(a, fmt.Sprintf("%s (QaTS %s, %s)", table.Name("backbone", mild.Backbone), rise.Signed(), least))
	}
	j := t.all("networks", 0)
	if len(rises) > 0 {
		j.Figures += "; QaTS rises by " + strings.Join(rises, ", ")
	}
	return j
}

// featClipPlaces asks other data sets for the most settings only: four of fifteen
// is the paper's own count.
func featClipPlaces(b *book) Judgement {
	first, second, rows, missing := 0, 0, 0, 0
	for _, r := range b.rows(nil, "longtail") {
		v := b.row(r)
		rows++
		if !v.has(append(v.ranked, "FeatClip")...) {
			missing++
			continue
		}
		lower := 0
		for _, l := range v.ranked {
			if v.of[l] < v.of["FeatClip"] {
				lower++
			}
		}
		switch lower {
		case 0:
			first++
		case 1:
			second++
		}
	}
	j := Judgement{Unjudged, fmt.Sprintf("second in %d, first in %d of %d", second, first, rows-missing)}
	switch {
	case missing == rows:
		j.Figures = none("rows")
	case 2*(second+missing) <= rows || b.like == nil && (first > 4 || first+missing < 4):
		j.Truth = Fails
	case missing == 0:
		j.Truth = Holds
	}
	return j
}

// marginal passes over rows that QaTS wins.
func marginal(v values) answer {
	if !v.has(v.ranked...) {
		return open
	}
	best := v.of["QaTS"]
	for _, l := range v.ranked {
		best = min(best, v.of[l])
	}
	if v.of["QaTS"] == best {
		return aside
	}
	return when(10*(v.of["QaTS"]-best) < best)
}

// series looks up numbers of a network over the severities of CIFAR-100-C.
func (b *book) series(id, label string, n network) ([]results.Points, bool) {
	var list []results.Points
	for _, r := range b.averages(id) {
		if (network{r.Dataset, r.Backbone}) != n {
			continue
		}
		x, ok := b.values[valueID{r.PublishedSetting, label}]
		if !ok {
			return nil, false
		}
		list = append(list, x)
	}
	return list, len(list) > 1 // one severity neither rises nor falls
}

// averages are the means over corruptions.
func (b *book) averages(id string) []results.PublishedRow {
	return b.rows(func(s results.PublishedSetting) bool { return s.Corruption == results.Average }, id)
}

// shifted are the networks that averages are of.
func (b *book) shifted(id string) []network {
	var list []network
	for _, r := range b.averages(id) {
		if n := (network{r.Dataset, r.Backbone}); !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// of is what is said of a network; the paper has one under corruptions.
func (b *book) of(n network, what string) string {
	if b.like == nil {
		return what
	}
	return fmt.Sprintf("%s of %s", what, cellName(results.Cell{Dataset: n.dataset, Backbone: n.backbone, Loss: "ce"}))
}

func timesLower(b *book) Judgement {
	var t tally
	var ratios []string
	for _, r := range b.rows(nil, "shift") {
		v := b.row(r)
		if !v.has("QaTS") || v.of["QaTS"] == 0 {
			t.add(open, "")
			continue
		}
		best, found, missing := results.Points(0), false, false
		for _, l := range preserving {
			x, ok := v.of[l]
			missing = missing || !ok && b.complete()
			if ok && (!found || x < best) {
				best, found = x, true
			}
		}
		switch {
		case found && best < 2*v.of["QaTS"]:
			t.add(no, b.name(r.PublishedSetting))
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
		j.Figures += "; best over QaTS: " + strings.Join(ratios, ", ")
	}
	return j
}

func widening(b *book) Judgement {
	j := Judgement{Unjudged, none("severities")}
	for _, n := range b.shifted("shift") {
		x, ok := b.series("shift", "FeatClip", n)
		y, also := b.series("shift", "QaTS", n)
		if !ok || !also {
			continue
		}
		if figures := b.of(n, "FeatClip less QaTS") + ":"; j.Truth == Unjudged {
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

func steady(b *book) Judgement {
	var t tally
	for _, n := range b.shifted("shift-full") {
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
