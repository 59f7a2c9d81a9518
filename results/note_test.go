package results

import (
	"bytes"
	"strings"
	"testing"
)

// TestNoteIsNoFormula: a spreadsheet that opens the file computes nothing, and the
// note is read as it was written.
func TestNoteIsNoFormula(t *testing.T) {
	for _, note := range []string{"=HYPERLINK(\"x\")", "+1", "-1", "@SUM(A1)", "\t=1"} {
		r := Record{Cell: Cell{Experiment: "e", Dataset: "d", Backbone: "b", Loss: "ce"}, Method: "ts", Metric: "ece", Source: "measured", Status: Fail, Note: note}
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
