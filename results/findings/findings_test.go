package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

var top = filepath.Join("..", "..")

// TestPagesHaveTheNumbersOfTheirSources: a number that was changed by hand, in a page or in a
// file of results/shown, is not what the templates give.
func TestPagesHaveTheNumbersOfTheirSources(t *testing.T) {
	for _, p := range pages {
		before, after, err := filled(top, p.template, p.page)
		if err != nil {
			t.Error(err)
			continue
		}
		if before == after {
			continue
		}
		want, got := strings.Split(after, "\n"), strings.Split(before, "\n")
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				t.Errorf("%s:%d is not current: go run ./results/findings writes\n%s", p.page, i+1, want[i])
				break
			}
		}
	}
}

// TestAChangedNumberIsNoticed: of every part of every page, the last digit is changed.
func TestAChangedNumberIsNoticed(t *testing.T) {
	for _, p := range pages {
		_, page, err := filled(top, p.template, p.page)
		if err != nil {
			t.Fatal(err)
		}
		template, err := parse(p.template, &words{top: top})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range parts(template, p.template) {
			begin, end := markers(part)
			from, to := strings.Index(page, begin), strings.Index(page, end)
			at := strings.LastIndexAny(page[from+len(begin):to], "0123456789")
			if at < 0 {
				t.Errorf("%s: the part %q has no number", p.page, part)
				continue
			}
			at += from + len(begin)
			other := "1"
			if page[at] == '1' {
				other = "2"
			}
			root := copied(t, page[:at]+other+page[at+1:], p.page)
			before, after, err := filled(root, p.template, p.page)
			if err != nil {
				t.Fatal(err)
			}
			if before == after || after != page {
				t.Errorf("%s: a digit of the part %q was changed and stays", p.page, part)
			}
		}
	}
}

// copied returns a folder with a page and the files that the parts are made from.
func copied(t *testing.T, text, page string) string {
	t.Helper()
	root := t.TempDir()
	put := func(path string, b []byte) {
		t.Helper()
		path = filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put(page, []byte(text))
	for _, name := range []string{"facts.csv", speedFile.name, methodsFile.name, paperFile.name, peersFile.name, agreementFile.name, adviceFile.name, tryFile, results.ClassesFile} {
		b, err := os.ReadFile(filepath.Join(top, "results", "shown", name))
		if err != nil {
			t.Fatal(err)
		}
		put("results/shown/"+name, b)
	}
	methods, err := os.ReadFile(filepath.Join(top, "docs", "methods.md")) // for the page of peers
	if err != nil {
		t.Fatal(err)
	}
	put("docs/methods.md", methods)
	return root
}

// TestNoNumberByHand: outside their parts these pages have digits in names, code, links, and
// a few definitions alone.
func TestNoNumberByHand(t *testing.T) {
	for _, page := range []string{"docs/findings.md", "README.md", "docs/peers.md"} {
		b, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		if found := byHand(string(b)); len(found) > 0 {
			t.Errorf("%s has numbers outside its parts: %q", page, found)
		}
	}
	if found := byHand("QaTS is better in 6 networks.\n"); len(found) != 1 {
		t.Errorf("%q is what is found of one number", found)
	}
}

var (
	generated = regexp.MustCompile(`(?s)<!-- ([^>]*) -->\n.*?<!-- end of ([^>]*) -->\n`)
	noFigures = regexp.MustCompile("(?s:```.*?```)|(?m:^    .*$)|`[^`]*`" + `|\]\([^)]*\)|[A-Z][A-Za-z]*-\d+|HAM10000|3x3|15 bins|95 % interval|2\.5 % of test sets` +
		`|arXiv:[\d.]+|162 settings|[a-z_-]+-(15|L1)|top 5|-L2|FPR95|norm l2|k\(k\+1\)|1/\(n \+ 1\)|1,000 noisy rows|class 1|n\^2`)
	number1 = regexp.MustCompile(`[^ ]*\d[^ ]*`)
)

func byHand(page string) []string {
	return number1.FindAllString(noFigures.ReplaceAllString(generated.ReplaceAllString(page, ""), ""), -1)
}

func TestLinesAreBroken(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for text, want := range map[string]string{
		"a\nb\n\n* c\nd\n":    "a b\n\n* c d\n",
		"worse in\n2. And":    "worse in 2. And\n",
		"| a |\n|---|\n| b |": "| a |\n|---|\n| b |\n",
		"1. " + long:          "1. " + strings.TrimSpace(strings.Repeat("word ", 23)) + "\n   " + strings.TrimSpace(strings.Repeat("word ", 17)) + "\n",
	} {
		if got := wrapped(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestFactsAreReadAsTheyAreWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "facts.csv")
	facts := Facts{{Run: "a", Quantity: "settings"}: 3, {"a", "clean, all", "ts", "", "ece", "mean"}: .0123457}
	if err := facts.write(path); err != nil {
		t.Fatal(err)
	}
	got, err := readFacts(path)
	if err != nil || len(got) != 2 || got[ID{"a", "clean, all", "ts", "", "ece", "mean"}] != .0123457 {
		t.Errorf("%v, %v", got, err)
	}
	header := strings.Join(factsFormat.Columns, ",")
	for text, want := range map[string]string{
		"a,b\n":                      "facts.csv:1: column run is missing",
		header + "\na,b,c,d,e,f,x\n": `facts.csv:2: column value: "x" is not a number`,
		header + "\na,b,c,d,e,f,1\na,b,c,d,e,f,1\n": "facts.csv:3: the same identifiers as line 2 (a, b, c, d, e, f)",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readFacts(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestAMissingFactIsNamed: a template cannot print a number that no run gave.
func TestAMissingFactIsNamed(t *testing.T) {
	w := &words{facts: Facts{}}
	if _, err := w.mean("real", "clean", "nobody", "ece"); err == nil || err.Error() != "no real,clean,nobody,,ece,mean in facts.csv" {
		t.Error(err)
	}
}

// TestTheIndexOfTheDocumentsHasAll of them, each once.
func TestTheIndexOfTheDocumentsHasAll(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(top, "docs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := filepath.Base(f)
		if n := strings.Count(string(index), "]("+name+")"); n != 1 && name != "README.md" {
			t.Errorf("docs/README.md names %s %d times", name, n)
		}
	}
}

// TestTrainingsOfANetworkAreOneSetting: two seeds count once, by their mean, and a bound is active
// where it is in more than half of them.
func TestTrainingsOfANetworkAreOneSetting(t *testing.T) {
	network := func(backbone string, training int) results.Setting {
		return results.Setting{Experiment: "e", Dataset: "d", Backbone: backbone, Loss: "ce", Variant: results.Variant{Training: training}}
	}
	row := func(s results.Setting, value float64) results.Record {
		return results.Record{Setting: s, Method: "qats", Metric: "ece", Value: value, Status: results.OK}
	}
	records := []results.Record{row(network("a", 1), .1), row(network("a", 2), .3), row(network("b", 0), .4)}
	facts, id := Facts{}, ID{Run: "r", Part: "p"}
	facts.means(id, records, []string{"ece"})
	facts.fits(id, []results.Parameter{
		{Setting: network("a", 1), Method: "qats", Name: "a", Bound: "a >= 0"},
		{Setting: network("a", 2), Method: "qats", Name: "a", Value: 1},
		{Setting: network("b", 0), Method: "qats", Name: "a", Bound: "a >= 0"},
	}, settings(records))
	for want, value := range map[ID]float64{
		{"r", "p", "", "", "", "settings"}:         2,
		{"r", "p", "qats", "", "ece", "mean"}:      .3,
		{"r", "p", "qats", "", "a >= 0", "active"}: 1,
	} {
		if got := facts[want]; math.Abs(got-value) > 1e-15 {
			t.Errorf("%s is %v, want %v", want, got, value)
		}
	}
	if len(facts) != 3 {
		t.Errorf("%v", facts)
	}
}
