package paper

import (
	"slices"

	"github.com/qats-bench/qats/results"
)

// Row is the numbers that a table ranks against each other, in the order of its
// methods.
type Row struct {
	Setting
	Numbers []Number
}

// Number returns the number of the method with the label; ok is false if none is
// printed.
func (r Row) Number(label string) (n Number, ok bool) {
	if i := slices.IndexFunc(r.Numbers, func(n Number) bool { return n.Label == label }); i >= 0 {
		return r.Numbers[i], true
	}
	return Number{}, false
}

// Ranked returns the numbers that take part in the ranking.
func (r Row) Ranked() []Number {
	return slices.DeleteFunc(slices.Clone(r.Numbers), func(n Number) bool { return !n.Ranked() })
}

// Publication is printed numbers arranged in the rows of their tables. It is
// read-only and safe for concurrent use.
type Publication struct {
	Rows  []Row // table by table; within a table by first appearance
	index map[Setting]int
}

// NewPublication arranges numbers.
func NewPublication(list []Number) *Publication {
	p := &Publication{index: map[Setting]int{}}
	for _, t := range Tables() {
		for _, n := range list {
			if n.Table != t.ID {
				continue
			}
			i, ok := p.index[n.Setting]
			if !ok {
				i = len(p.Rows)
				p.index[n.Setting] = i
				p.Rows = append(p.Rows, Row{Setting: n.Setting})
			}
			p.Rows[i].Numbers = append(p.Rows[i].Numbers, n)
		}
	}
	return p
}

// Row returns the row of a setting.
func (p *Publication) Row(s Setting) (Row, bool) {
	i, ok := p.index[s]
	if !ok {
		return Row{}, false
	}
	return p.Rows[i], true
}

// Table returns the rows of the table with the id.
func (p *Publication) Table(id string) []Row {
	return slices.DeleteFunc(slices.Clone(p.Rows), func(r Row) bool { return r.Table != id })
}

// Averaged returns the settings of Tables 7 and 8 over which a mean is taken: the
// 15 corruptions of one severity, or the 11 medical datasets of one backbone. It
// is empty for a setting that is not a mean.
func (p *Publication) Averaged(s Setting) []Setting {
	if !s.IsAverage() {
		return nil
	}
	full := "medical-full"
	if s.Corruption == Average {
		full = "shift-full"
	}
	var list []Setting
	for _, r := range p.Rows {
		if r.Table == full && r.Backbone == s.Backbone && r.Severity == s.Severity && !r.IsAverage() {
			list = append(list, r.Setting)
		}
	}
	return list
}

// UncalibratedECE returns the ECE before calibration that the tables print, as a fraction, by
// data set, backbone, corruption and severity. Of two tables the first counts.
func UncalibratedECE() (map[results.Setting]float64, error) {
	numbers, err := Read()
	if err != nil {
		return nil, err
	}
	uncal := map[results.Setting]float64{}
	for _, n := range numbers {
		at := results.Setting{Dataset: n.Dataset, Backbone: n.Backbone, Corruption: n.Corruption, Severity: n.Severity}
		if _, known := uncal[at]; !known && n.Method == "uncal" && n.Metric == "ece" {
			uncal[at] = float64(n.Value) / 10000
		}
	}
	return uncal, nil
}
