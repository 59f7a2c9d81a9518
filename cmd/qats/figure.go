package main

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
)

// figureFormats declares --figure-format, which sets list.
func figureFormats(cmd *cobra.Command, list *[]plots.Format) {
	*list = []plots.Format{plots.SVG, plots.PDF}
	cmd.Flags().Var(&formatsFlag{list: list}, "figure-format", "`FORMATS` of figures: "+joined(plots.Formats(), ", "))
}

func joined(formats []plots.Format, between string) string {
	return strings.Join(lists.Values(formats, func(f plots.Format) string { return string(f) }), between)
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
	cmd.Flags().Var(f, "figure", "`FILE` for a reliability diagram of "+what+": .svg, .pdf, .pgf or .png; - prints only an SVG")
}

func (f *figureFile) String() string { return string(*f) }
func (f *figureFile) Type() string   { return "string" }

func (f *figureFile) Set(path string) error {
	if path == "" || path == stdoutName {
		*f = figureFile(path)
		return nil
	}
	_, err := plots.ParseFormats([]string{strings.TrimPrefix(filepath.Ext(path), ".")})
	*f = figureFile(path)
	return err
}

// pictured says how the panels of a reliability diagram are drawn.
type pictured struct {
	corp     bool
	positive string // the class whose probability they show; empty for the confidence of the prediction
}

// diagram is a panel of a reliability diagram.
type diagram struct {
	method, label string
	samples       *metrics.Samples
}

// corpFlag declares --corp, which sets corp.
func corpFlag(cmd *cobra.Command, corp *bool) {
	cmd.Flags().BoolVar(corp, "corp", false, "with --figure: draw the CORP curve with its band, in place of bins")
}

// errCORPAlone is the error of --corp without a figure.
var errCORPAlone = errors.New("--corp says how --figure draws; name the file with --figure FILE")

// saveDiagrams draws the panels into a file or to stdout. Their rows are of the named arrays; the
// samples of a positive class are those of its probability.
func saveDiagrams(stdout io.Writer, path figureFile, as pictured, arrays string, panels []diagram) error {
	cell := results.Setting{Dataset: filepath.Base(filepath.Dir(arrays)), Backbone: filepath.Base(arrays)}
	in, binning := plots.Input{Labels: map[string]string{}, Positive: as.positive}, metrics.Width15
	if as.positive != "" {
		binning = metrics.Positive15
	}
	if as.corp {
		in.Curves = map[string]plots.Curve{}
	}
	for _, p := range panels {
		in.Methods = append(in.Methods, p.method)
		in.Labels[p.method] = p.label
		if as.corp {
			in.Curves[p.method] = plots.Curve{Points: metrics.CORPCurve(p.samples, 0), Miscalibration: metrics.CORP(p.samples).Miscalibration}
		}
		for i, b := range metrics.WidthBins(p.samples, 15) {
			in.Bins = append(in.Bins, results.Bin{Setting: cell, Method: p.method, Binning: binning, Bin: i,
				Lo: b.Lo, Hi: b.Hi, N: b.N, Conf: b.Conf, Acc: b.Acc, Source: string(folder.OriginOf(arrays))})
		}
	}
	figure, err := plots.Reliability(in)
	if err != nil {
		return err
	}
	if path == stdoutName {
		return figure.Encode(below(stdout), plots.SVG)
	}
	return figure.Save(string(path))
}
