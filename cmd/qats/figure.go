package main

import (
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

// figureFormats declares --figure-format, which sets list.
func figureFormats(cmd *cobra.Command, list *[]plots.Format) {
	*list = []plots.Format{plots.SVG, plots.PDF}
	cmd.Flags().Var(&formatsFlag{list: list}, "figure-format", "formats of figures, of "+joined(plots.Formats(), ", ")+"; pgf is LaTeX code whose text has the font of the paper that includes it")
}

func joined(formats []plots.Format, between string) string {
	return strings.Join(results.Values(formats, func(f plots.Format) string { return string(f) }), between)
}

// formatsFlag is the value of --figure-format. The given formats replace the default
// formats in list. The flag may be repeated.
type formatsFlag struct {
	list  *[]plots.Format
	given []string
}

func (f *formatsFlag) String() string {
	if f.list == nil {
		return ""
	}
	return joined(*f.list, ",")
}

func (f *formatsFlag) Type() string { return "strings" }

func (f *formatsFlag) Set(names string) (err error) {
	f.given = append(f.given, strings.Split(names, ",")...)
	*f.list, err = plots.ParseFormats(f.given)
	return err
}

// figureFile is the flag --figure, the file of a reliability diagram; empty for none.
type figureFile string

func (f *figureFile) flag(cmd *cobra.Command, what string) {
	cmd.Flags().Var(f, "figure", "write the reliability diagram of "+what+" to this file: .svg, .pdf, .pgf or .png")
}

func (f *figureFile) String() string { return string(*f) }
func (f *figureFile) Type() string   { return "string" }

func (f *figureFile) Set(path string) error {
	if path == "" {
		*f = ""
		return nil
	}
	_, err := plots.ParseFormats([]string{strings.TrimPrefix(filepath.Ext(path), ".")})
	*f = figureFile(path)
	return err
}

// diagram is a panel of a reliability diagram.
type diagram struct {
	method, label string
	samples       *metrics.Samples
}

// saveDiagrams draws the panels, of rows of the named arrays, into a file.
func saveDiagrams(path figureFile, arrays string, panels []diagram) error {
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
	return figure.Save(string(path))
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
