package table

import (
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// The line at the top agrees with the numbers of the table.
func TestOriginCountsTheNumbers(t *testing.T) {
	for _, c := range []struct {
		measured, simulated int
		want                string
	}{
		{0, 0, "No numbers."},
		{1, 0, "The number is "},
		{2, 0, "All 2 numbers are "},
		{0, 1, "SIMULATED: 1 number; none is of a real network."},
		{0, 2, "SIMULATED: 2 numbers; none is of a real network."},
		{1, 1, "SIMULATED in part: 1 of 2 numbers, marked s; the rest is "},
	} {
		if got := (&Table{Measured: c.measured, Simulated: c.simulated}).Origin(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%d measured, %d simulated: %s", c.measured, c.simulated, got)
		}
	}
}

// A legend explains the signs that the table has, and no others.
func TestLegendExplainsTheSignsOfTheTable(t *testing.T) {
	plain := glyphs{"best", "second", "#", "^", func(s string) string { return s }}
	legend := func(cell Cell, spec Spec, standIns ...string) string {
		return strings.Join((&Table{Spec: spec, Rows: []Row{{Cells: []Cell{{}, cell, {}}}}, StandIns: standIns}).legend(plain), "\n")
	}
	bare := legend(Cell{}, Spec{Metric: "ece"})
	for name, cell := range map[string]Cell{"published": {Published: "1.0"}, "gap": {Gap: "-1"}, "mark": {Mark: Best}} {
		if got := legend(cell, Spec{Metric: "ece"}); strings.Count(got, "\n") != strings.Count(bare, "\n")+1 {
			t.Errorf("%s: %q, without it %q", name, got, bare)
		}
	}
	for band, want := range map[string]string{"[0, 1]": "Consistency bands are not known", "": "In square brackets"} {
		if got := legend(Cell{Band: band}, Spec{Metric: "ece", ConsistencyBand: true}); strings.Contains(got, want) || got == bare {
			t.Errorf("band %q: %q", band, got)
		}
	}
	for number, ranked := range map[int]bool{0: true, 3: false} {
		if got := legend(Cell{}, Spec{Metric: "ece", Number: number}, "smaller"); !strings.Contains(got, "(smaller)") || strings.Contains(got, "not ranked") == ranked {
			t.Errorf("table %d of the paper: %q", number, got)
		}
	}
}

// A footnote of all cells of a method moves to its label; that of a single cell stays,
// and methods without cells hide no others.
func TestNotesOfAllCellsMoveToTheLabel(t *testing.T) {
	absent, single, twice, mixed := &Rival{ID: "absent"}, &Rival{ID: "single"}, &Rival{ID: "twice"}, &Rival{ID: "mixed"}
	p := &pivoting{
		rivals: []*Rival{absent, single, twice, mixed},
		table: &Table{
			Columns: []Column{{Rival: single}, {Rival: twice}, {Rival: twice}, {Rival: mixed}, {Rival: mixed}, {Rival: mixed}},
			Rows:    []Row{{Cells: []Cell{{Notes: []int{0}}, {Notes: []int{0, 1}}, {Notes: []int{1}}, {Notes: []int{2}}, {Notes: []int{2}}, {}}}},
		},
	}
	p.liftNotes()
	for rival, want := range map[*Rival][]int{absent: nil, single: nil, twice: {1}, mixed: nil} {
		if !slices.Equal(rival.Notes, want) {
			t.Errorf("%s has the notes %v", rival.ID, rival.Notes)
		}
	}
	for j, want := range [][]int{{0}, {0}, {}, {2}, {2}, nil} {
		if got := p.table.Rows[0].Cells[j].Notes; !slices.Equal(got, want) {
			t.Errorf("cell %d has the notes %v, want %v", j, got, want)
		}
	}
}

// A consistency band needs both ends.
func TestBandNeedsBothEnds(t *testing.T) {
	spec := standardSpec()
	r := record("cifar10", "resnet50", "ts", "ece", .02)
	lo, hi, failed := r, r, r
	lo.Metric, lo.Value, hi.Metric, hi.Value = "ece_null_lo", .01, "ece_null_hi", .03
	failed.Metric, failed.Status = "ece_null_hi", results.Fail
	for _, c := range []struct {
		ends []results.Record
		want bool
	}{{nil, false}, {[]results.Record{lo}, false}, {[]results.Record{hi}, false}, {[]results.Record{lo, failed}, false}, {[]results.Record{lo, hi}, true}} {
		p := &pivoting{spec: spec, index: map[identity]results.Record{}}
		for _, end := range c.ends {
			p.index[identify(end)] = end
		}
		if got := p.band(r); (got != "") != c.want {
			t.Errorf("%d ends: %q", len(c.ends), got)
		}
	}
}

// Only AdaTS of the paper's tables needs an explanation.
func TestRemarkExplainsOneLabel(t *testing.T) {
	for _, c := range []struct {
		method, label string
		want          bool
	}{{"tta-ts", "AdaTS", true}, {"tta-ts", "TTA-TS", false}, {"adats", "AdaTS", false}, {"ts", "TS", false}} {
		if got := remark(c.method, c.label); (got != "") != c.want {
			t.Errorf("%s as %s: %q", c.method, c.label, got)
		}
	}
}

// LaTeX accepts letters, digits and hyphens in every label.
func TestLabelsHaveLettersDigitsAndHyphens(t *testing.T) {
	if got := strings.Map(labelRune, "azAZ09-_ :@[`{/é"); got != "azAZ09----------" {
		t.Error(got)
	}
}

// Only the first part of a table has the label, to which references lead.
func TestTheFirstPartOfATableHasTheLabel(t *testing.T) {
	table, err := pivot(standard(), standardSpec())
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []int{1, 0} {
		var b strings.Builder
		table.latexFloat(&b, [2]int{0, 1}, k, 2)
		if got := strings.Count(b.String(), "\\label{tab:standard}"); got != want {
			t.Errorf("part %d has %d labels", k+1, got)
		}
	}
}

// Two figures of a column stand side by side; wider ones, and those of unknown width,
// stand alone. A part without tables and figures has no section.
func TestNarrowFiguresStandSideBySide(t *testing.T) {
	table, err := pivot(standard(), standardSpec())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		widths        []float64
		floats, pairs int
	}{
		{nil, 0, 0}, {[]float64{100}, 1, 0}, {[]float64{100, 259}, 1, 1}, {[]float64{100, 260}, 2, 0}, {[]float64{0, 0}, 2, 0},
		{[]float64{500, 500}, 2, 0}, {[]float64{100, 500, 100, 100}, 3, 1},
	} {
		p := Part{Title: "A title", Tables: []File{{Path: "t.tex", Table: table}}}
		for _, w := range c.widths {
			p.Figures = append(p.Figures, Figure{Path: "f.pdf", Width: w, Height: 100})
		}
		var b strings.Builder
		p.latex(&b, false)
		text := b.String()
		if strings.Count(text, "\\begin{figure}") != c.floats || strings.Count(text, "\\hfill") != c.pairs || !strings.Contains(text, "\\section{A title}") {
			t.Errorf("widths %v: %s", c.widths, text)
		}
	}
	var b strings.Builder
	if (Part{Title: "A title"}).latex(&b, false); b.Len() > 0 {
		t.Errorf("an empty part: %s", b.String())
	}
}

// Each row has a label for each label column, and the signs of its method, whether
// methods make the rows or the columns and whether one sees the target.
func TestLabelsOfARowFillItsLabelColumns(t *testing.T) {
	for _, rows := range [][]string{{"method"}, {"dataset", "method"}, {"method", "backbone"}, {"dataset", "backbone"}} {
		for _, target := range [][]string{nil, {"ts"}} {
			spec := standardSpec()
			spec.Rows, spec.Target = rows, target
			spec.Columns = ""
			for _, column := range []string{"method", "backbone", "dataset"} {
				switch {
				case slices.Contains(rows, column):
				case spec.Columns == "":
					spec.Columns = column
				default:
					spec.Average = append(spec.Average, column)
				}
			}
			table, err := pivot(standard()[:12], spec)
			if err != nil {
				t.Fatal(err)
			}
			signs := 0
			for i := range table.Rows {
				labels := table.textLabels(i)
				if len(labels) != table.labelColumns() {
					t.Errorf("rows %v, target %v: labels %q", rows, target, labels)
				}
				for _, l := range labels {
					signs += strings.Count(l, "^")
				}
			}
			if byMethod := slices.Contains(rows, "method"); (signs > 0) != (byMethod && target != nil) {
				t.Errorf("rows %v, target %v: %d labels with a sign", rows, target, signs)
			}
		}
	}
}

// Columns with something below their numbers need more room.
func TestColumnsWithMoreThanNumbersAreWider(t *testing.T) {
	table := Table{Columns: make([]Column, 4), Rows: []Row{{Cells: []Cell{{Gap: "+1"}, {Band: "[0, 1]"}, {Paired: "+1"}, {OK: true}}}}}
	if got := table.load(); got < 6.09 || got > 6.11 {
		t.Errorf("%v columns", got)
	}
}

// Consistency bands are shown where the table asks for them.
func TestBandsAreShownOnRequest(t *testing.T) {
	list := network("cifar10", "resnet50", []string{"uncal", "ts", "qats"}, .03, .02, .01)
	for _, r := range slices.Clone(list) {
		lo, hi := r, r
		lo.Metric, lo.Value, hi.Metric, hi.Value = "ece_null_lo", .001, "ece_null_hi", .004
		if r.Metric == "ece" {
			list = append(list, lo, hi)
		}
	}
	for _, asked := range []bool{false, true} {
		spec := standardSpec()
		spec.ConsistencyBand = asked
		table, err := pivot(list, spec)
		if err != nil {
			t.Fatal(err)
		}
		for j, c := range table.Rows[0].Cells {
			if !c.OK || (c.Band != "") != asked {
				t.Errorf("asked for bands: %t; cell %d has %q", asked, j, c.Band)
			}
		}
	}
}
