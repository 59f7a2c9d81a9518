package page

import (
	"embed"
	"encoding/json"
	"fmt"
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
	Labels  map[string]string // method id -> name in print; labels of run.json come first
	Against string            // method of the comparison; if empty qats, or else the baseline of pairs.csv
	Methods []string          // compared with Against; nil for all
	Metrics []string          // of the comparison; ece and aece if nil
	Block   compare.Block
	Files   string // that the rows were read from, if not results.csv, bins.csv and pairs.csv of the folder

	labels map[string]string // all
}

//go:embed page.html
var layout string

//go:embed page.css
var style string

//go:embed script/*.js
var scripts embed.FS

// scriptOrder is the order of the parts of the script: each uses only those before
// it.
var scriptOrder = []string{"base", "state", "chart", "rank", "leaderboard", "heatmap", "setting", "severity", "dominance", "published", "main"}

var parsed = template.Must(template.New("page").Funcs(template.FuncMap{
	"elementOf": elementOf,
	"class":     class, "sign": sign, "number": func(i int) int { return i + 1 },
}).Parse(layout))

// content is what the template shows.
type content struct {
	Title       string
	Style       template.CSS
	Colors      template.CSS
	Script      template.JS
	Data        template.JS
	Banner      banner
	Facts       []fact
	Comparisons []comparison
	Notes       []string
	Agreements  []agreement
	Times       []timesOfSource
	Verdicts    *verdicts
	Published   bool
	Shifted     bool
	Reasons     []reason
	Run         *results.Run
	Fits        bool
	Files       string // of another program; empty for those of the folder
}

// Write writes the page of the rows of a folder.
func Write(w io.Writer, f *results.Rows, o Options) error {
	o = complete(f, o)
	d := pack(f, func(m string) string { return o.labels[m] })
	d.Against = o.Against
	c := content{
		Title: titleOf(f), Style: template.CSS(style), Colors: colors(d.Methods), Script: template.JS(script()),
		Banner: bannerOf(d, f.Records), Facts: factsOf(d, f), Reasons: reasonsOf(d), Run: f.Run, Fits: f.Parameters != nil && !d.large, Files: o.Files,
		Shifted: slices.ContainsFunc(d.Settings, func(s settingEntry) bool { return s.Severity > 0 }),
	}
	c.Colors += pageHead(c.Banner.Word)
	c.Comparisons, c.Notes = comparisonsOf(f, o)
	if !d.large {
		c.Agreements = agreementsOf(f, o)
	}
	c.Times = timesOf(f, o)
	var err error
	if c.Verdicts, d.Published, err = verdictsOf(f); err != nil {
		return err
	}
	c.Published = d.Published != nil
	text, err := json.Marshal(d) // escapes <, > and &
	if err != nil {
		return err
	}
	c.Data = template.JS(text)
	return parsed.Execute(w, c)
}

// WriteFile writes the page of rows into a folder and returns its path.
func WriteFile(dir results.Folder, f *results.Rows, o Options) (string, error) {
	path := dir.Path(File)
	return path, atomicfile.Write(path, func(w io.Writer) error { return Write(w, f, o) })
}

// Read reads what the page of a folder shows. Of more than 5,000 settings the page leaves out
// what takes most of the memory.
func Read(dir results.Folder) (*results.Rows, error) {
	if run, err := dir.ReadRun(); err == nil && run.Counts.Settings > mostSettings {
		return dir.ReadLean()
	}
	return dir.Read()
}

// complete fills in the defaults.
func complete(f *results.Rows, o Options) Options {
	o.labels = map[string]string{}
	methods := lists.Distinct(f.Records, func(r record) string { return r.Method })
	for _, m := range methods {
		o.labels[m] = compare.View{Labels: o.Labels}.Label(m)
	}
	if f.Run != nil {
		for i := len(f.Run.Specs) - 1; i >= 0; i-- { // the first spec decides
			for _, m := range f.Run.Specs[i].Methods {
				if m.Label != "" {
					o.labels[m.Name] = variantLabel(m, o.Labels[m.Method])
				}
			}
		}
	}
	if o.Against == "" || !slices.Contains(methods, o.Against) {
		switch {
		case slices.Contains(methods, "qats"):
			o.Against = "qats"
		case len(f.Pairs) > 0:
			o.Against = f.Pairs[0].Against
		case len(methods) > 0:
			o.Against = methods[0]
		}
	}
	if o.Metrics == nil {
		o.Metrics = []string{"ece", "aece"}
	}
	return o
}

// variantLabel is the label of a method in a spec. A spec may call a variant "m = 25"
// in a table of variants; beside other methods it needs its id too.
func variantLabel(m results.RunMethod, registered string) string {
	if m.Name == m.Method || registered == "" || strings.Contains(strings.ToLower(m.Label), strings.ToLower(registered)) {
		return m.Label
	}
	return m.Label + " (" + m.Name + ")"
}

// titleOf names the experiments of the folder.
func titleOf(f *results.Rows) string {
	names := lists.Distinct(f.Records, func(r record) string { return r.Experiment })
	switch {
	case len(names) == 1 && f.Run != nil && len(f.Run.Specs) == 1 && f.Run.Specs[0].Title != "":
		return f.Run.Specs[0].Title
	case len(names) > 4:
		return fmt.Sprintf("%d experiments: %s and others", len(names), strings.Join(names[:3], ", "))
	}
	return strings.Join(names, ", ")
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
