package table

import (
	"math"
	"strconv"
)

// Table is a table as a value. A view builds it; Text, LaTeX, Typeset, Markdown, HTML, CSV and JSON write
// it and know no view. All its texts are plain.
type Table struct {
	Name    string // of the file, and of the LaTeX label "tab:<name>"; empty for none
	Files   string // that the table is made from, for the head of a LaTeX file
	Caption string
	Origin  string // where the numbers come from, between caption and headings
	Warning bool   // Origin is a warning, such as that numbers are simulated

	Columns []Column
	Labels  int    // the first columns, which name a row: at least 1 is taken. A folded table repeats them
	Over    []Cell // a line above the headings, one cell for each column; nil for none
	Rows    []Row
	Grouped bool // neighbours with equal texts in the first column are a group, between rules
	List    bool // a terminal shows it without rules
	plain   bool // in [Table.LaTeX]: without macros and colours

	Legend  []Sentence // one paragraph below the rows
	Remarks []string   // paragraphs below the legend
	Notes   []string   // footnotes, numbered from 1
}

// Column is a column of a table.
type Column struct {
	Key   string // name in CSV and JSON; a column without one is in print only
	Head  string // in print, lines separated by \n
	Signs string // after the heading
	Notes []int  // indices into Table.Notes

	Align Align
	Data  bool // in CSV and JSON only
	Fold  bool // its long texts take several lines
	Break bool // where a terminal is too narrow for all columns, a new part begins here
	Apart bool // space separates it from the column before
	Aside bool // says something about the rows beside their numbers: the heading is in italics

	// How Number prints: times Factor (0 is 1), with this number of decimals, with a plus
	// sign above zero if Signed, and then the unit.
	Factor float64
	Digits int
	Signed bool
	Unit   string
}

// Align says how the texts of a column stand below each other.
type Align int

// Numbers have room for marks before and after them, and for signs, a gap and notes behind.
const (
	Left Align = iota
	Right
	Numbers
)

// Row is a row of a table.
type Row struct {
	Cells []Cell // one for each column
	Wide  bool   // the first cell alone, across all columns; data forms leave the row out
	Total bool   // sums the others up: a rule separates it, and data forms leave it out
}

// Cell is what stands in a row under a heading.
type Cell struct {
	Text   string // in print
	Value  any    // in CSV and JSON: nil where there is none
	Mark   Mark
	Spread string // of a number: what varies about it, after a plus-minus sign
	Signs  string // after the text: letters, Dagger and Star
	Gap    string // a signed number beside the text
	Good   bool   // Gap is in favour of the row or column that has it
	Below  string // a second line
	Notes  []int  // indices into Table.Notes
}

// Dagger and Star are signs in a text of a table. A terminal shows them as # and ^.
const (
	Dagger = "\u2021"
	Star   = "\u22c6"
)

// plusMinus stands between a number and its spread. A terminal shows it as +-.
const plusMinus = " \u00b1 "

// Mark is the place in a ranking.
type Mark int

// Equal printed numbers share a mark.
const (
	Plain Mark = iota
	Best
	Second
)

// Sentence is a part of a legend. A sentence on marks begins with the marks as the
// writer shows them.
type Sentence struct {
	Marks bool
	Text  string
}

// Sentences returns sentences without marks.
func Sentences(list ...string) []Sentence {
	sentences := make([]Sentence, len(list))
	for i, text := range list {
		sentences[i].Text = text
	}
	return sentences
}

// Words returns a cell with a text, which is its value too.
func Words(text string) Cell { return Cell{Text: text, Value: text} }

// Int returns a cell with a whole number.
func Int(n int) Cell { return Cell{Text: strconv.Itoa(n), Value: n} }

// Number returns a cell with a number of the column.
func (c Column) Number(v float64) Cell {
	return Cell{Text: c.print(v) + c.Unit, Value: v}
}

func (c Column) print(v float64) string {
	if c.Factor != 0 {
		v *= c.Factor
	}
	if c.Signed {
		return Signed(v, c.Digits)
	}
	return Fixed(v, c.Digits)
}

// significant returns a number with nine significant digits, as in results.csv: the last
// digits of a float64 differ between processors. ok is false for NaN and infinities.
func significant(v float64) (text string, ok bool) {
	return strconv.FormatFloat(v, 'g', 9, 64), !math.IsNaN(v) && !math.IsInf(v, 0)
}

// labels is the number of columns that name a row.
func (t *Table) labels() int { return max(1, t.Labels) }

// shown returns the indices of the columns that are printed.
func (t *Table) shown() []int {
	var list []int
	for j, c := range t.Columns {
		if !c.Data {
			list = append(list, j)
		}
	}
	return list
}

// keyed returns the indices of the columns of CSV and JSON.
func (t *Table) keyed() []int {
	var list []int
	for j, c := range t.Columns {
		if c.Key != "" {
			list = append(list, j)
		}
	}
	return list
}

// begins reports whether a rule separates row i from the one before.
func (t *Table) begins(i int) bool { return i > 0 && (t.Rows[i].Total || t.Grouped && !t.repeats(i)) }

// repeats reports whether row i has the group of the row before.
func (t *Table) repeats(i int) bool {
	return t.Grouped && i > 0 && !t.Rows[i].Total && t.Rows[i].Cells[0].Text == t.Rows[i-1].Cells[0].Text
}

// NewList returns a list of texts in columns, for a terminal: no rules, and the last column
// takes several lines where its texts are long. The headings may be nil.
func NewList(heads []string, rows [][]string) *Table {
	t := &Table{List: true}
	for _, row := range rows {
		var cells []Cell
		for _, text := range row {
			cells = append(cells, Words(text))
		}
		t.Rows = append(t.Rows, Row{Cells: cells})
	}
	n := len(heads)
	if n == 0 && len(rows) > 0 {
		n = len(rows[0])
	}
	t.Columns = make([]Column, n)
	for j, head := range heads {
		t.Columns[j].Head = head
	}
	if n > 0 {
		t.Columns[n-1].Fold = true
	}
	return t
}

// Turned returns a list with a row for each column of a table of one row.
func (t *Table) Turned() *Table {
	var rows [][]string
	for _, j := range t.shown() {
		rows = append(rows, []string{t.Columns[j].Head, t.Rows[0].Cells[j].Text})
	}
	return NewList(nil, rows)
}
