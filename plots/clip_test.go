package plots

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/figure"
)

// TestAxisOfManyValuesEndsWhereMostAre: values that fall off slowly stretch no axis, and an
// axis that fits is not cut.
func TestAxisOfManyValuesEndsWhereMostAre(t *testing.T) {
	var even, tailed []float64
	for i := range 100 {
		even = append(even, float64(i)/100)
		tailed = append(tailed, float64(i)/100)
	}
	tailed = append(tailed, 1.5, 2, 2.7, 3.9, 5.5, 7.7, 11)
	if x, clipped := most(even, .1); x != .99 || clipped {
		t.Errorf("even values: %v, clipped %v", x, clipped)
	}
	if _, clipped := bulk(tailed, .1); clipped {
		t.Error("a long tail has no gap")
	}
	// The 7/8-quantile is at .93, and 2.2 times as far is 2.04.
	if x, clipped := most(tailed, .1); x != 2 || !clipped {
		t.Errorf("a long tail: %v, clipped %v", x, clipped)
	}
	if x, clipped := most([]float64{0, 0, 0, 0, 0, 0, 0, 0}, 1); x != 0 || clipped {
		t.Errorf("zeros: %v, clipped %v", x, clipped)
	}
}

// TestDifferencesPromiseOnlyIntervalsThatExist: five blocks give none, six do.
func TestDifferencesPromiseOnlyIntervalsThatExist(t *testing.T) {
	for blocks, want := range map[int]string{
		5: "There are no intervals: a 95 % interval takes values of both methods in 6 independent data sets.",
		6: "with its 95 % interval",
	} {
		in := sample(figure.CriticalDifference, "ts", "qats")
		sets := []string{}
		in.Records = slices.DeleteFunc(in.Records, func(r results.Record) bool {
			if !slices.Contains(sets, r.Dataset) && len(sets) < blocks {
				sets = append(sets, r.Dataset)
			}
			return !slices.Contains(sets, r.Dataset)
		})
		list, err := compare.Of(in.Records, nil, compare.Options{Metric: "ece", Against: "qats"})
		if err != nil {
			t.Fatal(err)
		}
		f, err := Differences(list[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{f.Caption, f.Notes[0]} {
			if !strings.Contains(text, want) || strings.Contains(text, "with its") != (blocks == 6) {
				t.Errorf("%d blocks: %s", blocks, text)
			}
		}
	}
}

// TestDominanceByAMetricOfWhichLessIsBetter counts settings below zero as better, and shows
// a metric that is no fraction in its unit.
func TestDominanceByAMetricOfWhichLessIsBetter(t *testing.T) {
	cells := shifted([]string{"fog", "snow", "frost"}, 1)
	in := Input{Records: testRecords("nll", cells, "qats", "ts"), Metrics: []string{"nll"}, Methods: []string{"qats", "ts"}}
	for i, v := range []float64{.8, .9, .7, .6, 1.5, 1.5} { // qats, ts of each setting
		in.Records[i].Value = v
	}
	f := mustDraw(t, figure.Dominance, in)
	if want := []string{"qats below ts in 1 of 3 settings (33.3 %).", "Above in 1, equal in 1."}; !slices.Equal(f.Notes, want) {
		t.Errorf("notes %q, want %q", f.Notes, want)
	}
	if !has(t, f, "NLL of qats - ts") || !has(t, f, "0.1") {
		t.Error("the axis is not of NLL in nats")
	}
}

// TestSeverityHasOneBand: that of QaTS, or else of the last method.
func TestSeverityHasOneBand(t *testing.T) {
	for want, methods := range map[string][]string{"qats": {"uncal", "qats", "ir"}, "ir": {"uncal", "ts", "ir"}} {
		f := mustDraw(t, figure.Severity, sample(figure.Severity, methods...))
		if note := fmt.Sprintf("Lines: means over 5 corruptions. Band: from the first to the third quartile of %s.", want); f.Notes[0] != note {
			t.Errorf("%q, want %q", f.Notes[0], note)
		}
	}
}

// TestColoursOfRanksByBins: of many methods the three best, TS and QaTS keep theirs.
func TestColoursOfRanksByBins(t *testing.T) {
	a := &compare.Agreement{Methods: []string{"a", "b", "c", "d", "e", "qats", "f", "ts", "g"},
		Ranks: [][]float64{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {9, 2, 3, 1, 5, 6, 7, 8, 4}}}
	if got := coloured(byMeanRank(a)); !slices.Equal(got, []string{"b", "d", "c", "qats", "ts"}) {
		t.Errorf("coloured: %q", got)
	}
	few := &compare.Agreement{Methods: a.Methods[:8], Ranks: a.Ranks}
	if got := coloured(byMeanRank(few)); len(got) != 8 {
		t.Errorf("of eight: %q", got)
	}
}

// TestParetoNamesExternalPrograms, whose times include their start.
func TestParetoNamesExternalPrograms(t *testing.T) {
	in := sample(figure.Pareto, "uncal", "ts", "qats")
	for i, r := range in.Records {
		if r.Method == "ts" && r.Metric == results.TimeMetric {
			in.Records[i].Note = results.Notes{{Kind: results.Program}}
		}
	}
	f := mustDraw(t, figure.Pareto, in)
	if want := "Times of ts include the start of an external program."; !strings.Contains(f.Caption, want) || !strings.Contains(f.Notes[0], want) {
		t.Errorf("%q and %q", f.Caption, f.Notes)
	}
}

// TestNumbersOfTheAxisDoNotReachItsTitle, also where they are long: the axis moves.
func TestNumbersOfTheAxisDoNotReachItsTitle(t *testing.T) {
	in := Input{Records: testRecords("nll", shifted([]string{"fog", "snow"}, 1), "qats", "ts"), Metrics: []string{"nll"}, Methods: []string{"qats", "ts"}}
	for i := range in.Records {
		in.Records[i].Value = 1
	}
	all := words(t, mustDraw(t, figure.Dominance, in))
	title := all[slices.IndexFunc(all, func(w word) bool { return w.text == "NLL of qats - ts" })]
	at := slices.IndexFunc(all, func(w word) bool { return w.text == "-0.005" })
	if at < 0 || all[at].Min.X < title.Max.X+1 {
		t.Errorf("the title ends at %v, and the numbers: %v", title.Max.X, all)
	}
}

// TestAShiftBeyondTheAxisStandsBeforeItsBlocks where all of them are.
func TestAShiftBeyondTheAxisStandsBeforeItsBlocks(t *testing.T) {
	var f forest
	for i := range 12 {
		f.rows = append(f.rows, forestRow{label: fmt.Sprint(i), at: .1, dots: []float64{-.5, .5}})
	}
	f.rows = append(f.rows, forestRow{label: "far", at: 20.3, dots: []float64{19.1, 21.6}})
	if drawn := f.figure(); !has(t, drawn, "20.3 (data sets: 19.1, 21.6)") {
		t.Errorf("%v", words(t, drawn))
	}
}
