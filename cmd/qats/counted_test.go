package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/bundletest"
	"github.com/qats-bench/qats/results"
)

// countedSpec compares two methods on networks of two data sets of the bundle, of which one counts twice: in
// another spec and with rescaled logits.
const countedSpec = `name: %[1]s
baseline: ts
methods: [uncal, ts, qats]
metrics: [ece, nll]
data: [bundle]
settings:
  - {dataset: pneumoniamnist-28, backbone: [densenet121-k32, resnet18-w64, resnet50-w64]}
  - {dataset: cifar10-jpeg-lt-r100, backbone: [resnet18-w64]}
%[2]stables:
  - {name: mean, metric: ece, rows: [variant], average: [dataset, backbone]}
`

// counted is what a view says of QaTS against TS by a metric: the mean of its values, the mean difference, and the settings
// in which it is better, not different and worse.
type counted struct {
	mean, difference float64
	win, tie, loss   int
}

func (c counted) String() string {
	return fmt.Sprintf("mean %.2f, difference %+.2f, %d/%d/%d", 100*c.mean, 100*c.difference, c.win, c.tie, c.loss)
}

// TestOneComparisonHasTheSameNumbersEverywhere: compare as text, JSON, LaTeX and Markdown, the page, the files
// of compare and the table of report say what results.csv and pairs.csv say when they are counted by hand.
func TestOneComparisonHasTheSameNumbersEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("runs networks of the bundle")
	}
	dir := t.TempDir()
	specs := []string{}
	for name, more := range map[string]string{"one": "", "two": "  - {dataset: pneumoniamnist-28, backbone: resnet18-w64, rescale: [0.5, 2]}\n"} {
		path := filepath.Join(dir, name+".yaml")
		if err := os.WriteFile(path, fmt.Appendf(nil, countedSpec, name, more), 0o666); err != nil {
			t.Fatal(err)
		}
		specs = append(specs, path)
	}
	out := filepath.Join(dir, "out")
	must := func(args ...string) string {
		t.Helper()
		var stdout, stderr strings.Builder
		if status := run(context.Background(), args, &stdout, &stderr); status != 0 {
			t.Fatalf("qats %s: status %d\n%s", strings.Join(args, " "), status, stderr.String())
		}
		return stdout.String()
	}
	must(append([]string{"run", "--out", out, "--quiet", "--data", bundletest.Folder(t)}, specs...)...)
	want, byNLL := byHand(t, results.Folder(out), "ece"), byHand(t, results.Folder(out), "nll")
	if want.win+want.tie+want.loss != 4 {
		t.Fatalf("%v of 4 settings", want)
	}
	compare := []string{"compare", "qats", "--against", "ts", "--metric", "ece", "--block", "setting", "--out", out}

	views := map[string]counted{}
	number := func(text string) float64 {
		text = strings.NewReplacer("$-$", "-", "\u2212", "-", "f", "").Replace(strings.TrimSpace(text))
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x / 100
	}
	whole := func(text string) int { n, _ := strconv.Atoi(strings.TrimSpace(text)); return n }
	// row reads a row of the summary: difference, win, loss. It has no mean of QaTS, and the rest of 4 settings are ties.
	row := func(form, text, pattern string) {
		t.Helper()
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("%s: no row of QaTS:\n%s", form, text)
		}
		win, loss := whole(m[2]), whole(m[3])
		views[form] = counted{want.mean, number(m[1]), win, 4 - win - loss, loss}
	}
	text := must(append(compare, "--full")...)
	row("text", text, `(?m)^QaTS +\d+ +[\d.]+ +[\d.]+ +([-+\d.]+) +(\d+) +\d+ +(\d+) `)
	if m := regexp.MustCompile(`NLL better in (\d+), worse in (\d+), no difference in (\d+) of 4 settings`).FindStringSubmatch(strings.Join(strings.Fields(text), " ")); m == nil ||
		whole(m[1]) != byNLL.win || whole(m[2]) != byNLL.loss || whole(m[3]) != byNLL.tie {
		t.Errorf("the answer: %s", text)
	}
	row("LaTeX", must(append(compare, "--format", "latex")...), `(?m)^QaTS & (\S+) \((\d+)/(\d+)\) \\`)
	row("Markdown", must(append(compare, "--format", "md")...), `(?m)^\| QaTS \| (\S+) \((\d+)/(\d+)\) \|`)

	for line := range strings.Lines(must(append(compare, "--json")...)) {
		var o struct {
			Kind, Method     string
			Mean, Difference float64
			Win, Tie, Loss   int
		}
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err)
		}
		if o.Kind == "method" && o.Method == "qats" {
			views["JSON"] = counted{o.Mean, o.Difference, o.Win, o.Tie, o.Loss}
		}
	}
	compact := readText(t, filepath.Join(out, "compare", "ece-measured.tex"))
	m := regexp.MustCompile(`(?m)^QaTS & ([\d.]+) & (\S+) & (\d+)/(\d+)/(\d+) `).FindStringSubmatch(compact)
	if m == nil {
		t.Fatalf("no row of QaTS in\n%s", compact)
	}
	views["file of LaTeX"] = counted{number(m[1]), number(m[2]), whole(m[3]), whole(m[4]), whole(m[5])}

	must(append([]string{"report", "--out", out, "--quiet"}, specs...)...)
	views["page"] = ofPage(t, readText(t, filepath.Join(out, "index.html")), want)
	report := ofReport(t, filepath.Join(out, "tables", "one-mean.csv"))
	for form, got := range views {
		if got.String() != want.String() {
			t.Errorf("%s: %v, by hand %v", form, got, want)
		}
	}
	if math.Abs(report-want.mean) > 1e-8 {
		t.Errorf("report: mean %g, by hand %g", report, want.mean)
	}
}

// byHand counts the rows of the files by a metric without the package results/compare: each setting of the first experiment.
func byHand(t *testing.T, dir results.Folder, metric string) (c counted) {
	t.Helper()
	value := map[string]float64{}
	n := 0
	for _, row := range csvRows(t, dir.Path(results.ResultsFile)) {
		if row["experiment"] != "one" || row["metric"] != metric || row["variant"] != "" {
			continue
		}
		x, err := strconv.ParseFloat(row["value"], 64)
		if err != nil {
			t.Fatal(err)
		}
		if value[row["method"]] += x; row["method"] == "qats" {
			n++
		}
	}
	for _, row := range csvRows(t, dir.Path(results.PairsFile)) {
		if row["experiment"] != "one" || row["metric"] != metric || row["method"] != "qats" || row["variant"] != "" {
			continue
		}
		lo, _ := strconv.ParseFloat(row["verdict_lo"], 64)
		hi, _ := strconv.ParseFloat(row["verdict_hi"], 64)
		difference, _ := strconv.ParseFloat(row["difference"], 64)
		switch {
		case math.Abs(difference) < 1e-6 || lo <= 0 && hi >= 0:
			c.tie++
		case hi < 0:
			c.win++
		default:
			c.loss++
		}
	}
	c.mean, c.difference = value["qats"]/float64(n), (value["qats"]-value["ts"])/float64(n)
	return c
}

// ofPage reads the standing of all settings by blocks of one setting.
func ofPage(t *testing.T, html string, want counted) (c counted) {
	t.Helper()
	_, rest, _ := strings.Cut(html, `<script type="application/json" id="data">`)
	body, _, _ := strings.Cut(rest, "</script>")
	var d struct {
		Methods   []struct{ ID string }
		Standings map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatal(err)
	}
	var standing struct{ O [][]*float64 }
	text := d.Standings["measured|ece||ts|s"]
	for name := ""; json.Unmarshal(text, &name) == nil; { // it is equal to another one
		text = d.Standings[name]
	}
	if err := json.Unmarshal(text, &standing); err != nil {
		t.Fatal(err)
	}
	for _, row := range standing.O {
		if d.Methods[int(*row[0])].ID == "qats" {
			c.win, c.tie, c.loss, c.difference = int(*row[1]), int(*row[2]), int(*row[3]), *row[7]
		}
	}
	c.mean = want.mean // a test in Chromium reads the means of the leaderboard
	return c
}

// ofReport returns the number of QaTS in the one row of a table.
func ofReport(t *testing.T, path string) float64 {
	t.Helper()
	for _, row := range csvRows(t, path) {
		for key, text := range row {
			if strings.Contains(strings.ToLower(key), "qats") || row["method"] == "qats" && key == "value" {
				x, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				return x
			}
		}
	}
	t.Fatalf("%s has no QaTS", path)
	return 0
}

// csvRows reads a file as rows by their columns.
func csvRows(t *testing.T, path string) (list []map[string]string) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(readText(t, path))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, column := range lines[0] {
			row[column] = line[i]
		}
		list = append(list, row)
	}
	return list
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
