package compare

import (
	"math"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Block says which settings count as one trial.
type Block = results.Block

// The blocks.
const (
	BySamples = results.BySamples
	ByDataset = results.ByDataset
	ByNetwork = results.ByNetwork
	BySetting = results.BySetting
)

// Blocks returns all kinds of blocks, the default first.
func Blocks() []Block { return []Block{BySamples, ByDataset, ByNetwork, BySetting} }

// values are the values of one metric of a cube, on some settings.
type values struct {
	cube     *results.Cube
	settings []int // places in the cube
	metric   string
	columns  map[string][]number // by method and place in the cube

	by     Block
	blocks []results.Trial // of all settings
}

// number is the number of a method on a setting, as it is compared.
type number struct {
	x   float64
	ok  bool
	row *results.Record // nil if the method was not run
}

// why says why there is no number.
func (n number) why() string {
	if n.row == nil {
		return "was not run"
	}
	return n.row.Note.String()
}

// readView arranges the rows of a metric.
func readView(records []results.Record, pairs []results.Pair, metric string, of results.View) (values, error) {
	of.Metrics = []string{metric}
	cube, err := results.NewCube(records, pairs, of)
	v := values{cube: cube, metric: metric, columns: map[string][]number{}}
	if err != nil {
		return v, err
	}
	for i := range cube.Settings() {
		v.settings = append(v.settings, i)
	}
	for _, m := range cube.Methods() {
		v.columns[m] = lists.Values(cube.Records(m, metric), func(r *results.Record) number {
			switch {
			case r == nil || r.Status != results.OK:
				return number{row: r}
			case metric == results.TimeMetric:
				return number{math.Log(max(r.Value, leastTime)), true, r}
			}
			return number{r.Value, true, r}
		})
	}
	return v, nil
}

// from returns the values of the settings of a source.
func (v values) from(source string) values {
	v.settings = lists.Where(v.settings, func(s int) bool { return v.cube.Source(s, v.metric) == source })
	return v
}

// blocked returns the values with blocks of a kind.
func (v values) blocked(by Block) values {
	v.by, v.blocks = by, v.cube.Trials(v.settings, by)
	return v
}

// blocksOf returns the blocks of some of the settings, which are in their order.
func (v values) blocksOf(settings []int) []results.Trial {
	if len(settings) == len(v.settings) { // as of most methods
		return v.blocks
	}
	return v.cube.Trials(settings, v.by)
}

// methods returns the methods in the order of their first rows.
func (v values) methods() []string { return v.cube.Methods() }

// numbersOf returns the numbers of a method, by the places of settings.
func (v values) numbersOf(method string) []number {
	if column := v.columns[method]; column != nil {
		return column
	}
	return make([]number, len(v.cube.Settings())) // no row
}

// at returns settings at places.
func (v values) at(places []int) []results.Setting {
	return lists.Values(places, func(s int) results.Setting { return v.cube.Settings()[s] })
}

// measuredOn lists what the settings are measured on, by their rows with a value.
func (v values) measuredOn() []string {
	var list []results.Record
	for _, s := range v.settings {
		for _, m := range v.methods() {
			if n := v.numbersOf(m)[s]; n.ok {
				list = append(list, *n.row)
			}
		}
	}
	return results.DistinctFrom(list)
}

// byNature reports whether a method cannot have the metric.
func (v values) byNature(method string) bool {
	return v.cube.Without(v.settings, method, v.metric)
}

// blockDatasets returns the blocks of all settings, the data sets in each and, where
// blocks are of common test samples, what they rest on.
func (v values) blockDatasets() (names []string, datasets map[string][]string, bases map[string][]results.Basis) {
	datasets, bases = map[string][]string{}, map[string][]results.Basis{}
	for _, b := range v.blocks {
		names = append(names, b.Name)
		datasets[b.Name] = lists.Values(b.Datasets, func(places []int) string { return v.cube.Settings()[places[0]].Dataset })
		if v.by == BySamples {
			bases[b.Name] = lists.Where(results.Bases(), func(basis results.Basis) bool {
				return slices.ContainsFunc(slices.Concat(b.Datasets...), func(s int) bool { return slices.Contains(v.cube.Basis(s), basis) })
			})
		}
	}
	return names, datasets, bases
}
