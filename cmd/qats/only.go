package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// only is the flag --only: which rows are compared. A row has, for each key that is given, one of its values.
type only struct {
	texts []string            // as they were given
	of    map[string][]string // the values of each key
}

// The keys of --only.
const (
	byDataset    = "dataset"
	byBackbone   = "backbone"
	byDomain     = "domain"
	byExperiment = "experiment"
	byVariant    = "variant"
	bySeverity   = "severity"
)

func onlyKeys() []string {
	return []string{byDataset, byBackbone, byDomain, byExperiment, byVariant, bySeverity}
}

func (o *only) String() string { return strings.Join(o.texts, " ") }
func (o *only) Type() string   { return "KEY=VALUE" }

// words are the values of the flag in their order.
func (o *only) words() []string { return o.texts }

func (o *only) Set(text string) error {
	name, values, given := strings.Cut(text, "=")
	key, known := keyed.Match(name, onlyKeys())
	switch {
	case !known:
		return fmt.Errorf("unknown key %q%s", name, keyed.Suggest(name, onlyKeys()))
	case !given:
		return fmt.Errorf("write %s=VALUE, as in %s=%s", key, key, map[string]string{byDataset: "cifar10", byBackbone: "resnet50", byDomain: "images", byExperiment: "companion", byVariant: "rescale=2", bySeverity: "5"}[key])
	}
	for _, value := range strings.Split(values, ",") {
		if err := checkOnly(key, value); err != nil {
			return err
		}
		if o.of == nil {
			o.of = map[string][]string{}
		}
		o.of[key] = append(o.of[key], value)
	}
	o.texts = append(o.texts, text)
	return nil
}

// checkOnly returns an error for a value that no row can have.
func checkOnly(key, value string) error {
	switch key {
	case byVariant:
		switch parsed, err := results.ParseVariant(value); {
		case err != nil:
			return err
		case parsed.Training > 0:
			return fmt.Errorf("several trainings of a network count as one, by their mean")
		}
		return nil
	case bySeverity:
		if n, err := strconv.Atoi(value); err != nil || n < 0 {
			return fmt.Errorf("a severity is a number from 1, or 0 for clean sets")
		}
	}
	if value == "" {
		return fmt.Errorf("%s= has no value", key)
	}
	return nil
}

// ofSetting are the keys whose values a setting has by itself.
var ofSetting = map[string]func(results.Setting) string{
	byDataset:  func(s results.Setting) string { return s.Dataset },
	byBackbone: func(s results.Setting) string { return s.Backbone },
	bySeverity: func(s results.Setting) string { return strconv.Itoa(s.Severity) },
}

// keep returns what accepts the settings that are asked for by themselves, nil for all. A value that no known
// setting has is an error.
func (o only) keep(known []results.Setting) (func(results.Setting) bool, error) {
	wanted := map[string][]string{}
	for _, key := range onlyKeys() {
		valueOf := ofSetting[key]
		if valueOf == nil {
			continue
		}
		have := lists.Distinct(lists.Values(known, valueOf), func(v string) string { return v })
		for _, value := range o.of[key] {
			match, ok := keyed.Match(value, have)
			if !ok {
				return nil, fmt.Errorf("--only %s=%s: no setting has this %s%s", key, value, key, keyed.Suggest(value, have))
			}
			wanted[key] = append(wanted[key], match)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	keep := func(s results.Setting) bool {
		for key, values := range wanted {
			if !slices.Contains(values, ofSetting[key](s)) {
				return false
			}
		}
		return true
	}
	if !slices.ContainsFunc(known, keep) {
		return nil, fmt.Errorf("--only %s: no setting has all of this", strings.Join(o.texts, " --only "))
	}
	return keep, nil
}
