package spec

import (
	"encoding/json"
	"strings"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results"
)

// Info returns the row of methods.csv of the method in an experiment.
func (m *Method) Info(experiment string) results.MethodInfo {
	about := results.MethodInfo{Experiment: experiment, Method: m.Name, Label: m.Label, Registered: m.Entry.Name, Version: m.Entry.Version, Source: results.OfProgram}
	if _, registered := all.Lookup(m.Entry.Name); registered {
		about.Source, about.Label, about.Predicts = results.OfQats, labelBeside(m), results.Changes
		switch { // what a program says of itself is not known to hold
		case m.Entry.TopLabelOnly():
			about.Predicts = results.TopLabel
		case m.Contract().KeepsTop1:
			about.Predicts = results.Keeps
		}
	}
	contract := m.Contract()
	for _, part := range ((contract.Cal | contract.Test | contract.Target) &^ (data.Logits | data.Labels)).List() {
		about.Sees = append(about.Sees, part.String())
	}
	if contract.Target != 0 {
		about.Sees = append(about.Sees, results.Target)
	}
	if len(m.values) > 0 {
		text, _ := json.Marshal(m.values) // numbers and texts that Option.Set has accepted
		about.Options = string(text)
	}
	return about
}

// labelBeside is the label of a method beside those of other experiments. A spec may call a
// variant "m = 25" in a table of variants; beside other methods it needs its name too, unless the
// label begins with it or has that of the method that it is a variant of.
func labelBeside(m *Method) string {
	label := letters(m.Label)
	if m.Name == m.Entry.Name || strings.Contains(label, letters(m.Entry.Label)) || strings.HasPrefix(label, letters(m.Name)) {
		return m.Label
	}
	return m.Label + " (" + m.Name + ")"
}

// letters returns a text in small letters, without what stands between words.
func letters(s string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(s))
}
