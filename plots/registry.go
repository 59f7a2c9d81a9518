package plots

import (
	"errors"
	"slices"

	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/figure"
)

// Entry is a kind of figure with the function that draws it.
type Entry struct {
	figure.Kind

	// Draw checks the rows and returns the figure. The figure keeps the slices of
	// in; they must not be changed while it is in use. Errors name the figure and
	// the row that cannot be drawn. If Kind.PerSetting, Input.Bins holds the rows of one
	// setting. If Kind.Judges, the error of simulated rows is ErrSimulated.
	Draw func(in Input) (*Figure, error) `json:"-"`
}

// ErrSimulated is the error of a figure that judges methods, if the rows are simulated.
var ErrSimulated = errors.New("simulated rows get no test, no interval and no verdict")

// Registry returns every kind of figure with its function, in the order of reports.
func Registry() []Entry {
	return []Entry{
		{figure.Reliability, Reliability},
		{figure.QuantileGap, QuantileGap},
		{figure.QuantileGapGrid, QuantileGapGrid},
		{figure.Severity, Severity},
		{figure.Corruptions, Corruptions},
		{figure.Dominance, Dominance},
		{figure.Losses, Losses},
		{figure.ReliabilityGrid, ReliabilityGrid},
		{figure.CriticalDifference, ofComparison(figure.CriticalDifference, Ranks, allNotes)},
		{figure.Forest, Forest},
		{figure.WinRates, ofComparison(figure.WinRates, WinRates, absent)},
		{figure.Strengths, ofComparison(figure.Strengths, Strengths, absent)},
		{figure.Pareto, Pareto},
		{figure.RankBins, RankBins},
		{figure.RankAgreement, RankAgreement},
	}
}

// Draw draws a figure of one of the kinds.
func Draw(kind figure.Kind, in Input) (*Figure, error) {
	list := Registry()
	return list[slices.IndexFunc(list, func(e Entry) bool { return e.Name == kind.Name })].Draw(in)
}

// ofComparison returns the function of a figure of a comparison: it compares the methods by the
// metric of the figure, and draws the comparison with some notes of the missing values.
func ofComparison(kind figure.Kind, draw func(*compare.Comparison, map[string]string, ...string) (*Figure, error), notes func(values) []string) func(Input) (*Figure, error) {
	return func(in Input) (*Figure, error) {
		v, records, err := in.ranked(in.metric())
		if err != nil {
			return nil, kind.Errorf("%w", err)
		}
		list, err := compare.Of(records, nil, in.options(v.methods[0].id))
		if err != nil {
			return nil, kind.Errorf("%w", err)
		}
		return draw(list[0], v.labels(), notes(v)...)
	}
}

// allNotes are the notes of all missing values.
func allNotes(v values) []string { return v.notes }

// absent is the note of methods without any value. The ranking has notes of its own on
// what else it leaves out.
func absent(v values) []string { return v.none }
