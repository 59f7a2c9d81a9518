package compare

import (
	"math"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// better returns records of a metric on one setting, methods from best to worst.
func better(at results.Setting, metric string, methods ...string) []results.Record {
	var list []results.Record
	for i, m := range methods {
		r := record(at, m, .1+.01*float64(i))
		r.Metric = metric
		list = append(list, r)
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
		if math.Abs(s.WinRate.Value-want[s.Method]) > 1e-12 {
			t.Errorf("%s: win rate %v, want %v", s.Method, s.WinRate.Value, want[s.Method])
		}
		for _, e := range []Estimate{s.WinRate, s.BradleyTerry} {
			if !(e.Lo <= e.Value+1e-9 && e.Value <= e.Hi+1e-9) {
				t.Errorf("%s: %+v", s.Method, e)
			}
		}
		// The draws are of two blocks: a alone, b alone or both.
		if s.Method == "qats" && (math.Abs(s.WinRate.Lo-5.0/6) > 1e-12 || s.WinRate.Hi != 1) {
			t.Errorf("interval %+v, want 0.833 to 1", s.WinRate)
		}
		theta[s.Method] = s.BradleyTerry.Value
	}
	if !(theta["qats"] > theta["ts"] && theta["ts"] > theta["ir"]) || math.Abs(theta["qats"]+theta["ts"]+theta["ir"]) > 1e-9 {
		t.Errorf("strengths %v", theta)
	}
	if text := (View{Comparison: c}).strengthLegend(); !strings.HasSuffix(text, "Of 2 blocks they are too short: read them as a description.") {
		t.Errorf("legend %q", text)
	}
}

// TestEqualValuesAreHalfAWin of each.
func TestEqualValuesAreHalfAWin(t *testing.T) {
	var records []results.Record
	for _, d := range []string{"a", "b"} {
		records = append(records, record(cell(d, "x"), "qats", .1), record(cell(d, "x"), "ts", .1))
	}
	for _, s := range comparison(t, records, nil, ece).Ranking.Strengths() {
		if s.WinRate != (Estimate{.5, .5, .5}) || math.Abs(s.BradleyTerry.Value) > 1e-9 {
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
			if math.Abs(a.Tau[i][j]-want[i][j]) > 1e-12 {
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
