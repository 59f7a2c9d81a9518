package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/table"
	"github.com/spf13/cobra"
)

func reportCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "report SPEC...",
		Short: "Render tables and figures from results.csv and bins.csv alone",
		Long: `report renders the tables (LaTeX and text) and figures (SVG and PDF) that the
specs ask for into OUT/tables and OUT/figures, writes OUT/report.tex, a LaTeX
document of them all, and prints the tables. It reads the CSV files in OUT and
nothing else.`,
		Example: "  qats report experiments/example.yaml --out results/out",
		Args:    specArgs,
		RunE: func(cmd *cobra.Command, files []string) error {
			return writeReports(cmd, files, out, "report.tex")
		},
	}
	cmd.Flags().StringVar(&out, "out", filepath.Join("results", "out"), "folder of results.csv; tables/ and figures/ are written into it")
	cmd.MarkFlagDirname("out")
	return cmd
}

// writeReports renders what the specs ask for from the CSV files in out, and a
// document of it all.
func writeReports(cmd *cobra.Command, files []string, out, document string) error {
	specs, err := experiments.ReadSpecs(files, registry())
	if err != nil {
		return err
	}
	all, err := experiments.ReadRows(out)
	if err != nil {
		return err
	}
	doc := table.Document{Title: "Tables and figures"}
	for _, spec := range specs {
		r := report{spec: spec, rows: all.Of(spec.Name), all: all, out: out, stdout: cmd.OutOrStdout()}
		if len(r.rows.Records) == 0 {
			return fmt.Errorf("%s has no rows of experiment %q: qats run %s --out %s writes them",
				filepath.Join(out, "results.csv"), spec.Name, spec.File, out)
		}
		if err := r.write(); err != nil {
			return fmt.Errorf("%s: %w", spec.File, err)
		}
		doc.Parts = append(doc.Parts, r.part)
	}
	path := filepath.Join(out, document)
	if err := atomicfile.Write(path, doc.LaTeX); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "(all of it, for pdflatex: %s)\n", path)
	return err
}

// report writes the views of one spec.
type report struct {
	spec   *experiments.Spec
	rows   *experiments.Rows // of the spec
	all    *experiments.Rows
	out    string
	stdout io.Writer
	part   table.Part // of the document: what has been written
}

func (r *report) write() error {
	for _, dir := range []string{"tables", "figures"} {
		if err := os.MkdirAll(filepath.Join(r.out, dir), 0o777); err != nil {
			return err
		}
	}
	r.part = table.Part{Title: r.spec.Title, Settings: table.CountSettings(r.rows.Records)}
	if r.part.Title == "" {
		r.part.Title = r.spec.Name
	}
	if r.spec.Title != "" {
		fmt.Fprintf(r.stdout, "%s\n\n", r.spec.Title)
	}
	for _, t := range r.spec.Tables {
		if err := r.table(t); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	for _, f := range r.spec.Figures {
		if err := r.figures(f); err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
	}
	return nil
}

// labels returns the column headings of the methods.
func (r *report) labels() map[string]string {
	labels := map[string]string{}
	for _, m := range r.spec.Methods {
		labels[m.Name] = m.Label
	}
	return labels
}

func (r *report) table(t experiments.Table) error {
	spec := table.Spec{
		Name: r.spec.Name + "-" + t.Name, Caption: t.Title, Number: t.Number,
		Metric: t.Metric, Rows: t.Rows, Columns: t.Columns, Average: t.Average, Mean: t.Mean,
		Only: map[string][]string{}, Labels: r.labels(), Unranked: t.Unranked,
		Gap: t.Highlight != "", Highlight: t.Highlight, NullBand: t.NullBand,
	}
	if spec.Caption == "" { // without one, a table has no number either
		spec.Caption = r.part.Title + ": " + table.Name("metric", t.Metric)
	}
	for id, label := range t.Labels {
		spec.Labels[id] = label
	}
	for _, m := range r.spec.Methods {
		if m.Contract().Target != 0 {
			spec.Target = append(spec.Target, m.Name)
		}
	}
	for column, values := range t.Only {
		spec.Only[column] = values
	}
	spec.Only["method"] = t.Methods
	if len(t.Methods) == 0 {
		for _, m := range r.spec.Methods {
			spec.Only["method"] = append(spec.Only["method"], m.Name)
		}
	}
	if e, _, ok := metrics.LookupOutput(t.Metric); ok {
		spec.Percent, spec.Better = e.Percent, e.Better
	}
	pivoted, err := table.Pivot(r.rows.Records, spec)
	if err != nil {
		return err
	}
	r.part.Tables = append(r.part.Tables, table.File{Path: "tables/" + spec.Name + ".tex", Table: pivoted})
	base := filepath.Join(r.out, "tables", spec.Name)
	if err := atomicfile.Write(base+".tex", pivoted.LaTeX); err != nil {
		return err
	}
	if err := atomicfile.Write(base+".txt", pivoted.Text); err != nil {
		return err
	}
	if err := pivoted.Text(r.stdout); err != nil {
		return err
	}
	_, err = fmt.Fprintf(r.stdout, "(%s.txt and .tex)\n\n", base)
	return err
}
