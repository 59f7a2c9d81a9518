package results

import (
	"strings"
	"testing"
)

// TestSettingsThatCount: all but rescaled and redrawn ones, or those that are named.
func TestSettingsThatCount(t *testing.T) {
	for _, c := range []struct {
		variant  string
		variants []string
		want     bool
	}{
		{"", nil, true},
		{"test_shares=calibration", nil, true},
		{"seed=3", nil, true},
		{"rescale=1", nil, false}, // a copy
		{"rescale=0.5", nil, false},
		{"split=2", nil, false},
		{"rescale=1", []string{"rescale=1"}, true},
		{"", []string{"rescale=1"}, false},
		{"", []string{"", "rescale=1"}, true},
		{"", []string{}, false},
	} {
		v, err := ParseVariant(c.variant)
		if err != nil {
			t.Fatal(err)
		}
		if got := Counts(Setting{Dataset: "d", Variant: v}, c.variants); got != c.want {
			t.Errorf("%q of %q: %v", c.variant, c.variants, got)
		}
	}
}

// TestSettingsAreCountedOnce, whatever the number of their experiments, methods and trainings.
func TestSettingsAreCountedOnce(t *testing.T) {
	row := func(experiment, backbone, variant, source string, status Status) Record {
		v, err := ParseVariant(variant)
		if err != nil {
			t.Fatal(err)
		}
		return Record{Setting: Setting{Experiment: experiment, Dataset: "d", Backbone: backbone, Loss: "ce", Variant: v}, Method: "ts", Metric: "ece", Source: source, Status: status}
	}
	records := []Record{
		row("one", "a", "", "measured", OK), row("one", "a", "", "measured", OK), row("two", "a", "", "measured", OK),
		row("one", "b", "", "", Skip), row("two", "b", "", "simulated", OK), // a value in one of them
		row("one", "c", "", "", Skip),
		row("one", "e", "seed=0", "measured", OK), row("one", "e", "seed=1", "measured", OK), row("two", "e", "seed=1", "measured", OK),
		row("one", "a", "rescale=0.5", "measured", OK), row("one", "a", "rescale=1", "measured", OK), row("two", "a", "rescale=1", "measured", OK),
		row("one", "a", "split=1", "measured", OK), row("one", "a", "split=2", "measured", OK),
	}
	got := CountSettings(records, nil)
	if want := (SettingCounts{Measured: 2, Simulated: 1, None: 1, Repeats: 3, Trainings: 1, Rescaled: 2, Redrawn: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, part := range []string{"7 settings, 4 without duplicates", "1 more training", "2 settings with rescaled logits", "1 setting with redrawn rows"} {
		if !strings.Contains(got.Note(), part) {
			t.Errorf("%q does not say %q", got.Note(), part)
		}
	}
	if got := CountSettings(records, []string{"rescale=1"}); got.Measured != 1 || got.All() != 1 || got.Repeats != 1 {
		t.Errorf("named: %+v", got)
	}
	if n := CountSettings(nil, nil); n != (SettingCounts{}) || n.Note() != "" {
		t.Errorf("none: %+v, %q", n, n.Note())
	}
}
