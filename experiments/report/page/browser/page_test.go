package browser

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestPagesDraw: every page draws itself without an error and asks for nothing but
// itself.
func TestPagesDraw(t *testing.T) {
	for name, path := range pages(t) {
		p := open(t, path, "")
		t.Logf("%s: ready after %s ms", name, eval[string](p, `document.documentElement.dataset.ready`))
		for _, body := range []string{"leaderboard-body", "settings-body", "dominance-body"} {
			if n := eval[int](p, `document.getElementById("`+body+`").children.length`); n == 0 {
				t.Errorf("%s: %s is empty", name, body)
			}
		}
		p.done()
	}
}

// TestTheSecurityPolicyForbidsEval, and the charts are drawn under it: done reports what the
// policy has stopped.
func TestTheSecurityPolicyForbidsEval(t *testing.T) {
	p := open(t, newPage(t), "")
	eval[bool](p, showEverything)
	if n := eval[int](p, `document.querySelectorAll("svg.chart path, svg.chart line").length`); n < 100 {
		t.Errorf("%d lines in the charts", n)
	}
	p.done()
	if got := eval[string](p, `new Promise(r => setTimeout(() => { try { r(String(new Function("return 1")())) } catch (e) { r(e.name) } }))`); got != "EvalError" {
		t.Errorf("a function of a text gives %s", got)
	}
}

// TestAxe: axe-core finds nothing in either theme, on a desktop and on a telephone,
// with a setting open and all folded parts unfolded.
func TestAxe(t *testing.T) {
	script := axe(t)
	for name, path := range pages(t) {
		p := open(t, path, "")
		for _, width := range []int64{1280, 375} {
			for _, theme := range []string{"light", "dark"} {
				if name != "test" && (theme == "dark") != (width == 375) {
					continue // a large page takes axe many seconds
				}
				p.do(chromedp.EmulateViewport(width, 900))
				p.media("screen", theme)
				p.visit(path, "")
				eval[bool](p, showEverything)
				if found := p.violations(script); found != "" {
					t.Errorf("%s, %d pixels, %s:\n%s", name, width, theme, found)
				}
				if wide := eval[int64](p, `document.documentElement.scrollWidth`); wide > width {
					t.Errorf("%s, %s: the page is %d pixels wide on a screen of %d", name, theme, wide, width)
				}
			}
		}
		p.done()
	}
}

func TestHostileIdentifiersAreText(t *testing.T) {
	p := open(t, newPage(t), "")
	if !slices.ContainsFunc(p.texts(".names li"), func(s string) bool { return strings.Contains(s, hostile) }) {
		t.Error("the heat map does not show the identifier")
	}
	if n := eval[int](p, `document.querySelectorAll("img").length`); n != 0 {
		t.Errorf("%d images", n)
	}
	p.done()
}

// TestFilters: data set, words, source and test sets change what is shown, and the
// measured and the simulated settings are never shown together.
func TestFilters(t *testing.T) {
	p := open(t, newPage(t), "")
	rows := func() int { return eval[int](p, `document.querySelectorAll(".names > li").length`) }
	measured := 0
	for _, n := range testSets() {
		if n.source == "measured" {
			measured++
		}
	}
	if got := rows(); got != measured {
		t.Errorf("%d settings, want the %d measured ones", got, measured)
	}
	p.choose("f-dataset", "cifar10")
	if got := rows(); got != 2 {
		t.Errorf("%d settings of cifar10, want 2", got)
	}
	p.choose("f-dataset", "")
	p.do(chromedp.SendKeys("#f-q", "vit"))
	if got := rows(); got != 4 {
		t.Errorf("%d settings with vit, want 4", got)
	}
	p.do(chromedp.SendKeys("#f-q", " qats"))
	if got := p.texts("#leaderboard-table tbody th > span"); !slices.Equal(got, []string{"QaTS"}) {
		t.Errorf("methods with the word qats: %q", got)
	}
	p.choose("f-source", "simulated")
	eval[bool](p, `[...document.querySelectorAll("#filters button")].find(b => b.textContent === "Reset").click() || true`)
	p.choose("f-source", "simulated")
	for _, name := range p.texts(".names li") {
		if !strings.HasPrefix(name, "virtual") {
			t.Errorf("%s among the simulated settings", name)
		}
	}
	p.choose("f-source", "measured")
	p.choose("f-shift", "corrupted")
	if got := rows(); got != 6 {
		t.Errorf("%d corrupted settings, want 6", got)
	}
	p.done()
}

// TestSimulatedSettingsGetNoVerdict: the leaderboard has ranks and means, and no part of
// the page that the script draws has a test, an interval or a judgement.
func TestSimulatedSettingsGetNoVerdict(t *testing.T) {
	p := open(t, newPage(t), "")
	verdict := regexp.MustCompile(`(?i)\bworse\b|\btie\b|alike|nemenyi|95 % interval|smallest|in the band|is better (in|than)|the better method`)
	drawn := func() string {
		p.do(chromedp.Click("#settings-body .names a"))
		return strings.Join(p.texts("#leaderboard-body, #settings-body, #dominance-body"), " ")
	}
	if text := drawn(); !verdict.MatchString(text) {
		t.Errorf("no verdict on measured settings: %s", text)
	}
	p.choose("f-source", "simulated")
	text := drawn()
	if found := verdict.FindAllString(text, -1); found != nil {
		t.Errorf("%q in %s", found, text)
	}
	if n := strings.Count(text, "Simulated settings get no test, no interval and no verdict."); n != 4 {
		t.Errorf("the reason stands there %d times, want one in each of four parts: %s", n, text)
	}
	if shades := eval[int](p, `[...document.querySelectorAll(".heat [data-part=cell] rect")].filter(r => !["var(--same)", "var(--bg)"].includes(r.getAttribute("fill"))).length`); shades != 0 {
		t.Errorf("%d shaded differences", shades)
	}
	heads := p.texts("#leaderboard-table thead th")
	if cells := eval[int](p, `document.querySelector("#leaderboard-table tbody tr").children.length`); cells != len(heads) || !slices.Contains(heads, "Mean rank") {
		t.Errorf("%d columns under the headings %q", cells, heads)
	}
	p.done()
}

// TestLeaderboardRanksAsCompareDoes: ranks, groups and means are those of package
// results/compare, over all settings and over a part of them.
func TestLeaderboardRanksAsCompareDoes(t *testing.T) {
	p := open(t, newPage(t), "#leaderboard?columns=all")
	f := records()
	for _, c := range []struct{ metric, block, choice, backbone string }{{"ece", "t", "samples", ""}, {"ece", "d", "dataset", ""}, {"nll", "t", "samples", ""}, {"accuracy", "s", "setting", ""}, {"ece", "s", "setting", "resnet50"}, {"ece", "n", "network", ""}} {
		p.choose("f-metric", c.metric)
		p.choose("f-backbone", c.backbone)
		p.choose("block", c.block)
		kept := slices.DeleteFunc(slices.Clone(f.Records), func(r results.Record) bool { return c.backbone != "" && r.Backbone != c.backbone })
		list, err := compare.Of(kept, f.Pairs, compare.Options{Metric: c.metric, Against: "qats", Block: compare.Block(c.choice)})
		if err != nil {
			t.Fatal(err)
		}
		k := list[0].Ranking
		var want []string
		for i, m := range k.Methods {
			var letters []string
			for g, members := range k.Groups {
				if slices.Contains(members, i) {
					letters = append(letters, string(rune('a'+g)))
				}
			}
			group := strings.Join(letters, " ")
			if group == "" {
				group = "–"
			}
			want = append(want, fmt.Sprintf("%s %s %s", m, strconv.FormatFloat(k.Ranks[i], 'f', 2, 64), group))
		}
		got := eval[[]string](p, `(() => {
			const heads = [...document.querySelectorAll("#leaderboard-table thead th")].map(h => h.textContent);
			return [...document.querySelectorAll("#leaderboard-table tbody tr")].map(r => r.dataset.method + " " + r.children[heads.indexOf("Mean rank")].textContent + " " + r.children[heads.indexOf("Alike")].textContent);
		})()`)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%+v:\ngot  %q\nwant %q", c, got, want)
		}
		aside := p.texts("#not-ranked li")
		if len(aside) != len(k.Aside) {
			t.Errorf("%+v: not ranked %q, want %v", c, aside, k.Aside)
		}
	}
	p.done()
}

// TestTheLeaderboardHasTheMeansOfCompare: with each filter that has a ranking of its own the means
// in the leaderboard are those of package results/compare, of ranked methods and of others.
func TestTheLeaderboardHasTheMeansOfCompare(t *testing.T) {
	f := records()
	for i := range f.Records { // an experiment with other values of the same settings
		if r := f.Records[i]; r.Method == "ts" && r.Metric == "accuracy" && r.Dataset == "ham10000" {
			r.Experiment, r.Value = "again", r.Value/2
			f.Records = append(f.Records, r)
		}
	}
	path, err := page.WriteFile(results.Folder(t.TempDir()), f, page.Options{Against: "ts"})
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, path, "#leaderboard")
	all := func(results.Setting) bool { return true }
	filters := map[string]map[string]func(results.Setting) bool{
		"f-dataset":  {"": all, "cifar10": func(s results.Setting) bool { return s.Dataset == "cifar10" }, "cifar100-c": func(s results.Setting) bool { return s.Dataset == "cifar100-c" }},
		"f-backbone": {"resnet50": func(s results.Setting) bool { return s.Backbone == "resnet50" }, "vit-b16": func(s results.Setting) bool { return s.Backbone == "vit-b16" }},
		"f-shift":    {"clean": func(s results.Setting) bool { return s.Corruption == "" }, "corrupted": func(s results.Setting) bool { return s.Corruption != "" }},
	}
	compared := 0
	for id, choices := range filters {
		for choice, has := range choices {
			for letter, block := range map[string]compare.Block{"t": compare.BySamples, "d": compare.ByDataset, "n": compare.ByNetwork, "s": compare.BySetting} {
				p.choose(id, choice)
				p.choose("block", letter)
				for _, metric := range []string{"ece", "nll"} {
					p.choose("f-metric", metric)
					records := slices.DeleteFunc(slices.Clone(f.Records), func(r results.Record) bool { return !has(r.Setting) })
					list, err := compare.Of(records, nil, compare.Options{Metric: metric, Against: "ts", Block: block})
					if err != nil {
						t.Fatal(err)
					}
					view := compare.View{Comparison: list[0]}
					want := map[string]string{}
					for _, r := range append(slices.Clone(view.Rows), view.Own) {
						want[r.Method] = view.Number(r.Value)
					}
					for i, m := range view.Ranking.Methods {
						want[m] = view.Number(view.Ranking.Means[i])
					}
					got := eval[map[string]string](p, `(() => {
						const heads = [...document.querySelectorAll("#leaderboard-table thead th")].map(h => h.textContent);
						const column = heads.findIndex(h => /^(ECE %|NLL)$/.test(h));
						const rows = [...document.querySelectorAll("#leaderboard-table tbody tr")].map(r => [r.dataset.method, r.children[column].firstChild.textContent]);
						const aside = [...document.querySelectorAll("#not-ranked li")].map(l => [l.dataset.method, l.textContent.match(/: (?:ECE|NLL) ([0-9.]+) over/)[1]]);
						return Object.fromEntries([...rows, ...aside]);
					})()`)
					if !maps.Equal(got, want) {
						t.Errorf("%s %q, by %s, %s: %v, want %v", id, choice, block, metric, got, want)
					}
					if text := p.texts("#ranks-of-all"); len(text) != 0 {
						t.Errorf("%s %q: %q", id, choice, text)
					}
					compared += len(got)
				}
			}
		}
		p.choose(id, "")
		if id == "f-shift" {
			p.choose(id, "usual")
		}
	}
	if compared < 200 {
		t.Errorf("only %d means are compared", compared)
	}
	p.choose("f-metric", "accuracy") // of which the experiments disagree
	if got := strings.Join(p.texts("#leaderboard-body"), ""); !strings.Contains(got, "Nothing was compared by this metric: choose one experiment.") {
		t.Errorf("of experiments that disagree %q", got)
	}
	p.choose("f-experiment", "standard")
	if n := len(p.texts("#leaderboard-table tbody tr")); n != 4 || len(p.texts("#ranks-of-all")) != 0 {
		t.Errorf("%d methods of one experiment", n)
	}
	p.done()
}

// TestOtherFiltersHaveTheNumbersOfAllSettings, and say so: the page has no ranking of just these.
// The heat map has their values.
func TestOtherFiltersHaveTheNumbersOfAllSettings(t *testing.T) {
	p := open(t, newPage(t), "#leaderboard?base=ts")
	board := func() string { return strings.Join(p.texts("#leaderboard-table tbody"), "") }
	all := board()
	if strings.Contains(all, "NaN") || len(p.texts("#ranks-of-all")) != 0 {
		t.Errorf("without filters the leaderboard is %q", all)
	}
	p.choose("f-dataset", "cifar10")
	if board() == all {
		t.Error("the leaderboard of a data set is that of all")
	}
	p.choose("f-backbone", "resnet50")
	if got := board(); got != all {
		t.Errorf("the leaderboard is %q, want that of all settings, %q", got, all)
	}
	if text := strings.Join(p.texts("#ranks-of-all"), ""); !strings.HasPrefix(text, "Ranks are of all 14 settings, as are means and counts of verdicts.") {
		t.Errorf("it says %q", text)
	}
	if rows := p.texts(".names li"); len(rows) != 1 {
		t.Errorf("the heat map has the rows %q", rows)
	}
	p.choose("f-backbone", "")
	if text := p.texts("#ranks-of-all"); len(text) != 0 {
		t.Errorf("of one data set it says %q", text)
	}
	p.done()
}

// TestSmallestDifferencesAreThoseOfCompare: the last column of the leaderboard has the
// smallest difference to ts that the rows of a setting can show.
func TestSmallestDifferencesAreThoseOfCompare(t *testing.T) {
	p := open(t, newPage(t), "#leaderboard?columns=all&base=ts")
	f := records()
	for _, backbone := range []string{"", "resnet50"} {
		p.choose("f-backbone", backbone)
		kept := slices.DeleteFunc(slices.Clone(f.Records), func(r results.Record) bool { return backbone != "" && r.Backbone != backbone })
		list, err := compare.Of(kept, f.Pairs, compare.Options{Metric: "ece", Against: "ts"})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"ts –"}
		for _, r := range list[0].Rows {
			if !slices.Contains(list[0].Ranking.Methods, r.Method) {
				continue
			}
			want = append(want, r.Method+" "+strconv.FormatFloat(100*r.Smallest, 'f', list[0].Digits, 64))
		}
		got := eval[[]string](p, `[...document.querySelectorAll("#leaderboard-table tbody tr")].map(r => r.dataset.method + " " + r.lastElementChild.textContent)`)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("backbone %q:\ngot  %q\nwant %q", backbone, got, want)
		}
	}
	p.done()
}

func TestLeaderboardSortsByAnyColumn(t *testing.T) {
	p := open(t, newPage(t), "#leaderboard?columns=all")
	for _, column := range p.texts("#leaderboard-table thead th") {
		for _, want := range []string{"ascending", "descending"} {
			got := eval[string](p, fmt.Sprintf(`(() => {
				const head = () => [...document.querySelectorAll("#leaderboard-table thead th")].find(h => h.textContent === %q);
				for (let i = 0; i < 3 && head().getAttribute("aria-sort") !== %q; i++) head().querySelector("button").click();
				const j = [...head().parentNode.children].indexOf(head());
				const cells = [...document.querySelectorAll("#leaderboard-table tbody tr")].map(r => r.children[j].textContent.replaceAll("−", "-")).filter(x => x !== "–" && !x.startsWith("no difference"));
				const values = j === 0 ? cells.map(c => c.toLowerCase()) : cells.map(c => isNaN(parseFloat(c)) ? c : parseFloat(c));
				const sorted = values.every((v, i) => i === 0 || (%q === "ascending" ? values[i - 1] <= v : values[i - 1] >= v));
				return head().getAttribute("aria-sort") + (sorted ? "" : " not sorted: " + values.join(", "));
			})()`, column, want, want))
			if got != want {
				t.Errorf("%s: %s, want %s", column, got, want)
			}
		}
	}
	p.done()
}

// TestASettingOpens: by a click on a cell of the heat map and by the keyboard, with
// its charts, tables, parameters and command.
func TestASettingOpens(t *testing.T) {
	path := newPage(t)
	p := open(t, path, "")
	at := eval[[]float64](p, `(() => { const r = document.querySelectorAll(".heat [data-part=cell] rect")[1 * 5 + 3]; r.scrollIntoView({block: "center"}); const b = r.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] })()`)
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
	eval[bool](p, `new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))`)
	p.do(chromedp.MouseClickXY(at[0], at[1]))
	if got := p.texts("#setting-title"); len(got) != 1 || !strings.HasPrefix(got[0], "cifar10/resnet50") {
		t.Fatalf("open: %q", got)
	}
	if checked := eval[bool](p, `document.getElementById("show-2").checked`); !checked {
		t.Error("the method of the cell is not in the charts")
	}
	eval[bool](p, `(async () => { document.querySelectorAll("#setting details").forEach(d => d.open = true); await new Promise(r => setTimeout(r, 50)); return true })()`)
	charts := eval[int](p, `document.querySelectorAll("#setting svg[role=img]").length`)
	tables := eval[int](p, `document.querySelectorAll("#setting table").length`)
	if charts < 4 || tables < 5 {
		t.Errorf("%d charts and %d tables", charts, tables)
	}
	for _, want := range []string{"T >= 0.001", "Paired differences", "qats run"} {
		if !strings.Contains(eval[string](p, `document.getElementById("setting").textContent`), want) {
			t.Errorf("the setting does not show %q", want)
		}
	}
	p.visit(path, "")
	p.do(chromedp.Focus("#settings-body .names li:nth-child(3) a"), chromedp.KeyEvent("\r"))
	if got := p.texts("#setting-title"); len(got) != 1 || !strings.HasPrefix(got[0], "cifar10/vit-b16") {
		t.Errorf("open by the keyboard: %q", got)
	}
	p.done()
}

// TestTheFragmentKeepsTheView: a choice is in the address, and the address restores
// the choice.
func TestTheFragmentKeepsTheView(t *testing.T) {
	path := newPage(t)
	p := open(t, path, "")
	p.choose("f-metric", "nll")
	p.choose("f-dataset", "cifar100")
	p.do(chromedp.Click("#settings-body .names a"))
	fragment := eval[string](p, `location.hash`)
	before := eval[string](p, `document.getElementById("leaderboard-body").textContent + document.getElementById("setting").textContent`)
	p.visit(path, fragment)
	after := eval[string](p, `document.getElementById("leaderboard-body").textContent + document.getElementById("setting").textContent`)
	if before != after || !strings.Contains(fragment, "metric=nll") || !strings.Contains(fragment, "dataset=cifar100") || !strings.Contains(fragment, "set=standard") {
		t.Errorf("%s does not restore the page", fragment)
	}
	eval[bool](p, `(location.hash = "#severity") && true`)
	if got := eval[string](p, `new Promise(r => setTimeout(() => r(location.hash + " " + document.getElementById("f-metric").value), 100))`); got != strings.Replace(fragment, "#setting", "#severity", 1)+" nll" {
		t.Errorf("after a link to a section: %s", got)
	}
	p.done()
}

// TestLinesThatCoincideAreNamed: ts and qats are equal under corruption. The legend
// names them together, and their points stand exactly at their severity.
func TestLinesThatCoincideAreNamed(t *testing.T) {
	p := open(t, newPage(t), "")
	if n := eval[int](p, `document.querySelectorAll("#severity-body figure").length`); n != 3 {
		t.Errorf("%d charts of severities, want the mean and two corruptions", n)
	}
	if got := p.texts("#severity-body .key-line li"); !slices.Contains(got, "TS = QaTS (they coincide)") {
		t.Errorf("legend %q", got)
	}
	p.done()
}

// TestPublishedNumbersAreFiltered: by table and by what differs from the paper.
func TestPublishedNumbersAreFiltered(t *testing.T) {
	p := open(t, newPage(t), "")
	rows := func() []string { return p.texts("#published-table tbody tr") }
	if n := len(rows()); n != 105 {
		t.Errorf("%d numbers of Table 1, want 105", n)
	}
	p.choose("differs", "none")
	missing := len(rows())
	p.choose("differs", "any")
	differing := rows()
	if missing == 0 || len(differing) == 0 || missing+len(differing) > 105 {
		t.Errorf("%d not reproduced, %d differ", missing, len(differing))
	}
	p.do(chromedp.SendKeys("#find", "cifar-10, rn-50"))
	if got := rows(); len(got) != 4 { // uncal, ts, ir and qats
		t.Errorf("cifar-10, rn-50: %q", got)
	}
	p.choose("table", "all")
	p.choose("differs", "")
	p.done()
}

// TestPrint: a printed page has no controls, and keeps the banner.
func TestPrint(t *testing.T) {
	p := open(t, newPage(t), "")
	p.media("print", "dark")
	for selector, want := range map[string]string{"#filters": "none", "nav": "none", "#banner": "flex"} {
		if got := eval[string](p, `getComputedStyle(document.querySelector("`+selector+`")).display`); got != want {
			t.Errorf("%s is displayed as %s, want %s", selector, got, want)
		}
	}
	if got := eval[string](p, `getComputedStyle(document.body).backgroundColor`); got != "rgb(255, 255, 255)" {
		t.Errorf("a page printed from the dark theme is %s", got)
	}
	p.done()
}

// TestFiguresOfComparisonsHoldTheirText: with ten methods in two blocks, a rank of 10 and
// long names, each text has a size and does not leave its figure. Package plots tests that no
// text covers another one.
func TestFiguresOfComparisonsHoldTheirText(t *testing.T) {
	f := &results.Rows{}
	for d, dataset := range []string{"cifar10", "cifar100"} {
		for m := range 10 {
			at := resultstest.Setting("standard", dataset, "resnet50")
			method := []string{"ts", "A method whose label is long", "WWWWWWWWWWWWWWWWWWWWWW", "scaling-binning-top"}[m%4] + strings.Repeat("'", m/4)
			f.Records = append(f.Records, resultstest.Value(at, method, "ece", .01+.01*float64(m)+.001*float64(d)))
			f.Pairs = append(f.Pairs, resultstest.Pair(at, method, "ts", "ece", .01*float64(m), .01*float64(m)-.002, .01*float64(m)+.002))
		}
	}
	path, err := page.WriteFile(results.Folder(t.TempDir()), f, page.Options{Against: "ts"})
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, path, "")
	if n := eval[int](p, `document.querySelectorAll("#comparison svg.figure").length`); n < 2 {
		t.Fatalf("%d figures", n)
	}
	for _, fault := range eval[[]string](p, `[...document.querySelectorAll("#comparison svg.figure")].flatMap(s => {
		const box = s.getBoundingClientRect();
		return [...s.querySelectorAll("text")].map(t => [t.textContent, t.getBoundingClientRect()])
			.filter(([, a]) => a.width === 0 || a.left < box.left - 1 || a.top < box.top - 1 || a.right > box.right + 1 || a.bottom > box.bottom + 1).map(([name]) => name + " leaves its figure");
	})`) {
		t.Error(fault)
	}
}
