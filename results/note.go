package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/internal/lists"
)

// Notes is what is known beside a number: where the arrays come from, what the fit warns
// of, and why there is no number. Readers look for a kind; [Notes.String] is for people, and
// a JSON list of them stands in the column note. Notes may be shared by many
// records and is not changed.
type Notes []Note

// NoteKind says what a note is about.
type NoteKind string

// The kinds of notes.
const (
	From    NoteKind = "from"     // Text names the networks of measured numbers in a few words, as the manifest of their arrays does
	Paper   NoteKind = "paper"    // measured numbers are of the paper's own networks; only these enter verdicts on the paper
	StandIn NoteKind = "stand-in" // Text says how the network differs from the paper's of the same dataset and backbone
	Samples NoteKind = "samples"  // Text names the data set whose samples the test samples are, as the manifest or the spec does
	RowIDs  NoteKind = "row-ids"  // Text is the digest of the ids of the test rows, as the manifest has it
	Arrays  NoteKind = "arrays"   // Text is what else is known of the arrays
	Program NoteKind = "program"  // the time is of an external program, with the start of its interpreter
	Warned  NoteKind = "warning"  // Warning, which has kinds of its own, becomes a footnote

	// Why there is no number.
	Missing  NoteKind = "missing"         // the arrays of Lack are not there
	NoSource NoteKind = "no-source"       // no source has the arrays of Lack.Arrays
	NoVector NoteKind = "no-class-vector" // the method predicts a class and its confidence, and the metric needs the other classes too: rankings by it leave the method out
	NoTime   NoteKind = "no-time"         // the time of the fit was not measured
	Words    NoteKind = "reason"          // Text
)

// Note is one thing that is known beside a number. Notes are comparable.
type Note struct {
	Kind    NoteKind
	Text    string // of the kinds that say so; one line
	Lack    Lack   // of Missing and NoSource
	Warning report.Warning
}

// Lack is arrays that a method needs and that are not there.
type Lack struct {
	Arrays  string // names joined by +, as features+head
	Set     string // calibration or test
	Network string // dataset/backbone
}

// Warn returns the note of a warning.
func Warn(w report.Warning) Note { return Note{Kind: Warned, Warning: w} }

// Because returns notes with a reason in words.
func Because(why string) Notes { return Notes{{Kind: Words, Text: why}} }

// Kin returns the note without what differs between places and fits: the numbers of a
// warning, and the network that lacks arrays. Notes of equal kin are of one sort.
func (f Note) Kin() Note {
	f.Warning, f.Lack.Network = f.Warning.Kin(), ""
	return f
}

// arrayWords spells out the names of arrays.
var arrayWords = strings.NewReplacer("+", " and ", "augmented", "augmented views", "ood", "out-of-distribution logits")

// String returns the note in words. It names neither the method nor the setting, beside
// which it stands.
func (f Note) String() string {
	switch f.Kind {
	case From, StandIn, Samples, RowIDs:
		return string(f.Kind) + ": " + f.Text
	case Paper:
		return "paper: its own network"
	case Warned:
		return f.Warning.String()
	case Missing:
		return fmt.Sprintf("needs %s of the %s set", arrayWords.Replace(f.Lack.Arrays), f.Lack.Set)
	case NoSource:
		return "no source has " + arrayWords.Replace(f.Lack.Arrays)
	case NoVector:
		return "top-label method: no class vector"
	case Program:
		return "the time includes the start of an external program"
	case NoTime:
		return "no time is stored with its fit"
	}
	return f.Text
}

// String returns the notes in words, joined by semicolons.
func (n Notes) String() string {
	var list []string
	for _, f := range n {
		list = append(list, f.String())
	}
	return strings.Join(list, "; ")
}

// without returns the notes that are not of one sort.
func (n Notes) without(sort func(Note) bool) (rest Notes) {
	for _, f := range n {
		if !sort(f) {
			rest = append(rest, f)
		}
	}
	return rest
}

// Equal reports whether two lists have the same notes.
func (n Notes) Equal(m Notes) bool {
	return len(n) == len(m) && (len(n) == 0 || &n[0] == &m[0] || slices.Equal(n, m))
}

// Has reports whether there is a note of a kind.
func (n Notes) Has(kind NoteKind) bool {
	return slices.ContainsFunc(n, func(f Note) bool { return f.Kind == kind })
}

// Text returns the text of the first note of a kind, or nothing.
func (n Notes) Text(kind NoteKind) string {
	for i := range n {
		if n[i].Kind == kind {
			return n[i].Text
		}
	}
	return ""
}

// Warnings returns the warnings.
func (n Notes) Warnings() (list []report.Warning) {
	for i := range n {
		if n[i].Kind == Warned {
			list = append(list, n[i].Warning)
		}
	}
	return list
}

// From returns how the note names the networks of measured numbers, or nothing.
func (r Record) From() string { return r.Note.Text(From) }

// OfPaper reports whether the note says that a measured number is of the paper's
// own network.
func (r Record) OfPaper() bool { return r.Source == "measured" && r.Note.Has(Paper) }

// StandIn returns how the network of a measured number differs from the paper's, as
// the note says it, or nothing.
func (r Record) StandIn() string {
	if r.Source != "measured" {
		return ""
	}
	return r.Note.Text(StandIn)
}

// StandsIn reports whether a number is measured and its note does not say that the
// network is the paper's own. In a table of the paper, on the page and in the verdicts
// such a number is shown and enters no ranking and no verdict. StandIn says how the
// network differs, if the note says it.
func (r Record) StandsIn() bool {
	return r.Source == "measured" && !r.OfPaper()
}

// DistinctFrom returns the different From of the measured records, in order of
// first appearance. It has an empty string if a record has no From.
func DistinctFrom(records []Record) []string {
	return lists.Distinct(lists.Where(records, func(r Record) bool { return r.Source == "measured" }), Record.From)
}

// MeasuredOn returns the end of a sentence such as "All numbers are ...". It names
// the networks if their manifests describe all of them in one or two phrases;
// otherwise it states that the arrays were taken as given.
func MeasuredOn(from []string) string {
	if len(from) == 0 || len(from) > 2 || slices.Contains(from, "") {
		return "measured: computed from arrays in files, as given"
	}
	return "measured on " + strings.Join(from, " and ")
}
