// Package figure declares the figures that a spec can ask for, without drawing them.
package figure

import (
	"fmt"

	"github.com/qats-bench/qats/results"
)

// Kind declares a kind of figure: what a spec may say of it, and from which rows it is drawn.
// Its declaration is the only one: specs, their schema, the lists of the program and the tests read it, and the
// function that draws it refers to it.
type Kind struct {
	Name       string  `json:"name"`        // id in specs, and the default of Spec.Name
	Summary    string  `json:"summary"`     // one sentence
	Metrics    int     `json:"-"`           // how many metrics a spec may name: 0, 1, or any number if negative
	PerSetting bool    `json:"one_setting"` // drawn once for each setting
	Stretches  bool    `json:"-"`           // a spec may choose its height
	Two        bool    `json:"-"`           // it shows two methods, the first minus the second
	Judges     bool    `json:"-"`           // it has tests or intervals of differences, so it is not drawn of simulated rows
	Example    Example `json:"-"`           // rows that it can be drawn from
}

// Example describes rows that a kind can be drawn from. Tests draw each kind from such rows.
type Example struct {
	Of      Settings // that the rows are of
	From    string   // the file that has the rows: results.csv, bins.csv or pairs.csv
	Metrics []string // of the rows; the first is that of the figure
	Methods int      // the fewest; 0 for one, or for two where the kind shows two
}

// Settings are the settings of an example.
type Settings int

// The settings of examples.
const (
	OneSetting      Settings = iota
	SomeNetworks             // two networks on each of two data sets
	SomeSeverities           // one network on corrupted sets, five kinds of corruption at five severities
	OneSeverity              // one network on corrupted sets of one severity
	SomeExperiments          // those of SomeSeverities, in several experiments
	SomeLosses               // five networks on one data set, each trained with five losses
	SomeSets                 // two networks on each of six data sets, and in pairs.csv some corrupted sets
)

// Errorf returns an error of a figure of the kind, with the name of the kind before the message.
func (k Kind) Errorf(format string, args ...any) error {
	return fmt.Errorf("%s figure: %w", k.Name, fmt.Errorf(format, args...))
}

// Spec describes a figure of a report. A kind that shows one setting is drawn
// once for each setting; a kind that shows several is drawn once for the measured settings and
// once for the simulated ones.
type Spec struct {
	Name    string // of the files, after the name of the spec
	Kind    Kind
	Caption string // plain text, before the sentence of the kind; may be empty

	Metrics     []string          // as in results.csv; nil for the default of the kind
	Methods     []string          // ids to show, in this order
	Labels      map[string]string // method id -> its name in print
	Experiments []string          // whose rows are shown
	Only        results.Filter    // keeps the settings that are shown

	// What fits the figure to a paper.
	Width, Height float64           // of the page in inches; 0 for those of the kind
	Heading       *string           // the line above the figure, empty for none; nil for that of the kind
	SettingLabels map[string]string // id of a data set, a network, a loss or a corruption -> its name in print
}
