package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// rows returns records of ece, one for each text of setting, method, source, status, key
// and note, which is a reason if it has not the form of a note.
func rows(texts ...string) (list []results.Record) {
	for _, text := range texts {
		f := strings.SplitN(text, ",", 7)
		note, err := results.ParseNote(f[6])
		if err != nil {
			note = results.Because(f[6])
		}
		r := resultstest.Value(resultstest.Setting("e", f[0], "net"), f[1], f[2], .1)
		r.Source, r.Status, r.Key, r.Note = f[3], results.Status(f[4]), f[5], note
		list = append(list, r)
	}
	return list
}

// TestACellIsThatOfItsFirstValue: its status, key and note are those of its first row
// with a value, before or after rows without.
func TestACellIsThatOfItsFirstValue(t *testing.T) {
	d := pack(&results.Rows{Records: rows("a,ts,ece,measured,skip,,why", "a,ts,nll,measured,ok,k1,one", "a,ts,brier,measured,ok,k2,two", "a,qats,ece,measured,ok,k3,three", "a,qats,nll,measured,fail,,why")},
		func(m string) string { return m })
	texts := func(cell int) (list []string) {
		for _, i := range d.Cells.Notes[cell] {
			list = append(list, d.Texts[i])
		}
		return list
	}
	if !slices.Equal(d.Cells.Status, []string{"ok", "ok"}) || !slices.Equal(d.Cells.Key, []string{"k1", "k3"}) || !slices.Equal(texts(0), []string{"one"}) || !slices.Equal(texts(1), []string{"three"}) {
		t.Errorf("%+v, %q", d.Cells, d.Texts)
	}
}

// TestRowsWithoutASourceBelongToTheFirst source of their setting; a source without a
// value is not one that can be chosen.
func TestRowsWithoutASourceBelongToTheFirst(t *testing.T) {
	d := pack(&results.Rows{Records: rows("a,ts,ece,measured,ok,,", "a,ts,ece,simulated,skip,,", "a,qats,ece,,skip,,")}, func(m string) string { return m })
	if len(d.Settings) != 2 || !slices.Equal(d.Cells.Setting, []int{0, 1, 0}) || !slices.Equal(d.Sources, []string{"measured"}) {
		t.Errorf("%+v, %v", d.Cells, d.Sources)
	}
}

// TestTrainingsOfANetworkAreOneSetting: their mean is before them and counts, and a method that
// lacks a seed has none.
func TestTrainingsOfANetworkAreOneSetting(t *testing.T) {
	f := &results.Rows{Records: rows("b,ts,ece,measured,ok,k,", "a,ts,ece,measured,ok,k1,one", "a,ts,ece,measured,ok,k2,two", "a,qats,ece,measured,ok,k3,", "a,qats,ece,,skip,,why")}
	for i := range f.Records[1:] {
		f.Records[i+1].Variant = results.Seed(i % 2)
		f.Records[i+1].Value = float64(i)
	}
	for seed, d := range []float64{.02, .04} {
		f.Pairs = append(f.Pairs, resultstest.Pair(f.Records[1+seed].Setting, "ts", "qats", "ece", d, d/2, 2*d))
	}
	d := pack(f, func(m string) string { return m })
	var got []string
	for _, s := range d.Settings {
		text := s.Name
		if s.mean {
			text += " mean"
		}
		if s.Of != nil {
			text += fmt.Sprintf(" %d of %d", *s.Seed, *s.Of)
		}
		got = append(got, text)
	}
	if want := []string{"b/net", "a/net mean", "a/net/seed=0 0 of 1", "a/net/seed=1 1 of 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	mean := func(method string) int {
		return slices.IndexFunc(d.Cells.Setting, func(s int) bool { return s == 1 }) + slices.IndexFunc(d.Methods, func(m methodEntry) bool { return m.ID == method })
	}
	var values []float64
	if err := json.Unmarshal(d.Values["ece"], &values); err != nil {
		t.Fatal(err)
	}
	if c := mean("ts"); values[c] != .5 || d.Cells.Status[c] != "ok" || d.Cells.Key[c] != "" || len(d.Cells.Notes[c]) != 0 {
		t.Errorf("TS: %v, %+v", values, d.Cells)
	}
	if c := mean("qats"); d.Cells.Status[c] != "skip" {
		t.Errorf("QaTS: %+v", d.Cells)
	}
	if len(d.Pairs) != 3 || !strings.HasPrefix(string(d.Pairs[2]), fmt.Sprintf("[%d,1,0,0.03,", mean("ts"))) {
		t.Errorf("pairs %s", d.Pairs)
	}
	counts := results.CountSettings(f.Records, nil)
	if counts.Measured != 2 || counts.Simulated != 0 {
		t.Errorf("%+v", counts)
	}
	facts := fmt.Sprint(linesOf(d, f, counts))
	for _, want := range []string{"2: 2 measured, 0 simulated, 0 without a value. Several trainings of a network count once: 1 more training.", "5: 4 with values, 1 skipped"} {
		if !strings.Contains(facts, want) {
			t.Errorf("%s has no %q", facts, want)
		}
	}
	if reasons := reasonsOf(d); len(reasons) != 1 || reasons[0].Cells != 1 {
		t.Errorf("%+v", reasons)
	}
}

// TestHugeNumbersHaveAnExponent.
func TestHugeNumbersHaveAnExponent(t *testing.T) {
	if got := string(column([]float64{1e14, 1e15, -1e15, .25}, 5, 9)); got != "[100000000000000,1e+15,-1e+15,0.25,null]" {
		t.Error(got)
	}
}

// TestBannerNamesTheNetworks that the values come from; rows without a value have none.
func TestBannerNamesTheNetworks(t *testing.T) {
	for want, records := range map[string][]results.Record{
		"The only setting of this page is measured on a network.": rows("a,ts,ece,measured,ok,,[{\"kind\":\"from\",\"text\":\"a network\"}]", "a,qats,ece,measured,skip,,why"),
		"All 2 settings of this page are measured on a network.":  rows("a,ts,ece,measured,ok,,[{\"kind\":\"from\",\"text\":\"a network\"}]", "b,ts,ece,measured,ok,,[{\"kind\":\"from\",\"text\":\"a network\"}]"),
	} {
		if got := bannerOf(results.CountSettings(records, nil), records, nil).Text; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestOnlyAQuickRunSaysSo.
func TestOnlyAQuickRunSaysSo(t *testing.T) {
	f := &results.Rows{Records: rows("a,ts,ece,measured,ok,,")}
	for first, want := range map[int]bool{0: false, 1: true} {
		f.Run = &results.Run{FirstRows: first}
		facts := linesOf(pack(f, func(m string) string { return m }), f, results.CountSettings(f.Records, nil))
		if got := slices.ContainsFunc(facts, func(x line) bool { return x.Name == "Quick run" }); got != want {
			t.Errorf("%d rows: %v", first, facts)
		}
	}
}

// TestOnlyShiftsHaveSeverities: neither splits nor scaled logits are corruptions, and a
// corruption without severities has no curve.
func TestOnlyShiftsHaveSeverities(t *testing.T) {
	for _, c := range []struct {
		corruption string
		severity   int
		variant    results.Variant
		want       bool
	}{{corruption: "fog", severity: 1, want: true}, {corruption: "fog"}, {variant: results.Variant{Split: 1}}, {variant: results.Variant{Rescale: 2}}, {variant: results.Variant{TestShares: true}}} {
		f := &results.Rows{Records: rows("a,ts,ece,measured,ok,,")}
		f.Records[0].Corruption, f.Records[0].Severity, f.Records[0].Variant = c.corruption, c.severity, c.variant
		if got := strings.Contains(write(t, f), `href="#severity"`); got != c.want {
			t.Errorf("%s %d %s: %v", c.corruption, c.severity, c.variant, got)
		}
		key, _, _ := strings.Cut(c.variant.String(), "=")
		if text := inSpec(f.Records[0].Setting, ""); key != "" && !strings.Contains(text, key+"s: ") && !strings.Contains(text, key+": ") {
			t.Errorf("the spec of the setting does not have the variant %s: %s", c.variant, text)
		}
	}
}

// TestTheComparedMethodIsOneOfTheFolder: the one asked for, or else the baseline of the run,
// qats, the baseline of the pairs, or the first.
func TestTheComparedMethodIsOneOfTheFolder(t *testing.T) {
	both, other := rows("a,ts,ece,measured,ok,,", "a,qats,ece,measured,ok,,"), rows("a,ts,ece,measured,ok,,", "a,ir,ece,measured,ok,,")
	pairs := []results.Pair{{Against: "ir"}}
	for _, c := range []struct {
		f           *results.Rows
		asked, want string
	}{{&results.Rows{Records: both}, "", "qats"}, {&results.Rows{Records: both}, "ts", "ts"},
		{&results.Rows{Records: both, Run: &results.Run{Specs: []results.RunSpec{{Baseline: "none"}, {Baseline: "ts"}}}}, "", "ts"},
		{&results.Rows{Records: both}, "none", "qats"}, {&results.Rows{Records: other, Pairs: pairs}, "", "ir"},
		{&results.Rows{Records: other}, "none", "ts"}, {&results.Rows{}, "", ""}} {
		if got := complete(c.f, Options{Against: c.asked}).Against; got != c.want {
			t.Errorf("asked for %q: %q, want %q", c.asked, got, c.want)
		}
	}
}

// TestTheTitleHasThatOfOneSpec; several specs are compared as one.
func TestTheTitleHasThatOfOneSpec(t *testing.T) {
	f := &results.Rows{Records: rows("a,ts,ece,measured,ok,,")}
	for want, specs := range map[string][]results.RunSpec{"A title: 1 method on ": {{Title: "A title"}}, "Comparison of 1 method on ": {{Title: "A title"}, {Title: "Another"}}} {
		f.Run = &results.Run{Specs: specs}
		if got := titleOf(pack(f, func(m string) string { return m }), f, results.CountSettings(f.Records, nil)); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestALargePageSaysWhatItLeavesOut, and is the same page if that is not even read.
func TestALargePageSaysWhatItLeavesOut(t *testing.T) {
	f := &results.Rows{Run: &results.Run{Version: "v1", Counts: results.RunCounts{Settings: mostSettings + 1}}}
	for i := range mostSettings + 1 {
		r := rows(fmt.Sprintf("d%d,ts,ece,measured,ok,k%d,", i, i))[0]
		f.Records = append(f.Records, r)
		f.Bins = append(f.Bins, resultstest.Bin(r.Setting, "ts", "width15", 0, 0, 1, 9, .5, .5))
		f.Parameters = append(f.Parameters, results.Parameter{Setting: r.Setting, Method: "ts", Name: "T", Value: 2, Source: "measured"})
	}
	f.Run.Keys, f.Run.Rows = results.KeysDigest(f.Records), results.RunRows{Results: len(f.Records), Bins: len(f.Bins)}
	dir := t.TempDir()
	if err := errors.Join(results.WriteResults(filepath.Join(dir, "results.csv"), f.Records), results.WriteBins(filepath.Join(dir, "bins.csv"), f.Bins),
		results.WriteParameters(filepath.Join(dir, "fits.csv"), f.Parameters), results.Folder(dir).WriteRun(*f.Run)); err != nil {
		t.Fatal(err)
	}
	const left = "<dt>Left out</dt>"
	pages := map[string]string{}
	for name, read := range map[string]func() (*results.Rows, error){"all": func() (*results.Rows, error) { return results.Folder(dir).Read() }, "shown": func() (*results.Rows, error) { return Read(results.Folder(dir)) }} {
		f, err := read()
		if err != nil {
			t.Fatal(err)
		}
		if (f.Bins == nil) != (name == "shown") {
			t.Errorf("%s: %d bins are read", name, len(f.Bins))
		}
		pages[name] = write(t, f)
	}
	d := dataOf(t, pages["shown"])
	if pages["all"] != pages["shown"] || !strings.Contains(pages["shown"], left) || len(d.Fits) != 0 || string(d.Width[0]) != "null" || len(d.Settings) != mostSettings+1 {
		t.Errorf("%d settings, %d fits, bins %s", len(d.Settings), len(d.Fits), d.Width[0])
	}

	few := &results.Rows{Records: f.Records[:mostSettings], Bins: f.Bins[:mostSettings], Parameters: f.Parameters[:mostSettings]}
	page := write(t, few)
	if d := dataOf(t, page); strings.Contains(page, left) || len(d.Fits) != mostSettings || string(d.Width[0]) == "null" {
		t.Errorf("a page of %d settings leaves something out", mostSettings)
	}

	if err := os.WriteFile(filepath.Join(dir, "bins.csv"), []byte("experiment\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(results.Folder(dir)); err == nil || !strings.Contains(err.Error(), "bins.csv:1: ") {
		t.Errorf("bins.csv with another header: %v", err)
	}
	if err := results.WriteBins(filepath.Join(dir, "bins.csv"), f.Bins[1:]); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(results.Folder(dir)); err == nil || !strings.Contains(err.Error(), "bins.csv: 5000 rows, but the run") {
		t.Errorf("bins.csv lacks a row: %v", err)
	}
}
