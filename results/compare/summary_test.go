package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
	"github.com/qats-bench/qats/results/table"
)

// TestSummaryHasAllMetricsBesideEachOther: the order is that of the first metric, and a metric without
// verdicts has no columns of wins. The numbers are those of the tables of the metrics.
func TestSummaryHasAllMetricsBesideEachOther(t *testing.T) {
	ece := ledBy(t, 4, 3, "lll", "wtt")
	var records []results.Record
	for i := range 12 {
		c := cell(fmt.Sprint("d", i/3), fmt.Sprint("x", i%3))
		for m, x := range map[string]float64{"ts": .5, "lll": .4, "wtt": .6} {
			records = append(records, resultstest.Value(c, m, "nll", x))
		}
	}
	nll := View{Comparison: comparison(t, records, nil, Options{Metric: "nll", Against: "ts"}), Labels: labels}
	s := Summary([]View{ece, nll})
	for i, m := range []string{"wtt", "ts", "lll"} {
		cells := map[string]any{}
		for j, c := range s.Columns {
			cells[c.Key] = s.Rows[i].Cells[j].Value
			if best := c.Key == "ece_mean" && m == "wtt" || c.Key == "nll_mean" && m == "lll"; (s.Rows[i].Cells[j].Mark == table.Best) != best {
				t.Errorf("%s of %s: mark %v", c.Key, m, s.Rows[i].Cells[j].Mark)
			}
		}
		r, of := ece.rowOf(m), nll.rowOf(m)
		if cells["method"] != m || cells["ece_mean"] != r.Value || cells["nll_mean"] != of.Value || cells["settings"] != r.Settings {
			t.Errorf("%s: %v", m, cells)
		}
		if m == "ts" {
			continue
		}
		if cells["ece_win"] != r.Win || cells["ece_loss"] != r.Loss || cells["ece_difference"] != r.Difference || cells["nll_difference"] != of.Difference {
			t.Errorf("%s: %v", m, cells)
		}
		if _, has := cells["nll_win"]; has {
			t.Error("wins without a verdict")
		}
	}
}

// TestNotesOfASummaryStandOnce though several metrics share them.
func TestNotesOfASummaryStandOnce(t *testing.T) {
	v := ledBy(t, 4, 3, "lll", "wtt")
	once, twice := Summary([]View{v}).Remarks, Summary([]View{v, v}).Remarks
	if len(once) < 3 || len(once) != len(twice) {
		t.Errorf("%q, of two metrics %q", once, twice)
	}
}

// TestASummaryHasTheMethodsAndSettingsOfAllMetrics: a method that the first metric lacks has its row, and
// where metrics are over different settings each has its number and its notes.
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
	var views []View
	for _, metric := range []string{"nll", "ece"} {
		views = append(views, View{Comparison: comparison(t, records, nil, Options{Metric: metric, Against: "ts"}), Labels: labels})
	}
	s := Summary(views)
	rows := map[any]map[string]any{}
	for _, r := range s.Rows {
		cells := map[string]any{}
		for j, c := range s.Columns {
			cells[c.Key] = r.Cells[j].Value
		}
		rows[cells["method"]] = cells
	}
	if len(rows) != 3 || rows["top"]["ece_settings"] != 8 || rows["qats"]["nll_settings"] != 3 || rows["qats"]["ece_settings"] != 8 {
		t.Errorf("%v", rows)
	}
	notes := strings.Join(s.Remarks, "\n")
	for _, want := range []string{"NLL: Over 3 data sets.", "ECE: Over 8 data sets.", "Holm: p of"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
}
