package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/metrics"
)

// scoreSeed is the seed of consistency bands, folds and resamples: score does not know
// the identity of the test set.
const scoreSeed = 0

// print prints the metrics in nine significant digits, as in results.csv. For an
// undefined metric that the user named, the reason goes to standard error.
func (s *scoreFlags) print(cmd *cobra.Command, samples *metrics.Samples, entries []metrics.Entry) error {
	names, values := []string{"n"}, []string{strconv.Itoa(samples.Len())}
	none := "-"
	if s.json {
		none = "null"
	}
	intervals, err := s.intervals(cmd, samples, entries)
	if err != nil {
		return err
	}
	for _, e := range entries {
		list, err := e.Compute(samples, scoreSeed)
		if err != nil && (cmd.Flags().Changed("metric") || !errors.Is(err, metrics.ErrNoVector)) {
			warn(cmd.ErrOrStderr(), e.Name+": "+err.Error())
		}
		for i, name := range e.Names() {
			text := none
			if err == nil {
				text = digits(list[i])
			}
			names, values = append(names, name), append(values, text)
			e, ok := intervals[name]
			switch {
			case !ok:
			case e.Err != nil:
				if err == nil {
					warn(cmd.ErrOrStderr(), "interval of "+name+": "+e.Err.Error())
				}
				names, values = append(names, name+"_lo", name+"_hi"), append(values, none, none)
			default:
				names, values = append(names, name+"_lo", name+"_hi"), append(values, digits(e.Lo), digits(e.Hi))
			}
		}
	}
	return printPairs(cmd.OutOrStdout(), names, values, s.json)
}

// digits prints nine significant digits.
func digits(v float64) string { return strconv.FormatFloat(v, 'g', 9, 64) }

// intervals returns the intervals by the name of the output: none unless the user
// asked for them, and none of metrics that cannot have any.
func (s *scoreFlags) intervals(cmd *cobra.Command, samples *metrics.Samples, entries []metrics.Entry) (map[string]metrics.Estimate, error) {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e metrics.Entry) bool { return e.Whole })
	if s.interval == "" || len(entries) == 0 {
		return nil, nil
	}
	list, err := metrics.Intervals(cmd.Context(), samples, metrics.PairOptions{Seed: scoreSeed, Interval: s.interval, Metrics: entries})
	if err != nil {
		return nil, err
	}
	byName := map[string]metrics.Estimate{}
	for _, e := range list {
		byName[e.Metric] = e
	}
	return byName, nil
}

// printPairs prints names and values, one pair a line or as one JSON object.
func printPairs(w io.Writer, names, values []string, asJSON bool) error {
	width := 9
	for _, name := range names {
		width = max(width, len(name))
	}
	text := ""
	for i, name := range names {
		switch {
		case !asJSON:
			text += fmt.Sprintf("%-*s %s\n", width, name, values[i])
		case i == 0:
			text += fmt.Sprintf("{%q: %s", name, values[i])
		default:
			text += fmt.Sprintf(", %q: %s", name, values[i])
		}
	}
	if asJSON {
		text += "}\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
