package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// better returns records of a metric on one setting, methods from best to worst.
func better(at results.Setting, metric string, methods ...string) []results.Record {
	var list []results.Record
	for i, m := range methods {
		list = append(list, resultstest.Value(at, m, metric, .1+.01*float64(i)))
	}
	return list
}

// TestWinRatesCountBlocksOnce: block a has three settings, of which ts wins one
// against qats; block b has one.
func TestWinRatesCountBlocksOnce(t *testing.T) {
	var records []results.Record
	records = append(records, better(cell("a", "x"), "ece", "qats", "ts", "ir")...)
	records = append(records, better(cell("a", "y"), "ece", "qats", "ts", "ir")...)
	records = append(records, better(cell("a", "z"), "ece", "ts", "qats", "ir")...)
	records = append(records, better(cell("b", "x"), "ece", "qats", "ts", "ir")...)
	c := comparison(t, records, nil, ece)
	want := map[string]float64{"qats": (2.0/3 + 1 + 1 + 1) / 4, "ts": (1.0/3 + 1 + 0 + 1) / 4, "ir": 0}
	theta := map[string]float64{}
	for _, s := range c.Ranking.Strengths() {
		if !(math.Abs(s.WinRate.Value-want[s.Method]) <= 1e-12) {
			t.Errorf("%s: win rate %v, want %v", s.Method, s.WinRate.Value, want[s.Method])
		}
		for _, e := range []Estimate{s.WinRate, s.BradleyTerry} {
			if !(e.Lo <= e.Value+1e-9 && e.Value <= e.Hi+1e-9) {
				t.Errorf("%s: %+v", s.Method, e)
			}
		}
		// The draws are of two blocks: a alone, b alone or both.
		if s.Method == "qats" && (!(math.Abs(s.WinRate.Lo-5.0/6) <= 1e-12) || s.WinRate.Hi != 1) {
			t.Errorf("interval %+v, want 0.833 to 1", s.WinRate)
		}
		theta[s.Method] = s.BradleyTerry.Value
	}
	if !(theta["qats"] > theta["ts"] && theta["ts"] > theta["ir"]) || !(math.Abs(theta["qats"]+theta["ts"]+theta["ir"]) <= 1e-9) {
		t.Errorf("strengths %v", theta)
	}
	if text := (View{Comparison: c, Labels: labels}).StrengthLegend(); !strings.HasSuffix(text, "Of so few they are too short: read them as a description.") {
		t.Errorf("legend %q", text)
	}
}

// TestEqualValuesAreHalfAWin of each.
func TestEqualValuesAreHalfAWin(t *testing.T) {
	var records []results.Record
	for _, d := range []string{"a", "b"} {
		records = append(records, record(cell(d, "x"), "qats", .1), record(cell(d, "x"), "ts", .1))
	}
	both := comparison(t, records, nil, ece).Ranking.Strengths()
	if len(both) != 2 {
		t.Errorf("strengths of %d methods", len(both))
	}
	for _, s := range both {
		if s.WinRate != (Estimate{.5, .5, .5}) || !(math.Abs(s.BradleyTerry.Value) <= 1e-9) {
			t.Errorf("%+v", s)
		}
	}
}

// TestAgreementOfRankings: by nll the ranking is upside down; gc has no nll and is in
// no ranking.
func TestAgreementOfRankings(t *testing.T) {
	var records []results.Record
	for _, d := range []string{"a", "b"} {
		records = append(records, better(cell(d, "x"), "ece", "qats", "ts", "ir", "gc")...)
		records = append(records, better(cell(d, "x"), "aece", "qats", "ir", "ts", "gc")...)
		records = append(records, better(cell(d, "x"), "nll", "ir", "ts", "qats")...)
	}
	list, err := Agree(records, []string{"ece", "aece", "nll", "brier"}, Options{Against: "qats"})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	a := list[0]
	if strings.Join(a.Methods, " ") != "qats ts ir" || strings.Join(a.Metrics, " ") != "ece aece nll" || len(a.Without) != 1 || !strings.HasPrefix(a.Without[0], "brier (") {
		t.Errorf("%+v", a)
	}
	want := [][]float64{{1, 1.0 / 3, -1}, {1.0 / 3, 1, -1.0 / 3}, {-1, -1.0 / 3, 1}}
	for i := range want {
		for j := range want {
			if !(math.Abs(a.Tau[i][j]-want[i][j]) <= 1e-12) {
				t.Errorf("tau of %s and %s is %v, want %v", a.Metrics[i], a.Metrics[j], a.Tau[i][j], want[i][j])
			}
		}
	}
	var text strings.Builder
	if err := a.Text(&text, func(m string) string { return m }); err != nil || !strings.Contains(text.String(), "qats          1.00  1.00  3.00") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if _, err := Agree(records[:4], []string{"ece"}, Options{Against: "qats"}); err == nil || !strings.Contains(err.Error(), "an agreement takes two or more") {
		t.Error(err)
	}
}

// TestAgreementRanksOnTheSameSettings: a setting on which one method lacks one metric
// counts for no metric, as if it were absent. Without it the ranking by ece is another.
func TestAgreementRanksOnTheSameSettings(t *testing.T) {
	var records, without []results.Record
	for _, d := range []string{"a", "b", "c"} {
		at := cell(d, "x")
		ece := better(at, "ece", "qats", "ts", "ir")
		nll := better(at, "nll", "ts", "qats", "ir")
		if d == "c" {
			ece = better(at, "ece", "ir", "ts", "qats")
			nll[2].Status, nll[2].Note = results.Fail, results.Because("not finite")
		}
		records = append(append(records, ece...), nll...)
		if d != "c" {
			without = append(append(without, ece...), nll...)
		}
	}
	names := []string{"ece", "nll"}
	named := Options{Against: "qats", Methods: []string{"ts", "ir"}} // else ir would lack too much to be ranked
	got, err := Agree(records, names, named)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Agree(without, names, named)
	if err != nil {
		t.Fatal(err)
	}
	a := got[0]
	if !slices.Equal(a.Ranks[0], []float64{1, 2, 3}) || !slices.Equal(a.Methods, want[0].Methods) || !slices.Equal(a.Blocks, []string{"a", "b"}) {
		t.Errorf("methods %q, ranks by ece %v over %q", a.Methods, a.Ranks[0], a.Blocks)
	}
	if a.Settings != 2 || a.Lost != 1 || want[0].Lost != 0 {
		t.Errorf("%d settings, %d left out, and without the setting %d", a.Settings, a.Lost, want[0].Lost)
	}
	if notes := a.Notes(); !strings.Contains(notes[0], "over 2 data sets, the same for all metrics") || notes[1] != "Left out, because a method lacks a metric: 1 setting." {
		t.Errorf("%q", notes)
	}
	if _, err := Agree(append(better(cell("a", "x"), "ece", "qats", "ts", "ir"), append(better(cell("b", "x"), "ece", "qats", "ts", "ir"),
		append(better(cell("c", "x"), "nll", "qats", "ts", "ir"), better(cell("d", "x"), "nll", "qats", "ts", "ir")...)...)...), names, Options{Against: "qats"}); err == nil || !strings.Contains(err.Error(), "no setting on which 3 methods have all of ece, nll") {
		t.Error(err)
	}
}

// TestStrengthsAreDrawnOnce: copies of a ranking share the draws.
func TestStrengthsAreDrawnOnce(t *testing.T) {
	var records []results.Record
	for _, d := range []string{"a", "b"} {
		records = append(records, better(cell(d, "x"), "ece", "qats", "ts", "ir")...)
	}
	k := comparison(t, records, nil, ece).Ranking
	other := k
	if first, again := k.Strengths(), other.Strengths(); len(first) != 3 || &first[0] != &again[0] {
		t.Errorf("%d strengths, drawn anew", len(first))
	}
	if (Ranking{}).Strengths() != nil {
		t.Error("strengths without a ranking")
	}
}

// TestAgreementIsOfOneSource: measured and simulated settings have an agreement each,
// also where one source has no values. Metrics without a ranking hide no others, and
// two with one are enough.
func TestAgreementIsOfOneSource(t *testing.T) {
	rows := func(source string, datasets ...string) []results.Record {
		var records []results.Record
		for _, d := range datasets {
			records = append(records, better(cell(d, "x"), "ece", "qats", "ts", "ir")...)
			records = append(records, better(cell(d, "x"), "nll", "ts", "qats", "ir")...)
		}
		return resultstest.From(source, records...)
	}
	failed := resultstest.Each(rows("measured", "f"), func(r *results.Record) { r.Status = results.Fail })
	unsourced := absent(cell("a", "x"), "gc")
	unsourced.Source = ""
	measured, simulated := rows("measured", "a", "b"), rows("simulated", "c", "d", "e")
	for name, c := range map[string]struct {
		records []results.Record
		sources []string
		blocks  []int
	}{
		"both":           {slices.Concat(simulated, measured), []string{"measured", "simulated"}, []int{2, 3}},
		"measured":       {append(slices.Clone(measured), unsourced), []string{"measured"}, []int{2}},
		"simulated":      {simulated, []string{"simulated"}, []int{3}},
		"failed as well": {append(slices.Clone(simulated), failed...), []string{"simulated"}, []int{3}},
	} {
		list, err := Agree(c.records, []string{"brier", "ece", "nll"}, Options{Against: "qats"})
		if err != nil || len(list) != len(c.sources) {
			t.Errorf("%s: %d agreements, %v", name, len(list), err)
			continue
		}
		for i, a := range list {
			if a.Source != c.sources[i] || len(a.Blocks) != c.blocks[i] || a.Block != BySamples || !slices.Equal(a.Metrics, []string{"ece", "nll"}) {
				t.Errorf("%s: %+v", name, a)
			}
			if notes := a.Notes(); len(notes) != 2 || !strings.Contains(notes[1], "Metrics without a ranking: brier (") {
				t.Errorf("%s: notes %q", name, notes)
			}
		}
	}
	list, err := Agree(measured, []string{"ece", "nll"}, Options{Against: "qats", Block: BySetting})
	if err != nil || list[0].Block != BySetting || strings.Contains(strings.Join(list[0].Notes(), "\n"), "Metrics without a ranking") {
		t.Errorf("%+v, %v", list, err)
	}
}

// Intervals over nine blocks are called too short, and those over ten are not. Without
// a ranking there are no strengths in print.
func TestStrengthsOfFewBlocksAreADescription(t *testing.T) {
	for blocks, short := range map[int]bool{9: true, 10: false} {
		v := View{Comparison: &Comparison{Ranking: Ranking{Blocks: make([]string, blocks)}}}
		if text := v.StrengthLegend(); strings.Contains(text, "too short") != short {
			t.Errorf("%d blocks: %s", blocks, text)
		}
	}
	var records []results.Record
	for _, d := range []string{"a", "b", "c"} {
		records = append(records, better(cell(d, "x"), "ece", "qats", "ts", "ir")...)
	}
	for n, want := range map[int]bool{len(records): true, 3: false} { // one block has no ranking
		v := judged(t, records[:n], nil, ece)
		for _, v.Full = range []bool{false, true} {
			var text strings.Builder
			if err := v.Text(&text); err != nil || strings.Contains(text.String(), v.strengthTitle()) != (want && v.Full) {
				t.Errorf("%d rows, full %t: %v\n%s", n, v.Full, err, text.String())
			}
			var objects strings.Builder
			if err := v.JSON(&objects); err != nil || strings.Contains(objects.String(), `"kind":"strength"`) != (want && v.Full) {
				t.Errorf("%d rows, full %t: %v\n%s", n, v.Full, err, objects.String())
			}
		}
	}
}
