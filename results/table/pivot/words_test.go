package pivot

import (
	"testing"

	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/table"
)

// TestLabelOfAMethodIsNotThatOfADatasetOfTheSameID.
func TestLabelOfAMethodIsNotThatOfADatasetOfTheSameID(t *testing.T) {
	s := printing{crosstab.Spec{Labels: map[string]string{"spline": "Spline"}, SettingLabels: map[string]string{"mine": "My data"}}}
	if s.label("method", "spline") != "Spline" || s.label("dataset", "spline") != "spline" || s.label("dataset", "mine") != "My data" {
		t.Error("labels of methods and settings are mixed")
	}
}

// TestEqualNumbersHaveNoMark: a mark on all says nothing.
func TestEqualNumbersHaveNoMark(t *testing.T) {
	list := network("cifar10", "resnet50", methods, .1, .1, .1, .1)
	made, err := Of(list, standardSpec())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range made.Rows[0].Cells {
		if c.Mark != table.Plain || c.Gap != "" {
			t.Errorf("%+v", c)
		}
	}
}
