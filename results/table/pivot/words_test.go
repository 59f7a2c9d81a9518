package pivot

import (
	"fmt"
	"testing"
)

// TestLabelOfAMethodIsNotThatOfADatasetOfTheSameID.
func TestLabelOfAMethodIsNotThatOfADatasetOfTheSameID(t *testing.T) {
	s := Spec{Labels: map[string]string{"spline": "Spline"}, SettingLabels: map[string]string{"mine": "My data"}}
	if s.label("method", "spline") != "Spline" || s.label("dataset", "spline") != "spline" || s.label("dataset", "mine") != "My data" {
		t.Error("labels of methods and settings are mixed")
	}
}

// TestPartsFitThePage, and are divided between groups.
func TestPartsFitThePage(t *testing.T) {
	table := &Pivot{Spec: Spec{Rows: []string{"dataset", "backbone"}}}
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
	table, err := Of(list, standardSpec())
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
	table, err := Of(standard(), standardSpec())
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
