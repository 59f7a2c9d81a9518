package comparison

import (
	"slices"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/significance"
)

// Alpha is the level of the critical difference.
const Alpha = .05

// maxLacking is the share of settings, and of whole blocks, that a method may
// lack before it is left out of a ranking instead of them.
const maxLacking = .2

// Ranking ranks methods in each block, by the means of its settings.
type Ranking struct {
	Methods  []string // in the order of their mean ranks; nil if there is no ranking
	Ranks    []float64
	Test     significance.RankTest // its Ranks are those above
	Critical float64               // difference of Nemenyi's test at Alpha
	Groups   [][]int               // of Methods that it does not tell apart
	Apart    [][]bool              // by Methods: would a comparison against the one tell the other apart?
	LeastP   float64               // that Wilcoxon's test can reach over the blocks
	Blocks   []string
	Settings int
	None     string // why there is no ranking

	Aside    []Lacking // methods left out
	ByNature []Lacking // methods that the metric is not defined for, even where asked for by name
	Missing  []Lacking // settings left out, by the first method that lacks them
}

// Lacking is a method without values on some settings.
type Lacking struct {
	Method   string
	Settings []results.Cell
	Why      string // of the first of them
}

// rank ranks the methods of the rows and Against.
func (c *Comparison) rank(v values) {
	methods := []string{c.Against}
	for _, r := range c.Rows {
		methods = append(methods, r.Method)
	}
	k := &c.Ranking
	settings := slices.DeleteFunc(slices.Clone(v.settings), func(s results.Cell) bool { return !v.any(s, methods) })
	var ranked []string
	for _, m := range methods {
		lacks := v.lacking(m, settings)
		if c.Methods == nil && m != c.Against && c.tooFew(lacks.Settings, settings) {
			k.Aside = append(k.Aside, lacks)
			continue
		}
		ranked = append(ranked, m)
	}
	for _, m := range ranked {
		lacks := v.lacking(m, settings)
		if len(lacks.Settings) == 0 {
			continue
		}
		k.Missing = append(k.Missing, lacks)
		settings = slices.DeleteFunc(settings, func(s results.Cell) bool { return slices.Contains(lacks.Settings, s) })
	}
	names, members := blocks(settings, c.Block)
	var costs [][]float64
	for _, b := range names {
		var row []float64
		for _, m := range ranked {
			row = append(row, c.sign()*mean(members[b], func(s results.Cell) float64 { return v.at[place{s, m}].Value }))
		}
		costs = append(costs, row)
	}
	test, err := significance.Friedman(costs)
	if err != nil {
		k.None = err.Error()
		return
	}
	order := make([]int, len(ranked))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case test.Ranks[a] < test.Ranks[b]:
			return -1
		case test.Ranks[a] > test.Ranks[b]:
			return 1
		}
		return 0
	})
	for _, i := range order {
		k.Methods, k.Ranks = append(k.Methods, ranked[i]), append(k.Ranks, test.Ranks[i])
	}
	test.Ranks = k.Ranks
	k.Blocks, k.Settings, k.LeastP = names, len(settings), significance.LeastP(len(names))
	sorted := make([][]float64, len(costs))
	for b, row := range costs {
		for _, i := range order {
			sorted[b] = append(sorted[b], row[i])
		}
	}
	k.Apart = apart(sorted, len(ranked))
	if len(ranked) == 2 { // Wilcoxon's test says all that there is to say
		return
	}
	k.Test = test
	k.Critical = significance.CriticalDifference(len(ranked), len(names), Alpha)
	k.Groups = significance.Groups(k.Ranks, k.Critical)
}

// Tested reports whether the methods are enough for Friedman's and Nemenyi's
// tests: of two, Wilcoxon's test of the one against the other is all.
func (k Ranking) Tested() bool { return len(k.Methods) > 2 }

// apart tells for each of k methods which others differ from it at Alpha by
// Wilcoxon's test over the blocks, Holm's correction taken over those k-1 tests:
// what a comparison against that method would say.
func apart(costs [][]float64, k int) [][]bool {
	table := make([][]bool, k)
	for i := range table {
		table[i] = make([]bool, k)
		var others []int
		var p []float64
		for j := range k {
			if j == i {
				continue
			}
			differences := make([]float64, len(costs))
			for b, row := range costs {
				differences[b] = row[j] - row[i]
			}
			others, p = append(others, j), append(p, significance.Wilcoxon(differences).P)
		}
		for n, adjusted := range significance.Holm(p) {
			table[i][others[n]] = adjusted <= Alpha
		}
	}
	return table
}

// tooFew reports whether a method lacks too much to be ranked: too many
// settings, or too many blocks, however few settings these have.
func (c *Comparison) tooFew(lacks, settings []results.Cell) bool {
	rest := slices.DeleteFunc(slices.Clone(settings), func(s results.Cell) bool { return slices.Contains(lacks, s) })
	all, _ := blocks(settings, c.Block)
	left, _ := blocks(rest, c.Block)
	return float64(len(lacks)) > maxLacking*float64(len(settings)) || float64(len(all)-len(left)) > maxLacking*float64(len(all))
}

// any reports whether one of the methods has a value on the setting.
func (v values) any(setting results.Cell, methods []string) bool {
	return slices.ContainsFunc(methods, func(m string) bool { _, ok, _ := v.value(setting, m); return ok })
}

// lacking returns the settings on which a method has no value.
func (v values) lacking(method string, settings []results.Cell) Lacking {
	l := Lacking{Method: method}
	for _, s := range settings {
		if _, ok, why := v.value(s, method); !ok {
			if l.Settings == nil {
				l.Why = why
			}
			l.Settings = append(l.Settings, s)
		}
	}
	return l
}
