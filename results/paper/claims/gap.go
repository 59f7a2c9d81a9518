package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/table"
)

// Gap is the gap that a table prints beside QaTS, and the same gap of the reproduced
// numbers. A gap is QaTS minus the lowest other ranked number of the row. Both are taken
// over the methods that have a reproduced value, so that they are of the same methods.
type Gap struct {
	Printed   paper.Points  `json:"printed"`
	Published *paper.Points `json:"published"` // from the printed numbers of the compared methods
	Here      *paper.Points `json:"here"`      // from their reproduced numbers
	Source    string        `json:"source,omitempty"`
	Compared  []string      `json:"compared"`         // labels
	Absent    []string      `json:"absent"`           // ranked labels without a reproduced value
	Reason    string        `json:"reason,omitempty"` // why there is no gap here
	Note      string        `json:"note,omitempty"`   // why Published is not Printed
}

// gapOf returns the gap of a row, nil if the table prints none.
func gapOf(cells []Cell) *Gap {
	i := slices.IndexFunc(cells, func(c Cell) bool { return c.HasDelta })
	if i < 0 {
		return nil
	}
	qats := cells[i].Label
	have, sources, compared, absent := reproducedOf(cells)
	g := &Gap{Printed: cells[i].Delta, Compared: compared, Absent: absent}
	switch {
	case cells[i].State != OK:
		g.Reason = "no value of " + qats
		return g
	case len(have) < 2:
		g.Reason = "no value of another method"
		return g
	case len(sources) > 1:
		g.Reason = "measured and simulated in one row"
		return g
	}
	gap := func(value func(Cell) paper.Points) *paper.Points {
		others := slices.DeleteFunc(slices.Clone(have), func(c Cell) bool { return c.Label == qats })
		lowest := slices.MinFunc(others, func(a, b Cell) int { return cmp.Compare(value(a), value(b)) })
		d := value(cells[i]) - value(lowest)
		return &d
	}
	g.Published, g.Here, g.Source = gap(printed), gap(reproduced), cells[i].Source
	switch {
	case len(g.Absent) > 0:
		g.Note = fmt.Sprintf("printed %s; the gaps here are over %d of %d methods, without %s",
			g.Printed.Signed(), len(have), len(have)+len(g.Absent), strings.Join(g.Absent, ", "))
	case *g.Published != g.Printed:
		g.Note = fmt.Sprintf("printed %s, but the printed numbers of the row give %s", g.Printed.Signed(), g.Published.Signed())
	}
	return g
}

// rows are the row of the gap, and its note.
func (g *Gap) rows() []table.Row {
	const name = "gap of QaTS"
	if g.Here == nil {
		return []table.Row{numberRow(name, g.Printed.Signed(), "--", "", "", g.Reason)}
	}
	list := []table.Row{numberRow(name, g.Published.Signed(), g.Here.Signed(), (*g.Here - *g.Published).Signed(), "", g.Source)}
	if g.Note != "" {
		list = append(list, wideRow("    "+g.Note))
	}
	return list
}
