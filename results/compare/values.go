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
	cube            *results.Cube
	settings        []results.Setting
	metric, against string
	logarithms      bool // of the numbers, which are times
}

// read arranges the rows of a metric.
func read(records []results.Record, pairs []results.Pair, o Options) (values, error) {
	return readView(records, pairs, o.Metric, o.Against, results.View{Variants: o.Variants})
}

func readView(records []results.Record, pairs []results.Pair, metric, against string, of results.View) (values, error) {
	of.Metrics = []string{metric}
	cube, err := results.NewCube(records, pairs, of)
	return values{cube: cube, settings: cube.Settings(), metric: metric, against: against}, err
}

// from returns the values of the settings of a source.
func (v values) from(source string) values {
	v.settings = lists.Where(v.settings, func(s results.Setting) bool { return v.cube.Source(s, v.metric) == source })
	return v
}

// methods returns the methods in the order of their first rows.
func (v values) methods() []string { return v.cube.Methods() }

// cell returns the record of a method on a setting.
func (v values) cell(s results.Setting, method string) (r results.Record, ok bool) {
	r, ok = v.cube.Cell(s, method, v.metric)
	if r.Status == results.OK {
		r.Value = v.scaled(r.Value)
	}
	return r, ok
}

// scaled returns a number as it is compared.
func (v values) scaled(x float64) float64 {
	if v.logarithms {
		return math.Log(max(x, leastTime))
	}
	return x
}

// of returns the number of a method on a setting that has one.
func (v values) of(s results.Setting, method string) float64 {
	r, _ := v.cell(s, method)
	return r.Value
}

// pair returns the comparison of a method with the one compared against.
func (v values) pair(s results.Setting, method string) results.Pair {
	p, _ := v.cube.Pair(s, method, v.against, v.metric)
	return p
}

// value returns the number of a method on a setting, or why there is none.
func (v values) value(s results.Setting, method string) (x float64, ok bool, why string) {
	if x, ok, why = v.cube.Value(s, method, v.metric); ok {
		x = v.scaled(x)
	}
	return x, ok, why
}

// records returns the rows with a value.
func (v values) records(settings []results.Setting) []results.Record {
	var list []results.Record
	for _, s := range settings {
		for _, m := range v.methods() {
			if r, has := v.cell(s, m); has && r.Status == results.OK {
				list = append(list, r)
			}
		}
	}
	return list
}

// byNature reports whether a method cannot have the metric.
func (v values) byNature(method string) bool {
	return v.cube.Without(v.settings, method, v.metric)
}

// blocks arranges settings by their block. Blocks are in the order of their first
// settings.
func (v values) blocks(settings []results.Setting, by Block) (names []string, members map[string][]results.Setting) {
	return v.cube.Blocks(settings, by)
}

// blockDatasets returns the blocks of all settings, the data sets in each and, where
// blocks are of common test samples, what they rest on.
func (v values) blockDatasets(by Block) (names []string, datasets map[string][]string, bases map[string][]results.Basis) {
	names, members := v.blocks(v.settings, by)
	datasets, bases = map[string][]string{}, map[string][]results.Basis{}
	for b, settings := range members {
		datasets[b] = lists.Distinct(settings, func(s results.Setting) string { return s.Dataset })
		if by == BySamples {
			bases[b] = lists.Where(results.Bases(), func(basis results.Basis) bool {
				return slices.ContainsFunc(settings, func(s results.Setting) bool { return slices.Contains(v.cube.Basis(s), basis) })
			})
		}
	}
	return names, datasets, bases
}
