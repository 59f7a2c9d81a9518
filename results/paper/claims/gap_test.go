package claims

import (
	"slices"
	"testing"

	"github.com/qats-bench/qats/results/paper"
)

// A gap is QaTS minus the lowest other ranked number of the row, printed and reproduced,
// over the same methods.
func TestGapsAreOfTheSameMethods(t *testing.T) {
	row := func(delta paper.Points) []Cell {
		cell := func(label string, printed, here paper.Points) Cell {
			return Cell{Number: paper.Number{Label: label, Value: printed}, State: OK, Here: here, Source: measured}
		}
		cells := []Cell{cell("TS", 500, 450), cell("IR", 400, 480), cell("QaTS", 350, 470), cell("HFE", 100, 100)} // HFE is not ranked
		cells[2].Delta, cells[2].HasDelta = delta, true
		return cells
	}
	absent := func(cells []Cell, labels ...string) []Cell {
		for i := range cells {
			if slices.Contains(labels, cells[i].Label) {
				cells[i].State, cells[i].Here, cells[i].Source = Missing, 0, ""
			}
		}
		return cells
	}
	with := func(cells []Cell, label, source string) []Cell {
		cells[slices.IndexFunc(cells, func(c Cell) bool { return c.Label == label })].Source = source
		return cells
	}
	for _, c := range []struct {
		name            string
		cells           []Cell
		published, here paper.Points
		source, note    string
		reason          string
	}{
		{"all methods", row(-50), -50, 20, measured, "", ""},
		{"not of its row", row(50), -50, 20, measured, "printed +0.50, but the printed numbers of the row give -0.50", ""},
		{"the printed best has no value", absent(row(-50), "IR"), -150, 20, measured, "printed -0.50; the gaps here are over 2 of 3 methods, without IR", ""},
		{"the printed best has a value, another has none", absent(row(-50), "TS"), -50, -10, measured, "printed -0.50; the gaps here are over 2 of 3 methods, without TS", ""},
		{"HFE has none", absent(row(-50), "HFE"), -50, 20, measured, "", ""},
		{"HFE has another source", with(row(-50), "HFE", simulated), -50, 20, measured, "", ""},
		{"two sources", with(row(-50), "TS", simulated), 0, 0, "", "", "measured and simulated in one row"},
		{"QaTS has none", absent(row(-50), "QaTS"), 0, 0, "", "", "no value of QaTS"},
		{"QaTS alone", absent(row(-50), "TS", "IR"), 0, 0, "", "", "no value of another method"},
	} {
		g := gapOf(c.cells)
		if g == nil || g.Note != c.note || g.Reason != c.reason || g.Source != c.source || (g.Here == nil) != (c.reason != "") || (g.Published == nil) != (c.reason != "") {
			t.Errorf("%s: %+v", c.name, g)
			continue
		}
		if c.reason == "" && (*g.Published != c.published || *g.Here != c.here) {
			t.Errorf("%s: published %s, here %s, want %s and %s", c.name, g.Published, g.Here, c.published, c.here)
		}
	}
	if g := gapOf(row(-50)[:2]); g != nil {
		t.Errorf("a row without a printed gap has one: %+v", g)
	}
}

// Of the 72 printed gaps ten do not follow from their rows, as qats paper audit finds too.
func TestPrintedGapsThatDoNotFollow(t *testing.T) {
	gaps, wrong := 0, 0
	for _, row := range paper.NewPublication(published(t)).Rows {
		cells := make([]Cell, len(row.Numbers))
		for i, n := range row.Numbers {
			cells[i] = Cell{Number: n, State: OK, Here: n.Value, Source: measured}
		}
		g := gapOf(cells)
		if g == nil {
			continue
		}
		gaps++
		if *g.Here != *g.Published {
			t.Errorf("%+v: the printed numbers give %s and %s", row.Setting, g.Published, g.Here)
		}
		if g.Note != "" {
			wrong++
		}
	}
	if gaps != 72 || wrong != 10 {
		t.Errorf("%d printed gaps, %d with a note; want 72 and 10", gaps, wrong)
	}
}
