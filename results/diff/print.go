package diff

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

const width = 100 // columns of a terminal

// Text prints the comparison for a terminal of 100 columns: cells by table,
// then the summaries, then the claims. Rows without any value here take one
// line.
func (d *Diff) Text(w io.Writer) error {
	var b strings.Builder
	for _, t := range results.PublishedTables() {
		d.textTable(&b, t)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	return d.Summary(w)
}

// Summary prints the part of Text that follows the cells: summaries and claims.
func (d *Diff) Summary(w io.Writer) error {
	var b strings.Builder
	d.textSummaries(&b)
	textClaims(&b, d.Claims, "on measured records:")
	_, err := io.WriteString(w, b.String())
	return err
}

func (d *Diff) textTable(b *strings.Builder, t results.PublishedTable) {
	numbers, found := 0, 0
	var rows []Setting
	for _, s := range d.Settings {
		if s.Table != t.ID {
			continue
		}
		rows = append(rows, s)
		numbers += len(s.Cells)
		for _, c := range s.Cells {
			if c.State == OK {
				found++
			}
		}
	}
	metric := table.Name("metric", t.Metric)
	fmt.Fprintf(b, "Table %d, %s (%s in per cent): %d of %d numbers have a value here\n", t.Number, t.Summary, metric, found, numbers)
	if found == 0 && !tried(rows) {
		b.WriteString("\n")
		return
	}
	fmt.Fprintf(b, "  %-20s %9s %7s %7s  %-14s %s\n", "", "published", "here", "diff", "null band", "source")
	for _, s := range rows {
		textSetting(b, s)
	}
	b.WriteString("\n")
}

// tried reports whether any cell has a record at all.
func tried(rows []Setting) bool {
	for _, s := range rows {
		for _, c := range s.Cells {
			if c.State != Missing {
				return true
			}
		}
	}
	return false
}

func textSetting(b *strings.Builder, s Setting) {
	if !tried([]Setting{s}) {
		partly := ""
		for _, c := range s.Cells {
			if c.Reason != "no record" {
				partly = "; " + c.Label + ": " + c.Reason
				break
			}
		}
		line(b, fmt.Sprintf("  %s: not run (%d numbers%s)", table.Setting(s.PublishedSetting), len(s.Cells), partly))
		return
	}
	fmt.Fprintf(b, "  %s\n", table.Setting(s.PublishedSetting))
	for _, c := range s.Cells {
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
			band = fmt.Sprintf("[%s, %s]", c.NullLo, c.NullHi)
		}
		line(b, fmt.Sprintf("    %-18s %9s %7s %7s  %-14s %s", name, c.Value, c.Here, c.Difference().Signed(), band, c.Source))
	}
	wrap(b, "    ", s.Ranking.String())
}

// String is the ranking in a sentence.
func (r Ranking) String() string {
	if r.Verdict != Agrees && r.Verdict != Differs {
		return "ranking: " + string(r.Verdict)
	}
	text := fmt.Sprintf("ranking: %s. Best: %s in the paper, %s here", r.Verdict, strings.Join(r.PaperBest, " and "), strings.Join(r.HereBest, " and "))
	if r.HerePlace > 0 {
		text += fmt.Sprintf("; place of QaTS: %d in the paper, %d here", r.PaperPlace, r.HerePlace)
	}
	if !r.Complete() {
		text += fmt.Sprintf(". Over %d of %d methods: no value for %s",
			len(r.Compared), len(r.Compared)+len(r.Absent), strings.Join(r.Absent, ", "))
	}
	return text
}

func (d *Diff) textSummaries(b *strings.Builder) {
	for _, source := range []string{"measured", "simulated"} {
		title, verdict := "Measured", ""
		if source == "simulated" {
			title, verdict = "Simulated", ": no verdict"
		}
		var list []Summary
		for _, s := range d.Summaries {
			if s.Source == source && s.Found > 0 {
				list = append(list, s)
			}
		}
		if len(list) == 0 {
			fmt.Fprintf(b, "%s: no numbers.\n\n", title)
			continue
		}
		fmt.Fprintf(b, "%s%s\n", title, verdict)
		if source == "measured" {
			wrap(b, "", "Wins: rows in which the paper's best method is best here, of the rows run with all ranked methods; "+
				"in part: of the rows that lack some, among those run. Kendall's tau-b over pairs of methods within rows.")
		}
		head := fmt.Sprintf("  %-50s %11s %8s", "", "numbers", "median")
		if source == "measured" {
			head += fmt.Sprintf(" %9s %9s %6s", "wins", "in part", "tau")
		}
		b.WriteString(head + "\n")
		for _, s := range list {
			text := fmt.Sprintf("  %-50s %11s %8s", s.name(), fmt.Sprintf("%d of %d", s.Found, s.Numbers), s.MedianAbs)
			if source == "measured" {
				tau := "-"
				if s.HasTau {
					tau = fmt.Sprintf("%.2f", s.Tau)
				}
				text += fmt.Sprintf(" %9s %9s %6s", share(s.CompleteWins, s.Complete), share(s.PartialWins, s.Partial), tau)
			}
			b.WriteString(text + "\n")
		}
		b.WriteString("Median: of the distances |diff|, in points.\n\n")
	}
}

func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", n, of)
}

// name of a summary's line.
func (s Summary) name() string {
	if s.Table == "" {
		return fmt.Sprintf("All %d settings (%s)", s.Settings, table.Name("metric", s.Metric))
	}
	for _, t := range results.PublishedTables() {
		if t.ID == s.Table {
			return fmt.Sprintf("Table %d, %s (%s)", t.Number, t.Summary, table.Name("metric", t.Metric))
		}
	}
	return s.Table
}

// Text prints the claims and what they were asked of.
func (l *Likeness) Text(w io.Writer) error {
	var b strings.Builder
	b.WriteString("Measured here are other networks than the paper's, on data sets that stand for its own:\n")
	for _, dataset := range slices.Sorted(maps.Keys(l.Like)) {
		absent := ""
		if slices.Contains(l.Absent, dataset) {
			absent = " (no measured record)"
		}
		fmt.Fprintf(&b, "  %-24s for %s%s\n", dataset, table.Name("dataset", l.Like[dataset]), absent)
	}
	b.WriteString("What holds of them is no verdict on the paper's own. Rankings are over the methods that have a number.\n\n")
	textClaims(&b, l.Claims, "on these networks:")
	_, err := io.WriteString(w, b.String())
	return err
}

func textClaims(b *strings.Builder, claims []Judged, measured string) {
	count := func(of func(Judged) Judgement) string {
		n := map[Truth]int{}
		for _, c := range claims {
			n[of(c).Truth]++
		}
		return fmt.Sprintf("%d hold, %d do not hold, %d cannot be judged", n[Holds], n[Fails], n[Unjudged])
	}
	fmt.Fprintf(b, "Claims of the text: %d\n", len(claims))
	fmt.Fprintf(b, "  on the published numbers: %s\n", count(func(c Judged) Judgement { return c.Published }))
	fmt.Fprintf(b, "  %-25s %s\n", measured, count(func(c Judged) Judgement { return c.Measured }))
	for i, c := range claims {
		b.WriteString("\n")
		wrap(b, fmt.Sprintf("%2d. ", i+1), fmt.Sprintf("\"%s\" (%s)", c.Quote, c.Where))
		wrap(b, "    read as    ", c.Reading)
		wrap(b, "    published  ", string(c.Published.Truth)+": "+c.Published.Figures)
		wrap(b, "    measured   ", string(c.Measured.Truth)+": "+c.Measured.Figures)
	}
}

// line writes s on one line, cut where the terminal ends; the JSON has it all.
func line(b *strings.Builder, s string) {
	s = strings.TrimRight(strings.Join(strings.Split(s, "\n"), " "), " ")
	if runes := []rune(s); len(runes) > width {
		s = string(runes[:width-3]) + "..."
	}
	b.WriteString(s + "\n")
}

// wrap writes text behind head, in lines of the width of the terminal, the
// later ones as far in.
func wrap(b *strings.Builder, head, text string) {
	row, empty := head, true
	for _, word := range strings.Fields(text) {
		if !empty && utf8.RuneCountInString(row)+1+utf8.RuneCountInString(word) > width {
			b.WriteString(row + "\n")
			row, empty = strings.Repeat(" ", utf8.RuneCountInString(head)), true
		}
		if !empty {
			row += " "
		}
		row, empty = row+word, false
	}
	b.WriteString(row + "\n")
}
