package page

import (
	"fmt"
	"html/template"
	"io"

	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/leaderboard"
	"github.com/qats-bench/qats/results/table"
)

// board is what the template of the leaderboard shows.
type board struct {
	Title    string
	Style    template.CSS
	Banner   banner
	Tables   []boardTable
	Rounds   []*table.Table
	Legend   []string
	Statuses any
	Folder   string
}

// boardTable is the table of a contract.
type boardTable struct {
	ID, Title, About string
	Statement        english.Text
	Table            *table.Table
}

// WriteBoard writes the page of the leaderboard. It has no script: the tables are whole, in the order of the ranks.
func WriteBoard(w io.Writer, b *leaderboard.Printed) error {
	c := board{
		Title: fmt.Sprintf("%s: %s", b.Title, b.Count()), Style: template.CSS(style), Legend: b.Legend, Rounds: b.Rounds, Statuses: leaderboard.Statuses(), Folder: b.Folder,
		Banner: banner{"measured", "MEASURED", fmt.Sprintf("All %d settings of this page are %s.", b.Settings.Measured, results.MeasuredOn(b.From))},
	}
	for _, s := range b.Sections {
		c.Tables = append(c.Tables, boardTable{string(s.Contract), s.Contract.Title(), s.About, s.Statement, s.Table})
	}
	return parsed.ExecuteTemplate(w, "board", c)
}

// WriteBoardFile writes the page of the leaderboard into a folder and returns its path.
func WriteBoardFile(dir results.Folder, b *leaderboard.Printed) (string, error) {
	path := dir.Path(File)
	return path, atomicfile.Write(path, func(w io.Writer) error { return WriteBoard(w, b) })
}
