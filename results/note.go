package results

import (
	"slices"
	"strings"
)

// FromPrefix begins the item of a note that names the networks of measured numbers
// in a few words, as the manifest of their arrays does.
const FromPrefix = "from: "

// PaperItem is the item of a note that says that measured numbers are of the
// paper's own networks. Only these enter verdicts on the paper.
const PaperItem = "paper: its own network"

// StandInPrefix begins the item of a note that says how the network of measured
// numbers differs from the paper's network of the same dataset and backbone.
const StandInPrefix = "stand-in: "

// warningPrefix begins the items of a note that become footnotes.
const warningPrefix = "warning: "

// NoClassVector is the note of a skip if the method cannot have a value of the
// metric: a top-label method predicts a class and its confidence, and no
// probabilities of the other classes. Rankings by that metric leave such a method
// out and keep all settings.
const NoClassVector = "top-label method: no class vector"

// From returns the text after FromPrefix in the note, or nothing.
func (r Record) From() string {
	return r.item(FromPrefix)
}

// OfPaper reports whether the note says that a measured number is of the paper's
// own network.
func (r Record) OfPaper() bool {
	return r.Source == "measured" && slices.Contains(strings.Split(r.Note, "; "), PaperItem)
}

// StandIn returns how the network of a measured number differs from the paper's, as
// the note says it, or nothing.
func (r Record) StandIn() string {
	if r.Source != "measured" {
		return ""
	}
	return r.item(StandInPrefix)
}

// StandsIn reports whether a number is measured and its note does not say that the
// network is the paper's own. In a table of the paper, on the page and in the verdicts
// such a number is shown and enters no ranking and no verdict. StandIn says how the
// network differs, if the note says it.
func (r Record) StandsIn() bool {
	return r.Source == "measured" && !r.OfPaper()
}

// item returns the text of the first item of the note that begins with prefix.
func (r Record) item(prefix string) string {
	if list := r.items(prefix); list != nil {
		return list[0]
	}
	return ""
}

// Warnings returns the items of the note that begin with "warning: ", without
// that prefix.
func (r Record) Warnings() []string { return r.items(warningPrefix) }

// items returns the texts of the items of the note that begin with prefix.
func (r Record) items(prefix string) (list []string) {
	for item := range strings.SplitSeq(r.Note, "; ") {
		if text, ok := strings.CutPrefix(item, prefix); ok {
			list = append(list, text)
		}
	}
	return list
}

// DistinctFrom returns the different From of the measured records, in order of
// first appearance. It has an empty string if a record has no From.
func DistinctFrom(records []Record) []string {
	return Distinct(Where(records, func(r Record) bool { return r.Source == "measured" }), Record.From)
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

// plainText makes a note that a CSV file keeps unchanged: encoding/csv reads CRLF
// inside quotes as LF, and an error text may have any bytes. A note that begins as
// a formula of a spreadsheet does gets an apostrophe before it, so that opening the
// file there computes nothing.
func plainText(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	s = strings.ToValidUTF8(s, "?")
	if s != "" && strings.ContainsRune("=+-@\t", rune(s[0])) {
		s = "'" + s
	}
	return s
}
