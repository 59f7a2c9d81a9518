package experiments

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Absence is why cells have no value, with all the cells that share it: the error of
// one unreadable array is the error of every method that reads it.
type Absence struct {
	Status   results.Status `json:"status"`  // results.Skip or results.Fail
	Text     string         `json:"text"`    // without the names of method and setting
	Methods  []string       `json:"methods"` // in the order of the plan, each once, as Settings
	Settings []string       `json:"settings"`
	Cells    int            `json:"cells"`

	kin    results.Note
	listed map[string]bool // Settings
}

// String returns "METHODS on SETTINGS: TEXT", with few names and the number of the
// others.
func (r Absence) String() string {
	return fmt.Sprintf("%s on %s: %s", Few(r.Methods, 4), Few(r.Settings, 3), r.Text)
}

// Few lists at most n names and counts the others.
func Few(names []string, n int) string {
	switch more := len(names) - n; {
	case more > 1:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), more)
	case len(names) == 0:
		return ""
	}
	return english.List(names)
}

// Absences are in the order of the first cell of each.
type Absences []Absence

// Add counts a cell under its reason.
func (rs *Absences) Add(status results.Status, setting *spec.Setting, method string, why results.Note) {
	kin := why.Kin()
	i := slices.IndexFunc(*rs, func(r Absence) bool { return r.Status == status && r.kin == kin })
	if i < 0 {
		i = len(*rs)
		*rs = append(*rs, Absence{Status: status, Text: why.String(), kin: kin})
	}
	r := &(*rs)[i]
	r.Cells++
	if !slices.Contains(r.Methods, method) {
		r.Methods = append(r.Methods, method)
	}
	if name := setting.String(); !r.listed[name] { // two specs may have it
		if r.listed == nil {
			r.listed = map[string]bool{}
		}
		r.listed[name] = true
		r.Settings = append(r.Settings, name)
	}
}

// maxAbsent bounds the settings that Absent explains one by one.
const maxAbsent = 3

// Absent lists, for the first settings without arrays, the places that were searched and
// their content, one line each.
func (p *Plan) Absent() []string {
	var lines []string
	absent := 0
	for i := range p.Units {
		u := &p.Units[i]
		if u.source != nil {
			continue
		}
		if absent++; absent <= maxAbsent {
			lines = append(lines, u.Setting.String()+": "+NoArrays().String())
			for _, line := range p.Searched(u) {
				lines = append(lines, "  "+line)
			}
		}
	}
	if more := absent - maxAbsent; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more settings without arrays", more))
	}
	return lines
}

// Searched says of a setting without arrays where they were searched, one line each.
func (p *Plan) Searched(u *Unit) []string {
	var lines []string
	for _, src := range u.sources {
		s, ok := folder.SearchOf(src, u.Setting.Test())
		if !ok {
			lines = append(lines, "no virtual network has this dataset and backbone")
			continue
		}
		if len(s.Tried) > 0 { // the layout has a place for the set
			lines = append(lines, "looked for "+Few(s.Tried, 3))
		}
		hint := ""
		names := lists.Values(s.Entries, func(e string) string { return strings.TrimSuffix(e, "/") })
		if keyed.Nearest(s.Missing, names) != "" {
			hint = keyed.Suggest(s.Missing, names)
		}
		switch {
		case s.Note != "":
			lines = append(lines, s.Note)
		case len(s.Entries) == 0:
			lines = append(lines, fmt.Sprintf("%s is empty", s.Dir))
		default:
			lines = append(lines, fmt.Sprintf("%s has %s%s", s.Dir, Few(s.Entries, 8), hint))
		}
	}
	if len(p.options.Data) == 0 {
		for _, dir := range p.missing[u.Spec] {
			lines = append(lines, "there is no folder "+dir)
		}
	}
	if len(u.sources)+len(p.missing[u.Spec]) == 0 {
		lines = append(lines, "the spec names no source (data:), and --data is not given")
	}
	return lines
}

// Uncalibrated returns the settings with test rows and without calibration rows that a method
// of their spec needs.
func (p *Plan) Uncalibrated() []string {
	var names []string
	for i := range p.Units {
		u := &p.Units[i]
		needs := func(c Cell) bool { return c.Method.Contract().Cal&scored != 0 }
		if u.source != nil && u.source.Has(u.Setting.Cal())&scored != scored && slices.ContainsFunc(u.Cells, needs) {
			names = append(names, u.Setting.String())
		}
	}
	return names
}

// NoCalibration says that settings or networks have no calibration rows, and what to do.
func NoCalibration(names []string) string {
	return fmt.Sprintf("no calibration rows for %s: nothing can be fitted there; save logits and labels of held-out rows as you saved the test set, or name the data set that has them, as calibrate_on in the settings", Few(names, 3))
}
