package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
)

// figureFormats is the flag --figure-format.
type figureFormats struct{ names []string }

func (f *figureFormats) flag(cmd *cobra.Command) {
	var all []string
	for _, format := range plots.Formats() {
		all = append(all, string(format))
	}
	cmd.Flags().StringSliceVar(&f.names, "figure-format", []string{string(plots.SVG), string(plots.PDF)},
		"formats of figures, of "+strings.Join(all, ", ")+"; pgf is LaTeX code whose text has the font of the paper that includes it")
}

// read returns the formats.
func (f *figureFormats) read() ([]plots.Format, error) {
	formats, err := plots.ParseFormats(f.names)
	if err != nil {
		return nil, fmt.Errorf("--figure-format: %w", err)
	}
	return formats, nil
}

// figureFlag declares --figure, the file of a reliability diagram.
func figureFlag(cmd *cobra.Command, path *string, what string) {
	cmd.Flags().StringVar(path, "figure", "", "write the reliability diagram of "+what+" to this file: .svg, .pdf, .pgf or .png")
}

// checkFigure returns an error for a path of --figure with an unknown ending.
func checkFigure(path string) error {
	if path == "" {
		return nil
	}
	if _, err := plots.ParseFormats([]string{strings.TrimPrefix(filepath.Ext(path), ".")}); err != nil {
		return fmt.Errorf("--figure %s: %w", path, err)
	}
	return nil
}

// diagram is a panel of a reliability diagram.
type diagram struct {
	method, label string
	samples       *metrics.Samples
}

// saveDiagrams draws the panels, of rows of the named arrays, into a file.
func saveDiagrams(path, arrays string, panels []diagram) error {
	cell := results.Setting{Dataset: filepath.Base(filepath.Dir(arrays)), Backbone: filepath.Base(arrays)}
	in := plots.Input{Labels: map[string]string{}}
	for _, p := range panels {
		in.Methods = append(in.Methods, p.method)
		in.Labels[p.method] = p.label
		for i, b := range metrics.WidthBins(p.samples, 15) {
			in.Bins = append(in.Bins, results.Bin{Setting: cell, Method: p.method, Binning: metrics.Width15, Bin: i,
				Lo: b.Lo, Hi: b.Hi, N: b.N, Conf: b.Conf, Acc: b.Acc, Source: sourceOf(arrays)})
		}
	}
	figure, err := plots.Reliability(in)
	if err != nil {
		return err
	}
	return figure.Save(path)
}

// sourceOf returns "simulated" for arrays below a folder whose manifest has simulated
// sets, and "measured" for all others.
func sourceOf(arrays string) string {
	dir := filepath.Dir(arrays)
	for range 5 {
		if m, err := data.ReadManifest(dir); err == nil &&
			slices.ContainsFunc(m.Sets, func(s data.ManifestSet) bool { return string(s.Origin) == "simulated" }) {
			return "simulated"
		}
		dir = filepath.Join(dir, "..")
	}
	return "measured"
}

// beforeAfter scores the calibration set before and after calibration.
func beforeAfter(fitted *calib.Fitted, contract calib.Contract, cal *data.Set) (before, after *metrics.Samples, err error) {
	if before, err = metrics.FromLogits(cal); err != nil {
		return nil, nil, err
	}
	seen := cal.View(contract.Test)
	if err := calib.CheckSet(fitted.Map, seen); err != nil {
		return nil, nil, err
	}
	top, ok := fitted.Map.(calib.TopLabel)
	if !ok {
		after, err = metrics.FromProbs(fitted.Probabilities(seen), cal)
		return before, after, err
	}
	class, conf := calib.TopLabels(top, seen)
	correct := make([]bool, len(class))
	for i, c := range class {
		correct[i] = c == cal.Labels[i]
	}
	after, err = metrics.FromConfidences(conf, correct)
	return before, after, err
}
