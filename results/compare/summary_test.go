package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
	"github.com/qats-bench/qats/results/table"
)

// cellsOf returns the cells of a table by method and column.
func cellsOf(s *table.Table) map[string]map[string]table.Cell {
	rows := map[string]map[string]table.Cell{}
	for _, r := range s.Rows {
		cells := map[string]table.Cell{}
		for j, c := range s.Columns {
			cells[c.Key] = r.Cells[j]
		}
		rows[cells["method"].Value.(string)] = cells
	}
	return rows
}

// viewsBy returns a view by each metric of the same rows, with one judgement.
func viewsBy(t *testing.T, records []results.Record, pairs []results.Pair, against string, metrics ...string) (views []View) {
	t.Helper()
	list, err := Judge(&results.Rows{Records: records, Pairs: pairs}, Options{Against: against}, metrics...)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d judgements, %v", len(list), err)
	}
	for _, metric := range metrics {
		views = append(views, View{Comparison: comparison(t, records, pairs, Options{Metric: metric, Against: against, Unranked: list[0].Floor.Unranked}), Labels: labels, Judgement: list[0]})
	}
	return views
}

// TestSummaryHasAllMetricsBesideEachOther: the first row is that of the reference with its means, the others
// have the shift and its interval by each metric and the verdict, in the order of the first metric. Nothing
// is marked as best.
func TestSummaryHasAllMetricsBesideEachOther(t *testing.T) {
	records, pairs := ledRows(8, 1, "l", "w", "t")
	views := viewsBy(t, records, pairs, "ts", "nll", "ece")
	tables := Summary(views)
	if len(tables) != 1 {
		t.Fatalf("%d tables", len(tables))
	}
	s := tables[0]
	cells := cellsOf(s)
	for i, want := range []struct{ method, verdict, nll, ece string }{
		{"ts", "", "0.1000", "10.00"},
		{"w", "better", "-0.0200 [-0.0200, -0.0200]", "-2.00 [-2.00, -2.00]"},
		{"t", "worse", "+0.0010 [+0.0010, +0.0010]", "+0.10 [+0.10, +0.10]"},
		{"l", "worse", "+0.0300 [+0.0300, +0.0300]", "+3.00 [+3.00, +3.00]"},
	} {
		got := cells[want.method]
		if s.Rows[i].Cells[0].Value != want.method || got["verdict"].Text != want.verdict || got["nll"].Text != want.nll || got["ece"].Text != want.ece {
			t.Errorf("row %d: %+v, want %v", i, s.Rows[i].Cells, want)
		}
		for _, v := range views {
			r := v.rowOf(want.method)
			number := v.value(r.Shift.Estimate)
			if want.method == "ts" {
				number = r.Value
			}
			if got[v.Metric].Value != number || got[v.Metric].Mark == table.Best {
				t.Errorf("%s of %s: %+v, want %v", v.Metric, want.method, got[v.Metric], number)
			}
		}
	}
	if s.Columns[2].Head != "NLL" || s.Columns[3].Head != "ECE (%)" {
		t.Errorf("columns %+v", s.Columns)
	}
}

// TestTooFewBlocksHaveNoVerdictInASummary: means and counts of settings stand there instead of shifts.
func TestTooFewBlocksHaveNoVerdictInASummary(t *testing.T) {
	records, pairs := ledRows(4, 3, "lll", "wtt")
	s := Summary(viewsBy(t, records, pairs, "ts", "nll", "ece"))[0]
	cells := cellsOf(s)
	if _, has := cells["wtt"]["verdict"]; has || cells["wtt"]["nll"].Text != "-0.0060 (4/0)" || cells["lll"]["ece"].Text != "+3.00 (0/12)" {
		t.Errorf("%+v", cells)
	}
	if notes := strings.Join(s.Remarks, " "); !strings.Contains(notes, "(a/b): better on a settings and worse on b") || strings.Contains(notes, "interval of the shift") {
		t.Errorf("notes %s", notes)
	}
}

// TestASummaryHasATableForEachKindOfMethod: with the floor at the end of the first one, the change of the accuracy
// where the class may change, and the notes after the last one.
func TestASummaryHasATableForEachKindOfMethod(t *testing.T) {
	var records []results.Record
	for i := range 12 {
		at := cell(fmt.Sprintf("d%02d", i), "x")
		jitter := .0001 * float64(i)
		for m, x := range map[string][3]float64{"ts": {.5, .1, .8}, "qats": {.49, .11, .8}, "svs": {.45, .12, .81}, results.BaseRate: {.9, .01, .8}} {
			records = append(records, resultstest.Value(at, m, "nll", x[0]+jitter*x[0]), resultstest.Value(at, m, "ece", x[1]+jitter*x[1]), resultstest.Value(at, m, "accuracy", x[2]))
		}
	}
	tables := Summary(viewsBy(t, records, nil, "ts", "nll", "ece"))
	if len(tables) != 2 || tables[0].Caption != "Methods that keep the predicted class: difference to TS (measured)" || tables[1].Caption != "Methods that may change the predicted class: difference to TS (measured)" {
		t.Fatalf("%d tables: %+v", len(tables), tables)
	}
	for i, want := range []string{"ts qats base-rate", "ts svs"} {
		var methods []string
		for _, r := range tables[i].Rows {
			methods = append(methods, r.Cells[0].Value.(string))
		}
		if got := strings.Join(methods, " "); got != want {
			t.Errorf("table %d: %s, want %s", i, got, want)
		}
	}
	if c := cellsOf(tables[1])["svs"]["accuracy"]; c.Text != "+1.00" {
		t.Errorf("accuracy %+v", c)
	}
	if _, has := cellsOf(tables[0])["qats"]["accuracy"]; has {
		t.Error("a change of the accuracy where the predicted class stays")
	}
	if floor := cellsOf(tables[0])[results.BaseRate]; floor["verdict"].Text != "" || floor["nll"].Text == "-" {
		t.Errorf("the floor: %+v", floor)
	}
	if tables[0].Remarks != nil || tables[1].Remarks == nil || tables[1].Origin != "" || tables[0].Origin == "" {
		t.Errorf("notes %q and %q", tables[0].Remarks, tables[1].Remarks)
	}
}

// TestNotesOfASummaryStandOnce though several metrics share them.
func TestNotesOfASummaryStandOnce(t *testing.T) {
	v := ledBy(t, 4, 3, "lll", "wtt")
	once, twice := Summary([]View{v})[0].Remarks, Summary([]View{v, v})[0].Remarks
	if len(once) < 3 || len(once) != len(twice) {
		t.Errorf("%q, of two metrics %q", once, twice)
	}
}

// TestASummaryHasTheMethodsAndSettingsOfAllMetrics: a method that the first metric lacks has its row, and
// where metrics are over different settings each has its notes.
func TestASummaryHasTheMethodsAndSettingsOfAllMetrics(t *testing.T) {
	var records []results.Record
	for i := range 8 {
		at := cell(fmt.Sprint("d", i), "x")
		for m, x := range map[string]float64{"ts": .5, "qats": .4, "top": .3} {
			if m != "top" && i < 3 {
				records = append(records, resultstest.Value(at, m, "nll", x))
			}
			records = append(records, resultstest.Value(at, m, "ece", x))
		}
	}
	s := Summary(viewsBy(t, records, nil, "ts", "nll", "ece"))[0]
	rows := cellsOf(s)
	if len(rows) != 3 || rows["top"]["nll"].Text != "-" || rows["top"]["ece"].Text != "-20.00 [-20.00, -20.00]" || rows["qats"]["nll"].Text != "-0.1000" {
		t.Errorf("%v", rows)
	}
	notes := strings.Join(s.Remarks, "\n")
	for _, want := range []string{"NLL: Over 3 data sets.", "ECE: Over 8 data sets.", "Calibration errors decide nothing"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
}
