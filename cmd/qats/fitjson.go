package main

import (
	"encoding/json"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/experiments/arrays"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
)

// fitJSON is the result of qats fit --json. What a fit has not is null.
type fitJSON struct {
	Method  string         `json:"method"`
	Label   string         `json:"label"`
	Version int            `json:"version"` // of the method
	Options map[string]any `json:"options"`
	Rows    int            `json:"n"` // of the calibration set; 0 if the method reads none
	Classes int            `json:"classes"`

	Parameters  []parameterJSON `json:"parameters"` // those with names
	Before      *scoresJSON     `json:"before"`     // of the calibration rows; null if they are not in memory
	After       *scoresJSON     `json:"after"`
	Objective   *objectiveJSON  `json:"objective"`
	Diagnostics diagnosticsJSON `json:"diagnostics"`
	Bounds      report.Bounds   `json:"bounds"` // that are active
	Warnings    []warning       `json:"warnings"`

	Output  string             `json:"output,omitempty"`  // the file of the model
	Model   json.RawMessage    `json:"model,omitempty"`   // with -o -
	Seconds map[string]float64 `json:"seconds,omitempty"` // with --timings
}

// parameterJSON is a parameter of a fit.
type parameterJSON struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Meaning string  `json:"meaning"`
	Bound   string  `json:"bound,omitempty"` // that is active, as "a >= 0"
}

func parametersOf(fitted *calib.Fitted) []parameterJSON {
	list := []parameterJSON{}
	for _, p := range fitted.Parameters() {
		list = append(list, parameterJSON{p.Name, p.Value, p.Meaning, p.Bound})
	}
	return list
}

// scoresJSON are scores of the calibration rows. A top-label method has no NLL and no Brier
// score.
type scoresJSON struct {
	NLL      *float64 `json:"nll"`
	Brier    *float64 `json:"brier"`
	ECE      float64  `json:"ece"`
	Accuracy float64  `json:"accuracy"`
}

func scoresOf(s *metrics.Samples) *scoresJSON {
	of := func(score func(*metrics.Samples) (float64, error)) *float64 {
		v, err := score(s)
		if err != nil {
			return nil
		}
		return &v
	}
	return &scoresJSON{of(metrics.NLL), of(metrics.Brier), metrics.ECE(s, 15), metrics.Accuracy(s)}
}

// objectiveJSON is the score that a fit minimised.
type objectiveJSON struct {
	Name calib.Objective `json:"name"` // NLL is without a floor
	From float64         `json:"from"`
	To   float64         `json:"to"`
}

// diagnosticsJSON are the numbers of a report.
type diagnosticsJSON struct {
	NLL        float64 `json:"nll"`
	Gradient   float64 `json:"gradient"`
	Iterations int     `json:"iterations"`
	Passes     float64 `json:"passes"`
}

// newFitJSON describes a fit. change is nil if the set is not in memory.
func newFitJSON(m *spec.Method, in calib.Input, model *calib.Model, change *arrays.Change, warnings []warning) *fitJSON {
	fitted := &model.Fitted
	r := fitted.Report
	f := &fitJSON{Method: m.Name, Label: m.Label, Version: m.Entry.Version, Options: model.Options, Classes: model.Classes,
		Parameters:  parametersOf(fitted),
		Diagnostics: diagnosticsJSON{r.NLL, r.Gradient, r.Iterations, r.Passes},
		Bounds:      append(report.Bounds{}, r.AtBound...),
	}
	switch {
	case in.Stream != nil:
		f.Rows = in.Stream.Rows()
	case in.Cal != nil:
		f.Rows = in.Cal.Logits.Rows
	}
	if f.Options == nil {
		f.Options = map[string]any{}
	}
	if change != nil {
		f.Before, f.After = scoresOf(change.Before), scoresOf(change.After)
		if change.Objective != "" {
			f.Objective = &objectiveJSON{change.Objective, change.From, change.To}
		}
	}
	f.Warnings = append(append([]warning{}, warnings...), lists.Values(r.Warnings, func(w report.Warning) warning { return newFitWarning(m.Name, w) })...)
	return f
}
