package results

import "testing"

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
