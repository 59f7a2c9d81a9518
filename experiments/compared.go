package experiments

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Comparing says what a comparison of methods needs of a spec.
type Comparing struct {
	Methods []string // beside Against; nil for all of the spec
	Against string
	Metrics []string // ids, as in results.csv
	Splits  int      // draws of each clean setting from the union of its sets, beside the setting itself
}

// Compared returns s as a comparison needs it, without views: the methods and
// metrics named and no others, paired with Against. A method that the spec lacks
// is taken from the registry with its default options, so that a new one can be
// compared on the settings of an old spec. Shifted, rescaled and borrowed
// calibration sets are not redrawn.
func (s *Spec) Compared(c Comparing, known Registry) (*Spec, error) {
	out := *s
	out.Tables, out.Figures = nil, nil
	out.Baseline = c.Against
	wanted := slices.Clone(c.Methods)
	if wanted == nil {
		for _, m := range s.Methods {
			wanted = append(wanted, m.Name)
		}
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
		i := slices.IndexFunc(known.Metrics, func(e metrics.Entry) bool { return slices.Contains(e.Names(), id) })
		if i < 0 {
			return nil, fmt.Errorf("unknown metric %q", id)
		}
		if e := known.Metrics[i]; !slices.ContainsFunc(out.Metrics, func(o metrics.Entry) bool { return o.Name == e.Name }) {
			out.Metrics = append(out.Metrics, e)
		}
	}
	out.Settings = slices.Clone(s.Settings)
	if c.Splits == 0 {
		return &out, nil
	}
	for _, clean := range s.Settings {
		if clean.Corruption != "" || clean.CalibrateOn != "" {
			continue
		}
		for draw := 1; draw <= c.Splits; draw++ {
			drawn := clean
			drawn.Corruption, drawn.Severity, drawn.Draw = results.Split, draw, draw
			if !slices.ContainsFunc(s.Settings, func(o Setting) bool { return o.Cell == drawn.Cell }) {
				out.Settings = append(out.Settings, drawn)
			}
		}
	}
	return &out, nil
}

// method returns a method of the spec, or a registered one with its default
// options.
func (s *Spec) method(name string, known Registry) (Method, error) {
	var have []string
	for _, m := range s.Methods {
		if m.Name == name {
			return m, nil
		}
		have = append(have, m.Name)
	}
	entry, ok := find(known.Methods, name)
	if !ok {
		for _, n := range names(known.Methods) {
			if !slices.Contains(have, n) {
				have = append(have, n)
			}
		}
		return Method{}, fmt.Errorf("method %q is neither in %s nor registered%s", name, s.File, suggest(name, have))
	}
	r := &reader{file: s.File}
	fitter, text, err := r.build(entry, nil)
	if err != nil {
		return Method{}, fmt.Errorf("%s: %w", name, err)
	}
	return Method{Name: name, Label: entry.Label, Entry: entry, Options: text, Method: fitter}, nil
}
