package report

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/resultstest"
)

// measured returns rows of methods by metrics on two networks and two corrupted sets.
func measured(methods, metrics []string) *results.Rows {
	clean, corrupted := resultstest.Setting("t", "d", "a"), resultstest.Setting("t", "d-c", "a")
	var rows results.Rows
	for i, s := range []results.Setting{clean, resultstest.Setting("t", "d", "b"), resultstest.Shifted(corrupted, "fog", 1), resultstest.Shifted(corrupted, "fog", 3)} {
		for j, method := range methods {
			for _, metric := range metrics {
				rows.Records = append(rows.Records, resultstest.Value(s, method, metric, .1+.01*float64(i*j%3)-.02*float64(j)))
			}
		}
	}
	return &rows
}

// TestPageFilesAreInOrder: a file that cannot be written leaves those before it and none
// after it, the same in each run.
func TestPageFilesAreInOrder(t *testing.T) {
	rows := measured([]string{"uncal", "ts", "ir"}, []string{"ece"})
	pages, err := Compare{Metrics: []string{"ece"}, Against: "ts", Block: compare.BySetting, Compact: true, Formats: []plots.Format{plots.SVG}}.Each(rows)
	if err != nil || len(pages) != 1 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	base := "ece-" + pages[0].Source
	for range 8 {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, base+".tex", "in the way"), 0o777); err != nil {
			t.Fatal(err)
		}
		if pages[0].Write(io.Discard, dir) == nil {
			t.Fatal("a folder was written over")
		}
		for name, want := range map[string]bool{".txt": true, ".tex": true, "-strengths.tex": false} {
			if _, err := os.Stat(filepath.Join(dir, base+name)); (err == nil) != want {
				t.Errorf("%s%s: %v", base, name, err)
			}
		}
	}
	if len(pages[0].Ranking.Methods) == 0 {
		t.Error("no file comes after the notes")
	}
}

// TestPagesShareTheirRows: pages by many metrics keep one copy of the rows.
func TestPagesShareTheirRows(t *testing.T) {
	rows := measured([]string{"uncal", "ts"}, []string{"ece", "nll"})
	pages, err := Compare{Metrics: []string{"ece", "nll"}, Against: "ts"}.Each(rows)
	if err != nil || len(pages) != 2 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	if pages[0].rows != pages[1].rows {
		t.Error("each page has a copy of the rows")
	}
}

// TestShortPagesSayWhatTheyLeaveOut: of many methods a short page has the one that the others are compared with, the
// first, and the floor, within its lines and 100 columns, and says how many are not shown; all has every one.
func TestShortPagesSayWhatTheyLeaveOut(t *testing.T) {
	const many = 30
	methods := []string{"uncal"}
	for i := range many {
		methods = append(methods, "m"+strconv.Itoa(i))
	}
	methods = append(methods, results.BaseRate)
	pages, err := Compare{Metrics: []string{"ece"}, Against: "uncal", Block: compare.BySetting}.Each(measured(methods, []string{"ece"}))
	if err != nil || len(pages) != 1 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	rows := func(text string) (n int, others bool) {
		against, floor := false, false
		_, text, _ = strings.Cut(text, "\n\n") // after the answer
		for line := range strings.Lines(text) {
			name, _, _ := strings.Cut(line, " ")
			switch {
			case name == "uncal":
				against = true
			case name == results.BaseRate:
				floor = true
			case strings.HasPrefix(name, "m") && strings.Trim(name[1:], "0123456789") == "":
				n++
			}
		}
		return n, against && floor
	}
	var short, all strings.Builder
	if err := Short(&short, pages, false, TextForm); err != nil {
		t.Fatal(err)
	}
	if err := Short(&all, pages, true, TextForm); err != nil {
		t.Fatal(err)
	}
	n, others := rows(short.String())
	if n < shortRows || !others || !strings.Contains(short.String(), "ot shown: "+strconv.Itoa(many-n)+" methods; --full") || !strings.HasSuffix(short.String(), "; --full\n") {
		t.Errorf("%d rows, reference and floor %v:\n%s", n, others, short.String())
	}
	if lines := strings.Count(short.String(), "\n"); lines > shortLines-2 || lines < shortLines-4 {
		t.Errorf("%d lines:\n%s", lines, short.String())
	}
	for line := range strings.Lines(short.String()) {
		if len(line) > wide+1 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
	if n, others := rows(all.String()); n != many || !others || strings.Contains(all.String(), "ot shown") {
		t.Errorf("--full: %d rows, reference and floor %v:\n%s", n, others, all.String())
	}
}

// TestShortPagesHaveFewRowsOfSeeds: the tables of seeds are printed where they are short, and else counted.
func TestShortPagesHaveFewRowsOfSeeds(t *testing.T) {
	for _, networks := range []int{2, 20} {
		var rows results.Rows
		for i := range networks {
			for seed := range 3 {
				at := resultstest.Setting("t", "d", "n"+strconv.Itoa(i))
				at.Variant = results.Seed(seed)
				for j, method := range []string{"ts", "qats"} {
					rows.Records = append(rows.Records, resultstest.Value(at, method, "nll", .5+.01*float64(i+seed)-.02*float64(j)))
				}
			}
		}
		pages, err := Compare{Metrics: []string{"nll"}, Against: "ts", Block: compare.BySetting}.Each(&rows)
		if err != nil || len(pages) != 1 || len(pages[0].Splits) != networks {
			t.Fatalf("%d pages, %v", len(pages), err)
		}
		for _, all := range []bool{false, true} {
			var b strings.Builder
			if err := Short(&b, pages, all, TextForm); err != nil {
				t.Fatal(err)
			}
			shown, counted := strings.Contains(b.String(), "Seeds of trainings: "), strings.Contains(b.String(), "20 rows of seeds and redrawn splits; --full\n")
			if want := all || networks <= shortDraws; shown != want || counted == want {
				t.Errorf("%d networks, all %v: shown %v, counted %v:\n%s", networks, all, shown, counted, b.String())
			}
		}
	}
}

// TestOnlyAFullComparisonHasWinRatesAndStrengths.
func TestOnlyAFullComparisonHasWinRatesAndStrengths(t *testing.T) {
	for _, full := range []bool{false, true} {
		dir := t.TempDir()
		pages, err := Compare{Metrics: []string{"nll"}, Against: "ts", Block: compare.BySetting, Formats: []plots.Format{plots.SVG}, Full: full}.Each(measured([]string{"uncal", "ts", "ir"}, []string{"nll"}))
		if err != nil || len(pages) != 1 {
			t.Fatalf("%d pages, %v", len(pages), err)
		}
		if err := pages[0].Write(io.Discard, dir); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{".txt": true, "-ranks.svg": true, "-win-rates.svg": full, "-strengths.svg": full, "-strengths.tex": full} {
			if _, err := os.Stat(filepath.Join(dir, "nll-measured"+name)); (err == nil) != want {
				t.Errorf("full %t: %s: %v", full, name, err)
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, "nll-measured.txt"))
		if err != nil || strings.Contains(string(text), "Bradley-Terry") != full {
			t.Errorf("full %t: %v\n%s", full, err, text)
		}
	}
}
