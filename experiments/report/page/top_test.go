package page

import (
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/resultstest"
)

// written returns the page of rows.
func written(t *testing.T, dir string, f *results.Rows) string {
	t.Helper()
	path, err := WriteFile(results.Folder(dir), f, Options{Against: "ts"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTheTitleSaysWhatWasCompared: the methods, and how many settings are measured and simulated,
// not the names of specs.
func TestTheTitleSaysWhatWasCompared(t *testing.T) {
	const both = "Comparison of 4 methods on 5 measured and 2 simulated settings of 6 data sets"
	text := written(t, t.TempDir(), folder())
	for _, want := range []string{"<title>" + both + " - qats</title>", "<h1>" + both + "</h1>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	for want, source := range map[string]string{"Comparison of 1 method on 1 measured setting": "measured", "Comparison of 1 method on 1 simulated setting": "simulated"} {
		f := &results.Rows{Records: rows("a,ts,ece," + source + ",ok,,")}
		f.Records[0].Experiment = "e"
		if got := titleOf(pack(f, func(m string) string { return m }), f, results.CountSettings(f.Records, nil)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	f := &results.Rows{Records: rows("a,ts,ece,measured,fail,,why")}
	if got := titleOf(pack(f, func(m string) string { return m }), f, results.CountSettings(f.Records, nil)); !strings.HasSuffix(got, ": no numbers") {
		t.Errorf("%q of a folder without numbers", got)
	}
}

// TestTheAnswerIsShort: there is one of each source, once, whatever the metrics of the comparisons are. Its tables and
// notes stand before the comparisons by each metric.
func TestTheAnswerIsShort(t *testing.T) {
	text := written(t, t.TempDir(), folder())
	text = regexp.MustCompile(`<abbr[^>]*>|</abbr>`).ReplaceAllString(text, "")
	for _, want := range []string{
		`id="verdict-compare-nll-measured">No method is shown to be better than TS: 3 independent data sets cannot show a difference. <a href="#compare-nll-measured">`,
		`id="verdict-compare-nll-simulated">SIMULATED: values of 2 methods beside TS, 2 data sets. `,
	} {
		if n := strings.Count(text, want); n != 1 {
			t.Errorf("%d times %s", n, want)
		}
	}
	if n := strings.Count(text, `class="answer `); n != 2 {
		t.Errorf("%d answers of two sources", n)
	}
	tables, first := strings.Index(text, "<h3>Methods that keep the predicted class: difference to TS (measured)</h3>"), strings.Index(text, `id="compare-nll-measured"`)
	if tables < 0 || tables > first || strings.Count(text, "Better, worse: by NLL or Brier score") != 1 {
		t.Errorf("the tables of the answer are at %d, the first comparison at %d", tables, first)
	}
	if leaderboard := strings.Index(text, `id="leaderboard"`); leaderboard < 0 || leaderboard > strings.Index(text, `id="before-after"`) || leaderboard > strings.Index(text, `id="overview"`) {
		t.Error("the leaderboard does not come first")
	}
}

// TestTheAnswerOfOneSetting is what its test rows show, and a method that a trial chose is named
// as such.
func TestTheAnswerOfOneSetting(t *testing.T) {
	for outcome, want := range map[float64]string{-1: "better on a/net (-0.0100 [-0.0120, -0.0080])", 1: "worse on a/net (+0.0100 [+0.0080, +0.0120])", 0: "not shown to differ on a/net (0.0000 [-0.0020, +0.0020])"} {
		f := &results.Rows{Records: rows("a,uncal,nll,measured,ok,,", "a,ts,nll,measured,ok,,", "a,qats,nll,measured,ok,,")}
		f.Pairs = []results.Pair{resultstest.Pair(f.Records[0].Setting, "qats", "ts", "nll", .01*outcome, .01*outcome-.002, .01*outcome+.002)}
		f.Methods = resultstest.Methods("e")
		f.Run = &results.Run{Specs: []results.RunSpec{{Chosen: "qats", ChosenBy: "nll"}}}
		list, _ := comparisonsOf(f, complete(f, Options{Against: "ts", Metrics: []string{"nll"}}).judge(f))
		got := answersOf(f, list, complete(f, Options{Against: "ts"}))
		if want := "QaTS was chosen on the calibration rows, by cross-fitted NLL. QaTS against TS: NLL " + want + "."; len(got) != 1 || got[0].Text.String() != want {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}

// TestThePictureIsOfAMethodThatTheRuleNames, or else of TS, on the clean measured setting with the median before. A method
// that ranks best by ECE is not named for it.
func TestThePictureIsOfAMethodThatTheRuleNames(t *testing.T) {
	f := folder()
	d := pack(f, func(m string) string { return m })
	made, err := compare.Of(f.Records, f.Pairs, compare.Options{Metric: "ece", Against: "ts"})
	if err != nil {
		t.Fatal(err)
	}
	judged, err := compare.Judge(f, compare.Options{Against: "ts"})
	if err != nil || len(judged) != 2 {
		t.Fatalf("%d judgements, %v", len(judged), err)
	}
	view := compare.View{Comparison: made[0], Labels: map[string]string{"qats": "QaTS", "ts": "TS"}, Judgement: judged[0]}
	best := *judged[0]
	best.Groups = []compare.Group{{Best: []string{"qats"}}}
	for _, c := range []struct {
		of           *compare.Judgement
		method, text string
	}{
		{judged[0], "ts", "TS is shown as an example, since no method is shown to be better. Here it is on cifar10, net, a typical"},
		{&best, "qats", "QaTS is shown to be better than TS, and no method of its table is shown to be better than it. Here it is on cifar10, net, a typical"},
	} {
		view.Judgement = c.of
		l := leadOf(f, d, view)
		if l == nil || d.Methods[l.Before].ID != "uncal" || d.Methods[l.After].ID != c.method || l.Source != "measured" {
			t.Fatalf("%+v", l)
		}
		if s := d.Settings[l.Setting]; s.Dataset != "cifar10" { // .02, .03 and .05 before
			t.Errorf("on %s, want the median", s.Dataset)
		}
		if !strings.HasPrefix(l.Text, c.text) || !strings.Contains(l.Text, "the median of 3 clean settings") {
			t.Errorf("%q", l.Text)
		}
	}
	simulated := compare.View{Comparison: made[1], Labels: view.Labels, Judgement: judged[1]}
	if method, why := leading(simulated); method != "ts" || why != "is shown as an example: the rows are simulated" {
		t.Errorf("simulated: %s %s", method, why)
	}
	f.Bins = nil
	if l := leadOf(f, d, view); l != nil {
		t.Errorf("a picture without bins: %+v", l)
	}
}

// TestMarkersAreThoseOfTheFigures on every page, whatever the other methods are.
func TestMarkersAreThoseOfTheFigures(t *testing.T) {
	outlines := map[string]bool{}
	for _, list := range [][]string{{"qats", "ts", "uncal", "hts"}, {"uncal", "other", "qats"}} {
		f := &results.Rows{}
		for _, m := range list {
			f.Records = append(f.Records, rows("a,"+m+",ece,measured,ok,,")...)
		}
		for _, m := range pack(f, func(m string) string { return m }).Methods {
			outline, hollow := plots.MethodLook(m.ID).Outline()
			if m.Marker != outline || m.Hollow != hollow {
				t.Errorf("%s has the marker %s %t, and %s %t in figures", m.ID, m.Marker, m.Hollow, outline, hollow)
			}
			outlines[outline] = true
		}
	}
	if len(outlines) < 3 {
		t.Errorf("only the outlines %v", outlines)
	}
}

// In the figures a tag ends at its first >, and a value at its first quotation mark: both are
// escaped in names.
var (
	tags     = regexp.MustCompile(`<[^>]*>`)
	painted  = regexp.MustCompile(` (style|fill|stroke)="[^"]*"`)
	literal  = regexp.MustCompile(`#[0-9A-Fa-f]{6}\b`)
	referred = regexp.MustCompile(`var\(--c-([0-9a-f]{6})\)`)
)

// TestFiguresFollowTheTheme: every colour of a figure is a property with a value for each
// theme, white is the background and black the ink. Names that look like colours stay.
func TestFiguresFollowTheTheme(t *testing.T) {
	f := everything()
	for i := range f.Records {
		if f.Records[i].Method == "variant" {
			f.Records[i].Method = "fill-ff0000"
		}
	}
	text := written(t, t.TempDir(), f)
	for part := range strings.SplitSeq(text, `<svg class="figure"`) {
		figure, _, _ := strings.Cut(part, "</svg>")
		if strings.HasPrefix(part, "<!doctype") {
			continue
		}
		for _, tag := range tags.FindAllString(figure, -1) {
			if at := painted.FindString(tag); literal.MatchString(at) {
				t.Errorf("%s has a colour of its own", at)
			}
		}
		for _, c := range referred.FindAllString(figure, -1) {
			if property := strings.TrimSuffix(strings.TrimPrefix(c, "var("), ")"); strings.Count(text, property+":#") != 2 {
				t.Errorf("%s is not defined for both themes", property)
			}
		}
	}
	white := color.RGBA{R: 255, G: 255, B: 255, A: 255}
	if opposite(white) != black || opposite(lookOf("hfe-target")) != ink {
		t.Errorf("white is %s and black %s in the dark theme", hex(opposite(white)), hex(opposite(lookOf("hfe-target"))))
	}
}

// TestTheMeasuredHalfIsFirst: the page of a reproduction begins with a summary of the measured
// half, and a fault in its files is no fault of the page.
func TestTheMeasuredHalfIsFirst(t *testing.T) {
	dir := t.TempDir()
	simulated := &results.Rows{Records: rows("a,ts,ece,simulated,ok,,", "a,qats,ece,simulated,ok,,")}
	if text := written(t, dir, simulated); strings.Contains(text, `id="measured-half"`) {
		t.Error("a half that is not there")
	}
	inner := filepath.Join(dir, "companion")
	if err := os.Mkdir(inner, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := results.WriteResults(filepath.Join(inner, results.ResultsFile), folder().Records); err != nil {
		t.Fatal(err)
	}
	text := written(t, dir, simulated)
	at, banner := strings.Index(text, `<section id="measured-half"`), strings.Index(text, `id="banner"`)
	if at < 0 || at > banner {
		t.Errorf("the measured half is at %d, the banner of the simulated settings at %d", at, banner)
	}
	for _, want := range []string{`<a href="companion/index.html">`, "5 settings", "Mean ranks by NLL"} {
		if !strings.Contains(text[at:banner], want) {
			t.Errorf("the summary has no %s: %s", want, text[at:banner])
		}
	}
	// Claims are judged on the rows of the half's own page, with the bins.
	if err := results.WriteBins(filepath.Join(inner, results.BinsFile), []results.Bin{resultstest.Bin(resultstest.Setting("e", "d", "n"), "uncal", "mass15", 0, .5, .6, 10, .55, .5)}); err != nil {
		t.Fatal(err)
	}
	judged := 0
	halfOf(results.Folder(dir), Options{Verdicts: func(f *results.Rows) (*Verdicts, error) { judged = len(f.Bins); return nil, nil }})
	if judged != 1 {
		t.Errorf("claims of the half are judged on %d bins", judged)
	}
	if err := os.WriteFile(filepath.Join(inner, results.ResultsFile), []byte("broken"), 0o666); err != nil {
		t.Fatal(err)
	}
	if text := written(t, dir, simulated); !strings.Contains(text, "The results in companion/ cannot be read") {
		t.Error("no word of the fault")
	}
}
