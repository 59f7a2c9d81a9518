package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
)

// lead is the picture at the top: the reliability of a network before and after the method that the rule
// names best or that a trial has chosen, or else after TS.
type lead struct {
	Setting int `json:"setting"`
	Before  int `json:"before"` // methods
	After   int `json:"after"`

	Source string `json:"-"`
	Text   string `json:"-"`
}

// leadOf returns the picture of a comparison, nil where no setting has the bins of the network
// and of the method.
func leadOf(f *results.Rows, d *data, view compare.View) *lead {
	c := view.Comparison
	method, why := leading(view)
	if chosen, by := chosenOf(f); chosen != "" {
		method, why = chosen, "was chosen on the calibration rows, by cross-fitted "+by
	}
	place := func(id string) int {
		return slices.IndexFunc(d.Methods, func(m methodEntry) bool { return m.ID == id })
	}
	l := &lead{Before: place(compare.Uncalibrated), After: place(method), Source: c.Source}
	if l.Before < 0 || l.After < 0 || l.Before == l.After || d.large {
		return nil
	}
	drawable := map[results.Setting]map[string]bool{}
	for _, b := range f.Bins {
		if b.Binning == "width15" && b.N > 0 && b.Source == c.Source {
			if drawable[b.Setting] == nil {
				drawable[b.Setting] = map[string]bool{}
			}
			drawable[b.Setting][b.Method] = true
		}
	}
	before := lists.Where(f.Records, func(r record) bool {
		has := drawable[r.Setting]
		return r.Method == compare.Uncalibrated && r.Metric == c.Metric && r.Source == c.Source && r.Status == results.OK && has[compare.Uncalibrated] && has[method]
	})
	once := func(r record) results.Setting { // each setting once, whatever its experiments
		r.Setting.Experiment = ""
		return r.Setting
	}
	_, of := lists.Group(before, once)
	before = lists.Where(before, func(r record) bool {
		return of[once(r)][0].Setting == r.Setting && results.Counts(r.Setting, c.Variants)
	})
	clean := lists.Where(before, func(r record) bool {
		return r.Corruption == "" && r.Variant == (results.Variant{Training: r.Variant.Training})
	})
	kind := "clean settings"
	if slices.ContainsFunc(clean, func(r record) bool { return r.Variant.Training > 0 }) {
		kind = "trainings"
	}
	if len(clean) == 0 {
		clean, kind = before, "settings"
	}
	if len(clean) == 0 {
		return nil
	}
	slices.SortStableFunc(clean, func(a, b record) int { return cmp.Compare(a.Value, b.Value) })
	typical := clean[(len(clean)-1)/2].Setting
	l.Setting = slices.IndexFunc(d.Settings, func(s settingEntry) bool {
		at := s.setting
		at.Experiment = s.Experiment
		return at == typical && s.Source == c.Source && !s.mean
	})
	l.Text = fmt.Sprintf("%s %s. Here it is on %s", view.Label(method), why, d.Settings[l.Setting].Print)
	if len(clean) > 1 {
		l.Text += fmt.Sprintf(", a typical setting: its %s before calibration is the median of %d %s", c.MetricLabel, len(clean), kind)
	}
	l.Text += "."
	return l
}

// leading returns the method of the picture, and why it is that.
func leading(v compare.View) (method, why string) {
	if v.Judgement != nil {
		if best := v.Judgement.Named(); len(best) > 0 {
			return best[0], "is shown to be better than " + v.Label(v.Against) + ", and no method of its table is shown to be better than it"
		}
	}
	method = v.Against
	if method == compare.Uncalibrated || slices.ContainsFunc(v.Rows, func(r compare.Row) bool { return r.Method == temperature }) {
		method = temperature
	}
	if !v.Judged() {
		return method, "is shown as an example: the rows are simulated"
	}
	return method, "is shown as an example, since no method is shown to be better"
}

// temperature is the method of the picture where the rule names none.
const temperature = "ts"

// chosenOf returns the method that a trial has chosen and the label of the metric that chose it,
// or nothing.
func chosenOf(f *results.Rows) (method, by string) {
	if f.Run == nil || len(f.Run.Specs) != 1 {
		return "", ""
	}
	_, output, _ := metrics.LookupOutput(f.Run.Specs[0].ChosenBy)
	return f.Run.Specs[0].Chosen, output.Label
}
