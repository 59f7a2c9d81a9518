package pivot

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/table"
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
		if got := (&Pivot{Measured: c.measured, Simulated: c.simulated}).Origin(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%d measured, %d simulated: %s", c.measured, c.simulated, got)
		}
	}
}

// A legend explains the signs that the table has, and no others.
func TestLegendExplainsTheSignsOfTheTable(t *testing.T) {
	legend := func(cell Cell, spec crosstab.Spec, standIns ...string) string {
		var lines []string
		for _, s := range (&Pivot{Spec: spec, Rows: []Row{{Cells: []Cell{{}, cell, {}}}}, StandIns: standIns}).legend() {
			lines = append(lines, s.Text)
		}
		return strings.Join(lines, "\n")
	}
	bare := legend(Cell{}, crosstab.Spec{Metric: "ece"})
	for name, cell := range map[string]Cell{"gap": {Gap: "-1"}, "mark": {Mark: table.Best}} {
		if got := legend(cell, crosstab.Spec{Metric: "ece"}); strings.Count(got, "\n") != strings.Count(bare, "\n")+1 {
			t.Errorf("%s: %q, without it %q", name, got, bare)
		}
	}
	for band, want := range map[string]string{"[0, 1]": "Consistency bands are not known", "": "In square brackets"} {
		if got := legend(Cell{Band: band}, crosstab.Spec{Metric: "ece", ConsistencyBand: true}); strings.Contains(got, want) || got == bare {
			t.Errorf("band %q: %q", band, got)
		}
	}
	for number, ranked := range map[int]bool{0: true, 3: false} {
		if got := legend(Cell{}, crosstab.Spec{Metric: "ece", Number: number}, "smaller"); !strings.Contains(got, "(smaller)") || strings.Contains(got, "not ranked") == ranked {
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
		table: &Pivot{
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
	lo, hi := record("cifar10", "resnet50", "ts", "ece_null_lo", .01), record("cifar10", "resnet50", "ts", "ece_null_hi", .03)
	failed := skip("cifar10", "resnet50", "ts", "ece_null_hi", "not finite")
	for _, c := range []struct {
		ends []results.Record
		want bool
	}{{nil, false}, {[]results.Record{lo}, false}, {[]results.Record{hi}, false}, {[]results.Record{lo, failed}, false}, {[]results.Record{lo, hi}, true}} {
		p := &pivoting{spec: printing{spec}, index: map[results.Place]results.Record{}}
		for _, end := range c.ends {
			p.index[end.Place()] = end
		}
		if got := p.band(r); got != map[bool]string{true: "[1.0, 3.0]"}[c.want] {
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
		p := Part{Title: "A title", Tables: []*Pivot{table}}
		for _, w := range c.widths {
			p.Figures = append(p.Figures, Figure{Path: "f.pdf", Width: w, Height: 100})
		}
		var b strings.Builder
		w := bufio.NewWriter(&b)
		p.latex(w, false)
		w.Flush()
		text := b.String()
		if strings.Count(text, "\\begin{figure}") != c.floats || strings.Count(text, "\\hfill") != c.pairs || !strings.Contains(text, "\\section{A title}") {
			t.Errorf("widths %v: %s", c.widths, text)
		}
	}
	w := bufio.NewWriter(nil)
	if (Part{Title: "A title"}).latex(w, false); w.Buffered() > 0 {
		t.Errorf("an empty part of %d bytes", w.Buffered())
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
			value := table.Table()
			for _, row := range value.Rows {
				if len(row.Cells) != len(value.Columns) {
					t.Errorf("rows %v, target %v: cells %+v", rows, target, row.Cells)
				}
				for _, c := range row.Cells[:value.Labels] {
					signs += strings.Count(c.Signs, star)
				}
			}
			if byMethod := slices.Contains(rows, "method"); (signs > 0) != (byMethod && target != nil) {
				t.Errorf("rows %v, target %v: %d labels with a sign", rows, target, signs)
			}
		}
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

// lined returns a table of n rows with the given number of labels, each in a group of
// its own.
func lined(n, labels, columns int) *Pivot {
	t := &Pivot{Spec: crosstab.Spec{Rows: []string{"dataset", "backbone"}[:labels]}, Columns: make([]Column, columns)}
	for i := range n {
		row := Row{Cells: make([]Cell, columns)}
		for k := range labels {
			row.Labels = append(row.Labels, strings.Repeat("x", i+k))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// A group of rows shares one label over its lines; a group of one line, and a row with
// one label, need no such cell. Bands are lines too.
func TestGroupsOfLinesShareALabel(t *testing.T) {
	for _, c := range []struct {
		labels [][]string
		band   bool
		want   string
	}{
		{[][]string{{"a", "x"}, {"b", "y"}}, false, ""},
		{[][]string{{"a", "x"}, {"a", "y"}, {"b", "y"}}, false, "{2}"},
		{[][]string{{"a", "x"}, {"b", "y"}}, true, "{2}"},
		{[][]string{{"a"}, {"b"}}, true, ""},
	} {
		table := &Pivot{Spec: crosstab.Spec{Rows: []string{"dataset", "backbone"}[:len(c.labels[0])]}, Columns: make([]Column, 1)}
		for i, l := range c.labels {
			cell := Cell{OK: true, Text: "1"}
			if c.band && i == 0 {
				cell.Band = "[0, 2]"
			}
			table.Rows = append(table.Rows, Row{IDs: l, Labels: l, Cells: []Cell{cell}})
		}
		var b strings.Builder
		if err := table.Table().Typeset(&b); err != nil {
			t.Fatal(err)
		}
		rows, _, _ := strings.Cut(b.String(), "\\def\\qatsnotes")
		_, after, _ := strings.Cut(rows, "\\qatsgroup")
		if got, _, _ := strings.Cut(after, "{"+c.labels[0][0]+"}"); got != c.want {
			t.Errorf("labels %q, band %v: group%s", c.labels, c.band, got)
		}
	}
}

// Space separates unranked columns and means from the others, also if an unranked
// column comes first.
func TestUnrankedColumnsStandApart(t *testing.T) {
	ranked, unranked := Column{Rival: &Rival{Ranked: true}}, Column{Rival: &Rival{}}
	for _, c := range []struct {
		columns []Column
		want    int // the column with space before it
	}{{[]Column{ranked, ranked, unranked, unranked}, 2}, {[]Column{unranked, ranked, {Mean: true}}, 2}} {
		p := &Pivot{Spec: crosstab.Spec{Rows: []string{"dataset"}}, Columns: c.columns}
		for j, column := range p.Table().Columns[1:] {
			if column.Apart != (j == c.want) {
				t.Errorf("columns %+v: space before column %d is %v", c.columns, j, column.Apart)
			}
		}
	}
}

// Nine headings stand in one line each, ten are broken.
func TestHeadingsOfManyColumnsAreBroken(t *testing.T) {
	for columns, want := range map[int]int{9: 1, 10: 2} {
		if got := len(strings.Split((&Pivot{Columns: make([]Column, columns)}).column(0, Column{Label: "two words"}).Head, "\n")); got != want {
			t.Errorf("%d columns: %d lines", columns, got)
		}
	}
}

// Each row has its own band, below its numbers.
func TestBandsStandBelowTheirRow(t *testing.T) {
	table := &Pivot{Spec: crosstab.Spec{Rows: []string{"dataset"}}, Columns: []Column{{Label: "TS"}}}
	for _, l := range []string{"a", "b", "c"} {
		table.Rows = append(table.Rows, Row{IDs: []string{l}, Labels: []string{l}, Cells: []Cell{{OK: true, Text: "1", Band: "[0, 2" + l + "]"}}})
	}
	lines := textLines(t, table)
	for i, l := range []string{"a", "b", "c"} {
		if k := 5 + 2*i; !strings.HasPrefix(lines[k-1], l) || strings.TrimSpace(lines[k]) != "[0, 2"+l+"]" {
			t.Errorf("lines %q", lines)
		}
	}
}

// A legend begins with a capital, but a name such as smECE stays as it is.
func TestLegendsBeginWithACapital(t *testing.T) {
	for metric, want := range map[string]string{"l1_vector": "Variational L1, all classes.", "smece": "smECE.", "ece": "ECE.", "time": "Fit time (ms)."} {
		if got := (&Pivot{Spec: crosstab.Spec{Metric: metric}}).legend(); got[0].Text != want {
			t.Errorf("%s: %s", metric, got[0].Text)
		}
	}
}

// A legend says how many settings each number averages: by row, by column, or that it
// differs.
func TestAveragesSayHowManySettings(t *testing.T) {
	for _, c := range []struct {
		rows, columns []int
		want          string
	}{
		{[]int{2, 3}, []int{0, 0}, "Each number is a mean over severity; the number of settings is given with each row."},
		{[]int{0}, []int{2, 1, 3}, "c0 is the mean of 2 settings; c2 is the mean of 3 settings (over severity)."},
		{[]int{0}, []int{2, 0}, "Each number is a mean over severity; the number of settings differs within rows and columns."},
	} {
		table := &Pivot{Spec: crosstab.Spec{Average: []string{"severity"}}}
		for _, n := range c.rows {
			table.Rows = append(table.Rows, Row{Settings: n})
		}
		for j, n := range c.columns {
			table.Columns = append(table.Columns, Column{Label: fmt.Sprint("c", j), Settings: n})
		}
		if got := table.averages(); got != c.want {
			t.Errorf("rows %v, columns %v: %s", c.rows, c.columns, got)
		}
	}
}

// Where the rows average different numbers of settings, the last label that is no
// method has the number.
func TestLabelsNameTheNumberOfSettings(t *testing.T) {
	for _, c := range []struct{ rows, want []string }{
		{[]string{"dataset", "backbone"}, []string{"a", "b (3 settings)"}},
		{[]string{"dataset", "method"}, []string{"a (3 settings)", "b"}},
		{[]string{"method", "dataset"}, []string{"a", "b (3 settings)"}},
	} {
		table := &Pivot{Spec: crosstab.Spec{Rows: c.rows, Average: []string{"severity"}}}
		if got := table.labels(Row{Labels: []string{"a", "b"}, Settings: 3}); !slices.Equal(got, c.want) {
			t.Errorf("rows %v: labels %q", c.rows, got)
		}
	}
}

// The source of a table is measured and simulated only if it has numbers of both.
func TestMixedTablesHaveNumbersOfBothSources(t *testing.T) {
	for counts, want := range map[[2]int]bool{{0, 0}: false, {2, 0}: false, {0, 2}: false, {2, 1}: true} {
		if got := (&Pivot{Measured: counts[0], Simulated: counts[1]}).mixed(); got != want {
			t.Errorf("%v numbers: mixed is %v", counts, got)
		}
	}
}

// An average in which the first setting failed counts all others, and says how many
// are missing.
func TestAverageCountsTheSettingsWithoutAValue(t *testing.T) {
	p := &pivoting{index: map[results.Place]results.Record{}, table: &Pivot{}}
	failed := skip("cifar10", "a", "ts", "ece", "no logits")
	c := p.mean([]results.Record{failed, record("cifar10", "b", "ts", "ece", .1), record("cifar10", "c", "ts", "ece", .2)}, 3, 0)
	if len(p.notes.list) != 1 || p.notes.list[0].Text != "no average: no value in 1 of 3 settings" || c.OK {
		t.Errorf("%+v, notes %+v", c, p.notes.list)
	}
}

// Changes of predictions are unknown where argmax_change failed or is not there.
func TestChangesAreUnknownWithoutAValue(t *testing.T) {
	r := record("cifar10", "a", "ts", "ece", .1)
	for name, c := range map[string]struct {
		value  float64
		status results.Status
		want   Changes
	}{"none": {0, results.OK, No}, "some": {.1, results.OK, Yes}, "failed": {0, results.Fail, Unknown}} {
		change := record("cifar10", "a", "ts", "argmax_change", c.value)
		change.Status = c.status
		p := &pivoting{index: map[results.Place]results.Record{change.Place(): change}}
		if got := p.changes([]results.Record{r}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := (&pivoting{}).changes([]results.Record{r}); got != Unknown {
		t.Errorf("without a record: %v", got)
	}
}

// Methods that make the rows have a row each, also where they come first and one has
// no record of a data set.
func TestMethodsThatComeFirstHaveAllRows(t *testing.T) {
	list := append(network("cifar10", "a", []string{"ts", "qats"}, .1, .2), network("cifar100", "a", []string{"ts"}, .3)...)
	spec := standardSpec()
	spec.Rows, spec.Columns, spec.Highlight = []string{"method", "dataset"}, "backbone", ""
	table, err := Of(list, spec)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != 4 {
		t.Errorf("%d rows", len(table.Rows))
	}
}

// A table may show one of several methods without naming it.
func TestOneMethodNeedsNoColumn(t *testing.T) {
	spec := standardSpec()
	spec.Columns, spec.Rows, spec.Highlight = "backbone", []string{"dataset"}, ""
	for methods, ok := range map[string]bool{"ts": true, "ts,qats": false} {
		spec.Only = map[string][]string{"method": strings.Split(methods, ",")}
		if _, err := spec.Check(); (err == nil) != ok {
			t.Errorf("methods %s: %v", methods, err)
		}
	}
}

func TestLabelsOfShiftsAreInWords(t *testing.T) {
	for _, c := range []struct{ column, id, want string }{
		{"variant", "test_shares=calibration", "class shares of the calibration set"}, {"dataset", "test_shares=calibration", "test_shares=calibration"},
		{"variant", "rescale=2", "x 2"}, {"dataset", "rescale=2", "rescale=2"}, {"variant", "split=7", "split 7"}, {"variant", "other", "other"},
		{"severity", "", "-"}, {"variant", "", "-"},
	} {
		if got := results.Name(c.column, c.id); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.column, c.id, got, c.want)
		}
	}
}

// A line above the methods says which of them need no samples of the target.
func TestTheTargetIsNamedAboveTheMethods(t *testing.T) {
	table := &Pivot{Spec: crosstab.Spec{Columns: "method", Rows: []string{"dataset", "backbone"}},
		Columns: []Column{{Label: "TS", Rival: &Rival{}}, {Label: "HFE", Rival: &Rival{Target: true}}}}
	table.rivals = []*Rival{table.Columns[0].Rival, table.Columns[1].Rival}
	lines := textLines(t, table)[2:]
	if !strings.Contains(lines[0], "OOD-free?") || strings.Contains(lines[1], "OOD-free?") || !strings.Contains(lines[1], "TS") {
		t.Errorf("lines %q", lines)
	}
}

// A label that begins a group stands at its first row only; one that is all of a row
// stands at each.
func TestRepeatedLabelsAreLeftOutInGroups(t *testing.T) {
	for _, c := range []struct{ labels, want []string }{{[]string{"a", "b"}, []string{"b"}}, {[]string{"a"}, []string{"a"}}} {
		table := &Pivot{Spec: crosstab.Spec{Rows: []string{"dataset", "backbone"}[:len(c.labels)]}, Rows: []Row{{IDs: c.labels, Labels: c.labels}, {IDs: c.labels, Labels: c.labels}}}
		if got := strings.Fields(textLines(t, table)[5]); !slices.Equal(got, c.want) {
			t.Errorf("labels %q after the same: %q", c.labels, got)
		}
	}
}

// Fit times are printed in milliseconds, and have neither bands nor intervals.
func TestTablesOfFitTimes(t *testing.T) {
	spec := crosstab.Spec{Metric: results.TimeMetric, Rows: []string{"dataset"}}
	if _, err := spec.Check(); err != nil {
		t.Errorf("without either: %v", err)
	}
	if got := (printing{spec}).print(.01234); got != "12.34" {
		t.Errorf("12.34 ms are printed as %s", got)
	}
	band, interval := spec, spec
	band.ConsistencyBand, interval.Interval = true, true
	for _, s := range []crosstab.Spec{band, interval} {
		if _, err := s.Check(); err == nil || !strings.HasPrefix(err.Error(), "fit times have neither") {
			t.Errorf("band %v, interval %v: %v", s.ConsistencyBand, s.Interval, err)
		}
	}
}

// star is the sign of a method that sees the target.
const star = table.Star

// textLines returns the lines of a table in print.
func textLines(t *testing.T, p *Pivot) []string {
	t.Helper()
	var b strings.Builder
	if err := p.Text(&b); err != nil {
		t.Fatal(err)
	}
	return strings.Split(b.String(), "\n")
}
