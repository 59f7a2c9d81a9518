package report

import (
	"maps"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestNamesInViews come from settings.csv, of the experiments that a view shows; its own labels come
// first.
func TestNamesInViews(t *testing.T) {
	info := func(experiment, backbone, label string) results.SettingInfo {
		return results.SettingInfo{Setting: resultstest.Setting(experiment, "d", backbone), DatasetLabel: "Data", BackboneLabel: label}
	}
	v := &views{all: &results.Rows{Settings: []results.SettingInfo{info("one", "a", "Net A"), info("one", "b", ""), info("two", "b", "Net B")}}}
	own := map[string]string{"a": "Mine"}
	for _, c := range []struct {
		own         map[string]string
		experiments []string
		want        map[string]string
	}{
		{nil, []string{"one"}, map[string]string{"d": "Data", "a": "Net A"}},
		{own, []string{"one"}, map[string]string{"d": "Data", "a": "Mine"}},
		{own, []string{"one", "two"}, map[string]string{"d": "Data", "a": "Mine", "b": "Net B"}},
	} {
		if got := v.names(c.own, c.experiments...); !maps.Equal(got, c.want) {
			t.Errorf("%v of %v: %v, want %v", c.own, c.experiments, got, c.want)
		}
	}
	if len(own) != 1 {
		t.Errorf("the labels of the view changed: %v", own)
	}
}
