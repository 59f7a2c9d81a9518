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
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/table"
)

const width = 100 // columns of a terminal

// Text prints the comparison for a terminal of 100 columns: the summaries, the
// claims, then the tables row by row. A row without any reproduced value takes one
// line.
func (c *Comparison) Text(w io.Writer) error {
	if err := c.Summary(w); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	b.WriteString("\nRow by row\n")
	for _, t := range paper.Tables() {
		b.WriteString("\n")
		c.textTable(b, t)
	}
	return b.Flush()
}

// Summary prints the summaries and the claims.
func (c *Comparison) Summary(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString("Published numbers and the values here\n\n")
	c.textSummaries(b)
	textClaims(b, c.Claims, "on measured records")
	return b.Flush()
}

func (c *Comparison) textTable(b *bufio.Writer, t paper.Table) {
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
	metric := table.Name("metric", t.Metric)
	fmt.Fprintf(b, "Table %d, %s (%s in per cent): %d of %d numbers have a value here\n", t.Number, t.Summary, metric, found, numbers)
	if found == 0 && !slices.ContainsFunc(rows, Row.tried) {
		return
	}
	fmt.Fprintf(b, "  %-20s %9s %7s %10s  %-16s %s\n", "", "published", "here", "difference", "consistency band", "source")
	for _, r := range rows {
		r.text(b)
	}
}

// tried reports whether any cell has a record at all.
func (r Row) tried() bool {
	return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.State != Missing })
}

func (r Row) text(b *bufio.Writer) {
	if !r.tried() {
		partly := ""
		if i := slices.IndexFunc(r.Cells, func(c Cell) bool { return c.Reason != "no record" }); i >= 0 {
			partly = "; " + r.Cells[i].Label + ": " + r.Cells[i].Reason
		}
		line(b, fmt.Sprintf("  %s: not run (%d numbers%s)", r.Title(table.Name), len(r.Cells), partly))
		return
	}
	title := "  " + r.Title(table.Name)
	if how := r.standIn(); how != "" {
		title += " (stand-in: " + how + ")"
	}
	line(b, title)
	for _, c := range r.Cells {
		name := c.Label
		if !c.Ranked() {
			name += " (not ranked)"
		}
		if c.State != OK {
			line(b, fmt.Sprintf("    %-18s %9s %7s  %s: %s", name, c.Value, "--", c.State, c.Reason))
			continue
		}
		band := ""
		if c.HasBand {
			band = fmt.Sprintf("[%s, %s]", c.BandLo, c.BandHi)
		}
		line(b, fmt.Sprintf("    %-18s %9s %7s %10s  %-16s %s", name, c.Value, c.Here, c.Difference().Signed(), band, c.Source))
	}
	if r.Gap != nil {
		r.Gap.text(b)
	}
	english.Wrap(b, "    ", r.Ranking.String(), width)
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

func (c *Comparison) textSummaries(b *bufio.Writer) {
	for _, source := range []string{measured, standIn, simulated} {
		list := lists.Where(c.Summaries, func(s Summary) bool { return s.Source == source && s.Found > 0 })
		title := map[string]string{measured: "Measured", standIn: "Measured on networks that stand in for the paper's", simulated: "Simulated"}[source]
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
		return fmt.Sprintf("All %d settings (%s)", s.Rows, table.Name("metric", s.Metric))
	}
	for _, t := range paper.Tables() {
		if t.ID == s.Table {
			return fmt.Sprintf("Table %d, %s (%s)", t.Number, t.Summary, table.Name("metric", t.Metric))
		}
	}
	return s.Table
}

// Text prints the claims and the data sets that they were judged on.
func (s *Similar) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString("The paper's claims on other networks, whose data sets are declared similar to the paper's:\n")
	for _, dataset := range slices.Sorted(maps.Keys(s.Like)) {
		absent := ""
		if slices.Contains(s.Absent, dataset) {
			absent = " (no measured record)"
		}
		fmt.Fprintf(b, "  %-24s similar to %s%s\n", dataset, table.Name("dataset", s.Like[dataset]), absent)
	}
	b.WriteString("These verdicts are not about the paper's networks. Rankings are over the methods that have a number.\n\n")
	textClaims(b, s.Claims, "on these networks")
	return b.Flush()
}

func textClaims(b *bufio.Writer, claims []Judged, where string) {
	count := func(of func(Judged) Judgement) string {
		n := map[Truth]int{}
		for _, c := range claims {
			n[of(c).Truth]++
		}
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

// line writes s on one line, cut at the width of the terminal; JSON has all of it.
func line(b *bufio.Writer, s string) {
	s = strings.TrimRight(strings.Join(strings.Split(s, "\n"), " "), " ")
	if runes := []rune(s); len(runes) > width {
		s = string(runes[:width-3]) + "..."
	}
	b.WriteString(s + "\n")
}
