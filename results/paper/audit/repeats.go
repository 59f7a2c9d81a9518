package audit

import (
	"fmt"
	"strings"

	"github.com/qats-bench/qats/results/paper"
)

// column is the numbers of one method on one dataset: a value for each backbone.
type column struct {
	table, dataset, label string
	backbones             []string
	values                map[string]paper.Number
}

// columns returns the columns of all tables that print the metric.
func (a *audit) columns(metric string) []*column {
	var list []*column
	index := map[string]*column{}
	for _, row := range a.publication.Rows {
		if row.Metric != metric || row.IsAverage() || row.Severity != 0 || row.Table == "ablation" {
			continue
		}
		for _, p := range row.Numbers {
			key := row.Table + "/" + row.Dataset + "/" + p.Label
			c := index[key]
			if c == nil {
				c = &column{table: row.Table, dataset: row.Dataset, label: p.Label, values: map[string]paper.Number{}}
				index[key] = c
				list = append(list, c)
			}
			c.backbones = append(c.backbones, row.Backbone)
			c.values[row.Backbone] = p
		}
	}
	return list
}

// equalTo returns the backbones at which two columns have the same number.
func (c *column) equalTo(other *column) []string {
	var same []string
	for _, b := range c.backbones {
		if p, ok := other.values[b]; ok && p.Value == c.values[b].Value {
			same = append(same, b)
		}
	}
	return same
}

// repeats finds columns of two datasets that are equal, and two networks that are
// equal in both metrics. Then it compares the AECE of equal columns.
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
			if same := first.equalTo(second); len(same) >= 3 {
				pairs = append(pairs, pair{first, second, same})
				a.equalColumns(first, second, same)
			}
		}
	}
	for _, c := range list {
		a.equalNetworks(c)
	}
	for _, p := range pairs {
		for _, b := range p.backbones {
			a.sameNetwork(p.first.values[b], p.second.values[b])
		}
	}
}

func (a *audit) equalColumns(first, second *column, same []string) {
	var values, names []string
	for _, b := range same {
		values = append(values, second.values[b].Value.String())
		names = append(names, paper.Name("backbone", b))
	}
	note := fmt.Sprintf("%s: %d of %d networks", strings.Join(names, ", "), len(same), len(second.backbones))
	for _, b := range second.backbones {
		if x, y := first.values[b].Value, second.values[b].Value; x != y {
			note += fmt.Sprintf("; %s differs, %s and %s", paper.Name("backbone", b), x, y)
		}
	}
	a.findings = append(a.findings, Problem{
		Kind: Repeat, Table: second.table, Number: a.tables[second.table].Number,
		Row: paper.Name("dataset", second.dataset), Column: second.label, Printed: strings.Join(values, ", "),
		Recomputed: fmt.Sprintf("%s in Table %d", paper.Name("dataset", first.dataset), a.tables[first.table].Number),
		Note:       note,
	})
}

// equalNetworks finds two networks on one dataset with the same ECE and the same
// AECE.
func (a *audit) equalNetworks(c *column) {
	for i, b := range c.backbones {
		for _, before := range c.backbones[:i] {
			x, ok := a.aece(c.values[before])
			y, also := a.aece(c.values[b])
			if c.values[before].Value == c.values[b].Value && ok && also && x.Value == y.Value {
				a.find(Repeat, c.values[b].Setting, c.label, fmt.Sprintf("ECE %s, AECE %s", c.values[b].Value, y.Value),
					paper.Name("backbone", before)+" in both", "")
			}
		}
	}
}

// sameNetwork compares the AECEs of two cells whose ECEs are equal.
func (a *audit) sameNetwork(first, second paper.Number) {
	x, ok := a.aece(first)
	y, also := a.aece(second)
	if ok && also && x.Value != y.Value {
		a.find(SameNetwork, y.Setting, y.Label, y.Value.String(), x.Value.String(),
			fmt.Sprintf("the second value is of %s in Table %d; the ECE of both is %s",
				paper.Name("dataset", first.Dataset), a.tables[x.Table].Number, first.Value))
	}
}
