package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results/table"
	"github.com/qats-bench/qats/results/table/pivot"
)

// shortTable is the largest number of rows of a table that a summary shows, and
// shownGaps the largest number of lines about views that could not be made.
const (
	shortTable = 12
	shownGaps  = 3

	wide = 100 // columns of a sentence, where there is no width
)

// summary is what WriteViews prints: the files have all the rest.
type summary struct {
	dir, document string
	options       ViewOptions
	parts         []pivot.Part
	settings      pivot.Settings // of all parts, each once
	gaps          []string
}

func (s *summary) print(w io.Writer) error {
	if !s.options.All {
		if err := s.views().Text(w, s.options.Width); err != nil {
			return err
		}
		if len(s.parts) > 1 || s.settings.Note() != "" {
			text := fmt.Sprintf("%s in all: %s. %s", english.Count(s.settings.All(), "setting"), settingsOf(s.settings), s.settings.Note())
			english.Wrap(w, "", text, cmp.Or(s.options.Width, wide))
		}
		fmt.Fprintln(w)
	}
	s.printGaps(w)
	tables, figures := 0, 0
	for _, p := range s.parts {
		tables, figures = tables+len(p.Tables), figures+len(p.Figures)
	}
	more := "; --verbose prints them"
	if s.options.All {
		more = ""
	}
	if tables > 0 {
		terminal.Fprintf(w, "%s: %s, each as .txt, .tex and .csv%s\n", filepath.Join(s.dir, "tables"), english.Count(tables, "table"), more)
	}
	if figures > 0 {
		endings := lists.Values(s.options.Formats, func(f plots.Format) string { return "." + string(f) })
		terminal.Fprintf(w, "%s: %s, each as %s\n", filepath.Join(s.dir, "figures"), english.Count(figures, "figure"), english.List(endings))
	}
	_, err := terminal.Fprintf(w, "%s: all of them in one document, for pdflatex\n%s: publications of the methods\n", filepath.Join(s.dir, s.document), filepath.Join(s.dir, ReferencesFile))
	return err
}

// views returns the first table of a single spec if it is short, and else a list of the
// specs with the numbers of their settings and views.
func (s *summary) views() *table.Table {
	if len(s.parts) == 1 && len(s.parts[0].Tables) > 0 {
		if t := s.parts[0].Tables[0].Table(); len(t.Rows) <= shortTable {
			return t
		}
	}
	list := &table.Table{List: true, Columns: []table.Column{{Head: "EXPERIMENT"}, {Head: "SETTINGS"}, {Head: "TABLES", Align: table.Right}, {Head: "FIGURES", Align: table.Right}}}
	for _, p := range s.parts {
		list.Rows = append(list.Rows, table.Row{Cells: []table.Cell{table.Words(p.Title), table.Words(settingsOf(p.Settings)),
			table.Int(len(p.Tables)), table.Int(len(p.Figures))}})
	}
	return list
}

// settingsOf counts the settings that count by where their numbers come from.
func settingsOf(n pivot.Settings) string {
	var list []string
	for _, c := range []struct {
		n    int
		what string
	}{{n.Measured, "measured"}, {n.Simulated, "simulated"}, {n.None, "without values"}} {
		if c.n > 0 {
			list = append(list, strconv.Itoa(c.n)+" "+c.what)
		}
	}
	if list == nil {
		return "none that counts"
	}
	return strings.Join(list, ", ")
}

// printGaps prints what the views lack, not more than a few lines of it unless all is
// to be printed.
func (s *summary) printGaps(w io.Writer) {
	list := s.gaps
	if !s.options.All && len(list) > shownGaps+1 {
		list = list[:shownGaps]
	}
	for _, line := range list {
		fmt.Fprintln(w, line)
	}
	if more := len(s.gaps) - len(list); more > 0 {
		fmt.Fprintf(w, "and %d lines more about figures that are not drawn (--verbose)\n", more)
	}
}
