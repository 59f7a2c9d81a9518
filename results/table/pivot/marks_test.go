package pivot

import (
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/results"
)

// Footnotes are words of facts, and facts of one kin share one.
func TestFootnotesOfFacts(t *testing.T) {
	var n notes
	bound := func(bin int) results.Fact {
		return results.Warn(report.Warning{Kind: report.AtBound, Bound: report.AtLeast("t", bin, .001)})
	}
	lacks := func(network string) results.Fact {
		return results.Fact{Kind: results.Missing, Lack: results.Lack{Arrays: "augmented", Set: "test", Network: network}}
	}
	text := func(s string) results.Fact { return results.Fact{Kind: results.Reason, Text: s} }
	for i, f := range []results.Fact{bound(11), bound(2), lacks("a/b"), lacks("a/c"), text("no arrays"), text("row 3 is not finite")} {
		n.of([]results.Status{results.OK, results.OK, results.Skip, results.Skip, results.Skip, results.Fail}[i], f, i)
	}
	n.of(results.Fail, text("no arrays"), 6)
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
