// Package report has the values with which a fit says how it ended. Methods write them;
// notes in results.csv, tables and pages are made from them.
package report

import (
	"fmt"
	"strconv"
	"strings"
)

// Side is an end of the range of a parameter.
type Side string

// The sides.
const (
	Lower Side = "lower"
	Upper Side = "upper"
)

// Bound is an end of the range of a parameter at which a fit ended.
type Bound struct {
	Parameter string  `json:"parameter,omitempty"` // as formulas name it: T; a; c
	Bin       int     `json:"bin,omitempty"`       // from 1; 0 for a parameter that is not of a bin
	Side      Side    `json:"side,omitempty"`
	Limit     float64 `json:"limit,omitempty"` // the least or the largest value of the parameter
}

// AtLeast is the bound of a parameter that may not be less than limit. bin is 0 for a
// parameter that is not of a bin.
func AtLeast(parameter string, bin int, limit float64) Bound {
	return Bound{parameter, bin, Lower, limit}
}

// AtMost is the bound of a parameter that may not be more than limit.
func AtMost(parameter string, bin int, limit float64) Bound {
	return Bound{parameter, bin, Upper, limit}
}

// Name returns the parameter with its bin: T, t_3.
func (b Bound) Name() string {
	if b.Bin == 0 {
		return b.Parameter
	}
	return fmt.Sprintf("%s_%d", b.Parameter, b.Bin)
}

// String returns the bound as a formula: "a >= 0", "t_3 <= 1000".
func (b Bound) String() string {
	sign := ">="
	if b.Side == Upper {
		sign = "<="
	}
	return fmt.Sprintf("%s %s %g", b.Name(), sign, b.Limit)
}

// Kind tells warnings that readers treat apart. A kind that is used in one place is a
// Remark.
type Kind string

// The kinds of warnings.
const (
	Remark       Kind = ""              // Text
	AtBound      Kind = "at-bound"      // Bound
	EqualToTS    Kind = "equal-to-ts"   // Text says what makes the map that of ts: "a = 0"
	NotConverged Kind = "not-converged" // the gradient is Value after Steps
)

// Kinds returns all kinds of warnings but Remark.
func Kinds() []Kind { return []Kind{AtBound, EqualToTS, NotConverged} }

// Warning is what readers of the numbers of a fit must know. Its words and its numbers are
// apart: warnings that differ in numbers alone share a footnote. Warnings are comparable.
type Warning struct {
	Kind  Kind    `json:"kind,omitempty"`
	Bound         // of AtBound; Bin alone for another warning on one bin
	Count int     `json:"count,omitempty"` // of Of bins, groups, classes or rows
	Of    int     `json:"of,omitempty"`
	Steps int     `json:"steps,omitempty"`
	Value float64 `json:"value,omitempty"`

	// Text is one line. {count}, {of}, {steps} and {value} stand for the numbers.
	Text string `json:"text,omitempty"`
}

// Kin returns the warning without its numbers: warnings of equal kin are of one sort.
func (w Warning) Kin() Warning {
	return Warning{Kind: w.Kind, Bound: Bound{Parameter: w.Parameter, Side: w.Side}, Text: w.Text}
}

// String returns the warning in words.
func (w Warning) String() string {
	switch w.Kind {
	case AtBound:
		name := w.Parameter
		if name == "t" {
			name = "T"
		}
		text := fmt.Sprintf("%s at its %s bound", name, w.Side)
		if w.Bin > 0 {
			text += fmt.Sprintf(" in bin %d", w.Bin)
		}
		return text
	case EqualToTS:
		return w.place() + w.text() + ", so equal to TS"
	case NotConverged:
		return fmt.Sprintf("%snot converged: gradient %g after %d steps", w.place(), w.Value, w.Steps)
	}
	return w.place() + w.text()
}

// place names the bin.
func (w Warning) place() string {
	if w.Bin == 0 {
		return ""
	}
	return fmt.Sprintf("bin %d: ", w.Bin)
}

// text returns the text with its numbers.
func (w Warning) text() string {
	if !strings.Contains(w.Text, "{") {
		return w.Text
	}
	return strings.NewReplacer("{count}", strconv.Itoa(w.Count), "{of}", strconv.Itoa(w.Of), "{steps}", strconv.Itoa(w.Steps),
		"{value}", fmt.Sprint(w.Value)).Replace(w.Text)
}
