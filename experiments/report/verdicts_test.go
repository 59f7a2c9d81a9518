package report

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestVerdictsOnSimilarDataSets need a measured set that a spec declares similar to one of the
// paper's.
func TestVerdictsOnSimilarDataSets(t *testing.T) {
	f := &results.Rows{}
	for s, dataset := range []string{"a", "b", "z"} {
		for i, m := range []string{"qats", "ts", "uncal", "ir"} {
			r := resultstest.Value(resultstest.Setting("e", dataset, "net"), m, "ece", .1+.01*float64(i))
			f.Records = append(f.Records, resultstest.From([]string{"measured", "measured", "simulated"}[s], r)...)
		}
	}
	if v, err := verdicts(f); v != nil || err != nil {
		t.Errorf("no set is like one of the paper's: %+v, %v", v, err)
	}
	f.Run = &results.Run{Specs: []results.RunSpec{{Like: map[string]string{"z": "cifar100"}}}}
	if v, err := verdicts(f); v != nil || err != nil {
		t.Errorf("no measured set is like one of the paper's: %+v, %v", v, err)
	}
	f.Run = &results.Run{Specs: []results.RunSpec{{Like: map[string]string{"a": "cifar10", "z": "cifar100"}}}}
	v, err := verdicts(f)
	if err != nil || v == nil || v.Numbers != nil || !strings.Contains(v.Note, "(a is similar to CIFAR-10)") {
		t.Fatalf("%+v, %v", v, err)
	}
	if a, b := v.Strips()[0], v.Strips()[1]; len(a.Judgements) != 35 || a.Holds == 0 || a.Fails == 0 || b.Open == 0 {
		t.Errorf("nothing to count: %+v", v.Strips())
	}
}

// likeOfPaper returns values on a network that the paper has, too.
func likeOfPaper() (records []results.Record) {
	for i, m := range []string{"uncal", "ts", "ir", "qats"} {
		records = append(records, resultstest.Value(resultstest.Setting("standard", "cifar10", "resnet50"), m, "ece", .04-.01*float64(i)))
	}
	return records
}

// TestTheSameStandInsAsInTables: a measured number of a setting of the paper stands in
// for the paper's, as results.Record.StandsIn says, unless its note declares it the
// paper's own. Only then does its row get a verdict.
func TestTheSameStandInsAsInTables(t *testing.T) {
	for note, own := range map[results.Note]bool{{}: false, {Kind: results.StandIn, Text: "another training"}: false, {Kind: results.Paper}: true} {
		f := results.Rows{Records: resultstest.Noted(results.Notes{note}, likeOfPaper()...)}
		for _, r := range f.Records {
			if r.StandsIn() == own {
				t.Errorf("%q stands in: %v", note, !own)
			}
		}
		v, err := verdicts(&f)
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(v.Note, "4 numbers here are measured on other networks"); said == own || own && strings.Contains(v.Note, "other networks") {
			t.Errorf("%q: %s", note, v.Note)
		}
		shown := 0
		for _, p := range v.Numbers {
			if p.Here == nil {
				continue
			}
			shown++
			if want := map[bool]string{true: "measured", false: "stand-in"}[own]; p.Source != want || (p.Verdict != "") != own {
				t.Errorf("%q: %+v", note, p)
			}
		}
		if shown != 4 {
			t.Errorf("%q: %d numbers are shown", note, shown)
		}
	}
}

// TestClaimsThatNoneCanBeJudgedAreOneSentence, not a row of marks.
func TestClaimsThatNoneCanBeJudgedAreOneSentence(t *testing.T) {
	f := &results.Rows{Records: resultstest.From("simulated", likeOfPaper()...)}
	dir := t.TempDir()
	if err := WriteRowsPage(io.Discard, f, dir, page.Options{Against: "ts"}); err != nil {
		t.Fatal(err)
	}
	html, err := os.ReadFile(filepath.Join(dir, page.File))
	if err != nil {
		t.Fatal(err)
	}
	text := string(html)
	if n := strings.Count(text, `<ol class="strip">`); n != 1 {
		t.Errorf("%d rows of marks, want that on the printed numbers", n)
	}
	if !strings.Contains(text, "claims can be judged, because no number of this folder is measured.") {
		t.Error("it does not say why")
	}
}
