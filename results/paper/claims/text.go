package claims

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/table"
)

// Text prints the comparison for a terminal of some columns: the summaries, the
// claims, then the tables row by row. A row without any reproduced value takes one
// line.
func (c *Comparison) Text(w io.Writer, width int) error {
	b := bufio.NewWriter(w)
	b.WriteString("Published numbers and the values here\n\n")
	c.textSummaries(b, width)
	textClaims(b, c.Claims, "on measured records", width)
	b.WriteString("\nRow by row\n")
	for _, t := range paper.Tables() {
		b.WriteString("\n")
		c.textTable(b, t, width)
	}
	return b.Flush()
}

func (c *Comparison) textTable(b *bufio.Writer, t paper.Table, width int) {
	rows := lists.Where(c.Rows, func(r Row) bool { return r.Table == t.ID })
	numbers, found := 0, 0
	for _, r := range rows {
		numbers += len(r.Cells)
		for _, cell := range r.Cells {
			if cell.State == OK {
				found++
			}
		}
	}
	metric := results.Name("metric", t.Metric)
	title := fmt.Sprintf("Table %d, %s (%s in per cent): %d of %d numbers have a value here", t.Number, t.Summary, metric, found, numbers)
	if found == 0 && !slices.ContainsFunc(rows, Row.tried) {
		english.Wrap(b, "", title, width)
		return
	}
	number := func(head string) table.Column { return table.Column{Head: head, Align: table.Right} }
	list := &table.Table{Caption: title, List: true, Columns: []table.Column{{}, number("published"), number("here"),
		number("difference"), {Head: "consistency band"}, {Head: "source", Fold: true}}}
	for _, r := range rows {
		list.Rows = append(list.Rows, r.rows()...)
	}
	list.Text(b, width)
}

// wideRow is a text across the table; numberRow has the number of a method.
func wideRow(text string) table.Row {
	return table.Row{Wide: true, Cells: []table.Cell{table.Words(text), {}, {}, {}, {}, {}}}
}

func numberRow(name, published, here, difference, band, source string) table.Row {
	var cells []table.Cell
	for _, text := range []string{"  " + name, published, here, difference, band, source} {
		cells = append(cells, table.Words(text))
	}
	return table.Row{Cells: cells}
}

// tried reports whether any cell has a record at all.
func (r Row) tried() bool {
	return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.State != Missing })
}

// rows are the title of a row of the paper, its numbers and its ranking.
func (r Row) rows() []table.Row {
	if !r.tried() {
		partly := ""
		if i := slices.IndexFunc(r.Cells, func(c Cell) bool { return c.Reason != "no record" }); i >= 0 {
			partly = "; " + r.Cells[i].Label + ": " + r.Cells[i].Reason
		}
		return []table.Row{wideRow(fmt.Sprintf("%s: not run (%d numbers%s)", r.Title(), len(r.Cells), partly))}
	}
	title := r.Title()
	if how := r.standIn(); how != "" {
		title += " (not the paper's network: " + how + ")"
	}
	list := []table.Row{wideRow(title)}
	for _, c := range r.Cells {
		name := c.Label
		if !c.Ranked() {
			name += " (not ranked)"
		}
		if c.State != OK {
			list = append(list, numberRow(name, c.Value.String(), "--", "", "", fmt.Sprintf("%s: %s", c.State, c.Reason)))
			continue
		}
		band := ""
		if c.HasBand {
			band = fmt.Sprintf("[%.1f, %.1f]", float64(c.BandLo)/100, float64(c.BandHi)/100) // ends of 200 draws
		}
		list = append(list, numberRow(name, c.Value.String(), c.Here.String(), c.Difference().Signed(), band, c.Source))
	}
	if r.Gap != nil {
		list = append(list, r.Gap.rows()...)
	}
	return append(list, wideRow("  "+r.Ranking.String()))
}

// standIn returns how the network of the row differs from the paper's, where a
// stand-in says so.
func (r Row) standIn() string {
	if i := slices.IndexFunc(r.Cells, func(c Cell) bool { return c.StandIn != "" }); i >= 0 {
		return r.Cells[i].StandIn
	}
	return ""
}

// String returns the ranking as a sentence.
func (r Ranking) String() string {
	if r.Verdict != Agrees && r.Verdict != Differs {
		return "ranking: " + string(r.Verdict)
	}
	text := fmt.Sprintf("ranking: %s. Best: %s in the paper, %s here", r.Verdict, strings.Join(r.PaperBest, " and "), strings.Join(r.HereBest, " and "))
	if r.HerePlace > 0 {
		text += fmt.Sprintf("; place of QaTS: %d in the paper, %d here", r.PaperPlace, r.HerePlace)
	}
	if !r.Complete() {
		text += fmt.Sprintf(". Over %d of %d methods; no value for %s",
			len(r.Compared), len(r.Compared)+len(r.Absent), strings.Join(r.Absent, ", "))
	}
	return text
}

func (c *Comparison) textSummaries(b *bufio.Writer, width int) {
	for _, source := range []string{measured, standIn, simulated} {
		list := lists.Where(c.Summaries, func(s Summary) bool { return s.Source == source && s.Found > 0 })
		title := map[string]string{measured: "Measured", standIn: "Measured on other networks of the paper's architectures", simulated: "Simulated"}[source]
		switch {
		case len(list) > 0:
			if source != measured {
				title += ": no verdict"
			}
			summaryTable(title, list, source == measured).Text(b, width)
			b.WriteByte('\n')
		case source != standIn:
			fmt.Fprintf(b, "%s: no numbers.\n\n", title)
		}
	}
}

// summaryTable has a row for each summary. Only measured ones have wins and ranks.
func summaryTable(title string, list []Summary, wins bool) *table.Table {
	number := func(head string, data bool) table.Column {
		return table.Column{Head: head, Align: table.Right, Data: data}
	}
	t := &table.Table{Caption: title, Columns: []table.Column{{}, number("numbers", false), number("median", false),
		number("wins", !wins), number("in part", !wins), number("tau", !wins)}}
	for _, s := range list {
		tau := table.Cell{Text: "-"}
		if s.Tau != nil {
			tau = table.Words(table.Fixed(*s.Tau, 2))
		}
		t.Rows = append(t.Rows, table.Row{Cells: []table.Cell{table.Words(s.name()), table.Words(fmt.Sprintf("%d of %d", s.Found, s.Numbers)), table.Words(s.Median.String()),
			table.Words(share(s.CompleteWins, s.Complete)), table.Words(share(s.PartialWins, s.Partial)), tau}})
	}
	t.Remarks = []string{"median: of |here - published|, in points."}
	if wins {
		t.Remarks[0] += " wins: rows in which the paper's best method is the best " +
			"one here, of the rows with all ranked methods. in part: the same for rows that lack some methods. " +
			"tau: Kendall's tau-b over pairs of methods within rows."
	}
	return t
}

func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", n, of)
}

// name names the table of a summary.
func (s Summary) name() string {
	if s.Table == "" {
		return fmt.Sprintf("All %d settings (%s)", s.Rows, results.Name("metric", s.Metric))
	}
	for _, t := range paper.Tables() {
		if t.ID == s.Table {
			return fmt.Sprintf("Table %d, %s (%s)", t.Number, t.Summary, results.Name("metric", t.Metric))
		}
	}
	return s.Table
}

// Text prints the claims and the data sets that they were judged on, for a terminal of
// some columns.
func (s *Similar) Text(w io.Writer, width int) error {
	b := bufio.NewWriter(w)
	english.Wrap(b, "", "The paper's claims on other networks, whose data sets are declared similar to the paper's:", width)
	for _, dataset := range slices.Sorted(maps.Keys(s.Like)) {
		absent := ""
		if slices.Contains(s.Absent, dataset) {
			absent = " (no measured record)"
		}
		fmt.Fprintf(b, "  %-24s similar to %s%s\n", dataset, paper.Name("dataset", s.Like[dataset]), absent)
	}
	english.Wrap(b, "", "These verdicts are not about the paper's networks. Rankings are over the methods that have a number.", width)
	b.WriteByte('\n')
	textClaims(b, s.Claims, "on these networks", width)
	return b.Flush()
}

func textClaims(b *bufio.Writer, claims []Judged, where string, width int) {
	count := func(of func(Judged) Judgement) string {
		n := Count(claims, of)
		return fmt.Sprintf("%s: %d, %s: %d, %s: %d", Holds, n[Holds], Fails, n[Fails], Unjudged, n[Unjudged])
	}
	fmt.Fprintf(b, "Claims of the text: %d\n", len(claims))
	fmt.Fprintf(b, "  on the published numbers  %s\n", count(func(c Judged) Judgement { return c.Published }))
	fmt.Fprintf(b, "  %-25s %s\n", where, count(func(c Judged) Judgement { return c.Measured }))
	for i, c := range claims {
		b.WriteString("\n")
		english.Wrap(b, fmt.Sprintf("%2d. ", i+1), fmt.Sprintf("\"%s\" (%s)", c.Quote, c.Where), width)
		english.Wrap(b, "    read as    ", c.Reading, width)
		english.Wrap(b, "    published  ", string(c.Published.Truth)+": "+c.Published.Figures, width)
		english.Wrap(b, "    measured   ", string(c.Measured.Truth)+": "+c.Measured.Figures, width)
	}
}
