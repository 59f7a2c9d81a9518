package paper

import (
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// printedSettings are those of a table, in an experiment.
func printedSettings(t *testing.T, table, experiment string) (list []results.Setting) {
	t.Helper()
	numbers, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range NewPublication(numbers).Table(table) {
		if !r.IsAverage() {
			list = append(list, resultstest.Shifted(resultstest.Setting(experiment, r.Dataset, r.Backbone), r.Corruption, r.Severity))
		}
	}
	return list
}

// TestExtentInWords: the parts are of the tables and in their order, whichever experiment has a
// setting first; a part of the paper is said to be one; other experiments have none of the paper's.
func TestExtentInWords(t *testing.T) {
	standard, tasks, shift := printedSettings(t, "standard", "standard"), printedSettings(t, "tasks", "tasks"), printedSettings(t, "shift-full", "shift")
	loss := func(name string) results.Setting {
		s := resultstest.Setting("losses", "cifar100", "resnet50")
		s.Loss = name
		return s
	}
	scaled := func(factor float64) results.Setting {
		return resultstest.Varied(resultstest.Setting("rescale", "cifar10", "resnet50"), results.Variant{Rescale: factor})
	}
	seeded := []results.Setting{resultstest.Varied(standard[0], results.Seed(0)), resultstest.Varied(standard[0], results.Seed(1))}
	join := func(lists ...[]results.Setting) (all []results.Setting) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	for _, c := range []struct {
		settings []results.Setting
		want     string
	}{
		{nil, ""},
		{standard, "15 of the paper's 162 settings"},
		{join(tasks, standard), "17 of the paper's 162 settings (15 + 2)"},
		{join(standard, standard, standard[:3]), "15 of the paper's 162 settings"},
		{join(shift[:1], []results.Setting{loss("ce"), loss("focal")}), "2 of the paper's 162 settings (1 + 1); 1 more of its loss figure"},
		{join(standard, []results.Setting{loss("ce"), loss("focal"), loss("brier"), scaled(.5)}), "15 of the paper's 162 settings; 2 more of its loss figure; 1 rescaled copy"},
		{join(standard[:1], []results.Setting{scaled(.5), scaled(2)}), "1 of the paper's 162 settings; 2 rescaled copies"},
		{seeded, "1 of the paper's 162 settings"},
		{join(standard[:1], []results.Setting{resultstest.Varied(standard[1], results.Variant{Split: 3})}), "1 of the paper's 162 settings"},
		{[]results.Setting{resultstest.Setting("real", "cifar10", "resnet50"), resultstest.Setting("mine", "x", "y")}, ""},
		{[]results.Setting{resultstest.Setting("real", "cifar10", "resnet50"), resultstest.Setting("standard", "cifar10", "resnet50"), resultstest.Setting("standard", "x", "y")},
			"1 of the paper's 162 settings; 2 other settings"},
		{[]results.Setting{loss("focal"), scaled(2)}, ""},
	} {
		e, err := ExtentOf(c.settings)
		if got := e.String(); err != nil || got != c.want {
			t.Errorf("got %q (%v), want %q", got, err, c.want)
		}
	}
}
