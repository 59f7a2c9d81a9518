package pivot

import (
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/resultstest"
	"github.com/qats-bench/qats/results/table"
)

// standIns says that measured records are of a network that stands in for the
// paper's.
func standIns(list []results.Record) []results.Record {
	return resultstest.Noted(results.Notes{{Kind: results.StandIn, Text: "another training, 28 pixels, run 1"}}, list...)
}

// ofPaper says that measured records are of the paper's own network.
func ofPaper(list []results.Record) []results.Record {
	return resultstest.Noted(results.Notes{{Kind: results.Paper}}, list...)
}

// TestStandInsAreMarkedAndNotRanked in a table of the paper; in other tables those that
// are declared stand-ins are marked, and all are ranked. A network that is declared
// neither the paper's nor a stand-in is a stand-in in a table of the paper.
func TestStandInsAreMarkedAndNotRanked(t *testing.T) {
	values := []float64{0.0171, 0.0123, 0.0055, 0.0031}
	const own, declared = 0, 1 // rows; row 2 is undeclared
	records := slices.Concat(ofPaper(network("cifar10", "resnet50", methods, values...)),
		standIns(network("cifar10", "resnet18", methods, values...)), network("cifar10", "densenet121", methods, values...))
	for _, number := range []int{0, 1} {
		spec := standardSpec()
		spec.Number = number
		made, err := Of(records, spec)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range made.Rows {
			for j, c := range row.Cells {
				standIn := i == declared || i != own && number > 0
				if c.StandIn != standIn || c.Simulated {
					t.Errorf("number %d, cell %d,%d: stand-in %v", number, i, j, c.StandIn)
				}
				if number > 0 && standIn && (c.Mark != table.Plain || c.Gap != "") {
					t.Errorf("cell %d,%d is ranked: %+v", i, j, c)
				}
			}
			if best := slices.ContainsFunc(row.Cells, func(c Cell) bool { return c.Mark == table.Best }); best != (i == own || number == 0) {
				t.Errorf("number %d, row %d: a best number: %v", number, i, best)
			}
		}
		var text, latex strings.Builder
		if err := made.Text(&text); err != nil {
			t.Fatal(err)
		}
		if err := made.Table().Typeset(&latex); err != nil {
			t.Fatal(err)
		}
		flat := strings.Join(strings.Fields(text.String()), " ")
		marked := "0.31 o" // after the space that a star of the best number would take
		if number == 0 {
			marked = "*0.31*o"
		}
		for _, want := range []string{marked, "o: not the paper's network, but one that stands in for it"} {
			if !strings.Contains(flat, want) {
				t.Errorf("number %d: no %q in\n%s", number, want, text.String())
			}
		}
		if undeclared := strings.Contains(flat, Undeclared); undeclared != (number > 0) {
			t.Errorf("number %d: says that a network is not declared: %v\n%s", number, undeclared, text.String())
		}
		if !strings.Contains(flat, "another training, 28 pixels, run 1") || !strings.Contains(latex.String(), "\\mathrm{o}") {
			t.Errorf("number %d: not marked:\n%s\n%s", number, text.String(), latex.String())
		}
	}
}

// TestNoAverageOfThePaperAndStandIns in a table of the paper.
func TestNoAverageOfThePaperAndStandIns(t *testing.T) {
	records := slices.Concat(ofPaper(network("cifar10", "resnet50", methods, 0.04, 0.03, 0.02, 0.01)),
		standIns(network("cifar100", "resnet50", methods, 0.05, 0.04, 0.03, 0.02)))
	spec := crosstab.Spec{Metric: "ece", Rows: []string{"backbone"}, Average: []string{"dataset"}, Better: metrics.Lower, Percent: true, Number: 4}
	made, err := Of(records, spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range made.Rows[0].Cells {
		if c.OK {
			t.Errorf("an average: %+v", c)
		}
	}
	if len(made.Notes) == 0 || !strings.Contains(made.Notes[0].Text, "others of the same architectures are not mixed (1 and 1)") {
		t.Errorf("notes %v", made.Notes)
	}
	spec.Number = 0
	if made, err = Of(records, spec); err != nil || !made.Rows[0].Cells[0].OK || !made.Rows[0].Cells[0].StandIn {
		t.Errorf("another table: %+v, %v", made.Rows, err)
	}
	undeclared := network("cifar100", "resnet18", methods, 0.05, 0.04, 0.03, 0.02)
	for ofPaper, standIns := range map[bool]int{false: 1, true: 2} {
		if s := CountSettings(slices.Concat(records, undeclared), func(string) bool { return ofPaper }); s.Measured != 3 || s.StandIn != standIns {
			t.Errorf("of the paper %v: %+v", ofPaper, s)
		}
	}
}
