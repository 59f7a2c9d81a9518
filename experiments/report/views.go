package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
	"github.com/qats-bench/qats/results/table/pivot"
)

// WriteViews renders the views of specs from the CSV files in dir and from
// nothing else: tables as LaTeX and text into dir/tables, figures in the given
// formats, by default SVG and PDF, into dir/figures, and a LaTeX document of all of
// them into the file document in dir. It prints the tables, and the names of the files, to w.
func WriteViews(w io.Writer, specs []*spec.Spec, dir, document string, formats ...plots.Format) error {
	all, err := results.Folder(dir).Read(results.BinsFile, results.PairsFile) // without these, views would lack numbers and not say why
	if err != nil {
		return err
	}
	for _, name := range []string{"tables", "figures"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			return err
		}
		atomicfile.Sweep(filepath.Join(dir, name))
	}
	atomicfile.Sweep(dir)
	doc := pivot.Document{Title: "Tables and figures"}
	for _, s := range specs {
		v := views{spec: s, all: all, records: all.Of(s.Name).Records, dir: dir, w: w, formats: formats}
		if len(v.records) == 0 {
			return fmt.Errorf("%s has no rows of experiment %q: qats run %s --out %s writes them",
				results.Folder(dir).Path(results.ResultsFile), s.Name, s.File, dir)
		}
		if err := v.write(); err != nil {
			return fmt.Errorf("%s: %w", s.File, err)
		}
		doc.Parts = append(doc.Parts, v.part)
	}
	path := filepath.Join(dir, document)
	if err := atomicfile.Write(path, doc.LaTeX); err != nil {
		return err
	}
	_, err = terminal.Fprintf(w, "(all tables and figures in one document, for pdflatex: %s)\n", path)
	return err
}

// views writes the views of one spec.
type views struct {
	spec    *spec.Spec
	all     *results.Rows    // of all experiments
	records []results.Record // of this experiment
	dir     string
	w       io.Writer
	formats []plots.Format
	part    pivot.Part // of the document: the views written so far
}

func (v *views) write() error {
	v.part = pivot.Part{Title: v.spec.Heading(), Settings: pivot.CountSettings(v.records, v.spec.OfPaper())}
	if v.spec.Title != "" {
		terminal.Fprintf(v.w, "%s\n\n", v.spec.Title)
	}
	for _, t := range v.spec.Tables {
		if err := v.table(t); err != nil {
			return err
		}
	}
	for _, f := range v.spec.Figures {
		draw := v.figureOfMany
		if f.Kind.PerSetting {
			draw = v.figurePerSetting
		}
		if err := draw(f); err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
	}
	return nil
}

// table writes one table.
func (v *views) table(t pivot.Spec) error {
	records := v.records
	if t.Metric == results.TimeMetric {
		records = append(slices.Clone(records), results.TimeRecords(v.all.Of(v.spec.Name).Times, records)...)
	}
	pivoted, err := pivot.Of(records, t)
	if err != nil {
		return err
	}
	if t.Interval {
		pivoted.Pair(v.all.Of(v.spec.Name).Pairs)
	}
	if err := publish(pivoted); err != nil {
		return err
	}
	v.part.Tables = append(v.part.Tables, pivot.File{Path: "tables/" + t.Name + ".tex", Table: pivoted})
	base := filepath.Join(v.dir, "tables", t.Name)
	if err := atomicfile.Write(base+".tex", pivoted.LaTeX); err != nil {
		return err
	}
	if err := atomicfile.Write(base+".txt", pivoted.Text); err != nil {
		return err
	}
	if err := atomicfile.Write(base+".csv", pivoted.Table().CSV); err != nil {
		return err
	}
	if err := pivoted.Text(v.w); err != nil {
		return err
	}
	_, err = terminal.Fprintf(v.w, "(%s.txt, .tex and .csv)\n\n", base)
	return err
}

// figurePerSetting draws f once for each setting of the spec that it shows.
// Methods without rows, such as skipped ones, are left out.
func (v *views) figurePerSetting(f figure.Spec) error {
	drawn := 0
	for i := range v.spec.Settings {
		s := &v.spec.Settings[i]
		if !f.Only.Keeps(s.Setting, "") {
			continue
		}
		in := plots.Input{Labels: f.Labels, Bins: lists.Where(v.all.Bins, func(b results.Bin) bool { return b.Setting == s.Setting })}
		in.Methods = lists.Where(f.Methods, func(m string) bool {
			return slices.ContainsFunc(in.Bins, func(b results.Bin) bool { return b.Method == m })
		})
		if len(in.Methods) == 0 {
			terminal.Fprintf(v.w, "no figure %s of %s: its cells have no bins\n", f.Name, s)
			continue
		}
		figure, err := plots.Draw(f.Kind, in)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		if err := v.save(figure, f, strings.ReplaceAll(s.String(), "/", "-"), s.String()); err != nil {
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
			terminal.Fprintf(v.w, "figure %s leaves out experiment %s: results.csv has no rows of it\n", f.Name, name)
		}
	}
	drawn, refused := 0, 0
	var failed []error
	for _, source := range []string{"measured", "simulated"} {
		// A skipped setting without arrays has no source; it is noted in both.
		rows := v.all.Where(func(c results.Setting, of string) bool {
			return (of == source || of == "") && slices.Contains(f.Experiments, c.Experiment) && f.Only.Keeps(c, "")
		})
		if !slices.ContainsFunc(rows.Records, func(r results.Record) bool {
			return r.Status == results.OK && slices.Contains(f.Methods, r.Method)
		}) {
			continue
		}
		records := append(rows.Records, results.TimeRecords(rows.Times, rows.Records)...)
		figure, err := plots.Draw(f.Kind, plots.Input{Records: records, Bins: rows.Bins, Pairs: rows.Pairs,
			Metrics: f.Metrics, Methods: f.Methods, Labels: f.Labels})
		switch {
		case errors.Is(err, plots.ErrSimulated): // a spec may ask for it of rows that are measured later
			fmt.Fprintf(v.w, "no %v\n", err)
			refused++
			continue
		case err != nil:
			failed = append(failed, fmt.Errorf("%s rows: %w", source, err))
			continue
		}
		if err := v.save(figure, f, source, source); err != nil {
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
		terminal.Fprintf(v.w, "no figure %s of %v\n", f.Name, err)
	}
	return nil
}

// save writes a figure as SVG and PDF. The ending of the file names, and what shown
// adds to the caption, tell the figures of f apart.
func (v *views) save(figure *plots.Figure, f figure.Spec, ending, shown string) error {
	name := v.spec.Name + "-" + f.Name + "-" + ending
	caption := figure.Caption
	if f.Caption != "" {
		caption = strings.TrimSuffix(f.Caption, ".") + ". " + caption
	}
	switch shown {
	case "measured":
		caption += " All values are measured."
	case "simulated":
		caption += " All values are SIMULATED: none is of a real network."
	default:
		caption += " Setting: " + shown + "."
	}
	others := slices.ContainsFunc(f.Experiments, func(e string) bool { return e != v.spec.Name })
	v.part.Figures = append(v.part.Figures, pivot.Figure{Path: "figures/" + name + "." + includable(v.formats), Caption: caption, Width: figure.Width.Points(), Height: figure.Height.Points(), Across: others})
	return saveFigure(v.w, figure, filepath.Join(v.dir, "figures", name), v.formats)
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
