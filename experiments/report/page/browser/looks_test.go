package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/results"
)

// showEverything opens a setting and all folded parts, and waits until the page has said
// what is wider than its place.
const showEverything = `(async () => {
	document.querySelector("#heat-table tbody a").click();
	document.querySelectorAll("details").forEach(d => d.open = true);
	await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)));
	return true;
})()`

// TestNoTableIsCutAt1280: all columns are on the screen, the folded ones too. The heat map,
// with a column for each method, may scroll.
func TestNoTableIsCutAt1280(t *testing.T) {
	for name, path := range pages(t) {
		p := open(t, path, "#leaderboard?columns=all")
		p.do(chromedp.EmulateViewport(1280, 900))
		p.visit(path, "#leaderboard?columns=all")
		eval[bool](p, showEverything)
		for _, cut := range eval[[]string](p, `[...document.querySelectorAll(".scroll:has(> table:not(.heat))")].filter(s => s.scrollWidth > s.clientWidth + 1)
			.map(s => s.getAttribute("aria-label") + ": " + s.scrollWidth + " of " + s.clientWidth + " pixels")`) {
			t.Errorf("%s: %s", name, cut)
		}
		p.done()
	}
}

// TestZeroIsSeenOnATelephone: the zero line of each chart is on a screen of 375 pixels, and
// what is wider than the screen says so.
func TestZeroIsSeenOnATelephone(t *testing.T) {
	for name, path := range pages(t) {
		p := open(t, path, "")
		p.do(chromedp.EmulateViewport(375, 800))
		p.visit(path, "")
		eval[bool](p, showEverything)
		if n := eval[int](p, `document.querySelectorAll("svg.chart .zero").length`); name == "test" && n < 3 {
			t.Errorf("%s: %d zero lines", name, n)
		}
		for _, off := range eval[[]string](p, `[...document.querySelectorAll("svg.chart .zero")].map(z => [z.closest("svg").getAttribute("aria-label"), z.getBoundingClientRect()])
			.filter(([, r]) => r.left < 0 || r.left > 375 || r.right > 375).map(([name, r]) => name + " at " + r.left)`) {
			t.Errorf("%s: zero is off the screen: %s", name, off)
		}
		// In the figures of shifts, zero is between the two texts that say who is better.
		shifts := eval[[]float64](p, `[...document.querySelectorAll("svg.figure")].map(s => [...s.querySelectorAll("text")].filter(t => / better$/.test(t.textContent)).map(t => t.getBoundingClientRect()))
			.filter(l => l.length === 2).map(([a, b]) => (Math.min(a.right, b.right) + Math.max(a.left, b.left)) / 2)`)
		if name == "test" && len(shifts) == 0 {
			t.Errorf("%s: no figure of shifts", name)
		}
		for _, x := range shifts {
			if x > 375 {
				t.Errorf("%s: zero of a figure is at %g", name, x)
			}
		}
		for _, silent := range eval[[]string](p, `[...document.querySelectorAll(".scroll")].filter(s => s.scrollWidth > s.clientWidth + 1 && !s.classList.contains("wide")).map(s => s.getAttribute("aria-label"))`) {
			t.Errorf("%s: %s is cut and does not say so", name, silent)
		}
		p.done()
	}
}

// TestChartsFollowTheTheme: the figures have no white ground in the dark theme, their texts
// can be read there, and the marker of a method that is black on white is not black.
func TestChartsFollowTheTheme(t *testing.T) {
	list := pages(t)
	list["black"] = differences(t, "hfe-target", .4, -.3, .2)
	for name, path := range list {
		p := open(t, path, "")
		p.media("screen", "dark")
		p.visit(path, "")
		found := eval[[]string](p, `(() => {
			const numbers = c => c.match(/[0-9.]+/g).slice(0, 3).map(Number);
			const luminance = c => numbers(c).map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((a, v, i) => a + v * [.2126, .7152, .0722][i], 0);
			const ground = luminance(getComputedStyle(document.body).backgroundColor);
			const faults = [];
			const figures = document.querySelectorAll("svg.figure");
			if (!figures.length) faults.push("no figures");
			for (const f of figures) {
				if (getComputedStyle(f).backgroundColor === "rgb(255, 255, 255)") faults.push("a figure on white");
				for (const t of f.querySelectorAll("text")) {
					const contrast = (luminance(getComputedStyle(t).fill) + .05) / (ground + .05);
					if (contrast < 4.5) faults.push(t.textContent + ": contrast " + contrast.toFixed(1));
				}
				for (const shape of f.querySelectorAll("path, polygon, circle, rect")) {
					const style = getComputedStyle(shape);
					if ([style.fill, style.stroke].includes("rgb(0, 0, 0)")) faults.push("black on the dark ground: " + shape.outerHTML);
				}
			}
			return faults;
		})()`)
		for _, fault := range found {
			t.Errorf("%s: %s", name, fault)
		}
		p.done()
	}
}

// TestTitlesOfAxesCoverNoNumber: at both widths, in all charts that the script draws.
func TestTitlesOfAxesCoverNoNumber(t *testing.T) {
	for name, path := range pages(t) {
		p := open(t, path, "")
		for _, width := range []int64{1280, 375} {
			p.do(chromedp.EmulateViewport(width, 900))
			p.visit(path, "")
			eval[bool](p, showEverything)
			for _, fault := range eval[[]string](p, `[...document.querySelectorAll("svg.chart:has(.y-title)")].flatMap(s => {
				const title = s.querySelector(".y-title").getBoundingClientRect();
				return [...s.querySelectorAll(".tick")].map(t => [t.textContent, t.getBoundingClientRect()])
					.filter(([, r]) => r.left < title.right && r.right > title.left && r.top < title.bottom && r.bottom > title.top).map(([n]) => s.getAttribute("aria-label") + ": " + n);
			})`) {
				t.Errorf("%s, %d pixels: %s", name, width, fault)
			}
		}
		p.done()
	}
}

// TestSeverityFollowsTheFilters: the choice of test sets, data sets and words.
func TestSeverityFollowsTheFilters(t *testing.T) {
	p := open(t, newPage(t), "")
	corruptions := func() []string { return p.texts("#severity-body .multiples figcaption") }
	if got := corruptions(); !slices.Equal(got, []string{"fog", "snow"}) {
		t.Errorf("without filters %q", got)
	}
	p.do(chromedp.SendKeys("#f-q", "snow"))
	if got := corruptions(); !slices.Equal(got, []string{"snow"}) {
		t.Errorf("with the word snow %q", got)
	}
	p.do(chromedp.SendKeys("#f-q", " qats"))
	if got := p.texts("#severity-body fieldset label"); !slices.Equal(got, []string{"QaTS"}) {
		t.Errorf("with the word qats the methods %q", got)
	}
	eval[bool](p, `([...document.querySelectorAll("#filters button")].find(b => b.textContent === "Reset").click(), true)`)
	p.choose("f-dataset", "cifar10")
	if got := strings.Join(p.texts("#severity-body"), ""); !strings.Contains(got, "The filters keep no corrupted test sets of several severities") || len(corruptions()) != 0 {
		t.Errorf("of a data set without corruptions: %s", got)
	}
	p.done()
}

// differences is the page of settings on which a method differs from ts by so many points of ECE.
func differences(t *testing.T, method string, points ...float64) string {
	t.Helper()
	f := &results.Rows{}
	for i, d := range points {
		at := results.Setting{Experiment: "x", Dataset: fmt.Sprint("d", i), Backbone: "net", Loss: "ce"}
		for m, value := range map[string]float64{"ts": .2, method: .2 + d/100} {
			f.Records = append(f.Records, results.Record{Setting: at, Method: m, Metric: "ece", Value: value, N: 100, Source: "measured", Status: results.OK})
		}
	}
	path, err := page.WriteFile(results.Folder(t.TempDir()), f, page.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTwoMethodsClipsWithArrowAndNumber: an outlier among many is an arrow with its number. Of
// two settings both stand where they are.
func TestTwoMethodsClipsWithArrowAndNumber(t *testing.T) {
	p := open(t, differences(t, "qats", -12.5, .4, -.3, .2, -.6, .5, .7, -.2, .1), "")
	if n := eval[int](p, `document.querySelectorAll("#dominance .beyond").length`); n != 1 {
		t.Errorf("%d arrows, want 1", n)
	}
	if !slices.Contains(p.texts("#dominance svg text"), "−12.50") {
		t.Errorf("the number is not among %q", p.texts("#dominance svg text"))
	}
	p.visit(differences(t, "qats", -1.53, -.05), "")
	if n := eval[int](p, `document.querySelectorAll("#dominance .beyond").length`); n != 0 {
		t.Errorf("%d arrows though all fits", n)
	}
	if lowest := eval[string](p, `[...document.querySelectorAll("#dominance svg.chart .tick")].map(t => t.textContent).find(t => t.startsWith("−1.5")) || ""`); lowest == "" {
		t.Errorf("the axis does not reach -1.5: %q", p.texts("#dominance svg.chart .tick"))
	}
	p.done()
}

// TestThePictureAtTheTop has the leading method before and after, and says on what.
func TestThePictureAtTheTop(t *testing.T) {
	p := open(t, newPage(t), "")
	if got := p.texts("#lead h3"); len(got) != 2 || !strings.HasPrefix(got[0], "Before: Uncal") || !strings.HasPrefix(got[1], "After: ") {
		t.Errorf("%q", got)
	}
	if n := eval[int](p, `document.querySelectorAll("#lead svg .interval").length`); n == 0 {
		t.Error("no intervals")
	}
	if got := strings.Join(p.texts("#before-after p"), " "); !strings.Contains(got, "a typical setting") {
		t.Errorf("%q", got)
	}
	p.done()
}
