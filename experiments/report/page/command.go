package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/qats-bench/qats/results"
)

// command has what a spec of one setting is made of: the commands that reproduce some methods
// there are Head, the text of each method, those of the setting, and the end.
type command struct {
	Name    string            `json:"name"` // of the experiment
	Base    string            `json:"baseline"`
	Head    string            `json:"head"`
	Methods []methodOfCommand `json:"methods"`
}

type methodOfCommand struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// quoted returns a value as JSON and YAML have it, on one line.
func quoted(v any) string {
	text, _ := json.Marshal(v) // of texts and numbers
	return string(text)
}

// commandOf returns what is common to all settings of a spec.
func commandOf(s results.RunSpec, methods []results.MethodInfo) command {
	c := command{Name: s.Name, Base: s.Baseline, Methods: []methodOfCommand{}}
	c.Head = "cat > cell.yaml <<'EOF'\nname: " + quoted(s.Name) + "\ndata: " + quoted(s.Data) + "\n"
	if s.Layout != "" {
		c.Head += "layout: " + quoted(s.Layout) + "\n"
	}
	if s.Baseline != "" {
		c.Head += "baseline: " + quoted(s.Baseline) + "\n"
	}
	c.Head += "metrics: " + quoted(s.Metrics) + "\nmethods:\n"
	for _, m := range methods {
		if m.Experiment != s.Name {
			continue
		}
		text := fmt.Sprintf("  - name: %s\n    method: %s\n    label: %s\n", quoted(m.Method), quoted(m.Registered), quoted(m.Label))
		if m.Options != "" {
			text += "    options: " + m.Options + "\n" // JSON is YAML
		}
		c.Methods = append(c.Methods, methodOfCommand{m.Method, text})
	}
	return c
}

// inSpec returns a setting as a spec has it.
func inSpec(s results.Setting, calibrateOn string) string {
	parts := []string{"dataset: " + quoted(s.Dataset), "backbone: " + quoted(s.Backbone), "loss: " + quoted(s.Loss)}
	add := func(is bool, key string, v any) {
		if is {
			parts = append(parts, key+": "+quoted(v))
		}
	}
	add(s.Variant.Rescale != 0, "rescale", s.Variant.Rescale)
	add(s.Variant.Split != 0, "splits", s.Variant.Split)
	add(s.Variant.Training > 0, "seeds", []int{s.Variant.Training - 1})
	add(s.Variant.TestShares, "test_shares", "calibration")
	add(s.Corruption != "", "corruption", s.Corruption)
	add(s.Corruption != "", "severity", s.Severity)
	add(calibrateOn != "", "calibrate_on", calibrateOn)
	return "{" + strings.Join(parts, ", ") + "}"
}
