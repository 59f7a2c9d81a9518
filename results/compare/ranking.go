package compare

import (
	"slices"
	"sync"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Alpha is the level of the critical difference.
const Alpha = .05

// maxLacking is the share of settings, and of whole blocks, that a method may lack.
// With more it is left out of a ranking, instead of the settings.
const maxLacking = .2

// Ranking ranks methods in each block, by the means over the settings of the block.
type Ranking struct {
	Methods  []string // in the order of their mean ranks; nil if there is no ranking
	Ranks    []float64
	Means    []float64             // over blocks, of the values that were ranked; of times, of their logarithms
	Test     significance.RankTest // with these Ranks
	Critical float64               // critical difference of Nemenyi's test at Alpha
	Groups   [][]int               // places in Methods of groups that Nemenyi's test does not tell apart
	Apart    [][]bool              // at [i][j]: a comparison against method i tells method j apart; nil if nothing is tested
	LeastP   float64               // the smallest p that Wilcoxon's test can reach over the blocks
	Blocks   []string
	Settings int
	Extent   Extent            // of these blocks and settings
	drawn    func() []Strength // the strengths, computed at the first call; nil without a ranking
	None     string            // why there is no ranking

	costs [][]float64 // by block and place in Methods

	Unranked []string  // methods that the floor leaves out: of Options.Unranked, those shown
	Target   []string  // methods that see the domain that they are tested on: Options.Target, of those shown
	Aside    []Lacking // methods that are left out
	ByNature []Lacking // methods for which the metric is not defined; also those asked for by name
	Missing  []Lacking // settings that are left out, by the first method that lacks them
}

// Lacking is a method without values on some settings.
type Lacking struct {
	Method   string
	Settings []results.Setting
	Why      string // the reason on the first of them
}

// rankable returns the methods to be ranked and the settings on which all of them have
// a value. It lists what it leaves out. The settings of the methods that see the test domain
// are no settings of the ranking if no other method has a value there.
func (c *Comparison) rankable(v values) (ranked []string, settings []int) {
	methods, k := c.shown(), &c.Ranking
	others := slices.DeleteFunc(slices.Clone(methods), c.Sees)
	settings = lists.Where(v.settings, func(s int) bool {
		return slices.ContainsFunc(others, func(m string) bool { return v.numbersOf(m)[s].ok })
	})
	for _, m := range methods {
		if c.Sees(m) {
			k.Target = append(k.Target, m)
			continue
		}
		if c.Judged() && c.Unranked[m] != "" {
			k.Unranked = append(k.Unranked, m)
			continue
		}
		if c.Methods == nil && m != c.Against && v.tooFew(v.lacking(m, settings), settings) {
			k.Aside = append(k.Aside, v.lackingOf(m, settings))
			continue
		}
		ranked = append(ranked, m)
	}
	for _, m := range ranked {
		lacks := v.lacking(m, settings)
		if len(lacks) == 0 {
			continue
		}
		k.Missing = append(k.Missing, v.lackingOf(m, settings))
		settings = lists.Where(settings, func(s int) bool { return !slices.Contains(lacks, s) })
	}
	return ranked, settings
}

// rank ranks the methods of the rows and Against.
func (c *Comparison) rank(v values) {
	k := &c.Ranking
	ranked, settings := c.rankable(v)
	blocks := v.blocksOf(settings)
	var costs, levelled [][]float64
	for _, b := range blocks {
		var row []float64
		for _, m := range ranked {
			numbers := v.numbersOf(m)
			row = append(row, c.cost()*b.Mean(func(s int) float64 { return numbers[s].x }))
		}
		costs, levelled = append(costs, row), append(levelled, results.Levelled(row))
	}
	test, err := significance.Friedman(levelled)
	if err != nil {
		k.None = err.Error()
		return
	}
	order := significance.Ascending(test.Ranks)
	for _, i := range order {
		k.Methods, k.Ranks = append(k.Methods, ranked[i]), append(k.Ranks, test.Ranks[i])
	}
	test.Ranks = k.Ranks
	k.Blocks, k.Settings, k.LeastP = lists.Values(blocks, func(b results.Trial) string { return b.Name }), len(settings), significance.LeastP(len(blocks))
	k.Extent = v.extent(settings)
	sorted := make([][]float64, len(costs))
	for b, row := range costs {
		for _, i := range order {
			sorted[b] = append(sorted[b], row[i])
		}
	}
	k.Means = make([]float64, len(ranked))
	for _, row := range sorted {
		for i, cost := range row {
			k.Means[i] += c.cost() * cost / float64(len(sorted))
		}
	}
	k.costs = sorted
	ordered := k.Methods
	k.drawn = sync.OnceValue(func() []Strength {
		wins := blockWins{methods: ordered}
		for _, b := range blocks {
			wins.blocks = append(wins.blocks, c.winsOf(v, b, wins.methods))
		}
		return wins.strengths()
	})
	if len(ranked) == 2 { // Wilcoxon's test is the test of two methods
		return
	}
	k.Test = test
	k.Critical = significance.CriticalDifference(len(ranked), len(blocks), Alpha)
	k.Groups = significance.Groups(k.Ranks, k.Critical)
}

// Tested reports whether the ranking has Friedman's and Nemenyi's tests: that of measured
// settings, of more than two methods, since two methods are tested by Wilcoxon's test.
func (k Ranking) Tested() bool { return k.Test.Methods > 2 }

// apart returns, for each method, which others differ from it at Alpha by Wilcoxon's test over
// the blocks with Holm's correction over the tests of this method. A comparison against that
// method says the same. It is nil without costs.
func apart(costs [][]float64) [][]bool {
	if costs == nil {
		return nil
	}
	k := len(costs[0])
	p := make([][]float64, k)
	for i := range p {
		p[i] = make([]float64, k)
		for j := range i {
			differences := lists.Values(costs, func(row []float64) float64 { return row[j] - row[i] })
			p[i][j] = significance.Wilcoxon(withoutRounding(differences)).P
			p[j][i] = p[i][j] // the test has two sides
		}
	}
	table := make([][]bool, k)
	for i := range table {
		others := significance.Holm(slices.Concat(p[i][:i], p[i][i+1:]))
		table[i] = slices.Insert(lists.Values(others, func(adjusted float64) bool { return adjusted <= Alpha }), i, false)
	}
	return table
}

// withoutRounding returns differences with 0 in place of those between values that are
// [results.Alike], so that a method that is written twice has no order.
func withoutRounding(differences []float64) []float64 {
	return lists.Values(differences, func(d float64) float64 {
		if results.Sign(d) == 0 {
			return 0
		}
		return d
	})
}

// tooFew reports whether a method lacks too much to be ranked: too many settings, or
// all settings of too many blocks.
func (v values) tooFew(lacks, settings []int) bool {
	if len(lacks) == 0 {
		return false
	}
	rest := lists.Where(settings, func(s int) bool { return !slices.Contains(lacks, s) })
	all, left := len(v.blocksOf(settings)), len(v.blocksOf(rest))
	return float64(len(lacks)) > maxLacking*float64(len(settings)) || float64(all-left) > maxLacking*float64(all)
}

// lacking returns the settings on which a method has no value.
func (v values) lacking(method string, settings []int) []int {
	numbers := v.numbersOf(method)
	return lists.Where(settings, func(s int) bool { return !numbers[s].ok })
}

// lackingOf is lacking with the reason on the first setting.
func (v values) lackingOf(method string, settings []int) Lacking {
	lacks := v.lacking(method, settings)
	return Lacking{method, v.at(lacks), v.numbersOf(method)[lacks[0]].why()}
}
