package table

import (
	"fmt"
	"strings"

	"github.com/qats-bench/qats/results"
)

// Table is a finished table: printing it needs no further decision. It is
// read-only.
type Table struct {
	Spec      Spec
	Columns   []Column
	Rows      []Row // the mean row, if any, is the last
	Notes     []Note
	Unknown   []string // labels of methods of which argmax_change is not recorded
	Settings  int      // averaged in every cell, if all rows agree; otherwise 0
	Measured  int      // numbers shown of real networks, the mean row aside
	Simulated int
}

// Column is a column of numbers.
type Column struct {
	ID, Label string
	Ranked    bool
	Changes   Changes // over all cells that are shown
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
	IDs      []string // one for each of Spec.Rows; nil in the mean row
	Labels   []string
	Settings int // averaged in each cell; 1 if none
	Mean     bool
	Cells    []Cell // one for each of Table.Columns
}

// Cell is a number with its marks.
type Cell struct {
	OK        bool    // has a number; otherwise "--" and the notes say why
	Value     float64 // as recorded, or the mean
	Text      string  // as printed
	Simulated bool
	Mark      Mark
	Gap       string // signed, only in the highlighted column
	GapBetter bool   // the gap is on the winning side
	Changes   Changes
	Band      string // null band as printed; empty where it is not known
	Notes     []int  // indices into Table.Notes
}

// Mark is the place in the ranking of a row.
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

// Origin is the line on top: how many of the numbers are of real networks.
func (t *Table) Origin() string {
	all := t.Measured + t.Simulated
	switch {
	case all == 0:
		return "No numbers."
	case t.Simulated == 0 && all == 1:
		return "The number is measured on a real network."
	case t.Simulated == 0:
		return fmt.Sprintf("All %d numbers are measured on real networks.", all)
	case t.Measured == 0:
		return fmt.Sprintf("SIMULATED: %s, marked s; none is of a real network.", count(all, "number"))
	}
	return fmt.Sprintf("SIMULATED in part: %d of %d numbers, marked s; %d are measured on real networks.", t.Simulated, all, t.Measured)
}

// legend says in sentences what is shown and how it is marked. best, second
// and dagger are what stands for the marks; plain text goes through escape.
func (t *Table) legend(best, second, dagger string, escape func(string) string) []string {
	s := t.Spec
	name := s.label("metric", s.Metric)
	if s.Percent {
		name += " in per cent"
	}
	if s.Better != Neutral {
		name += ", " + string(s.Better) + " is better"
	}
	var list []string
	say := func(format string, args ...any) { list = append(list, escape(fmt.Sprintf(format, args...))) }
	say("%s.", name)
	if len(s.Average) > 0 && t.Settings > 0 {
		say("Each number is the mean of %s (over %s).", count(t.Settings, "setting"), strings.Join(s.Average, ", "))
	} else if len(s.Average) > 0 {
		say("Each number is a mean over %s; the number of settings is given with each row.", strings.Join(s.Average, ", "))
	}
	var marks, gaps, daggers, bands bool
	for _, row := range t.Rows {
		for _, c := range row.Cells {
			marks = marks || c.Mark != Plain
			gaps = gaps || c.Gap != ""
			daggers = daggers || c.Changes == Yes
			bands = bands || c.Band != ""
		}
	}
	if marks {
		list = append(list, best+", "+second+"; equal printed numbers share the mark.")
	}
	if gaps {
		say("Gap: %s less the best other.", s.label(s.Columns, s.Highlight))
	}
	if marks {
		var aside []string
		for _, c := range t.Columns {
			if !c.Ranked {
				aside = append(aside, c.Label)
			}
		}
		if len(aside) > 0 {
			say("Not ranked: %s.", strings.Join(aside, ", "))
		}
	}
	if daggers {
		list = append(list, dagger+": predictions change.")
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

// labels returns the labels of a row; where settings differ between rows, the
// last one carries their number.
func (t *Table) labels(r Row) []string {
	list := append([]string{}, r.Labels...)
	if !r.Mean && len(t.Spec.Average) > 0 && t.Settings == 0 {
		list[len(list)-1] += " (" + count(r.Settings, "setting") + ")"
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
