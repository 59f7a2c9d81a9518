package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
)

// Compare says what to compare over the settings of some rows.
type Compare struct {
	Metrics  []string // ids, as in results.csv
	Usual    bool     // nobody asked for these metrics: Short may leave one out where there is no room
	Methods  []string // compared with Against; nil for all methods that have rows
	Against  string
	Block    compare.Block     // settings that count as one
	Variants []string          // that are compared; nil for all settings that count by themselves
	Domains  []string          // that the rows are restricted to; nil for all
	Target   []string          // methods that are shown and not ranked, because they see the test domain
	Interval metrics.Interval  // kind of the intervals of the pairs that are made
	Labels   map[string]string // method id -> name in print
	Files    string            // that the rows were read from, if not results.csv and pairs.csv
	Formats  []plots.Format    // of figures; SVG and PDF if nil
	Full     bool              // with win rates and strengths
	Compact  bool              // LaTeX for one column of a paper, with the notes as comments
}

// options are the options of a comparison by a metric, of which some methods are not ranked.
func (c Compare) options(metric string, unranked map[string]string) compare.Options {
	return compare.Options{Metric: metric, Against: c.Against, Methods: c.Methods, Block: c.Block, Variants: c.Variants, Target: c.Target, Domains: c.Domains, Unranked: unranked, Files: c.Files}
}

// Compared is a comparison by one metric over the settings of one source.
type Compared struct {
	compare.View
	of   Compare
	rows *results.Rows // of the source, of the settings that count
}

// Each compares by each metric, once for each source of the rows, and judges all of them by one rule
// ([compare.Judgement]).
func (c Compare) Each(rows *results.Rows) ([]Compared, error) {
	var compared []Compared
	judged, _ := compare.Judge(rows, c.options("", nil), c.Metrics...) // without a score and without these metrics the loop has the error
	var unranked map[string]string
	of := map[string]*compare.Judgement{}
	for _, j := range judged {
		if of[j.Source] = j; j.Judged() {
			unranked = j.Floor.Unranked
		}
	}
	bySource := map[string]*results.Rows{} // that the comparisons by all metrics share
	for _, id := range c.Metrics {
		list, err := compare.Of(rows.Records, rows.Pairs, c.options(id, unranked))
		if err != nil {
			return nil, err
		}
		for _, one := range list {
			view := compare.View{Comparison: one, Labels: c.Labels, Splits: one.Splits(rows.Records, rows.Pairs), Judgement: of[one.Source], Full: c.Full}
			if bySource[one.Source] == nil {
				bySource[one.Source] = rows.Where(func(s results.Setting, source string) bool {
					return source == one.Source && results.Counts(s, c.Variants)
				})
			}
			compared = append(compared, Compared{view, c, bySource[one.Source]})
		}
	}
	return compared, nil
}

// timed returns the records of rows with the times of times.csv, or nothing if none is known.
func timed(r *results.Rows) []results.Record {
	if !slices.ContainsFunc(r.Times, func(t results.Time) bool { return t.Known }) {
		return nil
	}
	of := lists.Where(r.Records, func(x results.Record) bool { return x.Metric != results.TimeMetric })
	return append(of, results.TimeRecords(r.Times, of)...)
}

// labelsOf returns the name in print of each method of some rows.
func labelsOf(v compare.View, records []results.Record) map[string]string {
	labels := map[string]string{}
	for _, r := range records {
		labels[r.Method] = v.Label(r.Method)
	}
	return labels
}

// Unpaired reports whether some method has no pairs although the metric is one that
// runs make pairs of. Simulated settings need none.
func (p Compared) Unpaired() bool {
	e, _, _ := metrics.LookupOutput(p.Metric)
	return e.AlwaysPaired() && p.Judged() &&
		slices.ContainsFunc(p.Rows, func(r compare.Row) bool { return r.NoVerdict == r.Settings && r.Why == "" })
}

// What a comparison prints at most: lines, with those of its caller, rows of the table where there is no room for
// more, and notes.
const (
	shortLines = 25
	shortRows  = 4
	shortNotes = 3
	shortDraws = 12 // rows of seeds and redrawn splits of all metrics
)

// Short prints the comparisons of one source in short: the answer, one table with all metrics, notes, and the tables of
// seeds and redrawn splits if they are short. It has some 25 lines, so of many methods it prints the first, and it leaves out those
// that have too few settings in common with Against, unless the user named methods. all prints all methods and notes.
// The other forms are the tables of the judgement alone, with all methods and notes.
func Short(w io.Writer, compared []Compared, all bool, form Form) error {
	views := lists.Values(compared, func(p Compared) compare.View { return p.View })
	switch form {
	case LaTeXForm:
		return eachTable(views, func(t *table.Table) error { return t.LaTeX(w) })
	case MarkdownForm:
		return eachTable(views, func(t *table.Table) error { return t.Markdown(w) })
	}
	var answer, below strings.Builder
	english.Wrap(&answer, "", compared[0].Sentence(), wide)
	notes := compare.ShortNotes(views)
	more, most := 0, 0
	if !all {
		if most = len(notes); most > shortNotes {
			more, notes = most-shortNotes, notes[:shortNotes]
		}
		for i, note := range notes {
			english.Wrap(&below, "", fmt.Sprintf("%d. %s", i+1, note), wide)
		}
		const around = 7 // two empty lines, the caption, the headings, what is not shown, and two lines of the caller
		most = max(shortLines-around-strings.Count(answer.String()+below.String(), "\n"), shortRows)
	}
	short := compare.Shorten(views, most)
	if short.Signs != "" {
		notes[0] += " " + short.Signs
	}
	t := short.Table
	if compared[0].Judged() && !all { // files say on what, and that numbers are simulated is said everywhere
		t.Origin = ""
	}
	for i, note := range notes {
		t.Remarks = append(t.Remarks, fmt.Sprintf("%d. %s", i+1, note))
	}
	if warnings := compare.WarningNote(views); warnings != "" && !all {
		more++
	}
	var hidden string
	if c := leastColumn(t, compared); c != nil && !all {
		c.Data, hidden = true, c.Head
	}
	draws := 0
	for _, p := range compared {
		draws += len(p.Splits)
	}
	if all || draws <= shortDraws {
		draws = 0 // that are hidden
	}
	if line := notShown(short, hidden, more, draws); line != "" {
		t.Remarks = append(t.Remarks, line)
	}
	fmt.Fprintf(&answer, "\n%s\n", strings.TrimSpace(t.Caption+"\n"+t.Origin))
	t.Caption, t.Origin, t.List = "", "", true
	if _, err := io.WriteString(w, answer.String()); err != nil {
		return err
	}
	if err := t.Text(w, wide); err != nil {
		return err
	}
	for _, p := range compared {
		if len(p.Splits) == 0 || draws > 0 {
			continue
		}
		fmt.Fprintln(w)
		if err := p.SplitTable().Text(w, wide); err != nil {
			return err
		}
	}
	return nil
}

// eachTable prints each table of a summary.
func eachTable(views []compare.View, print func(*table.Table) error) error {
	for _, t := range compare.Summary(views) {
		if err := print(t); err != nil {
			return err
		}
	}
	return nil
}

// leastColumn returns the column of the second of the usual metrics where a table has no room for all; nil where it has.
func leastColumn(t *table.Table, compared []Compared) *table.Column {
	if t.Fits(wide) || !compared[0].of.Usual || len(compared) < 3 {
		return nil
	}
	i := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Key == compared[1].Metric })
	if i < 0 {
		return nil
	}
	return &t.Columns[i]
}

// notShown says which methods and which column a short table leaves out, and how many notes; nothing where nothing is left out.
func notShown(short compare.Short, column string, notes, draws int) string {
	var parts, more []string
	if column != "" {
		more = append(more, column)
	}
	if short.Few > 0 {
		parts = append(parts, english.Count(short.Few, "method")+" not compared: too few common settings")
	}
	if short.Left > 0 {
		more = append(more, english.Count(short.Left, "method"))
	}
	if notes > 0 {
		more = append(more, english.Count(notes, "note"))
	}
	if draws > 0 {
		more = append(more, english.Count(draws, "row")+" of seeds and redrawn splits")
	}
	if more != nil {
		parts = append(parts, "not shown: "+english.List(more))
	}
	if parts == nil {
		return ""
	}
	return strings.ToUpper(parts[0][:1]) + strings.Join(parts, "; ")[1:] + "; --full"
}

// Conclusions prints what is concluded of each source, as JSON: an object for the statement, and one for each method.
func Conclusions(w io.Writer, compared []Compared) error {
	for i, p := range compared {
		if p.Judgement == nil || slices.ContainsFunc(compared[:i], func(before Compared) bool { return before.Source == p.Source }) {
			continue
		}
		if err := p.Conclusion().JSON(w); err != nil {
			return err
		}
	}
	return nil
}

// Write writes the comparison as text and LaTeX and its figures into dir, and prints the names of
// the files to w. The figures are the mean ranks, the win rates and strengths, the
// differences over blocks, the metric against the fit times if they are known, and for each
// method that the user named the differences of the single settings. Simulated settings
// have only the figure of the fit times. If a figure cannot be drawn, for example because
// two settings are too few to rank, w gets the reason; that is not an error.
func (p Compared) Write(w io.Writer, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	atomicfile.Sweep(dir)
	base := filepath.Join(dir, p.Metric+"-"+p.Source)
	for _, f := range p.texts() {
		if err := atomicfile.Write(base+f.ending, f.write); err != nil {
			return err
		}
	}
	terminal.Fprintf(w, "(%s.txt and .tex)\n", base)

	switch {
	case p.Ranking.Methods != nil:
		if err := p.saveRankings(w, base); err != nil {
			return err
		}
	case p.Judged():
		fmt.Fprintln(w, "(no figures of ranks and fit times without a ranking)")
	}
	if !p.Judged() {
		_, err := fmt.Fprintf(w, "(no figures of ranks, win rates, strengths and differences: %v)\n", plots.ErrSimulated)
		return err
	}
	if !p.Ratio {
		figure, err := plots.Differences(p.Comparison, p.Labels)
		if err := p.of.saveDrawn(w, figure, err, base+"-differences"); err != nil {
			return err
		}
	}
	for _, r := range p.Rows {
		if !slices.Contains(p.Methods, r.Method) || r.NoVerdict == r.Settings {
			continue
		}
		if !p.Percent {
			terminal.Fprintf(w, "no forest figure: %s is not in per cent\n", p.Metric)
			break
		}
		figure, err := plots.Forest(plots.Input{Pairs: p.rows.Pairs, Metrics: []string{p.Metric}, Methods: []string{r.Method, p.Against}, Labels: p.Labels})
		if err := p.of.saveDrawn(w, figure, err, base+"-forest-"+r.Method); err != nil {
			return err
		}
	}
	return nil
}

// saveRankings writes the figures that need a ranking.
func (p Compared) saveRankings(w io.Writer, base string) error {
	judging := []struct {
		ending string
		draw   func(*compare.Comparison, map[string]string, ...string) (*plots.Figure, error)
	}{{"-ranks", plots.Ranks}, {"-win-rates", plots.WinRates}, {"-strengths", plots.Strengths}}
	switch {
	case !p.Judged():
		judging = nil
	case !p.of.Full:
		judging = judging[:1]
	}
	for _, f := range judging {
		figure, err := f.draw(p.Comparison, p.Labels)
		if err := p.of.saveDrawn(w, figure, err, base+f.ending); err != nil {
			return err
		}
	}
	if with := timed(p.rows); with != nil && !p.Ratio {
		in := plots.Input{Records: with, Metrics: []string{p.Metric}, Labels: labelsOf(p.View, with), Variants: p.of.Variants, Target: p.of.Target}
		if p.Methods != nil {
			in.Methods = append(slices.Clone(p.Methods), p.Against)
		}
		figure, err := plots.Pareto(in)
		return p.of.saveDrawn(w, figure, err, base+"-pareto")
	}
	return nil
}

// fileOf is a file of a comparison, and the ending of its name.
type fileOf struct {
	ending string
	write  func(io.Writer) error
}

// texts returns the files of the comparison in the order in which they are written: the text,
// and one LaTeX table a file, with the win rates and strengths, and the redrawn splits if there
// are any.
func (p Compared) texts() []fileOf {
	files := []fileOf{{".txt", p.Text}}
	if p.of.Compact {
		files = append(files, fileOf{".tex", p.CompactTable().LaTeX})
	} else {
		files = append(files, fileOf{".tex", p.LaTeX})
	}
	if p.of.Full && p.Ranking.Strengths() != nil {
		files = append(files, fileOf{"-strengths.tex", p.StrengthTable().LaTeX})
	}
	if len(p.Splits) > 0 {
		files = append(files, fileOf{"-splits.tex", p.SplitTable().LaTeX})
	}
	return files
}

// saveDrawn writes a figure, or prints why it could not be drawn.
func (c Compare) saveDrawn(w io.Writer, figure *plots.Figure, err error, base string) error {
	if err != nil {
		_, err = terminal.Fprintf(w, "no %v\n", err)
		return err
	}
	return saveFigure(w, figure, base, c.Formats)
}

// Agreements compares the rankings by the metrics, once for each source. It returns nothing
// for fewer than two metrics. If nothing can be compared, the error says why.
func (c Compare) Agreements(rows *results.Rows) ([]*compare.Agreement, error) {
	if len(c.Metrics) < 2 {
		return nil, nil
	}
	return compare.Agree(rows.Records, c.Metrics, c.options("", nil))
}

// WriteAgreement prints the agreement of the rankings of rows to w, and writes it as text
// and its figure into dir. With several numbers of bins of a metric it also draws the
// ranks against them.
func (c Compare) WriteAgreement(w io.Writer, dir string, a *compare.Agreement, rows *results.Rows) error {
	view := compare.View{Labels: c.Labels}
	text := func(w io.Writer) error { return a.Text(w, view.Label) }
	if err := text(w); err != nil {
		return err
	}
	base := filepath.Join(dir, "agreement-"+a.Source)
	if err := atomicfile.Write(base+".txt", text); err != nil {
		return err
	}
	terminal.Fprintf(w, "(%s.txt)\n", base)
	figure, err := plots.AgreementOf(a)
	if err != nil {
		return err
	}
	if err := saveFigure(w, figure, base, c.Formats); err != nil {
		return err
	}
	records := rows.Where(func(_ results.Setting, source string) bool { return source == a.Source || source == "" }).Records
	for _, metric := range a.Metrics {
		bins, _ := metrics.OtherBins(metric)
		if !slices.ContainsFunc(bins.Names(), func(m string) bool { return slices.Contains(a.Metrics, m) }) {
			continue
		}
		figure, err := plots.RankBins(plots.Input{Records: records, Metrics: []string{metric}, Methods: a.Methods, Labels: labelsOf(view, records), Variants: c.Variants, Target: c.Target})
		if err := c.saveDrawn(w, figure, err, filepath.Join(dir, "bins-"+metric+"-"+a.Source)); err != nil {
			return err
		}
	}
	return nil
}

// ClearComparison removes the files of an earlier comparison from a folder, so that two comparisons
// do not mix. Files of other names stay. The CSV files of the rows stay if they are compared now;
// else they go too, and qats compare --spec makes them again from the store.
func ClearComparison(dir string, compared bool) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); e.Type().IsRegular() && (ofComparison(name) || !compared && slices.Contains(results.Files(), name)) {
			if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// ofComparison reports whether a file has a name that Compared.Write, WriteAgreement or WriteRowsPage
// gives.
func ofComparison(name string) bool {
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	endings := append([]string{".txt", ".tex"}, lists.Values(plots.Formats(), func(f plots.Format) string { return "." + string(f) })...)
	if name == page.File {
		return true
	}
	if !slices.Contains(endings, filepath.Ext(name)) {
		return false
	}
	of := slices.Concat([]string{"agreement"}, compare.Names(), lists.Values(compare.Names(), func(m string) string { return "bins-" + m }))
	return slices.ContainsFunc(of, func(what string) bool {
		return slices.ContainsFunc([]string{"measured", "simulated"}, func(source string) bool {
			rest, begins := strings.CutPrefix(stem, what+"-"+source)
			return begins && (rest == "" || rest[0] == '-')
		})
	})
}
