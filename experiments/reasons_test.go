package experiments

import (
	"slices"
	"testing"

	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// TestReasonNamesASettingOnce: two specs may have the same settings.
func TestReasonNamesASettingOnce(t *testing.T) {
	var o Outcome
	for _, experiment := range []string{"one", "two"} {
		for _, backbone := range []string{"a", "b"} {
			s := spec.Setting{Setting: results.Setting{Experiment: experiment, Dataset: "d", Backbone: backbone, Loss: "ce"}}
			o.AddReason(results.Skip, &s, "ts", because("no arrays"))
		}
	}
	if len(o.Reasons) != 1 || o.Reasons[0].Cells != 4 || !slices.Equal(o.Reasons[0].Settings, []string{"d/a", "d/b"}) {
		t.Errorf("%+v", o.Reasons)
	}
}
