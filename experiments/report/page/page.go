package page

import (
	"embed"
	"encoding/json"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
)

type record = results.Record

// File is the name of the page in an output folder.
const File = "index.html"

// Options say what the page compares, and how methods are called. The zero Options
// are valid.
type Options struct {
	Against string   // method of the comparison; the baseline of the run if empty ([compare.Baseline])
	Methods []string // compared with Against; nil for all
	Metrics []string // of the comparison; the scores and ece if nil
	Block   compare.Block

	// Variants are those that the page counts and compares; nil for all settings that count by
	// themselves ([results.Counts]).
	Variants []string

	// Verdicts judges claims of a paper on rows; it returns nil if they are about none of it. nil
	// for a page without claims.
	Verdicts func(*results.Rows) (*Verdicts, error)

	// Settings says what the settings of records are ([results.SettingCounts]). nil for a page that does
	// not know.
	Settings func([]results.Record) (string, error)

	// Virtual returns what simulated records cannot show, in sentences. nil for a page without them.
	Virtual func([]results.Record) []string

	Files string // that the rows were read from, if not results.csv, bins.csv and pairs.csv of the folder

	labels   map[string]string // method id -> name in print
	target   []string          // methods that are shown and not ranked
	judged   []*compare.Judgement
	measured *half // of a reproduction
}

//go:embed page.html
var layout string

//go:embed board.html
var boardLayout string

//go:embed page.css
var style string

//go:embed script/*.js
var scripts embed.FS

// scriptOrder is the order of the parts of the script: each uses only those before
// it.
var scriptOrder = []string{"base", "state", "chart", "leaderboard", "heatmap", "setting", "severity", "dominance", "published", "main"}

var parsed = template.Must(template.New("page").Funcs(template.FuncMap{
	"elementOf": elementOf,
	"terms":     terms,
	"class":     class, "sign": sign, "number": func(i int) int { return i + 1 },
}).Parse(layout + boardLayout))

// content is what the template shows.
type content struct {
	Title       string
	Style       template.CSS
	Colors      template.CSS
	Library     template.JS
	Script      template.JS
	Data        template.JS
	Measured    *half // of a reproduction; nil elsewhere
	Lead        *lead // nil where there is nothing to draw
	Banner      banner
	Lines       []line
	Answers     []answer // by source
	Comparisons []comparison
	Notes       []string
	Agreements  []agreement
	Classes     []classTable
	ClassesLeft int // settings without a table
	Times       []timesOfSource
	Verdicts    *Verdicts
	Published   bool
	Shifted     bool
	Reasons     []reason
	Run         *results.Run
	Fits        bool
	Files       string // of another program; empty for those of the folder
}

// comparing are the options of a comparison by a metric with a method.
func (o Options) comparing(metric, against string) compare.Options {
	return compare.Options{Metric: metric, Against: against, Methods: o.Methods, Block: o.Block, Variants: o.Variants, Target: o.target, Unranked: o.unranked(), Files: o.Files}
}

// judge returns the options with the judgements on rows. Rows without a value of any score or of the metrics
// have none.
func (o Options) judge(f *results.Rows) Options {
	o.judged, _ = compare.Judge(f, o.comparing("", o.Against), o.Metrics...)
	return o
}

// unranked returns the methods that the judgement on measured rows leaves out of rankings.
func (o Options) unranked() map[string]string {
	for _, j := range o.judged {
		if j.Judged() {
			return j.Floor.Unranked
		}
	}
	return nil
}

// view returns a comparison as the page prints it.
func (o Options) view(c *compare.Comparison, splits []compare.Split) compare.View {
	v := compare.View{Comparison: c, Labels: o.labels, Splits: splits}
	for _, j := range o.judged {
		if j.Source == c.Source {
			v.Judgement = j
		}
	}
	return v
}

// Write writes the page of the rows of a folder.
func Write(w io.Writer, f *results.Rows, o Options) error {
	o = complete(f, o).judge(f)
	d := pack(f, func(m string) string { return o.labels[m] })
	d.Against = o.Against
	d.decide(o)
	counts := results.CountSettings(f.Records, o.Variants)
	var err error
	if o.Settings != nil {
		if counts.Are, err = o.Settings(f.Records); err != nil {
			return err
		}
	}
	c := content{
		Title: titleOf(d, f, counts), Style: template.CSS(style), Colors: colors(d.Methods), Measured: o.measured, Library: template.JS(library()), Script: template.JS(script()),
		Banner: bannerOf(counts, f.Records, o.Virtual), Lines: linesOf(d, f, counts), Reasons: reasonsOf(d), Run: f.Run, Fits: f.Parameters != nil && !d.large, Files: o.Files,
		Shifted: slices.ContainsFunc(d.Settings, func(s settingEntry) bool { return s.Severity > 0 }),
	}
	c.Colors += pageHead(c.Banner.Word)
	c.Comparisons, c.Notes = comparisonsOf(f, o)
	d.stand(f, o, lists.Values(c.Comparisons, func(c comparison) *compare.Comparison { return c.view.Comparison })...)
	c.Answers = answersOf(f, c.Comparisons, o)
	if !d.large {
		c.Agreements = agreementsOf(f, o)
	}
	c.Classes, c.ClassesLeft = classesOf(f, o)
	c.Times = timesOf(f, o)
	if len(c.Comparisons) > 0 {
		c.Lead = leadOf(f, d, c.Comparisons[0].view)
		d.Lead = c.Lead
	}
	c.Colors += themes(d.Methods, c.figures())
	if c.Verdicts, err = o.verdicts(f); err != nil {
		return err
	}
	if c.Verdicts != nil {
		d.Published = c.Verdicts.Numbers
	}
	c.Published = d.Published != nil
	text, err := json.Marshal(d) // escapes <, > and &
	if err != nil {
		return err
	}
	c.Data = template.JS(text)
	return parsed.Execute(w, c)
}

// verdicts judges claims on rows.
func (o Options) verdicts(f *results.Rows) (*Verdicts, error) {
	if o.Verdicts == nil {
		return nil, nil
	}
	return o.Verdicts(f)
}

// figures returns the figures of the page that package plots has drawn.
func (c content) figures() (list []picture) {
	for _, one := range c.Comparisons {
		for _, chart := range one.Charts {
			list = append(list, chart.Figure)
		}
	}
	for _, a := range c.Agreements {
		list = append(list, a.Chart.Figure)
	}
	for _, t := range c.Times {
		if t.Pareto != nil {
			list = append(list, t.Pareto.Figure)
		}
	}
	return list
}

// WriteFile writes the page of rows into a folder and returns its path. Where the folder has
// the measured half of a reproduction, the page begins with a summary of it.
func WriteFile(dir results.Folder, f *results.Rows, o Options) (string, error) {
	path := dir.Path(File)
	o.measured = halfOf(dir, o)
	return path, atomicfile.Write(path, func(w io.Writer) error { return Write(w, f, o) })
}

// Read reads what the page of a folder shows. Of more than 5,000 settings the page leaves out
// what takes most of the memory.
func Read(dir results.Folder) (*results.Rows, error) {
	if run, err := dir.ReadRun(); err == nil && run.Counts.Settings > mostSettings {
		return dir.ReadWithout(results.BinsFile, results.FitsFile, results.ClassesFile)
	}
	return dir.Read()
}

// usualMetrics are those of the comparison where none is named.
var usualMetrics = append(compare.Scores(), "ece")

// complete fills in the defaults.
func complete(f *results.Rows, o Options) Options {
	var specs []results.RunSpec
	if f.Run != nil {
		specs = f.Run.Specs
	}
	o.labels, o.target = results.Labels(f.Methods), results.Targets(f.Methods)
	methods := lists.Distinct(f.Records, func(r record) string { return r.Method })
	for _, m := range methods {
		if o.labels[m] == "" {
			o.labels[m] = compare.View{}.Label(m)
		}
	}
	if o.Against == "" || !slices.Contains(methods, o.Against) {
		o.Against = compare.Baseline(specs, f.Records, f.Pairs)
	}
	if o.Metrics == nil {
		o.Metrics = slices.Clone(usualMetrics)
	}
	return o
}

// script returns the script: its parts in one function, so that the page has no
// global names.
func script() string {
	var b strings.Builder
	b.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range scriptOrder {
		text, err := scripts.ReadFile("script/" + name + ".js")
		if err != nil {
			panic(err) // a part that go:embed has not found
		}
		b.Write(text)
	}
	b.WriteString("})();\n")
	return b.String()
}

// elementOf returns a table as an element.
func elementOf(t *table.Table) (template.HTML, error) {
	var b strings.Builder
	err := t.HTML(&b)
	return template.HTML(b.String()), err
}
