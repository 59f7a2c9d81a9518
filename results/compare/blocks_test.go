package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// best returns the rows of methods that are better than qats on each of some data sets.
func best(methods, blocks int) (records []results.Record) {
	for b := range blocks {
		c := cell(fmt.Sprint("d", b), "x")
		records = append(records, record(c, "qats", .5))
		for m := range methods {
			records = append(records, record(c, fmt.Sprint("m", m), .4-.001*float64(b)))
		}
	}
	return records
}

// TestPowerIsWhatTheClearestDifferencesReach: the smallest p are those of methods that
// are better in every block, and so is what fewer methods or more blocks reach.
func TestPowerIsWhatTheClearestDifferencesReach(t *testing.T) {
	significant := func(methods, blocks int) bool {
		for _, r := range comparison(t, best(methods, blocks), nil, ece).Rows {
			if r.Holm <= Alpha {
				return true
			}
		}
		return false
	}
	for _, c := range []struct{ methods, blocks int }{{1, 5}, {1, 6}, {3, 4}, {3, 6}, {3, 7}, {46, 9}, {12, 9}, {13, 9}, {46, 10}, {46, 11}} {
		made := comparison(t, best(c.methods, c.blocks), nil, ece)
		p, row := made.Power(), made.Rows[0]
		if p.Tests != c.methods || p.Blocks != c.blocks || !(math.Abs(p.LeastP-row.Test.P) <= 1e-15) || !(math.Abs(p.LeastHolm-row.Holm) <= 1e-14) {
			t.Errorf("%d methods, %d blocks: %+v; p %v, Holm %v", c.methods, c.blocks, p, row.Test.P, row.Holm)
		}
		if p.Possible != significant(c.methods, c.blocks) {
			t.Errorf("%d methods, %d blocks: possible %t", c.methods, c.blocks, p.Possible)
		}
		if p.Most > 0 && !significant(p.Most, c.blocks) || significant(p.Most+1, c.blocks) {
			t.Errorf("%d blocks: at most %d methods", c.blocks, p.Most)
		}
		if !significant(c.methods, p.Needed) || significant(c.methods, p.Needed-1) {
			t.Errorf("%d methods: %d blocks are needed", c.methods, p.Needed)
		}
	}
}

// TestThePowerOfATableCountsItsScores: where each method is better in every block by both scores, the corrected p of each
// test is the smallest one, and tables do not share their tests.
func TestThePowerOfATableCountsItsScores(t *testing.T) {
	for _, c := range []struct{ methods, blocks int }{{1, 6}, {1, 7}, {3, 7}, {3, 9}, {2, 5}} {
		records := best(c.methods, c.blocks)
		rows := &results.Rows{Records: slices.Concat(resultstest.By("nll", records...), resultstest.By("brier", records...), records)}
		for m := range c.methods {
			rows.Methods = append(rows.Methods, results.MethodInfo{Method: fmt.Sprint("m", m), Predicts: results.Keeps})
		}
		rows.Records = append(rows.Records, resultstest.Each(resultstest.By("nll", best(1, c.blocks)...), func(r *results.Record) {
			if r.Method == "m0" {
				r.Method = "other"
			}
		})...)
		rows.Methods = append(rows.Methods, results.MethodInfo{Method: "other", Predicts: results.Changes})
		j := judgeOne(t, rows, Options{Against: "qats"}, "ece")
		if len(j.Groups) != 2 {
			t.Fatalf("%d tables", len(j.Groups))
		}
		for i, tests := range []int{2 * c.methods, 1} {
			g := j.Groups[i]
			p := g.Power()
			if p.Tests != tests || p.Blocks != c.blocks || p.Possible != g.Possible {
				t.Errorf("%d methods, %d blocks, table %d: %+v, possible %t", c.methods, c.blocks, i, p, g.Possible)
			}
			for _, e := range g.Methods[0].Scores {
				if c.blocks >= 6 && !(math.Abs(e.Holm-p.LeastHolm) <= 1e-14) {
					t.Errorf("%d methods, %d blocks, table %d: Holm %v, want %v", c.methods, c.blocks, i, e.Holm, p.LeastHolm)
				}
			}
		}
	}
}

// TestPowerIsSaidInOneSentence with what could help.
func TestPowerIsSaidInOneSentence(t *testing.T) {
	const none = ", so none can reach .05: that takes "
	for _, c := range []struct {
		methods, blocks int
		want            string
	}{
		{46, 9, "With 9 independent data sets no p can be below .0039, or below .1797 after Holm's correction for 46 methods" + none + "11 independent data sets, or at most 12 methods, named beforehand."},
		{46, 11, ""},
		{12, 9, ""},
		{2, 6, "With 6 independent data sets no p can be below .0312, or below .0625 after Holm's correction for 2 methods" + none + "7 independent data sets, or at most 1 method, named beforehand."},
		{2, 7, "With 7 independent data sets no p can be below .0156."},
		{1, 4, "With 4 independent data sets no p can be below .1250" + none + "6 independent data sets. There is no 95 % interval of a shift."},
	} {
		v := View{Comparison: comparison(t, best(c.methods, c.blocks), nil, ece), Labels: labels}
		if got := strings.Join(v.powerNotes(), " "); got != c.want {
			t.Errorf("%d methods, %d blocks: %q\nwant %q", c.methods, c.blocks, got, c.want)
		}
	}
	if got := (View{Comparison: &Comparison{}, Labels: labels}).powerNotes(); got != nil {
		t.Errorf("no method: %q", got)
	}
}

// TestExtentNamesSettingsBlocksAndCorruptions in plain words, by kind of block.
func TestExtentNamesSettingsBlocksAndCorruptions(t *testing.T) {
	clean := []results.Setting{cell("a", "x"), cell("a", "y"), cell("b", "x")}
	one := append(clean[:3:3], resultstest.Shifted(cell("a-c", "x"), "fog", 1))
	three := append(one[:4:4], resultstest.Shifted(cell("a-c", "x"), "fog", 2), resultstest.Shifted(cell("a-c", "y"), "fog", 2))
	for _, c := range []struct {
		settings []results.Setting
		by       Block
		want     string
	}{
		{clean[1:], BySamples, "2 data sets"},
		{clean, BySamples, "3 settings in 2 independent data sets"},
		{clean, ByDataset, "3 settings of 2 data sets"},
		{clean, ByNetwork, "3 networks"},
		{clean, BySetting, "3 settings"},
		{clean[:1], BySamples, "1 data set"},
		{one, BySamples, "4 settings in 2 independent data sets (1 is a corruption of one network)"},
		{three, BySamples, "6 settings in 2 independent data sets (3 are corruptions of 2 networks)"},
		{three, ByDataset, "6 settings of 3 data sets (3 are corruptions of 2 networks)"},
		{three, ByNetwork, "6 settings of 5 networks (3 are corruptions of 2 networks)"},
		{three, BySetting, "6 settings (3 are corruptions of 2 networks)"},
	} {
		var records []results.Record
		for _, s := range c.settings {
			records = append(records, record(s, "qats", .1), record(s, "ts", .2))
		}
		o := ece
		o.Block = c.by
		if got := comparison(t, records, nil, o).Extent.String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.by, got, c.want)
		}
	}
}

// TestSentenceOfAMethodWithFewerSettings has its own numbers, and counts no corruptions.
func TestSentenceOfAMethodWithFewerSettings(t *testing.T) {
	var records []results.Record
	for i := range 8 {
		for _, backbone := range []string{"x", "y"} {
			c := cell(fmt.Sprint("d", i), backbone)
			records = append(records, record(c, "qats", .1))
			if backbone == "x" || i > 0 {
				records = append(records, record(c, "ts", .2))
			}
		}
	}
	shifted := resultstest.Shifted(cell("d1-c", "x"), "fog", 1)
	records = append(records, record(shifted, "qats", .1), record(shifted, "ts", .2))
	v := judged(t, resultstest.By("nll", records...), nil, Options{Metric: "nll", Against: "qats"})
	if want := "TS against QaTS, 16 settings in 8 independent data sets: NLL "; !strings.HasPrefix(v.Sentence(), want) {
		t.Errorf("%s\nwant %s", v.Sentence(), want)
	}
}

// TestBlocksSayWhatTheyRestOn: names, statements of manifests or the spec, and digests of
// row ids, alone or together.
func TestBlocksSayWhatTheyRestOn(t *testing.T) {
	rows := func(notes map[string]string, order ...string) []results.Record {
		var records []results.Record
		for _, dataset := range order {
			note, err := results.ParseNote(notes[dataset])
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, resultstest.Noted(note, record(cell(dataset, "x"), "qats", .1), record(cell(dataset, "x"), "ts", .2))...)
		}
		return records
	}
	for _, c := range []struct {
		notes map[string]string
		want  string
	}{
		{nil, "All independent data sets rest on names of data sets."},
		{map[string]string{"b": `[{"kind":"samples","text":"c"}]`}, "The independent data sets rest on names of data sets (a), on names of data sets and a manifest or the spec (c)."},
		{map[string]string{"a": `[{"kind":"row-ids","text":"7"}]`, "c": `[{"kind":"row-ids","text":"7"}]`}, "The independent data sets rest on digests of row ids (a), on names of data sets (b)."},
	} {
		records := rows(c.notes, "a", "b", "c")
		v := View{Comparison: comparison(t, records, nil, ece), Labels: labels}
		if got := v.basisNote(); got != c.want {
			t.Errorf("%q\nwant %q", got, c.want)
		}
		o := ece
		o.Block = ByDataset
		if text := strings.Join(View{Comparison: comparison(t, records, nil, o), Labels: labels}.legend(), " "); strings.Contains(text, "rest on") {
			t.Errorf("by data set: %s", text)
		}
	}
}
