package spec

import (
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Only returns the specs with only the settings that keep accepts, without those that have none.
func Only(specs []*Spec, keep func(results.Setting) bool) []*Spec {
	var kept []*Spec
	for _, s := range specs {
		some := *s
		some.Settings = slices.DeleteFunc(slices.Clone(s.Settings), func(at Setting) bool { return !keep(at.Setting) })
		if len(some.Settings) > 0 {
			kept = append(kept, &some)
		}
	}
	return kept
}

// SettingsOf returns the settings of specs.
func SettingsOf(specs []*Spec) []results.Setting {
	return slices.Concat(lists.Values(specs, func(s *Spec) []results.Setting {
		return lists.Values(s.Settings, func(at Setting) results.Setting { return at.Setting })
	})...)
}

// Datasets returns the datasets of specs.
func Datasets(specs []*Spec) []string {
	return lists.Distinct(lists.Values(SettingsOf(specs), func(s results.Setting) string { return s.Dataset }), func(d string) string { return d })
}
