package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
	"github.com/spf13/cobra"
)

func reportCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "report SPEC...",
		Short: "Render tables and figures from results.csv and bins.csv alone",
		Long: `report renders the tables (LaTeX and text) and figures (SVG and PDF) that the
specs ask for into OUT/tables and OUT/figures, and prints the tables. It reads
the CSV files in OUT and nothing else.`,
		Example: "  qats report experiments/example.yaml --out results/out",
		Args:    specArgs,
		RunE: func(cmd *cobra.Command, files []string) error {
			return writeReports(cmd, files, out)
		},
	}
	cmd.Flags().StringVar(&out, "out", filepath.Join("results", "out"), "folder of results.csv; tables/ and figures/ are written into it")
	cmd.MarkFlagDirname("out")
	return cmd
}

// writeReports renders what the specs ask for from the CSV files in out.
func writeReports(cmd *cobra.Command, files []string, out string) error {
	specs, err := experiments.ReadSpecs(files, registry())
	if err != nil {
		return err
	}
	all, err := experiments.ReadRows(out)
	if err != nil {
		return err
	}
	for _, spec := range specs {
		r := report{spec: spec, rows: all.Of(spec.Name), out: out, stdout: cmd.OutOrStdout()}
		if len(r.rows.Records) == 0 {
			return fmt.Errorf("%s has no rows of experiment %q: qats run %s --out %s writes them",
				filepath.Join(out, "results.csv"), spec.Name, spec.File, out)
		}
		if err := r.write(); err != nil {
			return fmt.Errorf("%s: %w", spec.File, err)
		}
	}
	return nil
}

// report writes the views of one spec.
type report struct {
	spec   *experiments.Spec
	rows   *experiments.Rows
	out    string
	stdout io.Writer
}

func (r *report) write() error {
	for _, dir := range []string{"tables", "figures"} {
		if err := os.MkdirAll(filepath.Join(r.out, dir), 0o777); err != nil {
			return err
		}
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
		Name: r.spec.Name + "-" + t.Name, Caption: t.Title, Metric: t.Metric, Rows: t.Rows, Average: t.Average,
		Only: map[string][]string{}, Labels: r.labels(), Unranked: t.Unranked,
		Gap: t.Highlight != "", Highlight: t.Highlight, NullBand: t.NullBand,
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
	for _, e := range r.spec.Metrics {
		for _, id := range e.Outputs {
			if id == t.Metric {
				spec.Percent = e.Percent
				spec.Better = map[metrics.Direction]table.Better{metrics.Lower: table.Lower, metrics.Higher: table.Higher}[e.Better]
			}
		}
	}
	pivoted, err := table.Pivot(r.rows.Records, spec)
	if err != nil {
		return err
	}
	base := filepath.Join(r.out, "tables", spec.Name)
	if err := results.WriteFile(base+".tex", pivoted.LaTeX); err != nil {
		return err
	}
	if err := results.WriteFile(base+".txt", pivoted.Text); err != nil {
		return err
	}
	if err := pivoted.Text(r.stdout); err != nil {
		return err
	}
	_, err = fmt.Fprintf(r.stdout, "(%s.txt and .tex)\n\n", base)
	return err
}

// bins returns the rows of a setting, and of the methods asked for (all, if
// none) those that have rows: a skipped one has none.
func (r *report) bins(s *experiments.Setting, methods []string) plots.Input {
	in := plots.Input{Labels: r.labels()}
	has := map[string]bool{}
	for _, b := range r.rows.Bins {
		if b.Cell == s.Cell {
			in.Bins = append(in.Bins, b)
			has[b.Method] = true
		}
	}
	if len(methods) == 0 {
		for _, m := range r.spec.Methods {
			methods = append(methods, m.Name)
		}
	}
	for _, m := range methods {
		if has[m] {
			in.Methods = append(in.Methods, m)
		}
	}
	return in
}

// figures draws f once for each setting that it shows.
func (r *report) figures(f experiments.Figure) error {
	var kind plots.Entry
	for _, e := range plots.Registry() {
		if e.Name == f.Kind {
			kind = e
		}
	}
	drawn := 0
	for i := range r.spec.Settings {
		s := &r.spec.Settings[i]
		if !f.Only.Has(s.Cell) {
			continue
		}
		in := r.bins(s, f.Methods)
		if len(in.Methods) == 0 {
			fmt.Fprintf(r.stdout, "no figure %s of %s: its cells have no bins\n", f.Name, s)
			continue
		}
		figure, err := kind.Draw(in)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		base := filepath.Join(r.out, "figures", r.spec.Name+"-"+f.Name+"-"+strings.ReplaceAll(s.String(), "/", "-"))
		for _, format := range []string{".svg", ".pdf"} {
			if err := figure.Save(base + format); err != nil {
				return err
			}
		}
		fmt.Fprintf(r.stdout, "%s.svg and .pdf\n", base)
		drawn++
	}
	if drawn == 0 {
		return fmt.Errorf("no setting of the spec is shown by it")
	}
	return nil
}
