package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Level is the level of all intervals. Tests print their p-values instead.
const Level = .95

// Options say which methods are compared, and by what.
type Options struct {
	Metric  string   // in results.csv: an output of a registered metric with a direction
	Against string   // the method that the others are compared with
	Methods []string // the others, in order; nil for all that have rows
	Block   Block    // BySamples if empty

	// Variants are the variants that are compared; nil for all that count where none is asked
	// for by name, as [results.Counts] says.
	Variants []string

	// Target are methods that see unlabelled rows of the domain that they are tested on. They
	// are shown, and neither ranked nor counted with the others.
	Target []string

	// Unranked has methods that are shown and not ranked, with the reasons, as [Floor.Unranked] has them.
	Unranked map[string]string

	// Domains are the domains that the rows are restricted to; nil for all.
	Domains []string

	// Files names the files that the rows were read from, for captions; "results.csv
	// and pairs.csv" if empty. Files of other programs have no paired intervals.
	Files string
}

// rowsFile names the file of the rows, for errors.
func (o Options) rowsFile() string { return cmp.Or(o.Files, "results.csv") }

// Comparison compares methods with one of them, in one metric, over the settings of
// one source.
type Comparison struct {
	Options
	MetricLabel string            // in tables and figures
	By          metrics.Basis     // what the verdicts on single settings rest on; its Name is empty if the metric gives none
	Better      metrics.Direction // Lower or Higher
	Percent     bool              // print 100 x value, in points
	Digits      int               // decimals of printed values

	// Ratio: values are compared by their ratios. They span powers of ten, and a method
	// that takes twice the time does so on small and on large sets. Here they are natural
	// logarithms, so that means are geometric, differences are ratios, and tests are
	// unchanged.
	Ratio bool

	Source   string                // measured | simulated
	Settings int                   // with a value of any method
	Counted  results.SettingCounts // of the rows of the source: also what does not count
	Blocks   []string
	Datasets map[string][]string        // of each block, in the order of their first settings
	Bases    map[string][]results.Basis // of each block: why it shares no test samples with others; BySamples only

	Extent   Extent   // of all settings
	Rows     []Row    // of the methods compared, in order, without Against
	Verdicts int      // on single settings, of all rows
	From     []string // what the measured settings are measured on, by their manifests; "" for a manifest that does not say

	// Floor is the row of [results.BaseRate] or else of [results.BaseRateTop], which are in no ranking and no test; nil where they have
	// no value, or where Against or a method that was asked for is one of them.
	Floor *Row

	Own Row // of Against: Method, Settings, Blocks and Value; its other fields have no meaning

	Ranking  Ranking
	Warnings []Warning

	settings []results.Setting // in the order of their first row
}

// Row compares a method with Against on the settings where both have a value.
type Row struct {
	Method         string
	Settings       int
	Blocks         int
	Value          float64 // of the method, mean over blocks of the means of their settings
	Difference     float64 // the same mean of the differences to Against
	Shift          significance.Shift
	Ahead, Behind  int // settings by the sign of the difference; the rest are [results.Alike]
	Win, Tie, Loss int // settings by the verdict of pairs.csv

	// SureWin and SureLoss are the wins and losses that remain after Holm's correction for
	// all verdicts of the comparison: the chance that one of them is wrong is Alpha at most,
	// if the P of each verdict is right.
	SureWin, SureLoss int

	NoVerdict int            // settings without one
	On        []results.Pair // with a verdict, of few settings: in their order
	Why       string         // on the first of them that pairs.csv says something about; empty if none

	Test            significance.SignedRank // [Untested] computes neither Test nor Holm and Margin
	Holm            float64                 // Test.P corrected over all rows
	BlockDifference []float64
	BlockNames      []string

	// Margin is the smallest of [Comparison.Margins] within which the method is alike to Against:
	// two one-sided signed-rank tests over the blocks ([significance.Equivalence]) show it at
	// Alpha, after Holm's correction over the rows, as they do for all wider margins. It is 0
	// where they show it for none. A method may be better or worse and alike: by less than Margin.
	Margin float64

	// End is the end of the 90 % interval of the shift that is farther from zero, which the
	// tests of one method without Holm's correction compare with a margin; NaN without an interval.
	End float64

	// Smallest is the smallest difference that the test rows of a setting can show:
	// the median over the settings of half the width of the verdict's interval or, of a
	// squared basis, of its root. It is 0 without verdicts.
	Smallest float64

	outcomes []outcome
}

// outcome is a verdict on a setting with its P.
type outcome struct {
	results.Outcome
	p       float64
	setting results.Setting
}

// Apart returns the block that pulls the mean difference farthest from the shift,
// where the printed signs of the two are opposite. sign returns the sign of a
// printed number. ok is false where the signs agree.
func (r Row) Apart(sign func(float64) int) (block string, difference float64, ok bool) {
	if sign(r.Difference)*sign(r.Shift.Estimate) >= 0 {
		return "", 0, false
	}
	most := 0.0
	for i, d := range r.BlockDifference {
		if away := (d - r.Shift.Estimate) * float64(sign(r.Difference)); away > most {
			most, block, difference = away, r.BlockNames[i], d
		}
	}
	return block, difference, block != ""
}

// Of returns the comparison over measured settings, then the one over simulated
// settings; a source without settings has none. It is an error if the metric is unknown or has no
// direction, or if the method compared against, or a method that was asked for by
// name, has no value at all.
func Of(records []results.Record, pairs []results.Pair, o Options) ([]*Comparison, error) {
	list, err := Untested(records, pairs, o)
	for _, c := range list {
		if c.Judged() {
			c.test()
		}
	}
	return list, err
}

// Untested is [Of] for views that show no test over blocks: its comparisons have neither Test, Holm
// and Margin of a row nor Apart of the ranking, which take most of the time.
func Untested(records []results.Record, pairs []results.Pair, o Options) ([]*Comparison, error) {
	a, err := Arrange(records, pairs, o)
	if err != nil {
		return nil, err
	}
	return a.Compare(o.Against, o.Block)
}

// Arranged are the rows of a metric, arranged once for comparisons with several methods and by
// several kinds of blocks.
type Arranged struct {
	options Options
	records []results.Record // of the metric
	values  values           // of all sources
	sources []sourceValues
}

// sourceValues are the values of one source.
type sourceValues struct {
	values
	empty Comparison // with what all comparisons of the source share
}

// sources are the sources of numbers, in the order of their comparisons.
var sources = []string{"measured", "simulated"}

// Arrange arranges rows for comparisons with the options, of which Against and Block have no
// meaning. It is an error if the metric is unknown or has no direction, or if two experiments
// disagree.
func Arrange(records []results.Record, pairs []results.Pair, o Options) (*Arranged, error) {
	empty, err := emptyBy(o)
	if err != nil {
		return nil, err
	}
	records = lists.Where(records, func(r results.Record) bool { return r.Metric == o.Metric })
	v, err := readView(records, pairs, o.Metric, results.View{Variants: o.Variants})
	if err != nil {
		return nil, err
	}
	a := &Arranged{options: empty.Options, records: records, values: v}
	for _, source := range sources {
		of := sourceValues{v.from(source), empty}
		of.empty.Source, of.empty.From = source, of.measuredOn()
		of.empty.Counted = results.CountSettings(lists.Where(records, func(r results.Record) bool { return r.Source == source }), o.Variants)
		a.sources = append(a.sources, of)
	}
	return a, nil
}

// Arrangement says which settings are compared and which of them are one block: equal rows with one
// arrangement have the same comparisons.
func (a *Arranged) Arrangement(by Block) string {
	var b strings.Builder
	place := map[string]int{}
	for _, s := range a.values.settings {
		name := a.values.cube.Block(s, by)
		if _, has := place[name]; !has {
			place[name] = len(place)
		}
		fmt.Fprintf(&b, "%s\x00%d\x00", a.values.cube.Block(s, BySetting), place[name])
	}
	return b.String()
}

// Compare returns the comparisons of [Untested] with a method, by a kind of blocks.
func (a *Arranged) Compare(against string, by Block) ([]*Comparison, error) {
	o := a.options
	o.Against, o.Block = against, cmp.Or(by, BySamples)
	if len(a.values.settings) == 0 {
		return nil, o.noRows(a.records)
	}
	for _, method := range append([]string{against}, o.Methods...) {
		if err := a.values.has(method, o); err != nil && (method == against || !a.values.byNature(method)) {
			return nil, err
		}
	}
	var list []*Comparison
	for _, of := range a.sources {
		if len(of.lacking(against, of.settings)) == len(of.settings) {
			continue
		}
		c := of.empty
		c.Options = o
		c.compare(of.blocked(o.Block))
		list = append(list, &c)
	}
	return list, nil
}

// noRows is the error where none of the rows of the metric counts.
func (o Options) noRows(of []results.Record) error {
	have := lists.Distinct(of, func(r results.Record) string { return r.Variant.String() })
	switch {
	case len(of) == 0:
		return fmt.Errorf("no rows of metric %s in %s", o.Metric, o.rowsFile())
	case o.Variants != nil:
		return fmt.Errorf("no rows of metric %s with the variant %s in %s; there are %s", o.Metric, quotedList(o.Variants), o.rowsFile(), quotedList(have))
	}
	return fmt.Errorf("no setting in %s counts: all rows of metric %s are of rescaled logits or redrawn rows; name the variants to compare, of %s", o.rowsFile(), o.Metric, quotedList(have))
}

// quotedList lists texts that may be empty.
func quotedList(texts []string) string {
	return strings.Join(lists.Values(texts, strconv.Quote), ", ")
}

// Sees reports whether a method sees unlabelled rows of the domain that it is tested on.
func (o Options) Sees(method string) bool { return slices.Contains(o.Target, method) }

// compare compares methods on the settings of one source.
func (c *Comparison) compare(v values) {
	c.Settings, c.settings = len(v.settings), v.at(v.settings)
	c.Blocks, c.Datasets, c.Bases = v.blockDatasets()
	c.Extent = v.extent(v.settings)
	methods := c.Methods
	if methods == nil {
		methods = lists.Where(v.methods(), func(m string) bool { return !results.IsFloor(m) })
	}
	for _, m := range []string{results.BaseRateTop, results.BaseRate} { // the last one stays
		if floor := c.row(v, m); floor.Settings > 0 && !results.IsFloor(c.Against) && !slices.ContainsFunc(methods, results.IsFloor) {
			floor.Test.P, floor.Holm = math.NaN(), math.NaN() // it is in no test
			c.Floor = &floor
		}
	}
	for _, m := range methods {
		switch row := c.row(v, m); {
		case m == c.Against:
		case row.Settings > 0:
			c.Rows = append(c.Rows, row)
		case v.byNature(m):
			c.Ranking.ByNature = append(c.Ranking.ByNature, v.lackingOf(m, v.settings))
		}
	}
	c.makeSure()
	c.Own = c.row(v, c.Against)
	c.rank(v)
	if !c.Judged() {
		c.dropVerdicts()
	}
	c.Warnings = v.warnings(c.shown())
}

// test makes the tests over blocks.
func (c *Comparison) test() {
	var p []float64
	for i := range c.Rows {
		r := &c.Rows[i]
		r.Test = significance.Wilcoxon(withoutRounding(r.BlockDifference))
		p = append(p, r.Test.P)
	}
	for i, adjusted := range significance.Holm(p) {
		c.Rows[i].Holm = adjusted
	}
	c.makeAlike()
	c.Ranking.Apart = apart(c.Ranking.costs)
}

// makeSure counts the verdicts of the rows that remain after Holm's correction for all.
func (c *Comparison) makeSure() {
	var p []float64
	for _, r := range c.Rows {
		for _, o := range r.outcomes {
			p = append(p, o.p)
		}
	}
	c.Verdicts = len(p)
	adjusted := significance.Holm(p)
	for i := range c.Rows {
		r := &c.Rows[i]
		for _, o := range r.outcomes {
			switch sure := adjusted[0] <= Alpha; {
			case sure && o.Outcome == results.Win:
				r.SureWin++
			case sure && o.Outcome == results.Loss:
				r.SureLoss++
			}
			adjusted = adjusted[1:]
		}
	}
}

// shown returns Against and the methods compared with it.
func (c *Comparison) shown() []string {
	return append([]string{c.Against}, lists.Values(c.Rows, func(r Row) string { return r.Method })...)
}

// has returns an error for a method without any value of the metric.
func (v values) has(method string, o Options) error {
	if !slices.Contains(v.methods(), method) {
		return fmt.Errorf("%s has no rows of method %q; it has %s", o.rowsFile(), method, strings.Join(v.methods(), ", "))
	}
	if lacks := v.lacking(method, v.settings); len(lacks) == len(v.settings) {
		return fmt.Errorf("method %q has no value of %s in %s (%s)", method, o.Metric, o.rowsFile(), v.numbersOf(method)[lacks[0]].why())
	}
	return nil
}

// cost is the factor that makes values of the metric costs: 1 where lower is better
// and -1 where higher is.
func (c *Comparison) cost() float64 {
	if c.Better == metrics.Higher {
		return -1
	}
	return 1
}

// row compares a method with Against.
func (c *Comparison) row(v values, method string) Row {
	r := Row{Method: method}
	own, base, pairs := v.numbersOf(method), v.numbersOf(c.Against), v.cube.Pairs(method, c.Against, v.metric)
	difference := func(s int) float64 { return own[s].x - base[s].x }
	var both []int
	var widths []float64 // half of those of the intervals of verdicts
	for _, s := range v.settings {
		if !own[s].ok || !base[s].ok {
			continue
		}
		both = append(both, s)
		switch results.Sign(c.cost() * difference(s)) {
		case -1:
			r.Ahead++
		case 1:
			r.Behind++
		}
		var pair results.Pair
		if pairs[s] != nil {
			pair = *pairs[s]
		}
		decided := pair.Outcome()
		switch decided {
		case results.Win:
			r.Win++
		case results.Loss:
			r.Loss++
		case results.Tie:
			r.Tie++
		default:
			r.Why = cmp.Or(r.Why, pair.Note.String())
			r.NoVerdict++
			continue
		}
		r.outcomes = append(r.outcomes, outcome{decided, pair.P(), v.cube.Settings()[s]})
		if len(v.settings) <= fewSettings {
			r.On = append(r.On, pair)
		}
		widths = append(widths, (pair.Verdict.Hi-pair.Verdict.Lo)/2)
	}
	if len(widths) > 0 {
		slices.Sort(widths)
		r.Smallest = (widths[(len(widths)-1)/2] + widths[len(widths)/2]) / 2
		if c.By.Squared {
			r.Smallest = math.Sqrt(r.Smallest)
		}
	}
	blocks := v.blocksOf(both)
	r.Settings, r.Blocks = len(both), len(blocks)
	for _, b := range blocks {
		d := b.Mean(difference)
		r.Value += b.Mean(func(s int) float64 { return own[s].x }) / float64(len(blocks))
		r.Difference += d / float64(len(blocks))
		r.BlockNames, r.BlockDifference = append(r.BlockNames, b.Name), append(r.BlockDifference, d)
	}
	if !c.Judged() { // it has no intervals
		return r
	}
	means := significance.NewWalsh(r.BlockDifference)
	r.Shift, r.End = means.Shift(Level), math.NaN()
	if s := means.Shift(1 - 2*Alpha); s.Bounded {
		r.End = max(math.Abs(s.Lo), math.Abs(s.Hi))
	}
	return r
}
