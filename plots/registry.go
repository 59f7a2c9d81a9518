package plots

import (
	"errors"
	"slices"

	"github.com/qats-bench/qats/results/figure"
)

// Entry is a kind of figure with the function that draws it.
type Entry struct {
	figure.Kind

	// Draw checks the rows and returns the figure. The figure keeps the slices of
	// in; they must not be changed while it is in use. Errors name the figure and
	// the row that cannot be drawn. If Kind.PerCell, Input.Bins holds the rows of one
	// cell. If Kind.Judges, the error of simulated rows is ErrSimulated.
	Draw func(in Input) (*Figure, error) `json:"-"`
}

// ErrSimulated is the error of a figure that judges methods, if the rows are simulated.
var ErrSimulated = errors.New("simulated rows get no test, no interval and no verdict")

// Registry returns every kind of figure, in the order of reports.
func Registry() []Entry {
	draw := map[string]func(Input) (*Figure, error){
		"reliability":         Reliability,
		"quantile-gap":        QuantileGap,
		"quantile-gap-grid":   QuantileGapGrid,
		"severity":            Severity,
		"corruptions":         Corruptions,
		"dominance":           Dominance,
		"losses":              Losses,
		"reliability-grid":    ReliabilityGrid,
		"critical-difference": ofComparison("critical-difference", Ranks, allNotes),
		"forest":              Forest,
		"win-rates":           ofComparison("win-rates", WinRates, absent),
		"strengths":           ofComparison("strengths", Strengths, absent),
		"pareto":              Pareto,
		"rank-bins":           RankBins,
		"rank-agreement":      RankAgreement,
	}
	var list []Entry
	for _, k := range figure.Kinds() {
		list = append(list, Entry{k, draw[k.Name]})
	}
	return list
}

// Draw draws a figure of one of the kinds.
func Draw(kind figure.Kind, in Input) (*Figure, error) {
	list := Registry()
	return list[slices.IndexFunc(list, func(e Entry) bool { return e.Name == kind.Name })].Draw(in)
}
