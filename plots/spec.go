package plots

import "github.com/qats-bench/qats/results"

// Spec describes a figure of a report. A kind that shows one setting is drawn
// once for each setting; a kind that shows several is drawn once.
type Spec struct {
	Name    string // part of the file names
	Kind    Entry
	Caption string // plain text; empty for Figure.Caption

	Metrics     []string          // as in results.csv; nil for the default of the kind
	Methods     []string          // ids to show, in this order
	Labels      map[string]string // method id -> its name in print
	Experiments []string          // whose rows are shown
	Only        results.Filter    // keeps the settings that are shown
}
