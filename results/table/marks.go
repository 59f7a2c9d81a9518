package table

import (
	"fmt"
	"regexp"

	"github.com/qats-bench/qats/results"
)

// mark ranks the cells of a row; sources holds a record of each cell with a
// number.
func (p *pivoting) mark(row *Row, sources []*results.Record) error {
	if p.spec.Better == Neutral {
		return nil
	}
	sign := 1.0 // of a number, so that less is better
	if p.spec.Better == Higher {
		sign = -1
	}
	var ranked []int
	for j, c := range p.table.Columns {
		if !c.Ranked || !row.Cells[j].OK {
			continue
		}
		if len(ranked) > 0 && sources[j].Source != sources[ranked[0]].Source {
			return mixed("a ranking", *sources[ranked[0]], *sources[j])
		}
		ranked = append(ranked, j)
	}
	if len(ranked) < 2 {
		return nil
	}
	score := func(j int) float64 { return sign * number(row.Cells[j].Text) }
	best, second, others := ranked[0], -1, -1
	for _, j := range ranked {
		if score(j) < score(best) {
			best = j
		}
	}
	for _, j := range ranked {
		if score(j) > score(best) && (second < 0 || score(j) < score(second)) {
			second = j
		}
		if p.table.Columns[j].ID != p.spec.Highlight && (others < 0 || score(j) < score(others)) {
			others = j
		}
	}
	for _, j := range ranked {
		c := &row.Cells[j]
		switch {
		case score(j) == score(best):
			c.Mark = Best
		case second >= 0 && score(j) == score(second):
			c.Mark = Second
		}
		if p.spec.Gap && p.table.Columns[j].ID == p.spec.Highlight {
			var x float64
			x, c.Gap = p.spec.difference(c.Text, row.Cells[others].Text)
			c.GapBetter = sign*x < 0
		}
	}
	return nil
}

// mixed is the error of bringing together what is real and what is not.
func mixed(what string, a, b results.Record) error {
	return fmt.Errorf("%s would mix %s (%s) with %s (%s); keep them in separate rows or tables", what, a.Source, place(a), b.Source, place(b))
}

// notes collects footnotes in the order of their first use.
type notes struct {
	list  []Note
	index map[string]int
	last  []int // row that touched a note last; rows come in order
}

var numbers = regexp.MustCompile(`[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`)

// add returns the index of the note for text at a result in a row.
func (n *notes) add(text string, row int) int {
	if n.index == nil {
		n.index = map[string]int{}
	}
	kind := numbers.ReplaceAllString(text, "#")
	i, ok := n.index[kind]
	if !ok {
		i = len(n.list)
		n.index[kind] = i
		n.list = append(n.list, Note{Text: text})
		n.last = append(n.last, -1)
	}
	note := &n.list[i]
	note.Times++
	note.Vary = note.Vary || note.Text != text
	if n.last[i] != row {
		note.Rows++
		n.last[i] = row
	}
	return i
}
