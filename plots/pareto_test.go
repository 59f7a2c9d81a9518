package plots

import (
	"slices"
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestParetoComparesOnCommonSettings: a setting on which one method has no fit time
// counts neither for the times nor for the errors, as if it were absent.
func TestParetoComparesOnCommonSettings(t *testing.T) {
	methods := []string{"uncal", "ts", "qats"}
	lacking := sample("pareto", methods...)
	absent := sample("pareto", methods...)
	lost := absent.Records[0].Setting
	for i, r := range lacking.Records {
		if r.Setting == lost && r.Metric == "ece" {
			lacking.Records[i].Value = .9
		}
		if r.Setting == lost && r.Metric == results.TimeMetric && r.Method == "qats" {
			lacking.Records[i].Status, lacking.Records[i].Note = results.Skip, results.NoTime
		}
	}
	absent.Records = slices.DeleteFunc(absent.Records, func(r results.Record) bool { return r.Setting == lost })
	got, _, _, err := lacking.timed()
	if err != nil {
		t.Fatal(err)
	}
	f, err := Pareto(lacking)
	if err != nil {
		t.Fatal(err)
	}
	want, _, _, err := absent.timed()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Seconds, want.Seconds) {
		t.Errorf("means %v and %v, want %v and %v", got.Values, got.Seconds, want.Values, want.Seconds)
	}
	if note := "Left out, because a method has no fit time: 1 setting."; !slices.Contains(f.Notes, note) {
		t.Errorf("notes %q, want %q", f.Notes, note)
	}
}
