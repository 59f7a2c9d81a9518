package leaderboard

import (
	"fmt"
	"io"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// Printed is a leaderboard of any version as it is printed.
type Printed struct {
	Title    string
	Sections []Section // of the contracts that a method has
	Legend   []string  // paragraphs that explain the columns of all tables
	Settings results.SettingCounts
	From     []string // what the settings are measured on
	Methods  int      // of the registry
	Entries  int
	Rounds   []*table.Table // of labels drawn anew, the first one first
	Folder   string         // with the numbers of the registry, in the project
}

// Section is the table of a contract with its texts.
type Section struct {
	Contract  Contract
	About     string // what its methods see and keep
	Statement english.Text
	Table     *table.Table
}

// WriteCSV writes all methods with a number, as rows of one file. References are in the table of their contract alone.
func (p *Printed) WriteCSV(w io.Writer) error {
	var all table.Table
	for _, s := range p.Sections {
		all.Columns = s.Table.Columns
		all.Rows = append(all.Rows, s.Table.Rows...)
	}
	return all.CSV(w)
}

// Count says how many methods and entries the board has, on how many settings.
func (p *Printed) Count() string {
	text := english.Count(p.Methods, "method")
	if p.Entries == 1 {
		text += " and 1 entry"
	} else if p.Entries > 1 {
		text += fmt.Sprintf(" and %d entries", p.Entries)
	}
	return text + " on " + english.Count(p.Settings.Measured, "setting")
}
