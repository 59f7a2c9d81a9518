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
// block, and what a mean is. A Cube is not changed.
type Cube struct {
	settings []Setting // without their experiment, in the order of their first rows
	methods  []string
	at       map[Place]Record
	pairs    map[pairPlace]Pair
	samples  map[Setting]TestSamples
}

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
	keep := func(metric string) bool { return v.Metrics == nil || slices.Contains(v.Metrics, metric) }
	if v.Single == nil {
		records, pairs = Counted(records, pairs, v.Variants)
		records, pairs = OverSeeds(records), PairsOverSeeds(pairs)
	} else {
		records = lists.Where(records, func(r Record) bool { return v.Single(r.Setting) })
		pairs = lists.Where(pairs, func(p Pair) bool { return v.Single(p.Setting) })
	}
	rows := lists.Where(records, func(r Record) bool { return keep(r.Metric) })
	c := &Cube{
		settings: lists.Distinct(rows, func(r Record) Setting { return r.Setting.WithoutExperiment() }),
		methods:  lists.Distinct(rows, func(r Record) string { return r.Method }),
		at:       make(map[Place]Record, len(rows)), pairs: make(map[pairPlace]Pair, len(pairs)), samples: TestSamplesOf(rows),
	}
	for _, r := range rows {
		at := r.Place()
		at.Setting = at.WithoutExperiment()
		switch before, twice := c.at[at]; {
		case !twice || before.Status != OK:
			c.at[at] = r
		case r.Status != OK || r.Value == before.Value && r.Source == before.Source:
		case r.Variant.Split > 0 || r.Variant.Training > 0:
			c.at[at] = r
		default:
			return c, fmt.Errorf("%s of %s on %s is %g in experiment %s and %g in %s: compare one experiment at a time",
				r.Metric, r.Method, r.Setting.Name(), before.Value, before.Experiment, r.Value, r.Experiment)
		}
	}
	for _, p := range pairs {
		if keep(p.Metric) {
			c.pairs[pairPlace{Place{p.Setting.WithoutExperiment(), p.Method, p.Metric}, p.Against}] = p
		}
	}
	return c, nil
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
	for _, s := range c.settings {
		n := 0
		for _, m := range methods {
			for _, metric := range metrics {
				if r, ok := c.Cell(s, m, metric); ok && r.Status == OK {
					n++
				}
			}
		}
		switch n {
		case len(methods) * len(metrics):
			complete = append(complete, s)
		case 0:
		default:
			lost++
		}
	}
	return complete, lost
}

// Valued returns the settings on which some method has a value of a metric.
func (c *Cube) Valued(metric string) []Setting {
	return lists.Where(c.settings, func(s Setting) bool {
		return slices.ContainsFunc(c.methods, func(m string) bool {
			r, ok := c.Cell(s, m, metric)
			return ok && r.Status == OK
		})
	})
}

// Cell returns the record of a metric of a method on a setting.
func (c *Cube) Cell(s Setting, method, metric string) (r Record, ok bool) {
	r, ok = c.at[Place{s, method, metric}]
	return r, ok
}

// Value returns the number of a metric of a method on a setting, or why there is none.
func (c *Cube) Value(s Setting, method, metric string) (x float64, ok bool, why string) {
	r, has := c.Cell(s, method, metric)
	switch {
	case !has:
		return 0, false, "was not run"
	case r.Status != OK:
		return 0, false, r.Note.String()
	}
	return r.Value, true, ""
}

// Pair returns the comparison of a method with another one on a setting, as it is in pairs.csv
// or turned around.
func (c *Cube) Pair(s Setting, method, against, metric string) (p Pair, ok bool) {
	if p, ok = c.pairs[pairPlace{Place{s, method, metric}, against}]; ok {
		return p, true
	}
	p, ok = c.pairs[pairPlace{Place{s, against, metric}, method}]
	if ok {
		p = p.Turned()
	}
	return p, ok
}

// Source returns the source of the numbers of a setting, which its methods share, or nothing if
// no row of the metric has one.
func (c *Cube) Source(s Setting, metric string) string {
	for _, m := range c.methods {
		if r := c.at[Place{s, m, metric}]; r.Source != "" {
			return r.Source
		}
	}
	return ""
}

// Without reports whether a method has no value of a metric by its nature: it has none on any of
// the settings, and [NoVector] is a reason.
func (c *Cube) Without(settings []Setting, method, metric string) bool {
	found := false
	for _, s := range settings {
		switch r, has := c.Cell(s, method, metric); {
		case !has:
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
func (c *Cube) Block(s Setting, by Block) string {
	switch by {
	case ByNetwork:
		return s.Network().Name()
	case BySetting:
		return s.Name()
	case ByDataset:
		return s.Dataset
	}
	return c.samples[s].Block
}

// Basis returns what tells the block of the samples of a setting, the weakest first.
func (c *Cube) Basis(s Setting) []Basis { return c.samples[s].By }

// Blocks arranges settings by their block. Blocks are in the order of their first settings.
func (c *Cube) Blocks(settings []Setting, by Block) (names []string, members map[string][]Setting) {
	return lists.Group(settings, func(s Setting) string { return c.Block(s, by) })
}

// OverDatasets returns the mean of f over the settings of a block: the mean over data sets of
// the means over the settings of each. So the 75 corrupted sets of one network do not
// outweigh the clean sets of their block.
func OverDatasets(settings []Setting, f func(Setting) float64) float64 {
	names, members := lists.Group(settings, func(s Setting) string { return s.Dataset })
	return meanOf(names, func(name string) float64 { return meanOf(members[name], f) })
}

// MeanOverSettings returns the mean of the values of records, one of a setting: over settings of
// the means over the trainings of each.
func MeanOverSettings(records []Record) float64 {
	settings, of := lists.Group(records, func(r Record) Setting { return r.Whole() })
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
