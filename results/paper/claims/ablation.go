package claims

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/paper"
)

// Predicates about forms of the temperature, the paper's Table 6.

// The paper's data sets by part of Table 6, which prints one of each.
var (
	clean   = []string{"cifar10", "cifar100", "imagenet"}
	tailed  = []string{"cifar100-lt-r10", "cifar100-lt-r100", "imagenet-lt"}
	shifted = []string{"cifar100-c"}
)

// forms are the numbers of one data set: QaTS, then K = 2, 4, 10 pieces.
type forms struct {
	name   string
	values []paper.Points // nil if one is missing
}

// ablation returns the forms of each of the data sets.
func (b *book) ablation(datasets []string) []forms {
	var list []forms
	labels := []string{"QaTS", "QaTS-PW2", "QaTS-PW4", "QaTS-PW10"}
	for _, r := range b.rows(func(s paper.Setting) bool { return slices.Contains(datasets, s.Dataset) }, "ablation") {
		f := forms{name: b.name(r.Setting)}
		if v := b.row(r); v.has(labels...) {
			f.values = lists.Values(labels, func(l string) paper.Points { return v.of[l] })
		}
		list = append(list, f)
	}
	return list
}

// piecewise judges whether each piecewise form is below QaTS on clean data, and
// above it elsewhere.
func piecewise(b *book) Judgement {
	var t tally
	for i, datasets := range [][]string{clean, tailed, shifted} {
		rows := b.ablation(datasets)
		if len(rows) == 0 {
			t.add(open, "")
		}
		for _, f := range rows {
			if f.values == nil {
				t.add(open, "")
				continue
			}
			qats := f.values[0]
			for _, pw := range f.values[1:] {
				better := pw < qats
				t.add(when(better == (i == 0) && pw != qats), fmt.Sprintf("%s (QaTS %s, PW %s)", f.name, qats, pw))
			}
		}
	}
	return t.all("entries", 0)
}

// growing judges whether the ECE rises with the number of pieces.
func growing(b *book) Judgement {
	var t tally
	var shown []string
	for _, datasets := range [][]string{tailed, shifted} {
		for _, f := range b.ablation(datasets) {
			if f.values == nil {
				t.add(open, "")
				continue
			}
			x := f.values
			t.add(when(x[1] < x[2] && x[2] < x[3]), f.name)
			shown = append(shown, fmt.Sprintf("%s, %s, %s", x[1], x[2], x[3]))
		}
	}
	j := t.all("datasets", 0)
	if len(shown) > 0 {
		j.Figures += ": " + strings.Join(shown, "; ")
	}
	return j
}
