package pivot

import (
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// Footnotes are words of facts, and facts of one kin share one.
func TestFootnotesOfFacts(t *testing.T) {
	var n notes
	bound := func(bin int) results.Note {
		return results.Warn(report.Warning{Kind: report.AtBound, Bound: report.AtLeast("t", bin, .001)})
	}
	lacks := func(network string) results.Note {
		return results.Note{Kind: results.Missing, Lack: results.Lack{Arrays: "augmented", Set: "test", Network: network}}
	}
	text := func(s string) results.Note { return results.Note{Kind: results.Words, Text: s} }
	for i, f := range []results.Note{bound(11), bound(2), lacks("a/b"), lacks("a/c"), text("no arrays"), text("row 3 is not finite")} {
		n.number([]results.Status{results.OK, results.OK, results.Skip, results.Skip, results.Skip, results.Fail}[i], f, i)
	}
	n.number(results.Fail, text("no arrays"), 6)
	n.add(7, "no value in %d of %d", 1, 2)
	n.add(8, "no value in %d of %d", 1, 3)
	var got []string
	for _, note := range n.list {
		got = append(got, note.String())
	}
	want := []string{"for example: T at its lower bound in bin 11 (2 rows)", "not run: needs augmented views of the test set (2 rows)", "not run: no arrays (1 row)",
		"failed: row 3 is not finite (1 row)", "failed: no arrays (1 row)", "for example: no value in 1 of 2 (2 rows)"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestNumbersThatAreAlikeShareAMark although a rounding lies between them, and the legend
// says so. Numbers that are not alike do not.
func TestNumbersThatAreAlikeShareAMark(t *testing.T) {
	for _, c := range []struct {
		other float64
		want  table.Mark
		says  bool
	}{{.12345 - 2e-9, table.Best, true}, {.12345 - 2e-6, table.Best, false}} {
		spec := standardSpec()
		spec.Rows = []string{"dataset"}
		p, err := Of(network("a", "x", []string{"uncal", "ts", "qats"}, .2, .12345+2e-9, c.other), spec)
		if err != nil {
			t.Fatal(err)
		}
		cells := p.Rows[0].Cells
		shared := cells[1].Mark == cells[2].Mark
		if cells[2].Mark != c.want || shared != c.says || cells[1].Text == cells[2].Text {
			t.Errorf("%+v", cells)
		}
		if says := strings.Contains(legendOf(t, p), "within 1e-6"); says != c.says {
			t.Errorf("legend: %q", legendOf(t, p))
		}
	}
}
