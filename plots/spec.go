package plots

import "github.com/qats-bench/qats/results"

// Spec describes one figure of a report, or several of a kind that shows one
// setting each. Figures are drawn from the CSV files alone.
type Spec struct {
	Name    string // of the files, after the name of the experiment
	Kind    Entry
	Caption string // plain text

	Methods     []string          // ids to show, in this order
	Labels      map[string]string // method id -> its name in print
	Experiments []string          // whose rows are shown
	Only        results.Filter    // settings that are shown: a figure for each, or, of kinds that show several, one of all
}
