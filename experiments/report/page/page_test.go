package page

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// hostile is an identifier that tries to leave every context of the page.
const hostile = `</script><b onclick="x">'&\`

// folder returns a small folder: two data sets, a corrupted set, a hostile one, a
// simulated one and a skip.
func folder() *results.Rows {
	var f results.Rows
	add := func(dataset, corruption string, severity int, source, method string, ece float64) {
		c := resultstest.Shifted(resultstest.Setting("e", dataset, "net"), corruption, severity)
		records := []results.Record{resultstest.Value(c, method, "ece", ece), resultstest.Value(c, method, "accuracy", .75), resultstest.Value(c, method, "nll", 10*ece)}
		f.Records = append(f.Records, resultstest.Each(records, func(r *results.Record) {
			r.N, r.Source, r.Key, r.Note = 200, source, "k1", results.Notes{results.Warn(report.Warning{Text: hostile})}
		})...)
		bins := []results.Bin{resultstest.Bin(c, method, "width15", 14, 14./15, 1, 200, .97, .75), resultstest.Bin(c, method, "width15", 0, 0, 1./15, 0, 0, 0),
			resultstest.Bin(c, method, "mass15", 0, .9, 1, 200, .97, .75)}
		f.Bins = append(f.Bins, resultstest.Each(bins, func(b *results.Bin) { b.Source = source })...)
		if method != "ts" {
			p := resultstest.Pair(c, method, "ts", "ece", .01, -.01, .02)
			p.N, p.Source = 200, source
			f.Pairs = append(f.Pairs, p)
		}
	}
	for _, set := range []struct {
		dataset, corruption string
		severity            int
		source              string
		ece                 float64
	}{{"cifar10", "", 0, "measured", .03}, {"cifar100", "", 0, "measured", .05}, {"cifar100-c", "fog", 1, "measured", .06}, {"cifar100-c", "fog", 3, "measured", .09},
		{hostile, "", 0, "measured", .02}, {"far", "", 0, "simulated", .5}, {"farther", "", 0, "simulated", .6}} {
		for i, m := range []string{"uncal", "ts", "qats"} {
			add(set.dataset, set.corruption, set.severity, set.source, m, set.ece-.01*float64(i))
		}
	}
	f.Records = append(f.Records, skipped("cifar10", "gc", "ece"))
	f.Methods = resultstest.Methods("e")
	return &f
}

// skipped is a row of a method that needs features of a network.
func skipped(dataset, method, metric string) results.Record {
	note := results.Notes{{Kind: results.Missing, Lack: results.Lack{Arrays: "features", Set: "test", Network: dataset + "/net"}}}
	return resultstest.Noted(note, resultstest.Skip(resultstest.Setting("e", dataset, "net"), method, metric, ""))[0]
}

// write returns the page of a folder.
func write(t *testing.T, f *results.Rows) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// dataOf returns the JSON of a page.
func dataOf(t *testing.T, text string) data {
	t.Helper()
	_, rest, ok := strings.Cut(text, `<script type="application/json" id="data">`)
	body, _, ok2 := strings.Cut(rest, "</script>")
	if !ok || !ok2 {
		t.Fatal("the page has no data")
	}
	var d data
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// writeFile makes the page of a folder from the files in it.
func writeFile(dir string) (string, error) {
	f, err := Read(results.Folder(dir))
	if err != nil {
		return "", err
	}
	return WriteFile(results.Folder(dir), f, Options{})
}

func TestHostileIdentifiersStayText(t *testing.T) {
	text := write(t, folder())
	if strings.Contains(text, hostile) || strings.Contains(text, "<b onclick") {
		t.Error("an identifier is in the page as it is")
	}
	if n := strings.Count(text, "</script>"); n != 3 {
		t.Errorf("%d ends of scripts, want 3", n)
	}
	found := false
	for _, s := range dataOf(t, text).Settings {
		found = found || s.Dataset == hostile
	}
	if !found {
		t.Error("the data do not have the identifier")
	}
}

func TestThePageAsksForNothing(t *testing.T) {
	text := strings.ReplaceAll(write(t, folder()), library(), "") // which would ask only if they were told to
	if !strings.Contains(text, `content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"`) {
		t.Error("no security policy")
	}
	if m := regexp.MustCompile(`(?i)<[^>]*\s(src|srcset|data|action)\s*=|@import|url\(|<link|<img|<iframe`).FindString(text); m != "" {
		t.Errorf("the page has %q", m)
	}
}

func TestThePageIsDeterministic(t *testing.T) {
	first := write(t, folder())
	for range 5 {
		if write(t, folder()) != first {
			t.Fatal("two pages of the same files differ")
		}
	}
}

func TestBannerSaysWhatTheNumbersAre(t *testing.T) {
	all := folder()
	only := func(source string) *results.Rows {
		f := *all
		f.Records = nil
		for _, r := range all.Records {
			if r.Source == source {
				f.Records = append(f.Records, r)
			}
		}
		return &f
	}
	for _, c := range []struct {
		f    *results.Rows
		want string
	}{{all, "MEASURED AND SIMULATED"}, {only("measured"), "MEASURED"}, {only("simulated"), "SIMULATED"}, {&results.Rows{}, "NO NUMBERS"}} {
		text := write(t, c.f)
		if !strings.Contains(text, "<strong>"+c.want+"</strong>") {
			t.Errorf("no banner %s", c.want)
		}
		if !strings.Contains(text, `content:"`+c.want+`"`) {
			t.Errorf("printed pages do not say %s", c.want)
		}
	}
}

// TestComparisonsKeepSourcesApart: each comparison is of one source, and its
// settings are of this source alone.
func TestComparisonsKeepSourcesApart(t *testing.T) {
	f := folder()
	list, notes := comparisonsOf(f, complete(f, Options{Metrics: []string{"ece"}}).judge(f))
	if len(list) != 2 || len(notes) != 0 {
		t.Fatalf("%d comparisons, notes %q", len(list), notes)
	}
	for i, want := range []string{"measured", "simulated"} {
		other := []string{"simulated", "measured"}[i]
		if c := list[i]; c.Source != want || strings.Contains(strings.ToLower(c.Text), other+")") {
			t.Errorf("comparison %d is %s: %s", i, c.Source, c.Text)
		}
	}
	if first := answersOf(&results.Rows{}, list[1:], Options{}); len(first) != 1 || !strings.Contains(first[0].Text.String(), "SIMULATED") {
		t.Errorf("the answer does not say that it is simulated: %v", first)
	}
}

// TestValuesAreThoseOfTheFile: every number of results.csv is in the data, with all
// its nine digits where methods are ranked by it.
func TestValuesAreThoseOfTheFile(t *testing.T) {
	f := folder()
	f.Records[0].Value = .123456789
	d := dataOf(t, write(t, f))
	cell := map[cellID]int{}
	for i := range d.Cells.Setting {
		cell[cellID{d.Cells.Setting[i], d.Cells.Method[i]}] = i
	}
	values := map[string][]*float64{}
	for id, raw := range d.Values {
		var list []*float64
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatal(err)
		}
		values[id] = list
	}
	for _, r := range f.Records {
		if r.Status != results.OK {
			continue
		}
		found := false
		for s := range d.Settings {
			for m := range d.Methods {
				i, ok := cell[cellID{s, m}]
				if ok && d.Settings[s].Name == r.Name() && d.Methods[m].ID == r.Method {
					found = true
					if x := values[r.Metric][i]; x == nil || *x != round(r.Value, 9) {
						t.Errorf("%s of %s on %s is %v, want %v", r.Metric, r.Method, r.Name(), x, round(r.Value, 9))
					}
				}
			}
		}
		if !found {
			t.Errorf("no cell of %s on %s", r.Method, r.Name())
		}
	}
}

func TestReasonsAreGrouped(t *testing.T) {
	f := folder()
	for _, m := range []string{"gc", "featclip"} {
		f.Records = append(f.Records, skipped("cifar100", m, "ece"), skipped("cifar100", m, "nll"))
	}
	f.Records = append(f.Records, rows("z,ts,ece,,fail,,row 3 is not finite", "y,a,ece,measured,fail,,file a", "y,b,ece,measured,fail,,file b", "z,b,ece,measured,fail,,file b")...)
	list := reasonsOf(pack(f, func(m string) string { return m }))
	want := []reason{
		{"fail", "file b", 2, "b", []string{"e: y/net", "e: z/net"}},
		{"fail", "row 3 is not finite", 1, "ts", []string{"e: z/net"}},
		{"fail", "file a", 1, "a", []string{"e: y/net"}},
		{"skip", "needs features of the test set", 3, "gc, featclip", []string{"e: cifar10/net", "e: cifar100/net", "e: cifar100/net"}},
	}
	got, _ := json.Marshal(list)
	if text, _ := json.Marshal(want); string(got) != string(text) {
		t.Errorf("got  %s\nwant %s", got, text)
	}
}

// TestCSVFilesAloneAreEnough: a folder without fits.csv and run.json has a page that
// says what it lacks; with them it has the parameters and the provenance.
func TestCSVFilesAloneAreEnough(t *testing.T) {
	dir, f := t.TempDir(), folder()
	for _, err := range []error{results.WriteResults(filepath.Join(dir, "results.csv"), f.Records),
		results.WriteBins(filepath.Join(dir, "bins.csv"), f.Bins), results.WritePairs(filepath.Join(dir, "pairs.csv"), f.Pairs)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	text := func() string {
		t.Helper()
		path, err := writeFile(dir)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, want := range []string{"This folder has no run.json", "This folder has no fits.csv"} {
		if !strings.Contains(text(), want) {
			t.Errorf("the page does not say: %s", want)
		}
	}
	run := results.Run{Version: "v1", Keys: results.KeysDigest(f.Records), Specs: []results.RunSpec{{Name: "e", Title: "A title", Text: "name: e"}}}
	f.Methods = []results.MethodInfo{{Experiment: "e", Method: "qats", Label: "Mine", Source: results.OfQats}}
	if err := results.Folder(dir).Write(f); err != nil {
		t.Fatal(err)
	}
	run.Rows = f.Count()
	if err := results.Folder(dir).WriteRun(run); err != nil {
		t.Fatal(err)
	}
	parameters := []results.Parameter{{Setting: f.Records[0].Setting, Method: "qats", Name: "a", Value: .25, Bound: "a >= 0", Source: f.Records[0].Source}}
	if err := results.WriteParameters(filepath.Join(dir, "fits.csv"), parameters); err != nil {
		t.Fatal(err)
	}
	whole := text()
	if strings.Contains(whole, "This folder has no") {
		t.Error("the page says that a file is missing")
	}
	d := dataOf(t, whole)
	if len(d.Fits) != 1 || d.Methods[2].Label != "Mine" || !strings.Contains(whole, "<h1>A title: 4 methods on ") {
		t.Errorf("fits %s, methods %v", d.Fits, d.Methods)
	}
	run.Keys = "of another run"
	if err := results.Folder(dir).WriteRun(run); err != nil {
		t.Fatal(err)
	}
	if _, err := writeFile(dir); err == nil || !strings.Contains(err.Error(), "results.csv: does not belong to the run that") {
		t.Errorf("run.json of another run: %v", err)
	}
}

func TestAFolderWithoutResultsSaysSo(t *testing.T) {
	_, err := writeFile(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "no results.csv in") {
		t.Errorf("error %v", err)
	}
}

// TestLinesCanBeSeenInTheDark: the colour of every method has the contrast that lines need.
// Package plots tests the colours on white, which the page has too.
func TestLinesCanBeSeenInTheDark(t *testing.T) {
	for _, m := range []string{"uncal", "ts", "ir", "qats", "hfe-target", "spline", "any other"} {
		if c := plots.Contrast(inDark(lookOf(m)), black); c < plots.LeastContrast {
			t.Errorf("%s: contrast %.2f", m, c)
		}
	}
}
