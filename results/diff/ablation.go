package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results"
)

// Predicates over the ablation, the paper's Table 6.

// pieces are a row of the ablation: QaTS, then K = 2, 4, 10.
type pieces struct {
	name   string
	values []results.Points // nil if one is missing
}

// The data sets of which the ablation has one each.
var (
	clean   = []string{"cifar10", "cifar100", "imagenet"}
	tailed  = []string{"cifar100-lt-r10", "cifar100-lt-r100", "imagenet-lt"}
	shifted = []string{"cifar100-c"}
)

// ablation returns the rows of data sets.
func (b *book) ablation(datasets []string) []pieces {
	var list []pieces
	labels := []string{"QaTS", "QaTS-PW2", "QaTS-PW4", "QaTS-PW10"}
	for _, r := range b.rows(func(s results.PublishedSetting) bool { return slices.Contains(datasets, s.Dataset) }, "ablation") {
		p := pieces{name: b.name(r.PublishedSetting)}
		if v := b.row(r); v.has(labels...) {
			for _, l := range labels {
				p.values = append(p.values, v.of[l])
			}
		}
		list = append(list, p)
	}
	return list
}

func piecewise(b *book) Judgement {
	var t tally
	for i, datasets := range [][]string{clean, tailed, shifted} {
		rows := b.ablation(datasets)
		if len(rows) == 0 {
			t.add(open, "")
		}
		for _, p := range rows {
			if p.values == nil {
				t.add(open, "")
				continue
			}
			x := p.values[0]
			for _, pw := range p.values[1:] {
				better := pw < x
				t.add(when(better == (i == 0) && pw != x), fmt.Sprintf("%s (QaTS %s, PW %s)", p.name, x, pw))
			}
		}
	}
	return t.all("entries", 0)
}

func growing(b *book) Judgement {
	var t tally
	var shown []string
	for _, datasets := range [][]string{tailed, shifted} {
		for _, p := range b.ablation(datasets) {
			if p.values == nil {
				t.add(open, "")
				continue
			}
			x := p.values
			t.add(when(x[1] < x[2] && x[2] < x[3]), p.name)
			shown = append(shown, fmt.Sprintf("%s, %s, %s", x[1], x[2], x[3]))
		}
	}
	j := t.all("datasets", 0)
	if len(shown) > 0 {
		j.Figures += ": " + strings.Join(shown, "; ")
	}
	return j
}
