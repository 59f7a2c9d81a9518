package spec

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
)

// Only returns the specs with only the settings of the given datasets, without
// those that have none of them. No datasets stand for all. A dataset that no spec has
// is an error.
func Only(specs []*Spec, datasets []string) ([]*Spec, error) {
	if len(datasets) == 0 {
		return specs, nil
	}
	wanted, err := MatchDatasets(datasets, Datasets(specs))
	if err != nil {
		return nil, fmt.Errorf("no spec given has a setting of the dataset %w", err)
	}
	var kept []*Spec
	for _, s := range specs {
		some := *s
		some.Settings = slices.DeleteFunc(slices.Clone(s.Settings), func(setting Setting) bool { return !slices.Contains(wanted, setting.Dataset) })
		if len(some.Settings) > 0 {
			kept = append(kept, &some)
		}
	}
	return kept, nil
}

// Datasets returns the datasets of specs.
func Datasets(specs []*Spec) []string {
	settings := lists.Values(specs, func(s *Spec) []Setting { return s.Settings })
	return lists.Distinct(slices.Concat(settings...), func(s Setting) string { return s.Dataset })
}

// MatchDatasets returns the known datasets that are meant (see Match). The error names
// the first that is unknown.
func MatchDatasets(datasets, known []string) ([]string, error) {
	var list []string
	for _, d := range datasets {
		match, ok := Match(d, known)
		if !ok {
			return nil, fmt.Errorf("%q%s", d, Suggest(d, known))
		}
		list = append(list, match)
	}
	return list, nil
}
