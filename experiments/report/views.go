package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	methods "github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/figure"
	"github.com/qats-bench/qats/results/table/pivot"
)

// ViewOptions says what WriteViews writes, and what it prints of it.
type ViewOptions struct {
	Document string         // file name of the LaTeX document; report.tex if empty
	Formats  []plots.Format // of figures; SVG and PDF if nil
	All      bool           // prints all tables, the names of the files and the notes of figures
	Tables   Form           // prints all tables in this form and nothing else; the summary if empty
	Lacking  func(string)   // gets the lines about views that could not be made, where Tables prints no summary; may be nil
	Width    int            // of what is printed, in columns; 0 for as wide as it needs to be
}

// Form is how tables are printed.
type Form string

// The forms of printed tables.
const (
	TextForm     Form = "text"
	LaTeXForm    Form = "latex"
	MarkdownForm Form = "md"
)

// Forms are all forms.
func Forms() []Form { return []Form{TextForm, LaTeXForm, MarkdownForm} }

// WriteViews renders the views of specs from the CSV files in dir and from
// nothing else: tables as LaTeX, CSV and text into dir/tables, figures into dir/figures,
// and a LaTeX document of all of them into dir. To w it prints a summary: how many views
// each spec has, views that could not be made, and the folders. Of a single spec it
// prints the first table, if that is short. The options may ask for all tables instead.
func WriteViews(w io.Writer, specs []*spec.Spec, dir string, o ViewOptions) error {
	all, err := results.Folder(dir).Read(results.BinsFile, results.PairsFile) // without these, views would lack numbers and not say why
	if err != nil {
		return err
	}
	Know(all)
	for _, name := range []string{"tables", "figures"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			return err
		}
		atomicfile.Sweep(filepath.Join(dir, name))
	}
	atomicfile.Sweep(dir)
	if o.Formats == nil {
		o.Formats = defaultFormats
	}
	ofPaper := func(experiment string) bool {
		return slices.ContainsFunc(specs, func(s *spec.Spec) bool { return s.Name == experiment && s.OfPaper() })
	}
	shown := all.Where(func(c results.Setting, _ string) bool {
		return slices.ContainsFunc(specs, func(s *spec.Spec) bool { return s.Name == c.Experiment })
	})
	doc := pivot.Document{Title: "Tables and figures", Settings: pivot.CountSettings(shown.Records, ofPaper)}
	if doc.Settings.Are, err = settingsAre(shown.Records); err != nil {
		return err
	}
	said := summary{dir: dir, document: cmp.Or(o.Document, "report.tex"), options: o}
	for _, s := range specs {
		v := views{spec: s, all: all, records: all.Of(s.Name).Records, dir: dir, w: io.Discard, options: o}
		v.added = addedTo(s.MethodNames(), v.records, all.Methods)
		switch {
		case o.Tables != "":
			v.tables = w
		case o.All:
			v.w = w
		}
		if len(v.records) == 0 {
			return fmt.Errorf("%s has no rows of experiment %q: "+called.Command()+" run %s --out %s writes them",
				results.Folder(dir).Path(results.ResultsFile), s.Name, s.File, dir)
		}
		v.part = pivot.Part{Title: s.Heading(), Settings: pivot.CountSettings(v.records, ofPaper)}
		if err := v.write(); err != nil {
			return fmt.Errorf("%s: %w", s.File, err)
		}
		if format, args := v.added.leftOut(s.Name, dir); format != "" {
			v.lacks(format, args...)
		}
		doc.Parts = append(doc.Parts, v.part)
		said.gaps = append(said.gaps, v.gaps...)
	}
	if err := atomicfile.Write(filepath.Join(dir, said.document), doc.LaTeX); err != nil {
		return err
	}
	if err := writeReferences(filepath.Join(dir, ReferencesFile), specs); err != nil {
		return err
	}
	if o.Tables != "" {
		if o.Lacking != nil {
			for _, line := range said.gaps {
				o.Lacking(line)
			}
		}
		return nil
	}
	said.parts, said.settings = doc.Parts, doc.Settings
	return said.print(w)
}

// ReferencesFile has BibTeX entries of the publications of the methods in the tables.
const ReferencesFile = "references.bib"

func writeReferences(name string, specs []*spec.Spec) error {
	var names []string
	for _, s := range specs {
		for i := range s.Methods {
			names = append(names, s.Methods[i].Entry.Name)
		}
	}
	return atomicfile.Write(name, func(w io.Writer) error {
		_, err := io.WriteString(w, methods.References(names))
		return err
	})
}

// views writes the views of one spec.
type views struct {
	spec    *spec.Spec
	all     *results.Rows    // of all experiments
	records []results.Record // of this experiment
	dir     string
	w       io.Writer // of what is said of the files
	tables  io.Writer // of tables in the form of the options; nil for none
	options ViewOptions
	part    pivot.Part // of the document: the views written so far
	added   added      // methods of the run that the spec does not list
	gaps    []string   // what could not be drawn or is left out, one line each
}

// lacks keeps a line about something that the views lack. Its arguments are as those of
// terminal.Fprintf.
func (v *views) lacks(format string, args ...any) {
	var b strings.Builder
	terminal.Fprintf(&b, format, args...)
	v.gaps = append(v.gaps, b.String())
}

func (v *views) write() error {
	if v.spec.Title != "" {
		terminal.Fprintf(v.w, "%s\n\n", v.spec.Title)
	}
	for _, t := range v.spec.Tables {
		if err := v.table(v.added.table(t)); err != nil {
			return err
		}
	}
	for _, f := range v.spec.Figures {
		draw := v.figureOfMany
		if f.Kind.PerSetting {
			draw = v.figurePerSetting
		}
		if err := draw(v.added.figure(f)); err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
	}
	return nil
}

// table writes one table.
func (v *views) table(t crosstab.Spec) error {
	t.SettingLabels = v.names(t.SettingLabels, v.spec.Name)
	records := v.records
	if t.Metric == results.TimeMetric {
		records = append(slices.Clone(records), results.TimeRecords(v.all.Of(v.spec.Name).Times, records)...)
	}
	pivoted, err := pivot.Of(records, t)
	if err != nil {
		return err
	}
	pivoted.Virtual = virtual(lists.Where(records, func(r results.Record) bool { return r.Metric == t.Metric && t.Only.Keeps(r.Setting, r.Method) }))
	if t.Interval {
		pivoted.Pair(v.all.Of(v.spec.Name).Pairs)
	}
	plain := pivoted.WithoutBands() // for which an article has no room
	v.part.Tables = append(v.part.Tables, pivoted)
	base := filepath.Join(v.dir, "tables", t.Name)
	if err := atomicfile.Write(base+".tex", plain.Table().LaTeX); err != nil {
		return err
	}
	if err := atomicfile.Write(base+".txt", pivoted.Text); err != nil {
		return err
	}
	if err := atomicfile.Write(base+".csv", pivoted.Table().CSV); err != nil {
		return err
	}
	if v.tables != nil {
		return v.print(pivoted, plain)
	}
	if err := pivoted.Table().Text(v.w, v.options.Width); err != nil {
		return err
	}
	_, err = terminal.Fprintf(v.w, "(%s.txt, .tex and .csv)\n\n", base)
	return err
}

// print prints a table in the form of the options, with an empty line after it.
func (v *views) print(t, plain *pivot.Pivot) (err error) {
	switch {
	case v.options.Tables == TextForm:
		err = t.Table().Text(v.tables, v.options.Width)
	case v.options.Tables == MarkdownForm:
		err = t.Table().Markdown(v.tables)
	default:
		err = plain.Table().LaTeX(v.tables)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(v.tables)
	return err
}

// names returns the labels of a view, and those that settings.csv has for data sets and networks
// of its experiments.
func (v *views) names(own map[string]string, experiments ...string) map[string]string {
	names := results.SettingLabels(lists.Where(v.all.Settings, func(s results.SettingInfo) bool { return slices.Contains(experiments, s.Experiment) }))
	maps.Copy(names, own)
	return names
}

// plainName makes of the name of a setting a part of the name of a file that LaTeX can include: "d/n/seed=1" is "d-n-seed-1".
var plainName = strings.NewReplacer("/", "-", "=", "-")

// figurePerSetting draws f once for each setting of the spec that it shows.
// Methods without rows, such as skipped ones, are left out.
func (v *views) figurePerSetting(f figure.Spec) error {
	drawn, names := 0, v.names(f.SettingLabels, v.spec.Name)
	for i := range v.spec.Settings {
		s := &v.spec.Settings[i]
		if !f.Only.Keeps(s.Setting, "") {
			continue
		}
		in := plots.Input{Labels: f.Labels, Names: names, Bins: lists.Where(v.all.Bins, func(b results.Bin) bool { return b.Setting == s.Setting })}
		in.Methods = lists.Where(f.Methods, func(m string) bool {
			return slices.ContainsFunc(in.Bins, func(b results.Bin) bool { return b.Method == m })
		})
		if len(in.Methods) == 0 {
			v.lacks("no figure %s of %s: its cells have no bins", f.Name, s)
			continue
		}
		figure, err := draw(f, in)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		if err := v.save(figure, f, plainName.Replace(s.String()), "Setting: "+s.String()+"."); err != nil {
			return err
		}
		drawn++
	}
	if drawn == 0 {
		return fmt.Errorf("it shows no setting of the spec")
	}
	return nil
}

// figureOfMany draws f of all its settings, once for the measured and once for
// the simulated ones. The file names end in the source.
func (v *views) figureOfMany(f figure.Spec) error {
	for _, name := range f.Experiments {
		if !slices.ContainsFunc(v.all.Records, func(r results.Record) bool { return r.Experiment == name }) {
			v.lacks("figure %s leaves out experiment %s: results.csv has no rows of it", f.Name, name)
		}
	}
	drawn, refused := 0, 0
	var failed []error
	keep, variants := v.counted(f)
	for _, source := range []string{"measured", "simulated"} {
		// A skipped setting without arrays has no source; it is noted in both.
		rows := v.all.Where(func(c results.Setting, of string) bool {
			return (of == source || of == "") && slices.Contains(f.Experiments, c.Experiment) && keep(c)
		})
		if !slices.ContainsFunc(rows.Records, func(r results.Record) bool {
			return r.Status == results.OK && slices.Contains(f.Methods, r.Method)
		}) {
			continue
		}
		records := append(rows.Records, results.TimeRecords(rows.Times, rows.Records)...)
		figure, err := draw(f, plots.Input{Records: records, Bins: rows.Bins, Pairs: rows.Pairs,
			Metrics: f.Metrics, Methods: f.Methods, Labels: f.Labels, Names: v.names(f.SettingLabels, f.Experiments...), Variants: variants, Target: v.added.target})
		switch {
		case errors.Is(err, plots.ErrSimulated): // a spec may ask for it of rows that are measured later
			v.lacks("no %v", err)
			refused++
			continue
		case err != nil:
			failed = append(failed, fmt.Errorf("%s rows: %w", source, err))
			continue
		}
		shown := "All values are measured."
		if source == "simulated" {
			of := virtual(lists.Where(rows.Records, func(r results.Record) bool { return slices.Contains(f.Methods, r.Method) }))
			shown = strings.Join(append([]string{"All values are SIMULATED: none is of a real network."}, of...), " ")
		}
		if err := v.save(figure, f, source, shown); err != nil {
			return err
		}
		for _, note := range figure.Notes {
			terminal.Fprintf(v.w, "  %s\n", note)
		}
		drawn++
	}
	switch {
	case drawn+refused == 0 && failed == nil:
		return fmt.Errorf("it shows no row with a value")
	case drawn == 0 && failed != nil:
		return errors.Join(failed...)
	}
	for _, err := range failed { // for example, too few settings have measured arrays
		v.lacks("no figure %s of %v", f.Name, err)
	}
	return nil
}

// counted returns the settings that a figure of many settings shows, and the variants that it
// asks for by name. It leaves out those that do not count ([results.Counts]) beside others,
// unless it names variants.
func (v *views) counted(f figure.Spec) (keep func(results.Setting) bool, variants []string) {
	variants = f.Only["variant"]
	of := lists.Where(v.all.Records, func(r results.Record) bool {
		return r.Status == results.OK && slices.Contains(f.Experiments, r.Experiment) && slices.Contains(f.Methods, r.Method) && f.Only.Keeps(r.Setting, "")
	})
	aside := lists.Distinct(lists.Where(of, func(r results.Record) bool { return !results.Counts(r.Setting, variants) }), func(r results.Record) results.Setting { return r.Setting })
	if len(aside) > 0 && !slices.ContainsFunc(of, func(r results.Record) bool { return results.Counts(r.Setting, variants) }) {
		variants = lists.Distinct(lists.Values(aside, func(s results.Setting) string { return s.Variant.String() }), func(s string) string { return s })
		aside = nil
	}
	if len(aside) > 0 {
		v.lacks("figure %s leaves out %d settings with rescaled logits or redrawn rows: it shows them if it names variants", f.Name, len(aside))
	}
	return func(s results.Setting) bool { return f.Only.Keeps(s, "") && results.Counts(s, variants) }, variants
}

// draw draws a figure in the layout of its spec.
func draw(f figure.Spec, in plots.Input) (*plots.Figure, error) {
	drawn, err := plots.Draw(f.Kind, in)
	if err != nil {
		return nil, err
	}
	return drawn.With(plots.Layout{Width: f.Width, Height: f.Height, Heading: f.Heading})
}

// save writes a figure as SVG and PDF. The ending of the file names, and the last sentences
// of the caption, tell the figures of f apart.
func (v *views) save(figure *plots.Figure, f figure.Spec, ending, shown string) error {
	name := v.spec.Name + "-" + f.Name + "-" + ending
	caption := figure.Caption
	if f.Caption != "" {
		caption = strings.TrimSuffix(f.Caption, ".") + ". " + caption
	}
	caption += " " + shown
	others := slices.ContainsFunc(f.Experiments, func(e string) bool { return e != v.spec.Name })
	v.part.Figures = append(v.part.Figures, pivot.Figure{Path: "figures/" + name + "." + includable(v.options.Formats), Caption: caption, Width: figure.Width.Points(), Height: figure.Height.Points(), Across: others})
	return saveFigure(v.w, figure, filepath.Join(v.dir, "figures", name), v.options.Formats)
}

// defaultFormats are the formats of figures where none are named.
var defaultFormats = []plots.Format{plots.SVG, plots.PDF}

// includable returns the extension of the figures that a LaTeX document can include,
// which is that of the first such format.
func includable(formats []plots.Format) string {
	for _, f := range formats {
		if f != plots.SVG {
			return string(f)
		}
	}
	return string(plots.PDF)
}

// saveFigure writes a figure in each of the formats, or in the default ones, and
// prints the names of the files.
func saveFigure(w io.Writer, figure *plots.Figure, base string, formats []plots.Format) error {
	if formats == nil {
		formats = defaultFormats
	}
	names := base
	for i, format := range formats {
		ext := "." + string(format)
		if err := figure.Save(base + ext); err != nil {
			return err
		}
		if i > 0 {
			names += " and "
		}
		names += ext
	}
	_, err := terminal.Fprintf(w, "%s\n", names)
	return err
}
