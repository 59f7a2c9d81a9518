package spec

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Comparing states which parts of a spec a comparison of methods needs.
type Comparing struct {
	Methods []string // beside Against; nil for all methods of the spec
	Against string
	Metrics []string // ids, as in results.csv
	Splits  int      // draws of each clean setting from the union of its sets, in addition to the setting itself
}

// Compared returns the spec that a comparison needs, without views: only the
// named methods and metrics, and the methods paired with Against. A method that
// s lacks is taken from the registry with its default options, so that a new
// method can be compared on the settings of an old spec. Settings that are
// corrupted, rescaled or calibrated on another dataset are not redrawn.
func (s *Spec) Compared(c Comparing, known Registry) (*Spec, error) {
	out := *s
	out.Tables, out.Figures = nil, nil
	out.Baseline = c.Against
	wanted := slices.Clone(c.Methods)
	if wanted == nil {
		wanted = s.MethodNames()
	}
	if !slices.Contains(wanted, c.Against) {
		wanted = append(wanted, c.Against)
	}
	out.Methods = nil
	for _, name := range wanted {
		m, err := s.method(name, known)
		if err != nil {
			return nil, err
		}
		out.Methods = append(out.Methods, m)
	}
	out.Metrics = nil
	for _, id := range c.Metrics {
		e, ok := known.Metric(id)
		if !ok {
			return nil, fmt.Errorf("unknown metric %q", id)
		}
		if !slices.ContainsFunc(out.Metrics, func(o metrics.Entry) bool { return o.Name == e.Name }) {
			out.Metrics = append(out.Metrics, e)
		}
	}
	out.Settings = slices.Clone(s.Settings)
	for _, clean := range s.Settings {
		if clean.Corruption != "" || clean.Variant != (results.Variant{}) || clean.CalibrateOn != "" {
			continue
		}
		for draw := 1; draw <= c.Splits; draw++ {
			drawn := clean
			drawn.Variant.Split = draw
			if !slices.ContainsFunc(s.Settings, func(o Setting) bool { return o.Setting == drawn.Setting }) {
				out.Settings = append(out.Settings, drawn)
			}
		}
	}
	return &out, nil
}

// method returns a method of the spec, or a registered one with its default
// options.
func (s *Spec) method(name string, known Registry) (Method, error) {
	have := s.MethodNames()
	if match, ok := keyed.Match(name, have); ok {
		return s.Methods[slices.Index(have, match)], nil
	}
	entry, err := MatchMethod(known.Methods, known.MethodGroups, name)
	if err != nil {
		return Method{}, fmt.Errorf("method %q is neither in %s nor registered%s", name, s.File, suggestMethod(name, have, known.Methods, known.MethodGroups))
	}
	m, err := newReader(s.File).build(entry, nil)
	if err != nil {
		return Method{}, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}
