package results

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
)

// Place names a number of results.csv: a metric of a method on a setting.
type Place struct {
	Setting
	Method, Metric string
}

// PlaceOf returns the place of a metric of a method on a setting.
func PlaceOf(s Setting, method, metric string) Place { return Place{s, method, metric} }

// Place returns the place of a record.
func (r Record) Place() Place { return Place{r.Setting, r.Method, r.Metric} }

// Index returns records by their place. Of two at one place the last one counts.
func Index(records []Record) map[Place]Record {
	m := make(map[Place]Record, len(records))
	for _, r := range records {
		m[r.Place()] = r
	}
	return m
}

// Cube holds the values of settings, methods and metrics as statements over settings read them:
// of the settings that count ([Counts]), each once though several experiments may have it, with
// the trainings of a network as one. It says which value a cell has, which settings are one
// block, and what a mean is. Its methods name a setting by its place in Settings. A Cube is not
// changed.
type Cube struct {
	settings []Setting // without their experiment, in the order of their first rows
	methods  []string
	cells    map[methodMetric][]*Record // by place; nil where there is no row
	pairs    map[pairMetric][]*Pair
	samples  []TestSamples      // by place
	blocks   map[Block][]string // names, by place
}

// methodMetric names the records of a metric of a method.
type methodMetric struct{ method, metric string }

// pairMetric names the pairs of two methods.
type pairMetric struct{ method, against, metric string }

// methodPlace names the numbers of a method on a setting.
type methodPlace struct {
	Setting
	method string
}

// pairPlace names a row of pairs.csv.
type pairPlace struct {
	Place
	against string
}

// View says which rows a Cube is of.
type View struct {
	Metrics  []string // nil for all
	Variants []string // see [Counts]

	// Single keeps settings as they are: the variants that it reports, each draw and each
	// training by itself. Then Variants has no meaning, and of a draw or a training that several
	// experiments have the last row counts. nil folds.
	Single func(Setting) bool
}

// NewCube arranges rows. Two experiments with different values of one method on one setting are
// an error.
func NewCube(records []Record, pairs []Pair, v View) (*Cube, error) {
	counts := v.Single
	if counts == nil {
		counts = func(s Setting) bool { return Counts(s, v.Variants) }
	}
	keep := func(s Setting, metric string) bool {
		return (v.Metrics == nil || slices.Contains(v.Metrics, metric)) && counts(s)
	}
	records = lists.Where(records, func(r Record) bool { return keep(r.Setting, r.Metric) })
	pairs = lists.Where(pairs, func(p Pair) bool { return keep(p.Setting, p.Metric) })
	if v.Single == nil {
		records, pairs = OverSeeds(records), PairsOverSeeds(pairs)
	}
	c := &Cube{
		settings: lists.Distinct(records, func(r Record) Setting { return r.Setting.WithoutExperiment() }),
		methods:  lists.Distinct(records, func(r Record) string { return r.Method }),
		cells:    map[methodMetric][]*Record{}, pairs: map[pairMetric][]*Pair{},
	}
	places, samples := map[Setting]int{}, TestSamplesOf(records)
	for i, s := range c.settings {
		places[s] = i
		c.samples = append(c.samples, samples[s])
	}
	c.blocks = map[Block][]string{
		BySamples: lists.Values(c.settings, func(s Setting) string { return samples[s].Block }),
		ByDataset: lists.Values(c.settings, func(s Setting) string { return s.Dataset }),
		ByNetwork: lists.Values(c.settings, func(s Setting) string { return s.Network().Name() }),
		BySetting: lists.Values(c.settings, Setting.Name),
	}
	for i := range records {
		r := &records[i]
		at := cellOf(c.cells, methodMetric{r.Method, r.Metric}, places[r.WithoutExperiment()], len(places))
		switch before := *at; {
		case before == nil || before.Status != OK:
			*at = r
		case r.Status != OK || r.Value == before.Value && r.Source == before.Source:
		case r.Variant.Split > 0 || r.Variant.Training > 0:
			*at = r
		default:
			return c, fmt.Errorf("%s of %s on %s is %g in experiment %s and %g in %s: compare one experiment at a time",
				r.Metric, r.Method, r.Setting.Name(), before.Value, before.Experiment, r.Value, r.Experiment)
		}
	}
	for i := range pairs {
		p := &pairs[i]
		if place, has := places[p.WithoutExperiment()]; has {
			*cellOf(c.pairs, pairMetric{p.Method, p.Against, p.Metric}, place, len(places)) = p
		}
	}
	return c, nil
}

// cellOf returns the cell at a place of a column, which it makes of a length if there is none.
func cellOf[K comparable, T any](columns map[K][]*T, name K, place, length int) **T {
	column := columns[name]
	if column == nil {
		column = make([]*T, length)
		columns[name] = column
	}
	return &column[place]
}

// WithoutExperiment returns the setting as several experiments may have it.
func (c Setting) WithoutExperiment() Setting {
	c.Experiment = ""
	return c
}

// Settings returns the settings, without their experiment, in the order of their first rows.
func (c *Cube) Settings() []Setting { return c.settings }

// Methods returns the methods in the order of their first rows.
func (c *Cube) Methods() []string { return c.methods }

// Complete returns the settings on which all methods have values of all metrics, and how many others
// have some of them.
func (c *Cube) Complete(methods, metrics []string) (complete []Setting, lost int) {
	n := make([]int, len(c.settings))
	for _, m := range methods {
		for _, metric := range metrics {
			for i, r := range c.Records(m, metric) {
				if r != nil && r.Status == OK {
					n[i]++
				}
			}
		}
	}
	for i, s := range c.settings {
		switch n[i] {
		case len(methods) * len(metrics):
			complete = append(complete, s)
		case 0:
		default:
			lost++
		}
	}
	return complete, lost
}

// Valued counts the settings on which some method has a value of a metric.
func (c *Cube) Valued(metric string) int {
	has := make([]bool, len(c.settings))
	n := 0
	for _, m := range c.methods {
		for i, r := range c.Records(m, metric) {
			if r != nil && r.Status == OK && !has[i] {
				has[i] = true
				n++
			}
		}
	}
	return n
}

// Records returns the records of a metric of a method, in the order of Settings: nil where there is
// none. The slice is not for changing.
func (c *Cube) Records(method, metric string) []*Record {
	if column := c.cells[methodMetric{method, metric}]; column != nil {
		return column
	}
	return make([]*Record, len(c.settings))
}

// Pairs returns the comparisons of a method with another one, in the order of Settings, as they are
// in pairs.csv or turned around: nil where there is none.
func (c *Cube) Pairs(method, against, metric string) []*Pair {
	list := make([]*Pair, len(c.settings))
	for i, p := range c.pairs[pairMetric{against, method, metric}] {
		if p != nil {
			turned := p.Turned()
			list[i] = &turned
		}
	}
	for i, p := range c.pairs[pairMetric{method, against, metric}] {
		if p != nil {
			list[i] = p
		}
	}
	return list
}

// Source returns the source of the numbers of a setting, which its methods share, or nothing if
// no row of the metric has one.
func (c *Cube) Source(place int, metric string) string {
	for _, m := range c.methods {
		if r := c.Records(m, metric)[place]; r != nil && r.Source != "" {
			return r.Source
		}
	}
	return ""
}

// Without reports whether a method has no value of a metric by its nature: it has none on any of
// the settings, and [NoVector] is a reason.
func (c *Cube) Without(places []int, method, metric string) bool {
	found := false
	records := c.Records(method, metric)
	for _, i := range places {
		switch r := records[i]; {
		case r == nil:
		case r.Status == Skip && r.Note.Has(NoVector):
			found = true
		case r.Status == OK:
			return false
		}
	}
	return found
}

// Block says which settings count as one trial.
type Block string

// The blocks. Settings of a dataset share test samples, and so may data sets that are
// made of one collection ([TestSamplesOf]); settings of a network share its
// calibration set too.
const (
	BySamples Block = "samples" // all data sets that may share test samples
	ByDataset Block = "dataset" // all networks and corruptions of a dataset
	ByNetwork Block = "network" // dataset, backbone and loss: its corruptions and variants
	BySetting Block = "setting" // each setting by itself
)

// Block returns the name of the block of a setting.
func (c *Cube) Block(place int, by Block) string { return c.blocks[by][place] }

// Basis returns what tells the block of the samples of a setting, the weakest first.
func (c *Cube) Basis(place int) []Basis { return c.samples[place].By }

// Trial is a block of some settings of a cube.
type Trial struct {
	Name     string
	Datasets [][]int // the places of the settings of each data set, in the order of their first ones
}

// Trials arranges settings by their block. Blocks are in the order of their first settings.
func (c *Cube) Trials(places []int, by Block) []Trial {
	names, members := lists.Group(places, func(i int) string { return c.Block(i, by) })
	return lists.Values(names, func(name string) Trial {
		datasets, of := lists.Group(members[name], func(i int) string { return c.settings[i].Dataset })
		return Trial{name, lists.Values(datasets, func(d string) []int { return of[d] })}
	})
}

// Mean returns the mean of f over the settings of the block: the mean over data sets of the means
// over the settings of each. So the 75 corrupted sets of one network do not outweigh the clean
// sets of their block.
func (t Trial) Mean(f func(place int) float64) float64 {
	return meanOf(t.Datasets, func(places []int) float64 { return meanOf(places, f) })
}

// MeanOverSettings returns the mean of the values of records, one of a setting: over settings of
// the means over the trainings of each.
func MeanOverSettings(records []Record) float64 {
	settings, of := lists.Group(records, func(r Record) Setting { return r.WithoutTraining() })
	return meanOf(settings, func(s Setting) float64 { return meanOf(of[s], func(r Record) float64 { return r.Value }) })
}

// meanOf returns the mean of f over a list, which is not empty.
func meanOf[T any](list []T, f func(T) float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += f(x)
	}
	return sum / float64(len(list))
}
