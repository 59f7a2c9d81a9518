package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// figures draws f: once for each setting that it shows, or, of a kind that
// shows many settings, once for each source that they have.
func (r *report) figures(f experiments.Figure) error {
	kinds := plots.Registry()
	kind := kinds[slices.IndexFunc(kinds, func(e plots.Entry) bool { return e.Name == f.Kind })]
	if !kind.PerCell {
		return r.figureOfMany(f, kind)
	}
	if len(f.Experiments) > 0 {
		return fmt.Errorf("%s figures show one setting of this spec each; experiments is for kinds that show many", f.Kind)
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
		if err := r.save(figure, f.Name+"-"+strings.ReplaceAll(s.String(), "/", "-"), caption(f, kind)+" ("+s.String()+")"); err != nil {
			return err
		}
		drawn++
	}
	if drawn == 0 {
		return fmt.Errorf("no setting of the spec is shown by it")
	}
	return nil
}

// figureOfMany draws f of all its settings, the measured and the simulated ones
// apart, into files that end in their source.
func (r *report) figureOfMany(f experiments.Figure, kind plots.Entry) error {
	from := f.Experiments
	if len(from) == 0 {
		from = []string{r.spec.Name}
	}
	for _, name := range from {
		if len(r.all.Of(name).Records) == 0 {
			fmt.Fprintf(r.stdout, "figure %s is without experiment %s: results.csv has no rows of it\n", f.Name, name)
		}
	}
	methods := f.Methods
	if len(methods) == 0 {
		for _, m := range r.spec.Methods {
			methods = append(methods, m.Name)
		}
	}
	drawn := 0
	var refused []error
	for _, source := range []string{"measured", "simulated"} {
		in := plots.Input{Methods: methods, Labels: r.labels(), Name: table.Name}
		found := false
		for _, row := range r.all.Records {
			if !slices.Contains(from, row.Experiment) || !f.Only.Has(row.Cell) || row.Source != source && row.Source != "" {
				continue
			}
			in.Records = append(in.Records, row)
			found = found || row.Status == results.OK && slices.Contains(methods, row.Method)
		}
		if !found {
			continue
		}
		for _, row := range r.all.Bins {
			if slices.Contains(from, row.Experiment) && f.Only.Has(row.Cell) && row.Source == source {
				in.Bins = append(in.Bins, row)
			}
		}
		for _, row := range r.all.Pairs {
			if slices.Contains(from, row.Experiment) && f.Only.Has(row.Cell) && row.Source == source {
				in.Pairs = append(in.Pairs, row)
			}
		}
		figure, err := kind.Draw(in)
		if err != nil {
			refused = append(refused, fmt.Errorf("%s rows: %w", source, err))
			continue
		}
		if err := r.save(figure, f.Name+"-"+source, caption(f, kind)+" ("+source+")"); err != nil {
			return err
		}
		for _, note := range figure.Notes {
			fmt.Fprintf(r.stdout, "  %s\n", note)
		}
		drawn++
	}
	switch {
	case drawn == 0 && refused == nil:
		return fmt.Errorf("no row with a value is shown by it")
	case drawn == 0:
		return errors.Join(refused...)
	}
	for _, err := range refused { // such as the few settings with arrays of a user
		fmt.Fprintf(r.stdout, "no figure %s of %v\n", f.Name, err)
	}
	return nil
}

// save writes a figure as SVG and PDF.
func (r *report) save(figure *plots.Figure, name, caption string) error {
	r.part.Figures = append(r.part.Figures, table.Figure{Path: "figures/" + r.spec.Name + "-" + name + ".pdf", Caption: strings.ToUpper(caption[:1]) + caption[1:]})
	base := filepath.Join(r.out, "figures", r.spec.Name+"-"+name)
	for _, format := range []string{".svg", ".pdf"} {
		if err := figure.Save(base + format); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(r.stdout, "%s.svg and .pdf\n", base)
	return err
}

// bins returns the rows of a setting, and of the methods asked for (all, if
// none) those that have rows: a skipped one has none.
func (r *report) bins(s *experiments.Setting, methods []string) plots.Input {
	in := plots.Input{Labels: r.labels(), Name: table.Name}
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

// caption is the title that the spec gives the figure, or what its kind shows.
func caption(f experiments.Figure, kind plots.Entry) string {
	if f.Title != "" {
		return f.Title
	}
	return kind.Summary
}
