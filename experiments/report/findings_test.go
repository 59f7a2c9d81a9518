package report

import (
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
)

// answer are the methods of experiments/answer.yaml.
var answer = []string{"uncal", "ts", "ets", "ir", "platt-logits", "quadratic", "svs", "hts", "qats", results.BaseRate}

// answered returns the rows of the answer, from the numbers of the leaderboard: the clean test sets of the networks of the project.
func answered(t *testing.T) *results.Rows {
	t.Helper()
	folder := filepath.Join("..", "..", "results", "leaderboard", "v2")
	rows := &results.Rows{}
	var err error
	if rows.Settings, err = results.ReadSettings(filepath.Join(folder, results.SettingsFile)); err != nil {
		t.Fatal(err)
	}
	for _, m := range answer {
		records, err := results.ReadEntry(filepath.Join(folder, m+".csv"), []string{"accuracy", "argmax_change", "ece", "aece", "ece_debiased", "ece_sweep", "ece_sweep_l2", "mce", "ks", "nll", "nll_top", "brier", "brier_top", "auroc", "aurc"})
		if err != nil {
			t.Fatal(err)
		}
		rows.Records = append(rows.Records, lists.Where(records, func(r results.Record) bool { return r.Corruption == "" })...)
	}
	results.Join(rows.Records, rows.Settings)
	Know(rows)
	return rows
}

// plain is a text without the line breaks of a document.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestTheFindingIsOneSentence: what README says, what the page shows first and what qats compare prints is the same, made
// by one function from the same numbers.
func TestTheFindingIsOneSentence(t *testing.T) {
	rows := answered(t)
	compared, err := Compare{Metrics: append(compare.Scores(), "ece"), Against: "ts", Labels: results.Labels(rows.Methods)}.Each(rows)
	if err != nil {
		t.Fatal(err)
	}
	want := compared[0].Sentence()

	var b strings.Builder
	if err := page.Write(&b, rows, page.Options{Against: "ts"}); err != nil {
		t.Fatal(err)
	}
	first := regexp.MustCompile(`(?s)<p class="answer measured"[^>]*>(.*?) <a href`).FindStringSubmatch(b.String())
	if first == nil {
		t.Fatal("the page has no answer")
	}
	if got := plain(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(first[1], ""))); got != want {
		t.Errorf("the page says %q\nand compare    %q", got, want)
	}

	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(plain(string(readme)), want) {
		t.Errorf("README.md does not say %q", want)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "results", "shown", "answer", "statement.json"))
	if err != nil {
		t.Fatal(err)
	}
	var shown struct{ Text string }
	if err := json.Unmarshal(text, &shown); err != nil || shown.Text != want {
		t.Errorf("results/shown/answer/statement.json says %q (%v), want %q", shown.Text, err, want)
	}
}
