package table

import (
	"fmt"
	"testing"
)

func TestNotesAreInWords(t *testing.T) {
	for text, want := range map[string]string{
		"a temperature is at its bound: t_11 >= 0.001":                         "T at its lower bound in bin 11",
		"a temperature is at its bound: t_2 >= 0.001, b <= 20":                 "T at its lower bound in bin 2, b at its upper bound",
		"a temperature is at its bound: bin 3: t <= 1e3":                       "T at its upper bound in bin 3",
		"a temperature is at its bound: something else":                        "a temperature is at its bound: something else",
		"the threshold is at the end of the grid: c <= 20":                     "c at its upper bound",
		"skip: gc needs features of the test set, absent for cifar10/resnet50": "not run: needs features of the test set",
		"skip: tta-ts needs augmented of the test set, absent for a/b/fog/1":   "not run: needs augmented views of the test set",
		"skip: no arrays":             "not run: no arrays",
		"fail: panic: index 7":        "failed: panic: index 7",
		"a = 0: equal to ts":          "a = 0, so equal to TS",
		"no increments: equal to ts":  "no increments, so equal to TS",
		"did not converge after 1e-3": "did not converge after 1e-3",
	} {
		if got := InWords(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestLabelOfAMethodIsNotThatOfADatasetOfTheSameID.
func TestLabelOfAMethodIsNotThatOfADatasetOfTheSameID(t *testing.T) {
	s := Spec{Labels: map[string]string{"spline": "Spline"}, SettingLabels: map[string]string{"mine": "My data"}}
	if s.label("method", "spline") != "Spline" || s.label("dataset", "spline") != "spline" || s.label("dataset", "mine") != "My data" {
		t.Error("labels of methods and settings are mixed")
	}
}

// TestPartsFitThePage, and are divided between groups.
func TestPartsFitThePage(t *testing.T) {
	table := &Table{Spec: Spec{Rows: []string{"dataset", "backbone"}}}
	for i := range 100 {
		table.Rows = append(table.Rows, Row{Labels: []string{fmt.Sprint("d", i/9), fmt.Sprint("b", i)}})
	}
	parts := table.parts()
	end := 0
	for _, p := range parts {
		if p[0] != end || p[0]%9 != 0 || table.lines(p[0], p[1]) > uprightLines {
			t.Errorf("parts %v", parts)
		}
		end = p[1]
	}
	if end != 100 || len(parts) != 2 {
		t.Errorf("parts %v", parts)
	}
}

// TestEqualNumbersHaveNoMark: a mark on all says nothing.
func TestEqualNumbersHaveNoMark(t *testing.T) {
	list := network("cifar10", "resnet50", methods, .1, .1, .1, .1)
	table, err := Pivot(list, standardSpec())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range table.Rows[0].Cells {
		if c.Mark != Plain || c.Gap != "" {
			t.Errorf("%+v", c)
		}
	}
}

// TestPublishedNumberStandsBelow where lookup has it.
func TestPublishedNumberStandsBelow(t *testing.T) {
	table, err := Pivot(standard(), standardSpec())
	if err != nil {
		t.Fatal(err)
	}
	table.Publish(func(ids map[string]string) (string, bool) {
		return "9.99", ids["dataset"] == "cifar10" && ids["backbone"] == "resnet50" && ids["method"] == "ts"
	})
	found := 0
	for i, r := range table.Rows {
		for j, c := range r.Cells {
			if c.Published != "" {
				found++
				if c.below() != "(9.99)" || r.IDs[1] != "resnet50" || table.Columns[j].ID != "ts" || !table.banded(i) {
					t.Errorf("%v %+v", r.IDs, c)
				}
			}
		}
	}
	if found != 1 {
		t.Errorf("%d published numbers", found)
	}
}
