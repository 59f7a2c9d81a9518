package claims

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/table"
)

// Predicates about long tails, the paper's Table 2.

// preserving are the methods that the paper calls accuracy preserving.
var preserving = []string{"Uncal", "TS", "IR", "AdaTS", "GC"}

func longTailed(s paper.Setting) bool { return strings.HasPrefix(s.Dataset, "cifar100-lt-") }

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
	all := t.yes + t.no + t.open
	return decided(2*t.yes >= all, 2*(t.yes+t.open) < all,
		fmt.Sprintf("%d of %d reduced by 80 %% or more; reductions from %.0f to %.0f %%, median %.0f %%",
			t.yes, t.yes+t.no, shares[0], shares[len(shares)-1], shares[len(shares)/2]))
}

// stable judges for each network whether QaTS rises less from than
// every preserving method.
func stable(b *book) Judgement {
	var t tally
	var rises []string
	extremes := b.rows(on("cifar100-lt-r100"), "longtail")
	for _, mild := range b.rows(on("cifar100-lt-r10"), "longtail") {
		i := slices.IndexFunc(extremes, func(r paper.Row) bool { return r.Backbone == mild.Backbone })
		if i < 0 {
			continue
		}
		x, y := b.row(mild), b.row(extremes[i])
		if !x.has("QaTS") || !y.has("QaTS") {
			t.add(open, "")
			continue
		}
		rise := y.of["QaTS"] - x.of["QaTS"]
		rises = append(rises, rise.Signed())
		a, other := b.risesLess(x, y)
		t.add(a, fmt.Sprintf("%s (QaTS %s, %s)", table.Name("backbone", mild.Backbone), rise.Signed(), other))
	}
	j := t.all("networks", 0)
	if len(rises) > 0 {
		j.Figures += "; changes of QaTS: " + strings.Join(rises, ", ")
	}
	return j
}

// risesLess compares the rise of QaTS from x to y with the rises of the preserving
// methods. If one of them rises no more, it returns no and that method.
func (b *book) risesLess(x, y values) (a answer, other string) {
	rise := y.of["QaTS"] - x.of["QaTS"]
	missing, compared := false, 0
	for _, l := range preserving {
		if !x.has(l) || !y.has(l) {
			missing = missing || b.complete()
			continue
		}
		compared++
		if r := y.of[l] - x.of[l]; r <= rise {
			return no, fmt.Sprintf("%s %s", l, r.Signed())
		}
	}
	if missing || compared == 0 {
		return open, ""
	}
	return yes, ""
}

// featClipPlaces counts the rows in which FeatClip is second and first. On similar
// data sets only "most" counts: four of fifteen is the paper's own count.
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
	if missing == rows {
		return Judgement{Unjudged, none("rows")}
	}
	return decided(missing == 0, 2*(second+missing) <= rows || b.like == nil && (first > 4 || first+missing < 4),
		fmt.Sprintf("second in %d, first in %d of %d", second, first, rows-missing))
}

// lessThanATenth is the question of marginal. It sets rows aside in which QaTS is the lowest.
func lessThanATenth(v values) answer {
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
