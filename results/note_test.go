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
		if r.OfPaper() != c.paper || r.StandIn() != c.standIn {
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

// TestSamplesOfARecord: the note names them, or else the name of the data set does.
func TestSamplesOfARecord(t *testing.T) {
	for _, c := range []struct{ dataset, note, want string }{
		{"cifar100", "", "cifar100"},
		{"cifar100-c", "", "cifar100"},
		{"cifar100-lt-r10", "", "cifar100"},
		{"cifar100-lt-r100-balanced", "", "cifar100"},
		{"imagenet-lt", "", "imagenet"},
		{"cifar10-jpeg-c", "", "cifar10-jpeg"},
		{"cifar10-jpeg-c", FromPrefix + "a; " + SamplesPrefix + "cifar10; more", "cifar10"},
		{"20newsgroups", "no " + SamplesPrefix + "x", "20newsgroups"},
		{"salt-lts", "", "salt-lts"},
	} {
		r := Record{Setting: Setting{Dataset: c.dataset}, Note: c.note}
		if got := r.Samples(); got != c.want {
			t.Errorf("%s with note %q: %q, want %q", c.dataset, c.note, got, c.want)
		}
	}
}
