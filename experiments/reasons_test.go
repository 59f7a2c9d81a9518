package experiments

import (
	"slices"
	"testing"

	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// TestReasonNamesASettingOnce: two specs may have the same settings.
func TestReasonNamesASettingOnce(t *testing.T) {
	var o Absences
	for _, experiment := range []string{"one", "two"} {
		for _, backbone := range []string{"a", "b"} {
			s := spec.Setting{Setting: results.Setting{Experiment: experiment, Dataset: "d", Backbone: backbone, Loss: "ce"}}
			o.Add(results.Skip, &s, "ts", because("no arrays"))
		}
	}
	if len(o) != 1 || o[0].Cells != 4 || !slices.Equal(o[0].Settings, []string{"d/a", "d/b"}) {
		t.Errorf("%+v", o)
	}
}
