package page

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// everything returns a folder whose page has every chart and every panel: two sources,
// twelve methods, a corrupted set, splits, ties, outliers on both sides, too few values
// for an interval, skips, failures, warnings, parameters, times and specs.
func everything() *results.Rows {
	f := &results.Rows{Parameters: []results.Parameter{}}
	// The skill of a method is its mean ECE in units of 1e-4. The differences to ts are
	// more than four times their third quartile for ir (worse) and hts (better).
	methods := []struct {
		id    string
		skill int
		ms    float64
	}{{"uncal", 380, 0}, {"ts", 340, .8}, {"vs", 352, 12}, {"ir", 1900, 3.3}, {"hb", 360, 2.1}, {"beta", 331, 2.1}, {"spline", 318, 5.5},
		{"qats", 310, 4.25}, {"ets", 340, 1.1}, {"hts", 40, 950}, {"variant", 334, 40}, {"a-method-with-a-very-long-identifier", 345, 60}, {"few", 300, 0}}
	at := func(dataset string) results.Setting { return resultstest.Setting("golden", dataset, "net") }
	sets := []results.Setting{at("a"), at("b"), resultstest.Setting("golden", "b", "resnet50"), at("c"), at("d"), at("e"), at("f"), at("g"), resultstest.Shifted(at("a-c"), "gaussian_noise", 1),
		resultstest.Shifted(at("a-c"), "gaussian_noise", 3), resultstest.Varied(at("a"), results.Variant{Split: 1}), at("far"), at("farther")}
	sets[7].Loss = "focal"
	for s, set := range sets {
		source, note := "measured", results.Notes{{Kind: results.From, Text: "a trained network"}}
		if strings.HasPrefix(set.Dataset, "far") {
			source, note = "simulated", nil
		}
		for i, m := range methods {
			if m.id == "few" && s > 1 || source == "simulated" && i%3 > 1 {
				continue
			}
			row := results.Record{Setting: set, Method: m.id, Source: source, Status: results.OK, N: 1000 + 10*s, Key: fmt.Sprintf("%d.%d", s, i), Note: note}
			if m.id == "qats" && s == 3 {
				row.Note = append(note, results.Warn(report.Warning{Kind: report.AtBound, Bound: report.AtLeast("a", 0, 0)}))
			}
			if m.id == "hts" && s == 2 {
				row.Status, row.Source, row.N, row.Key, row.Note = results.Skip, "", 0, "", results.Notes{{Kind: results.Missing, Lack: results.Lack{Arrays: "features", Set: "test", Network: "b/resnet50"}}}
			}
			if m.id == "vs" && (s == 4 || s == 5) {
				row.Status, row.Key, row.N, row.Note = results.Fail, "", 0, results.Because("row 3 is not finite")
			}
			ece := float64(m.skill+(37*i*i+91*s+53*i*s)%41-20+8*s) / 1e4
			if m.id == "ets" { // it is ts but for one set
				ece = float64(340+(37+91*s+53*s)%41-20+8*s) / 1e4
				if s == 6 {
					ece += .001
				}
			}
			for k, metric := range []string{"accuracy", "ece", "ece_null_lo", "ece_5", "ece_100", "aece", "nll", "brier", "mine"} {
				row.Metric = metric
				switch metric {
				case "accuracy":
					row.Value = .7 + float64((7*i+3*s)%10)/100
				case "ece":
					row.Value = ece
				case "ece_null_lo":
					row.Value = .0123456789
				case "nll":
					row.Value = 2 - ece
				default:
					row.Value = ece * (1 + float64((k*k*13*i+11*s)%17)/100)
				}
				if metric == "mine" && i > 0 || metric == "ece_null_lo" && i > 1 {
					continue
				}
				if metric == "brier" && row.Status == results.OK && m.id == "hb" {
					top := row
					top.Status, top.Key, top.N, top.Note = results.Skip, "", 0, results.Notes{{Kind: results.NoVector}}
					f.Records = append(f.Records, top)
					continue
				}
				f.Records = append(f.Records, row)
			}
			if row.Status != results.OK {
				continue
			}
			if i < 3 && s < 2 {
				f.Bins = append(f.Bins, resultstest.Bin(set, m.id, "width15", 14, 14./15, 1, 997, .97, 743./997), resultstest.Bin(set, m.id, "width15", 0, 0, 1./15, 0, 0, 0),
					resultstest.Bin(set, m.id, "mass15", 3, .9, .95, 67, .93, 60./67), resultstest.Bin(set, m.id, "other", 3, .9, .95, 67, .93, 60./67))
			}
			if m.id != "ts" && set.Variant.Split == 0 {
				d, half := float64(m.skill-340)/1e4, float64(10+(i*s)%9)/1e4
				p := resultstest.Pair(set, m.id, "ts", "ece", d, d-half, d+half)
				p.N, p.Source, p.Verdict.P = row.N, source, math.Abs(d)/10/half
				f.Pairs = append(f.Pairs, p)
			}
			if m.ms > 0 {
				f.Times = append(f.Times, results.Time{Setting: set, Method: m.id, Source: source, Known: m.id != "hb" || s != 6, Seconds: m.ms * float64(10+s) / 1e4, Rows: 500 + 100*(s%2),
					Classes: 10, Processor: "A processor", Instructions: []string{"avx2", "avx512"}[s%2]})
			}
		}
	}
	// Rows of cells that the results do not have are left out.
	f.Bins = append(f.Bins, resultstest.Bin(at("none"), "ts", "width15", 0, 0, 0, 1, 0, 0))
	for _, p := range []results.Pair{{Method: "none", Against: "ts", Metric: "ece"}, {Method: "qats", Against: "none", Metric: "ece"}, {Method: "qats", Against: "ts", Metric: "none"}} {
		p.Setting, p.Source = sets[0], "measured"
		f.Pairs = append(f.Pairs, p)
	}
	f.Parameters = append(f.Parameters, results.Parameter{Setting: at("none"), Method: "ts", Name: "T", Value: 2, Source: "measured"},
		results.Parameter{Setting: sets[0], Method: "qats", Name: "a", Value: 1. / 3, Bound: "a >= 0", Source: "measured"}, results.Parameter{Setting: sets[0], Method: "vs", Warning: "not converged", Source: "measured"})
	f.Run = &results.Run{Version: "v1", Commit: "abc", Command: "qats run golden.yaml --out OUT", FirstRows: 1000, Keys: "sha256:1",
		Counts: results.RunCounts{Settings: 13, Measured: 11, Simulated: 2, Absent: 0, Cells: 130, Skipped: 1, Failed: 2},
		Specs: []results.RunSpec{
			{Name: "golden", File: "golden.yaml", Title: "A page with everything", SHA256: "2", Text: "name: golden", Baseline: "ts", Data: []string{"../data"}, Layout: "npy", Metrics: []string{"ece"}},
		},
	}
	f.Methods = []results.MethodInfo{
		{Experiment: "golden", Method: "qats", Label: "QaTS", Registered: "qats", Version: 1, Source: results.OfQats},
		{Experiment: "golden", Method: "variant", Label: "m = 25 (variant)", Registered: "qats", Version: 1, Options: `{"m":25}`, Source: results.OfQats},
		{Experiment: "golden", Method: "few", Source: results.OfProgram}, {Experiment: "golden", Method: "ts", Label: "TS", Registered: "ts", Version: 1, Source: results.OfQats},
		{Experiment: "golden", Method: "uncal", Label: "Uncal", Registered: "uncal", Version: 1, Source: results.OfQats},
		{Experiment: "golden", Method: "ir", Label: "Isotonic", Registered: "ir", Version: 1, Source: results.OfQats},
	}
	f.Settings = []results.SettingInfo{
		{Setting: at("a"), CalibrateOn: "b", Source: "measured", Notes: results.Notes{{Kind: results.From, Text: "a trained network"}}, Test: "logits sha256:3", Cal: "logits sha256:4"},
		{Setting: at("b"), Source: "measured"},
		{Setting: at("absent")},
	}
	return f
}

// goldenOptions are those of the golden page.
var goldenOptions = Options{Metrics: []string{"ece"}}

// golden compares a text with a golden file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			t.Fatalf("%s:%d: got\n%s\nwant\n%s", name, i+1, a[i], strings.Join(b[min(i, len(b)):min(i+1, len(b))], ""))
		}
	}
	t.Fatalf("%s has %d lines more", name, len(b)-len(a))
}

// TestAllFiguresOfThePageAreDrawn: none is replaced by the reason why it cannot be drawn,
// and no two elements of the page have one id.
func TestAllFiguresOfThePageAreDrawn(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, everything(), goldenOptions); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if missing := regexp.MustCompile(`<p class="warning">No [^<]*`).FindAllString(text, -1); missing != nil {
		t.Errorf("not drawn: %q", missing)
	}
	captions := regexp.MustCompile(`<svg class="figure" role="img" aria-label="([^"]*)"[^>]*>\s*<g`).FindAllStringSubmatch(text, -1)
	var kinds []string
	for _, c := range captions {
		kinds = append(kinds, strings.Join(strings.Fields(c[1])[:2], " "))
	}
	const comparison = "Mean ranks, ECE of, Mean ranks"
	if got := strings.Join(kinds, ", "); got != comparison+", Mean ranks, Agreement of, Agreement of, ECE against, ECE against" { // simulated: ranks by bins alone
		t.Errorf("figures: %s", got)
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(`<[^>]* id="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if ids[m[1]] {
			t.Errorf("two elements have the id %s", m[1])
		}
		ids[m[1]] = true
	}
}

// TestGoldenPage keeps the page without its style, figures and script in two parts: its
// text, and its data with a column on each line. The figures are those of package plots.
// GOLDEN_PAGE may name a file for the whole page, for people to look at.
func TestGoldenPage(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, everything(), goldenOptions); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if path := os.Getenv("GOLDEN_PAGE"); path != "" {
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	head, rest, _ := strings.Cut(text, "<style>")
	_, rest, _ = strings.Cut(rest, "</style>\n")
	rest, body, _ := strings.Cut(rest, `<script type="application/json" id="data">`)
	body, _, _ = strings.Cut(body, "</script>")
	golden(t, "page.html", head+regexp.MustCompile(`(?s)(<svg [^>]*aria-label="[^"]*").*?</svg>`).ReplaceAllString(rest, "$1/>"))
	golden(t, "data.json", regexp.MustCompile(`("[a-z0-9_]+":[\[{n]|\{"id"|\{"e":)`).ReplaceAllString(body, "\n$0"))
}
