package audit

import (
	"fmt"
	"strings"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// column is what one method prints for one dataset: a value for each backbone.
type column struct {
	table, dataset, label string
	backbones             []string
	values                map[string]results.Published
}

// columns collects them over all tables with a metric.
func (a *audit) columns(metric string) []*column {
	var list []*column
	index := map[string]*column{}
	for _, row := range a.paper.Rows {
		if row.Metric != metric || row.IsAverage() || row.Severity != 0 || row.Table == "ablation" {
			continue
		}
		for _, p := range row.Numbers {
			key := row.Table + "/" + row.Dataset + "/" + p.Label
			c := index[key]
			if c == nil {
				c = &column{table: row.Table, dataset: row.Dataset, label: p.Label, values: map[string]results.Published{}}
				index[key] = c
				list = append(list, c)
			}
			c.backbones = append(c.backbones, row.Backbone)
			c.values[row.Backbone] = p
		}
	}
	return list
}

// shared returns the backbones at which two columns print the same.
func (c *column) shared(other *column) []string {
	var same []string
	for _, b := range c.backbones {
		if p, ok := other.values[b]; ok && p.Value == c.values[b].Value {
			same = append(same, b)
		}
	}
	return same
}

// repeats looks for columns of two datasets that are the same, and for two
// networks that are the same in both metrics.
func (a *audit) repeats() {
	list := a.columns("ece")
	type pair struct {
		first, second *column
		backbones     []string
	}
	var pairs []pair
	for i, second := range list {
		for _, first := range list[:i] {
			if first.label != second.label || first.dataset == second.dataset {
				continue
			}
			if same := first.shared(second); len(same) >= 3 {
				pairs = append(pairs, pair{first, second, same})
				a.repeat(first, second, same)
			}
		}
	}
	for _, c := range list {
		a.twins(c)
	}
	for _, p := range pairs {
		for _, b := range p.backbones {
			a.sameNetwork(p.first.values[b], p.second.values[b])
		}
	}
}

func (a *audit) repeat(first, second *column, same []string) {
	var values, names []string
	for _, b := range same {
		values = append(values, second.values[b].Value.String())
		names = append(names, table.Name("backbone", b))
	}
	note := fmt.Sprintf("%s: %d of %d networks", strings.Join(names, ", "), len(same), len(second.backbones))
	for _, b := range second.backbones {
		if x, y := first.values[b].Value, second.values[b].Value; x != y {
			note += fmt.Sprintf("; %s %s and %s", table.Name("backbone", b), x, y)
		}
	}
	a.findings = append(a.findings, Finding{
		Kind: Repeat, Table: second.table, Number: a.tables[second.table].Number,
		Row: table.Name("dataset", second.dataset), Column: second.label, Printed: strings.Join(values, ", "),
		Recomputed: fmt.Sprintf("those of %s in Table %d", table.Name("dataset", first.dataset), a.tables[first.table].Number),
		Note:       note,
	})
}

// twins are two networks on one dataset with the same ECE and the same AECE.
func (a *audit) twins(c *column) {
	aece := func(b string) (results.Points, bool) {
		row, _ := a.paper.Row(withAECE(c.values[b].PublishedSetting))
		p, ok := row.Number(c.label)
		return p.Value, ok
	}
	for i, b := range c.backbones {
		for _, before := range c.backbones[:i] {
			x, ok := aece(before)
			y, also := aece(b)
			if c.values[before].Value == c.values[b].Value && ok && also && x == y {
				a.find(Repeat, c.values[b].PublishedSetting, c.label, fmt.Sprintf("ECE %s, AECE %s", c.values[b].Value, y),
					"both those of "+table.Name("backbone", before), "")
			}
		}
	}
}

// sameNetwork compares the AECEs of two cells whose ECEs are equal.
func (a *audit) sameNetwork(first, second results.Published) {
	row, ok := a.paper.Row(withAECE(first.PublishedSetting))
	again, also := a.paper.Row(withAECE(second.PublishedSetting))
	if !ok || !also {
		return
	}
	x, ok := row.Number(first.Label)
	y, also := again.Number(second.Label)
	if ok && also && x.Value != y.Value {
		a.find(SameNetwork, again.PublishedSetting, second.Label, y.Value.String(), x.Value.String(),
			fmt.Sprintf("the second value is that of %s in Table %d; ECE is %s in both",
				table.Name("dataset", first.Dataset), a.tables[row.Table].Number, first.Value))
	}
}
