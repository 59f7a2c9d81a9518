package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// differing returns three methods on twelve data sets of a source, with intervals: ir is
// worse than qats on all, ts is better on most.
func differing(source string) (records []results.Record, pairs []results.Pair) {
	for i := range 12 {
		c := cell(fmt.Sprint("d", i), "x")
		for method, value := range map[string]float64{"qats": .1, "ts": .09 + .001*float64(i), "ir": .3} {
			records = append(records, record(c, method, value+.0001*float64(i)))
		}
		for method, d := range map[string]float64{"ts": -.01 + .001*float64(i), "ir": .2} {
			pairs = append(pairs, pair(c, method, "qats", d, d-.002, d+.002))
		}
	}
	for draw := range 3 { // of the last data set
		c := resultstest.Varied(cell("d11", "x"), results.Variant{Split: draw + 1})
		records = append(records, record(c, "qats", .1), record(c, "ts", .11))
	}
	slices.SortStableFunc(records, func(a, b results.Record) int { return strings.Compare(a.Method, b.Method) })
	return resultstest.From(source, records...), resultstest.Each(pairs, func(p *results.Pair) { p.Source = source })
}

// verdicts are words and signs of a test, an interval, or a judgement.
var verdicts = regexp.MustCompile(`(?i)\bbetter\b|\bworse\b|\bp\s*[=<]|wilcoxon|holm|friedman|nemenyi|hodges|\bwin\b|\bloss\b|\btie\b|w/t/l|alike|favour|signific|smallest|no difference|\[[-+0-9]`)

// A comparison of simulated settings has the values, differences and ranks of the same
// measured settings, and no test, interval or verdict in any form.
func TestSimulatedSettingsGetNoVerdict(t *testing.T) {
	forms := func(source string) map[string]string {
		records, pairs := differing(source)
		c := comparison(t, records, pairs, ece)
		v := View{Comparison: c, Splits: c.Splits(records, pairs), Labels: labels, Judgement: judgement(t, slices.Concat(records, resultstest.By("nll", records...)), pairs, ece), Full: true}
		out := map[string]string{"Sentence": v.Sentence(), "RankingNotes": strings.Join(v.RankingNotes(), " ")}
		for name, write := range map[string]func(io.Writer) error{"Text": v.Text, "LaTeX": v.LaTeX, "CompactLaTeX": v.CompactTable().LaTeX, "SplitsLaTeX": v.SplitTable().LaTeX} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			out[name] = b.String()
		}
		return out
	}
	measured := forms("measured")
	for name, text := range forms("simulated") {
		if !verdicts.MatchString(measured[name]) {
			t.Errorf("%s: the expression finds no verdict of measured settings:\n%s", name, measured[name])
		}
		// Which direction of a metric is better is not a verdict on a method.
		if found := verdicts.FindAllString(strings.ReplaceAll(text, "Lower is better.", ""), -1); found != nil {
			t.Errorf("%s has %q:\n%s", name, found, text)
		}
		if name != "RankingNotes" && name != "SplitsLaTeX" && (strings.Count(text, "SIMULATED") == 0 || strings.Count(strings.Join(strings.Fields(text), " "), unjudged) != 1) {
			t.Errorf("%s does not say that it is simulated and has no verdict:\n%s", name, text)
		}
	}
}

// The numbers that describe simulated settings are those of the same measured settings.
func TestSimulatedSettingsAreDescribed(t *testing.T) {
	compared := map[string]*Comparison{}
	objects := map[string][]map[string]any{}
	for _, source := range []string{"measured", "simulated"} {
		records, pairs := differing(source)
		compared[source] = comparison(t, records, pairs, ece)
		var b bytes.Buffer
		v := View{Comparison: compared[source], Splits: compared[source].Splits(records, pairs), Labels: labels, Judgement: judgement(t, records, pairs, ece), Full: true}
		if err := v.JSON(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			var o map[string]any
			if err := json.Unmarshal([]byte(line), &o); err != nil {
				t.Fatal(err)
			}
			objects[source] = append(objects[source], o)
		}
	}
	m, s := compared["measured"], compared["simulated"]
	for i, r := range s.Rows {
		if of := m.Rows[i]; r.Method != of.Method || r.Value != of.Value || r.Difference != of.Difference || r.Settings != of.Settings || r.Blocks != of.Blocks {
			t.Errorf("%+v, measured %+v", r, of)
		}
		if r.Win+r.Tie+r.Loss+r.Ahead+r.Behind > 0 || r.Smallest != 0 || r.Shift.Bounded || !math.IsNaN(r.Holm) || !math.IsNaN(r.Test.P) {
			t.Errorf("a verdict: %+v", r)
		}
	}
	if !slices.Equal(s.Ranking.Methods, m.Ranking.Methods) || !slices.Equal(s.Ranking.Ranks, m.Ranking.Ranks) || !slices.Equal(s.Ranking.Means, m.Ranking.Means) {
		t.Errorf("%+v, measured %+v", s.Ranking, m.Ranking)
	}
	if s.Ranking.Tested() || s.Ranking.Critical != 0 || s.Ranking.Strengths() != nil || !m.Ranking.Tested() || m.Ranking.Strengths() == nil {
		t.Errorf("a test of the ranks: %+v", s.Ranking)
	}
	for _, o := range objects["simulated"] {
		for _, name := range []string{"shift", "lo", "hi", "ahead", "behind", "win", "tie", "loss", "win_holm", "loss_holm", "smallest", "p", "p_holm",
			"least_p", "friedman_chi2", "friedman_p", "iman_davenport_f", "iman_davenport_p", "critical_difference", "alike", "not_told_apart"} {
			if x, ok := o[name]; ok && x != nil {
				t.Errorf("%s: %s = %v", o["kind"], name, x)
			}
		}
		if o["kind"] == "strength" {
			t.Errorf("%v", o)
		}
	}
	if n, want := len(objects["simulated"]), len(s.Rows)+2+len(s.Blocks); n != want {
		t.Errorf("%d objects, want one for each of %d methods, the ranking, the redrawn setting and %d blocks", n, len(s.Rows), len(s.Blocks))
	}
}
