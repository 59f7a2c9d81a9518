package results

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// A variant has one text, in files and in run.json, and is in the name of its setting.
func TestVariantsHaveOneText(t *testing.T) {
	for text, want := range map[string]Variant{
		"": {}, "rescale=2": {Rescale: 2}, "rescale=0.5": {Rescale: .5}, "rescale=1e-06": {Rescale: 1e-6},
		"split=1": {Split: 1}, "split=12": {Split: 12}, "test_shares=calibration": {TestShares: true},
		"seed=0": Seed(0), "seed=2024": Seed(2024),
	} {
		v, err := ParseVariant(text)
		if v != want || err != nil || want.String() != text {
			t.Errorf("%q is %+v (%v), and %+v has the text %q", text, v, err, want, want)
		}
		c := Setting{Dataset: "d", Backbone: "b", Loss: "ce", Variant: want}
		if got := strings.TrimSuffix("d/b/"+text, "/"); c.Name() != got {
			t.Errorf("name %s, want %s", c.Name(), got)
		}
		if c.Network() != (Setting{Dataset: "d", Backbone: "b", Loss: "ce"}) {
			t.Errorf("network of %s is %+v", c.Name(), c.Network())
		}
		var back Setting
		if object, err := json.Marshal(c); err != nil || json.Unmarshal(object, &back) != nil || back != c || strings.Contains(string(object), "variant") == (text == "") {
			t.Errorf("%s became %s and %+v (%v)", text, object, back, err)
		}
	}
	for _, text := range []string{
		"split", "split=", "split=0", "split=-1", "split=01", "split=1.5", "rescale=", "rescale=0", "rescale=-2", "rescale=2.0", "rescale=+2", "rescale=NaN", "rescale=Inf",
		"rescale=0x1p4", "test_shares=", "test_shares=test", "rescale-2", "cal-shares", " split=1", "Split=1", "seed=", "seed=-1", "seed=00", "seed=1.5", "seed",
	} {
		if v, err := ParseVariant(text); err == nil || !strings.Contains(err.Error(), "rescale=FACTOR") {
			t.Errorf("%q is %+v (%v)", text, v, err)
		}
	}
}

// No file has a setting with two variants or a draw below 1.
func TestVariantsOfAFileAreValid(t *testing.T) {
	for _, v := range []Variant{{Rescale: 2, Split: 1}, {Split: 1, TestShares: true}, {Split: -1}, {Rescale: -1}, {Training: -1}, {Training: 1, Split: 1}} {
		r := Record{Setting: Setting{Experiment: "e", Dataset: "d", Backbone: "b", Loss: "ce", Variant: v}, Method: "ts", Metric: "ece", Value: .1, N: 9, Source: "measured", Status: OK}
		if err := WriteResults(filepath.Join(t.TempDir(), "results.csv"), []Record{r}); err == nil || !strings.Contains(err.Error(), "column variant") {
			t.Errorf("%+v: %v", v, err)
		}
	}
}
