package results

import (
	"bytes"
	"strings"
	"testing"
)

// TestStandingOfARecord: only measured records are the paper's own or stand in for
// it, and only if an item of the note says so.
func TestStandingOfARecord(t *testing.T) {
	for _, c := range []struct {
		source, note string
		paper        bool
		standIn      string
	}{
		{"measured", "", false, ""},
		{"measured", PaperItem, true, ""},
		{"measured", FromPrefix + "a; " + PaperItem + "; more", true, ""},
		{"measured", "about the " + PaperItem, false, ""},
		{"measured", FromPrefix + "a; " + StandInPrefix + "run 1, 28 pixels; more", false, "run 1, 28 pixels"},
		{"simulated", PaperItem, false, ""},
		{"simulated", StandInPrefix + "x", false, ""},
	} {
		r := Record{Source: c.source, Note: c.note}
		if r.OfPaper() != c.paper || r.StandIn() != c.standIn || r.StandsIn() != (c.source == "measured" && !c.paper) {
			t.Errorf("%s %q: %v, %q", c.source, c.note, r.OfPaper(), r.StandIn())
		}
	}
}

// TestNoteIsNoFormula: a spreadsheet that opens the file computes nothing, and the
// note is read as it was written.
func TestNoteIsNoFormula(t *testing.T) {
	for _, note := range []string{"=HYPERLINK(\"x\")", "+1", "-1", "@SUM(A1)", "\t=1"} {
		r := Record{Setting: Setting{Experiment: "e", Dataset: "d", Backbone: "b", Loss: "ce"}, Method: "ts", Metric: "ece", Source: "measured", Status: Fail, Note: note}
		var b bytes.Buffer
		if err := resultsFormat.Write(&b, []Record{r}); err != nil {
			t.Fatal(err)
		}
		once := b.String()
		list, err := resultsFormat.Read(&b, "results.csv")
		if err != nil || len(list) != 1 || list[0].Note != "'"+note {
			t.Errorf("%q: %v, %v", note, list, err)
		}
		if !strings.Contains(once, "'"+strings.ReplaceAll(note, "\"", "\"\"")) {
			t.Errorf("%q: %s", note, once)
		}
	}
}

// The networks of the measured records are named if there are one or two and each is known.
func TestMeasuredOnNamesTheNetworks(t *testing.T) {
	const given = "measured: computed from arrays in files, as given"
	for _, c := range []struct {
		from []string // of the records, in order; simulated ones are marked
		want string
	}{
		{nil, given}, {[]string{"simulated"}, given}, {[]string{"a"}, "measured on a"}, {[]string{"b", "a", "b", "simulated"}, "measured on b and a"},
		{[]string{"a", "b", "c"}, given}, {[]string{"a", ""}, given}, {[]string{""}, given},
	} {
		var records []Record
		for _, from := range c.from {
			r := Record{Source: "measured", Note: FromPrefix + from}
			if from == "simulated" {
				r.Source = "simulated"
			}
			records = append(records, r)
		}
		if got := MeasuredOn(DistinctFrom(records)); got != c.want {
			t.Errorf("%q: %s", c.from, got)
		}
	}
}

// A setting is named without the loss ce and without an absent corruption.
func TestNameOfASetting(t *testing.T) {
	for want, c := range map[string]Setting{
		"d/b": {Dataset: "d", Backbone: "b", Loss: "ce"}, "d/b/focal": {Dataset: "d", Backbone: "b", Loss: "focal"},
		"d/b/fog/3": {Dataset: "d", Backbone: "b", Loss: "ce", Corruption: "fog", Severity: 3}, "d/b/focal/fog/3": {Dataset: "d", Backbone: "b", Loss: "focal", Corruption: "fog", Severity: 3},
	} {
		if got := c.Name(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
