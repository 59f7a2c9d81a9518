package experiments

import (
	"reflect"
	"testing"
)

// TestTables reads every key of a table, and what is left out.
func TestTables(t *testing.T) {
	spec, err := ParseSpec("t.yaml", []byte(`
name: t
methods: [uncal, {name: tta-ts, label: AdaTS}, qats]
settings:
  - {dataset: c, backbone: x, corruption: [fog, snow], severity: [1, 5], calibrate_on: d}
tables:
  - {name: full, title: By corruption, metric: ece, paper: 7, rows: [severity, method], columns: corruption, mean: true,
     methods: [uncal, qats], labels: {fog: Fog, "5": five, qats: Ours}, unranked: uncal, severity: 5}
  - {metric: ece, columns: corruption}
  - {metric: aece, average: corruption, highlight: qats}
`), known())
	if err != nil {
		t.Fatal(err)
	}
	want := []Table{
		{
			Name: "full", Title: "By corruption", Metric: "ece", Rows: []string{"severity", "method"}, Columns: "corruption", Mean: true,
			Methods: []string{"uncal", "qats"}, Labels: map[string]string{"fog": "Fog", "5": "five", "qats": "Ours"},
			Unranked: []string{"uncal"}, Number: 7, Only: Only{"severity": {"5"}},
		},
		{
			Name: "ece", Metric: "ece", Rows: []string{"dataset", "backbone", "severity", "method"}, Columns: "corruption",
			Labels: map[string]string{}, Only: Only{},
		},
		{
			Name: "aece", Metric: "aece", Rows: []string{"dataset", "backbone", "severity"}, Columns: "method",
			Average: []string{"corruption"}, Labels: map[string]string{}, Highlight: "qats", Only: Only{},
		},
	}
	for i := range want {
		if !reflect.DeepEqual(spec.Tables[i], want[i]) {
			t.Errorf("got  %+v\nwant %+v", spec.Tables[i], want[i])
		}
	}
}
