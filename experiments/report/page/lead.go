package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
)

// lead is the picture at the top: the reliability of a network before and after the method
// that leads the first comparison or that a trial has chosen.
type lead struct {
	Setting int `json:"setting"`
	Before  int `json:"before"` // methods
	After   int `json:"after"`

	Source string `json:"-"`
	Text   string `json:"-"`
}

// uncalibrated is the method that leaves the network as it is.
const uncalibrated = "uncal"

// leadOf returns the picture of a comparison, nil where no setting has the bins of the network
// and of the method.
func leadOf(f *results.Rows, d *data, c *compare.Comparison, labels map[string]string) *lead {
	view := compare.View{Comparison: c, Labels: labels}
	method, why := leader(view)
	if chosen, by := chosenOf(f); chosen != "" {
		method, why = chosen, "was chosen on the calibration rows, by cross-fitted "+by
	}
	place := func(id string) int {
		return slices.IndexFunc(d.Methods, func(m methodEntry) bool { return m.ID == id })
	}
	l := &lead{Before: place(uncalibrated), After: place(method), Source: c.Source}
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
		return r.Method == uncalibrated && r.Metric == c.Metric && r.Source == c.Source && r.Status == results.OK && has[uncalibrated] && has[method]
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

// chosenOf returns the method that a trial has chosen and the label of the metric that chose it,
// or nothing.
func chosenOf(f *results.Rows) (method, by string) {
	if f.Run == nil || len(f.Run.Specs) != 1 {
		return "", ""
	}
	_, output, _ := metrics.LookupOutput(f.Run.Specs[0].ChosenBy)
	return f.Run.Specs[0].Chosen, output.Label
}

// leader returns the method that leads a comparison, other than the uncalibrated network, and
// what it leads by. Where that network is ahead of it, it says so.
func leader(v compare.View) (method, why string) {
	for i, m := range v.Ranking.Methods {
		if m != uncalibrated {
			among, than := second(i > 0 && v.Ranking.Ranks[0] < v.Ranking.Ranks[i])
			return m, fmt.Sprintf("has the best mean rank%s by %s over %s (%.2f of %d methods)%s", among, v.MetricLabel, ofAll(v.Ranking.Settings, v.Settings), v.Ranking.Ranks[i], len(v.Ranking.Methods), than)
		}
	}
	rows := slices.DeleteFunc(append(slices.Clone(v.Rows), v.Own), func(r compare.Row) bool { return r.Settings == 0 })
	before := slices.IndexFunc(rows, func(r compare.Row) bool { return r.Method == uncalibrated })
	methods := slices.DeleteFunc(slices.Clone(rows), func(r compare.Row) bool { return r.Method == uncalibrated || v.Sees(r.Method) })
	if len(methods) == 0 { // of the others, if there are no more
		methods = slices.DeleteFunc(slices.Clone(rows), func(r compare.Row) bool { return r.Method == uncalibrated })
	}
	if len(methods) == 0 {
		return "", ""
	}
	order := func(a, b compare.Row) int {
		if v.Better == metrics.Higher {
			a, b = b, a
		}
		return cmp.Compare(a.Value, b.Value)
	}
	first := slices.MinFunc(methods, order)
	word := "lowest"
	if v.Better == metrics.Higher {
		word = "highest"
	}
	among, than := second(before >= 0 && rows[before].Settings == first.Settings && order(rows[before], first) < 0)
	return first.Method, fmt.Sprintf("has the %s mean %s%s, over %s%s", word, v.MetricLabel, among, english.Count(first.Settings, "setting"), than)
}

// ofAll counts settings, "162 of 182 settings" where they are not all.
func ofAll(n, all int) string {
	if n < all {
		return fmt.Sprintf("%d of %s", n, english.Count(all, "setting"))
	}
	return english.Count(n, "setting")
}

// second returns what is said of the best calibrator where the uncalibrated network is ahead of it.
func second(ahead bool) (among, than string) {
	if !ahead {
		return "", ""
	}
	return " of the calibrators", "; without calibration it is better"
}
