package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/experiments/submission"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/leaderboard"
)

// TestVersion1GivesItsOldBytes: the page of version 1 of the protocol, without the style and the commands that all pages share, and its
// file. Both are frozen, as the numbers in results/leaderboard are.
func TestVersion1GivesItsOldBytes(t *testing.T) {
	b, refused, err := submission.Board(t.Context(), submission.V1, leaderboard.Folder(filepath.Join("..", "..", "results", "leaderboard")), t.TempDir(), submission.Records{})
	if err != nil || refused != nil {
		t.Fatal(err, refused)
	}
	var file, index bytes.Buffer
	if err := b.WriteCSV(&file); err != nil {
		t.Fatal(err)
	}
	if err := page.WriteBoard(&index, b); err != nil {
		t.Fatal(err)
	}
	own := regexp.MustCompile(`(?s)<style>.*?</style>|<section id="hand-in".*?</section>|<footer>.*?</footer>`).ReplaceAll(index.Bytes(), nil)
	for name, of := range map[string]struct {
		text []byte
		want string
	}{
		boardFile: {file.Bytes(), "c7a098ab7dd5a81c0e8282e0bca3198cec40cf6d203489cbe3f8b1b27980dd03"},
		page.File: {own, "09cf68d7e37d1f369cefc93ec14475b7197e2ea453189bf107a2769024e4ec21"},
	} {
		if got := fmt.Sprintf("%x", sha256.Sum256(of.text)); got != of.want {
			t.Errorf("%s of version 1 has the digest %s, want %s", name, got, of.want)
		}
	}
}

// entryRows returns the rows of a run of the tier lite with an entry: the numbers of the project, and of the entry those that a method
// of the project has, changed.
func entryRows(t *testing.T, entry, like string, change func(r *results.Record)) *results.Rows {
	t.Helper()
	folder := leaderboard.Folder(filepath.Join("..", "..", "results", "leaderboard", submission.FolderOf(submission.Version)))
	tier, err := submission.ReadTier(submission.Version, submission.Lite)
	if err != nil {
		t.Fatal(err)
	}
	rows := &results.Rows{}
	for _, m := range tier.Spec.Methods {
		records, ok, err := folder.Read(m.Name, tier.Metrics())
		if err != nil || !ok {
			t.Fatal(m.Name, err)
		}
		rows.Records = append(rows.Records, records...)
		rows.Methods = append(rows.Methods, m.Info(tier.Spec.Name))
		if m.Name != like {
			continue
		}
		for _, r := range records {
			r.Method = entry
			change(&r)
			rows.Records = append(rows.Records, r)
		}
	}
	if rows.Settings, err = folder.ReadSettings(); err != nil {
		t.Fatal(err)
	}
	results.Join(rows.Records, rows.Settings)
	return rows
}

// TestSubmitSaysWhetherAnEntryIsRanked: the numbers of base-rate, handed in, have a low ECE. submit says that NLL and Brier score are worse, and that the
// entry is not ranked, in the sentences themselves. An entry that is shown to be better has no such words.
func TestSubmitSaysWhetherAnEntryIsRanked(t *testing.T) {
	said := func(rows *results.Rows) string {
		t.Helper()
		tier, err := submission.ReadTier(submission.Version, submission.Lite)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		if err := (&handIn{}).say(cmd, tier, &submission.Card{Name: "mine"}, "submissions/mine", rows, nil, true); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(out.String()), " ")
	}
	constant := said(entryRows(t, "mine", results.BaseRate, func(*results.Record) {}))
	for _, against := range []string{"QaTS", "TS"} {
		i := strings.Index(constant, "mine against "+against+", 99 settings in 30 independent data sets: NLL +")
		if i < 0 {
			t.Fatalf("no sentence against %s in %q", against, constant)
		}
		sentence := constant[i:]
		for _, want := range []string{": mine is worse. ECE -", "(descriptive). Lower ECE, higher NLL and Brier score.", "Not ranked: mine, which is not shown to be better than base-rate, which knows nothing."} {
			j := strings.Index(sentence, want)
			if j < 0 {
				t.Fatalf("no %q in %q", want, constant)
			}
			sentence = sentence[j:]
		}
	}
	scores := []string{"nll", "nll_top", "brier", "brier_top"}
	better := said(entryRows(t, "mine", "ts", func(r *results.Record) {
		if slices.Contains(scores, r.Metric) {
			r.Value *= .97
		}
	}))
	if strings.Count(better, ": mine is better.") != 2 || strings.Contains(better, "Not ranked") {
		t.Error(better)
	}
}
