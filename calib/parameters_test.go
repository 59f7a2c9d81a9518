package calib

import (
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/report"
)

// numbers is a map with these parameters.
type numbers []Parameter

func (numbers) Check() error              { return nil }
func (n numbers) Parameters() []Parameter { return slices.Clone(n) }

func TestParametersAreThoseOfTheMap(t *testing.T) {
	f := Fitted{
		Map:    numbers{{Name: "T0", Value: 1}, {Name: "theta1", Value: 2}, {Name: "theta2", Value: 3}},
		Report: Report{AtBound: report.Bounds{report.AtMost("theta2", 0, 3), report.AtMost("T", 0, 1)}},
	}
	list := f.Parameters()
	for i, want := range []float64{1, 2, 3} {
		if list[i].Value != want {
			t.Errorf("%s = %v, want %v", list[i].Name, list[i].Value, want)
		}
		if bounded := list[i].Bound != ""; bounded != (list[i].Name == "theta2") {
			t.Errorf("%s has the bound %q", list[i].Name, list[i].Bound)
		}
	}
}

// A parameter has the first bound whose name it is, and no bound of a longer name.
func TestParametersHaveTheirFirstBound(t *testing.T) {
	f := &Fitted{Map: numbers{{Name: "w", Value: 1}, {Name: "b", Value: 2}}, Report: Report{AtBound: report.Bounds{report.AtMost("ww", 0, 1), report.AtMost("w", 0, 100), report.AtLeast("w", 0, -100)}}}
	if list := f.Parameters(); list[0].Bound != "w <= 100" || list[1].Bound != "" {
		t.Errorf("%+v", list)
	}
}
