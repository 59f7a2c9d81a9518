package pivot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/table"
)

// Pivot is a finished table: to print it needs no further decision. It is
// read-only.
type Pivot struct {
	Spec      crosstab.Spec
	Columns   []Column // a column of means is the last
	Rows      []Row    // a row of means is the last
	Notes     []Note
	Unknown   []string           // labels of methods without recorded argmax_change
	Settings  int                // averaged in every cell, means excepted; 0 if the cells differ
	Measured  int                // measured numbers shown, means excepted
	From      []string           // origins of the measured numbers, see results.DistinctFrom
	Simulated int                // simulated numbers shown, means excepted
	Virtual   []string           // what these cannot show, in sentences, as who makes the table says
	Uncounted int                // settings left out because they do not count, see results.Counts
	StandIns  []string           // how the networks of the numbers marked o differ from the paper's
	Baselines []string           // labels of the methods that Pair compares with
	Intervals []metrics.Interval // kinds of the intervals that Pair shows

	rivals   []*Rival // in the order in which they are shown
	seeded   bool     // some numbers are means over several trainings of a network
	levelled bool     // numbers that print differently share a mark, because they are results.Alike
}

// Undeclared takes the place of the text that says how a stand-in differs from the
// paper's network, where the manifest does not say it.
const Undeclared = "its manifest says neither paper nor stand-in"

// Rival is one of the items that marks rank; see [crosstab.Spec].
type Rival struct {
	ID, Label string
	Ranked    bool
	Target    bool    // sees unlabelled samples of the domain that it is tested on
	OODFree   bool    // does not, and reads no out-of-distribution samples either
	Changes   Changes // over all cells that are shown
	Notes     []int   // indices into Pivot.Notes of the notes that hold for all its cells
}

// Column is a column of numbers.
type Column struct {
	ID, Label string // ID is empty in the column of means
	Settings  int    // averaged in each cell: 1 without an average, 0 if the cells differ
	Mean      bool
	Rival     *Rival // nil where methods make the rows
}

// Changes says whether calibration changes the predicted class of any row.
type Changes int

const (
	Unknown Changes = iota // no argmax_change is recorded
	No
	Yes
)

// Row is a row of numbers.
type Row struct {
	IDs      []string // one for each of the rows of the spec; nil in the row of means
	Labels   []string
	Settings int // averaged in each cell: 1 without an average, 0 if the cells differ
	Seeds    int // of one setting, that are averaged in each cell; 0 for none, or if the cells differ
	Mean     bool
	Rival    *Rival // nil unless methods make the rows
	Cells    []Cell // one for each of Pivot.Columns
}

// Cell is a number with its marks.
type Cell struct {
	OK        bool    // there is a number; otherwise the cell is "--" and the notes say why
	Value     float64 // as recorded, or the mean
	Text      string  // as printed
	Deviation float64 // of the trainings of one network, see results.DeviationOverSeeds
	Spread    string  // the same as printed; empty where there is none
	Simulated bool
	StandIn   bool // measured on a network that stands in for the paper's
	Mark      table.Mark
	Gap       string // signed; only at the highlighted rival, and not at a tie
	GapBetter bool   // the gap says that the highlighted rival is better
	Changes   Changes
	Band      string // consistency band as printed; empty where it is not known
	Paired    string // difference from the baseline and its interval as printed, see Pivot.Pair
	Notes     []int  // indices into Pivot.Notes, without the notes of the rival

	records []results.Record // that are averaged; nil without a number
}

// below is what stands under a number: its consistency band and the difference from the baseline.
func (c Cell) below() string {
	text := c.Band
	if c.Paired != "" {
		text = strings.TrimSpace(text + " " + c.Paired)
	}
	return text
}

// Pair sets the difference of each number from the number of the baseline, with its
// interval, such as "-0.21 [-0.40, -0.02]". A cell without a pair, such as the baseline
// itself, has none, and neither has a simulated number. Of several trainings of a network it is the mean, see
// results.PairsOverSeeds. It is for tables without averages, see [crosstab.Spec].
func (t *Pivot) Pair(pairs []results.Pair) {
	spec := printing{t.Spec}
	index := map[results.Place]results.Pair{}
	for _, p := range pairs {
		if p.Source == "measured" {
			index[results.PlaceOf(p.Setting, p.Method, p.Metric)] = p
		}
	}
	for _, row := range t.Rows {
		for j := range row.Cells {
			c := &row.Cells[j]
			if !c.OK || row.Mean || t.Columns[j].Mean {
				continue
			}
			p, ok := pairOf(c.records, index)
			if !ok {
				continue
			}
			c.Paired = spec.signed(p.Difference)
			if p.Interval != "" {
				c.Paired += fmt.Sprintf(" [%s, %s]", spec.signed(p.Lo), spec.signed(p.Hi))
				if !slices.Contains(t.Intervals, p.Interval) {
					t.Intervals = append(t.Intervals, p.Interval)
				}
			}
			if label := spec.label("method", p.Against); !slices.Contains(t.Baselines, label) {
				t.Baselines = append(t.Baselines, label)
			}
		}
	}
}

// WithoutBands returns the table without consistency bands: itself where it has none.
func (t *Pivot) WithoutBands() *Pivot {
	if !t.Spec.ConsistencyBand {
		return t
	}
	plain := *t
	plain.Spec.ConsistencyBand = false
	plain.Rows = slices.Clone(t.Rows)
	for i := range plain.Rows {
		row := &plain.Rows[i]
		row.Cells = slices.Clone(row.Cells)
		for j := range row.Cells {
			row.Cells[j].Band = ""
		}
	}
	return &plain
}

// pairOf returns the pair of one record, or the mean of the pairs of trainings of a network. There is none if one of them
// is missing.
func pairOf(records []results.Record, index map[results.Place]results.Pair) (results.Pair, bool) {
	var list []results.Pair
	for _, r := range records {
		p, ok := index[r.Place()]
		if !ok {
			return results.Pair{}, false
		}
		list = append(list, p)
	}
	if len(list) > 1 {
		list = results.PairsOverSeeds(list)
	}
	return list[0], true
}

// average is the id of an averaged column.
const average = "average"

// Note is a footnote.
type Note struct {
	Text  string
	Vary  bool // the note also stands for texts that differ from Text in their numbers
	Rows  int  // rows of the table that have the note
	Times int  // how often it occurs: an averaged cell may have it more than once
}

func (n Note) String() string {
	text := n.Text
	if n.Vary {
		text = "for example: " + text
	}
	where := english.Count(n.Rows, "row")
	if n.Times > n.Rows {
		where = english.Count(n.Times, "time") + " in " + where
	}
	return text + " (" + where + ")"
}

// Origin is the line at the top. It says how many numbers are measured, and on
// which networks, how many are simulated, and what these cannot show.
func (t *Pivot) Origin() string {
	text := t.origin()
	if t.Simulated > 0 {
		text = strings.Join(append([]string{text}, t.Virtual...), " ")
	}
	return text
}

func (t *Pivot) origin() string {
	all := t.Measured + t.Simulated
	switch {
	case all == 0:
		return "No numbers."
	case t.Simulated == 0 && all == 1:
		return "The number is " + results.MeasuredOn(t.From) + "."
	case t.Simulated == 0:
		return fmt.Sprintf("All %d numbers are %s.", all, results.MeasuredOn(t.From))
	case t.Measured == 0:
		return fmt.Sprintf("SIMULATED: %s; none is of a real network.", english.Count(all, "number"))
	}
	return fmt.Sprintf("SIMULATED in part: %d of %d numbers, marked s; the rest is %s.", t.Simulated, all, results.MeasuredOn(t.From))
}

// mixed reports whether the table has measured and simulated numbers. Only then does
// each simulated number have an s; otherwise the line at the top says it of all.
func (t *Pivot) mixed() bool { return t.Measured > 0 && t.Simulated > 0 }

// any reports whether a cell has a property.
func (t *Pivot) any(has func(Cell) bool) bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return slices.ContainsFunc(r.Cells, has) })
}

// rivalColumn returns the column of results.csv that holds the ids of the rivals.
func (t *Pivot) rivalColumn() string {
	if t.Spec.MethodsAreRows() {
		return "method"
	}
	return t.Spec.Columns
}

// changesAtCells reports whether the daggers stand at the numbers, because the
// methods have no labels in the table.
func (t *Pivot) changesAtCells() bool { return t.rivalColumn() != "method" }

// showsTarget reports whether a rival sees the target domain.
func (t *Pivot) showsTarget() bool {
	return slices.ContainsFunc(t.rivals, func(r *Rival) bool { return r.Target })
}

// ticks reports whether the table says which rivals are OOD-free: some are not.
func (t *Pivot) ticks() bool {
	return slices.ContainsFunc(t.rivals, func(r *Rival) bool { return !r.OODFree })
}

// place names the place of a record, for errors.
func place(r results.Record) string {
	parts := []string{}
	for _, c := range crosstab.Dimensions {
		if v := value(r, c); v != "" {
			parts = append(parts, v)
		}
	}
	return strings.Join(parts, "/")
}
