package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results"
)

// Table is a finished table: printing it needs no further decision. It is
// read-only.
type Table struct {
	Spec      Spec
	Columns   []Column // the column of means, if any, is the last
	Rows      []Row    // the row of means, if any, is the last
	Notes     []Note
	Unknown   []string // labels of methods of which argmax_change is not recorded
	Settings  int      // averaged in every cell, means aside; 0 if they differ
	Measured  int      // numbers shown that are measured, means aside
	From      []string // what those are of, see results.DistinctFrom
	Simulated int
}

// Rival is one of those that marks rank; see Spec.
type Rival struct {
	ID, Label string
	Ranked    bool
	Target    bool    // sees unlabelled samples of the domain that it is tested on
	Changes   Changes // over all cells that are shown
	Notes     []int   // indices into Table.Notes: those that hold for all of its cells
}

// Column is a column of numbers.
type Column struct {
	ID, Label string // ID is empty in the column of means
	Settings  int    // averaged in each cell; 1 if none, 0 if they differ
	Mean      bool
	Rival     *Rival // nil where methods make the rows
}

// Changes says whether calibration changes the predicted class of any row.
type Changes int

// Unknown where no argmax_change is recorded.
const (
	Unknown Changes = iota
	No
	Yes
)

// Row is a row of numbers.
type Row struct {
	IDs      []string // one for each of Spec.Rows; nil in the row of means
	Labels   []string
	Settings int // averaged in each cell; 1 if none, 0 if they differ
	Mean     bool
	Rival    *Rival // nil unless methods make the rows
	Cells    []Cell // one for each of Table.Columns
}

// Cell is a number with its marks.
type Cell struct {
	OK        bool    // has a number; otherwise "--" and the notes say why
	Value     float64 // as recorded, or the mean
	Text      string  // as printed
	Simulated bool
	Mark      Mark
	Gap       string // signed, only of the highlighted rival, and not at a tie
	GapBetter bool   // the gap is on the winning side
	Changes   Changes
	Band      string // null band as printed; empty where it is not known
	Notes     []int  // indices into Table.Notes, less those of the rival
}

// Mark is the place in a ranking.
type Mark int

// Equal printed numbers share a mark.
const (
	Plain Mark = iota
	Best
	Second
)

// Note is a footnote.
type Note struct {
	Text  string
	Vary  bool // other texts differ from Text in their numbers
	Rows  int  // rows of the table that it touches
	Times int  // how often it occurs: an averaged cell may hold it more than once
}

func (n Note) String() string {
	text := n.Text
	if n.Vary {
		text = "for example: " + text
	}
	touched := count(n.Rows, "row")
	if n.Times > n.Rows {
		touched = count(n.Times, "time") + " in " + touched
	}
	return text + " (" + touched + ")"
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Origin is the line on top: how many of the numbers are measured, on what, and
// how many simulated.
func (t *Table) Origin() string {
	all := t.Measured + t.Simulated
	switch {
	case all == 0:
		return "No numbers."
	case t.Simulated == 0 && all == 1:
		return "The number is " + results.MeasuredOn(t.From) + "."
	case t.Simulated == 0:
		return fmt.Sprintf("All %d numbers are %s.", all, results.MeasuredOn(t.From))
	case t.Measured == 0:
		return fmt.Sprintf("SIMULATED: %s, marked s; none is of a real network.", count(all, "number"))
	}
	return fmt.Sprintf("SIMULATED in part: %d of %d numbers, marked s; the rest is %s.", t.Simulated, all, results.MeasuredOn(t.From))
}

// glyphs are what stands for the marks of a legend; plain text goes through
// Escape.
type glyphs struct {
	best, second, dagger, star string
	escape                     func(string) string
}

// legend says in sentences what is shown and how it is marked.
func (t *Table) legend(g glyphs) []string {
	s := t.Spec
	name := s.label("metric", s.Metric)
	if s.Percent {
		name += " in per cent"
	}
	if s.Better != Neutral {
		name += ", " + string(s.Better) + " is better"
	}
	var list []string
	say := func(format string, args ...any) { list = append(list, g.escape(fmt.Sprintf(format, args...))) }
	say("%s.", name)
	if len(s.Average) > 0 {
		say("%s", t.averages())
	}
	var marks, gaps, bands bool
	for _, row := range t.Rows {
		for _, c := range row.Cells {
			marks = marks || c.Mark != Plain
			gaps = gaps || c.Gap != ""
			bands = bands || c.Band != ""
		}
	}
	if marks {
		list = append(list, g.best+", "+g.second+"; equal printed numbers share the mark.")
	}
	if gaps {
		say("Gap: %s less the best other, none at a tie.", s.label(t.of(), s.Highlight))
	}
	var aside, target []string
	for _, r := range t.rivals() {
		if !r.Ranked {
			aside = append(aside, r.Label)
		}
		if r.Target {
			target = append(target, r.Label)
		}
	}
	if marks && len(aside) > 0 {
		say("Not ranked: %s.", strings.Join(aside, ", "))
	}
	if t.anyChanges() {
		list = append(list, g.dagger+": predictions change.")
	}
	if len(target) > 0 {
		list = append(list, g.star+": not OOD-free, sees unlabelled samples of each target domain.")
	}
	for _, r := range t.rivals() {
		if text := remark(r.ID, r.Label); t.of() == "method" && text != "" {
			say("%s", text)
		}
	}
	if len(t.Unknown) > 0 {
		say("Not known whether predictions change (no argmax_change recorded): %s.", strings.Join(t.Unknown, ", "))
	}
	if s.NullBand && bands {
		say("In brackets: 95 %% range of a perfectly calibrated model with the same confidences at the same n.")
	} else if s.NullBand {
		say("Null bands are not known (no %s_null_lo and %s_null_hi recorded).", s.Metric, s.Metric)
	}
	return list
}

// averages says how many settings the numbers are means of.
func (t *Table) averages() string {
	over := "over " + strings.Join(t.Spec.Average, ", ")
	if t.Settings > 0 {
		return fmt.Sprintf("Each number is the mean of %s (%s).", count(t.Settings, "setting"), over)
	}
	byRow, byColumn := true, true
	for _, r := range t.Rows {
		byRow = byRow && r.Settings > 0
	}
	var list []string
	for _, c := range t.Columns {
		switch {
		case c.Mean:
		case c.Settings == 0:
			byColumn = false
		case c.Settings > 1:
			list = append(list, fmt.Sprintf("%s is the mean of %s", c.Label, count(c.Settings, "setting")))
		}
	}
	switch {
	case byRow:
		return fmt.Sprintf("Each number is a mean %s; the number of settings is given with each row.", over)
	case byColumn && len(list) > 0:
		return fmt.Sprintf("%s (%s).", strings.Join(list, "; "), over)
	}
	return fmt.Sprintf("Each number is a mean %s; the number of settings differs within rows and columns.", over)
}

// of returns the column of results.csv that the rivals are from.
func (t *Table) of() string {
	if t.Spec.down() {
		return "method"
	}
	return t.Spec.Columns
}

// rivals returns the rivals in the order in which they are shown.
func (t *Table) rivals() []*Rival {
	var list []*Rival
	for _, c := range t.Columns {
		if c.Rival != nil {
			list = append(list, c.Rival)
		}
	}
	for _, r := range t.Rows {
		if r.Rival != nil && !slices.Contains(list, r.Rival) {
			list = append(list, r.Rival)
		}
	}
	return list
}

// anyChanges reports whether a dagger is shown.
func (t *Table) anyChanges() bool {
	for _, row := range t.Rows {
		for _, c := range row.Cells {
			if c.Changes == Yes {
				return true
			}
		}
	}
	return false
}

// changesAtCells reports whether the daggers stand at the numbers, because no
// method has a label to bear one.
func (t *Table) changesAtCells() bool { return t.of() != "method" }

// tellsTarget reports whether a rival sees the target domain, so that it is to
// be shown which do without.
func (t *Table) tellsTarget() bool {
	return slices.ContainsFunc(t.rivals(), func(r *Rival) bool { return r.Target })
}

// wide reports whether headings are broken into lines to save width.
func (t *Table) wide() bool { return len(t.Columns) > 9 }

// heading returns the lines of a column heading.
func (t *Table) heading(c Column) []string {
	if t.wide() {
		return strings.Fields(c.Label)
	}
	return []string{c.Label}
}

// labels returns the labels of a row; where settings differ between rows, the
// last one carries their number, unless that is a method.
func (t *Table) labels(r Row) []string {
	list := append([]string{}, r.Labels...)
	if r.Mean || len(t.Spec.Average) == 0 || t.Settings > 0 || r.Settings == 0 {
		return list
	}
	for i := len(list) - 1; i >= 0; i-- {
		if t.Spec.Rows[i] != "method" {
			list[i] += " (" + count(r.Settings, "setting") + ")"
			break
		}
	}
	return list
}

// place names a record in an error.
func place(r results.Record) string {
	parts := []string{}
	for _, c := range dimensions {
		if v := value(r, c); v != "" {
			parts = append(parts, v)
		}
	}
	return strings.Join(parts, "/")
}
