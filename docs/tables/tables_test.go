package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentsHaveTheTablesOfTheFiles: make docs puts them in place. Nothing is computed.
func TestDocumentsHaveTheTablesOfTheFiles(t *testing.T) {
	top := filepath.Join("..", "..")
	pages, err := documents(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		before, after, err := filled(top, page)
		if err != nil {
			t.Error(err)
		} else if before != after {
			t.Errorf("%s is not what results/shown gives: go run ./docs/tables", page)
		}
	}
}

// project returns a folder with files of results/shown, and a page.
func project(t *testing.T, page string, files map[string]string) (top, path string) {
	t.Helper()
	top = t.TempDir()
	if err := os.MkdirAll(filepath.Join(top, "results", "shown"), 0o777); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(top, "README.md")
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(top, "results", "shown", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	return top, path
}

const shownCSV = "dataset,backbone,n,ts,qats\ncifar10,a,5,0.0123,\nimdb,a,10,0.5,0.25\n"

func TestTablesArePutBetweenMarkers(t *testing.T) {
	files := map[string]string{
		"s.yaml": `origins:
  - {name: a, repository: a/b, commit: 0123456789abcdef0123456789abcdef01234567, licence: MIT}
  - {name: x, url: "https://x", licence: none stated}
sources:
  - {name: all, licence: MIT, origins: [a]}
  - name: some
    licence: that of each file
    networks:
      - {cal: {scores: {file: "a:1.npz"}, labels: &y {parts: [{file: "x:2.npz"}]}}}
      - {cal: {scores: {file: "a:3.npz"}, labels: *y}}
`,
		"a.csv": shownCSV, "b.csv": "dataset,uncal\nimdb,0.75\n", "try.txt": "Use `qats`.\n\n  next\n",
		"c.json": `{"kind":"method","metric":"ece","method":"hfe","p":0.0078,"win":1,"difference":-0.01}
{"kind":"warning","metric":"ece","method":"qats","settings":["a","b"],"text":"a = 0"}
{"kind":"ranking","metric":"ece","methods":["ts","qats"],"ranks":[1.25,2]}
`}
	for marker, want := range map[string]string{
		"table: a.csv %1\n": "| dataset | backbone | n | ts | qats |\n|---|---|---:|---:|---:|\n| cifar10 | a | 5 | 1.2 | - |\n| imdb | a | 10 | 50.0 | 25.0 |\n",
		"table: a.csv\ndataset, n = rows, qats .3 = QaTS,b.csv:uncal %0 = Uncal\n":          "| dataset | rows | QaTS | Uncal |\n|---|---:|---:|---:|\n| cifar10 | 5 | - | - |\n| imdb | 10 | 0.250 | 75 |\n",
		"table: a.csv[dataset=imdb] %1\ndataset\nts +%1\n":                                  "| dataset | ts |\n|---|---:|\n| imdb | +50.0 |\n",
		"table: c.json[kind=method, metric=ece]\nmethod, p p, win, difference +%2 = less\n": "| method | p | win | less |\n|---|---:|---:|---:|\n| hfe | .0078 | 1 | -1.00 |\n",
		"table: c.json[kind=warning]\ntext, settings\n":                                     "| text | settings |\n|---|---:|\n| a = 0 | 2 |\n",
		"table: c.json[kind=rank, method=qats|ts]\nmethod, rank, c.json[kind=rank]:place\n": "| method | rank | place |\n|---|---:|---:|\n| qats | 2 | 2 |\n| ts | 1.25 | 1 |\n",
		"table: b.csv[turned]\nmethod, value %1 = NLL\n":                                    "| method | NLL |\n|---|---:|\n| uncal | 75.0 |\n",
		"table: a.csv[dataset=imdb] b.csv .2\ndataset, ts, uncal\n":                         "| dataset | ts | uncal |\n|---|---:|---:|\n| imdb | 0.50 | - |\n| imdb | - | 0.75 |\n",
		"table: a.csv[summed]\nn\n":                                                         "| n |\n|---:|\n| 15 |\n",
		"text: try.txt 1 ":                                                                  "    Use `qats`.\n    ...\n",
		"text: try.txt ":                                                                    "    Use `qats`.\n      next\n",
		"table: s.yaml[kind=source]\nname, networks, licence\n":                             "| name | networks | licence |\n|---|---:|---|\n| all | - | MIT |\n| some | 2 | that of each file |\n",
		"table: s.yaml[kind=origin]\nplace, sources\n":                                      "| place | sources |\n|---|---|\n| a/b@0123456 | all some |\n| https://x | some |\n",
	} {
		top, path := project(t, "# A\n\n<!-- "+marker+"-->\nold\n<!-- end -->\n\nB\n", files)
		_, got, err := filled(top, path)
		if want := "# A\n\n<!-- " + marker + "-->\n\n" + want + "\n<!-- end -->\n\nB\n"; err != nil || got != want {
			t.Errorf("%s: %v, got\n%s", marker, err, got)
		}
	}
}

func TestMistakesInMarkersAreNamed(t *testing.T) {
	for page, want := range map[string]string{
		"<!-- table: none.csv -->\n<!-- end -->\n":                  "none.csv",
		"<!-- table: a.csv\nnll -->\n<!-- end -->\n":                `no column "nll"; it has dataset, backbone, n, ts, qats`,
		"<!-- table: a.csv[dataset=svhn] -->\n<!-- end -->\n":       "no row with dataset=svhn",
		"<!-- table: a.csv[data=svhn] -->\n<!-- end -->\n":          `no column "data"`,
		"<!-- table: a.csv\ndataset %2 -->\n<!-- end -->\n":         `"cifar10" is no number`,
		"<!-- table: a.csv\nbackbone, a.csv:ts -->\n<!-- end -->\n": "two rows for",
		"<!-- table: a -->\n<!-- end -->\n":                         "want the name of a .csv",
		"<!-- table: a.csv -->\n":                                   "a marker has no <!-- end -->",
		"<!-- text: a.csv 9 -->\n<!-- end -->\n":                    `"9" is no number of lines; it has 3`,
		"<!-- text: none.txt -->\n<!-- end -->\n":                   "none.txt",
	} {
		top, path := project(t, page, map[string]string{"a.csv": shownCSV})
		if _, _, err := filled(top, path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", page, err, want)
		}
	}
}

// TestNoNumberByHand: outside their tables these pages, of evidence.md the section on peers, have digits in names, code, links, and a few
// definitions alone.
func TestNoNumberByHand(t *testing.T) {
	for page, section := range map[string]string{"docs/findings.md": "# Findings", "README.md": "# qats", "docs/evidence.md": "## Peers"} {
		b, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		_, text, ok := strings.Cut("\n"+string(b), "\n"+section+"\n")
		if strings.HasPrefix(section, "## ") {
			text, _, _ = strings.Cut(text, "\n## ")
		}
		if !ok {
			t.Errorf("%s has no section %s", page, section)
		}
		if found := byHand(text); len(found) > 0 {
			t.Errorf("%s has numbers outside its tables: %q", page, found)
		}
	}
	if found := byHand("QaTS is better in 6 networks.\n"); len(found) != 1 {
		t.Errorf("%q is what is found of one number", found)
	}
}

var (
	noFigures = regexp.MustCompile("(?s:```.*?```)|(?m:^    .*$)|`[^`]*`" + `|\]\([^)]*\)|(?m:^\d\. )|[A-Z][A-Za-z]*-\d+|HAM10000|3x3|15 bins|95 % interval|2\.5 % of test sets` +
		`|arXiv:[\d.]+|162 settings|[a-z_-]+-(15|L1)|top 5|-L2|FPR95|norm l2|k\(k\+1\)|1/\(n \+ 1\)|1,000 noisy rows|class 1|n\^2|a >= 0`)
	number = regexp.MustCompile(`[^ ]*\d[^ ]*`)
)

func byHand(page string) []string {
	return number.FindAllString(noFigures.ReplaceAllString(marked.ReplaceAllString(page, ""), ""), -1)
}

// indexed is the heading of a method or a metric in docs/methods.md, which is made from the lists of both.
var indexed = regexp.MustCompile(`(?m)^### ([a-z0-9_-]+)$`)

// TestPeersNamesAllMethodsAndMetrics, as docs/evidence.md says.
func TestPeersNamesAllMethodsAndMetrics(t *testing.T) {
	var texts []string
	for _, name := range []string{"methods.md", "evidence.md"} {
		b, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(b))
	}
	names := indexed.FindAllStringSubmatch(texts[0], -1)
	if len(names) < 90 {
		t.Fatalf("docs/methods.md has sections of %d names", len(names))
	}
	for _, name := range names {
		if !strings.Contains(texts[1], "`"+name[1]+"`") {
			t.Errorf("docs/evidence.md does not name %s", name[1])
		}
	}
}

// TestTheIndexOfTheDocumentsHasAll of them, each once.
func TestTheIndexOfTheDocumentsHasAll(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	index, err := os.ReadFile(filepath.Join(docs, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(docs, "*.md"))
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
