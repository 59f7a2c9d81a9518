package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// showEverything opens all folded parts and a setting, whose data set may have been folded, and
// waits until the page has said what is wider than its place.
const showEverything = `(async () => {
	const drawn = () => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)));
	document.querySelectorAll("details").forEach(d => d.open = true);
	await drawn();
	document.querySelector(".names a").click();
	await drawn();
	document.querySelectorAll("details").forEach(d => d.open = true);
	await drawn();
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
		for _, cut := range eval[[]string](p, `[...document.querySelectorAll(".scroll:has(> table)")].filter(s => !s.closest("#settings-body > details")).filter(s => s.scrollWidth > s.clientWidth + 1)
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

// TestTextsOfAxesDoNotCoverEachOther: at both widths, in all charts that the script draws.
func TestTextsOfAxesDoNotCoverEachOther(t *testing.T) {
	for name, path := range pages(t) {
		p := open(t, path, "")
		for _, width := range []int64{1280, 375} {
			p.do(chromedp.EmulateViewport(width, 900))
			p.visit(path, "")
			eval[bool](p, showEverything)
			if n := eval[int](p, `document.querySelectorAll("svg.chart [data-part$='axis tick label'] text").length`); n < 20 {
				t.Errorf("%s: %d numbers of axes", name, n)
			}
			for _, fault := range eval[[]string](p, `[...document.querySelectorAll("svg.chart")].flatMap(s => {
				const list = [...s.querySelectorAll("[data-part*='axis'] text")].filter(t => t.textContent.trim()).map(t => [t.textContent, t.getBoundingClientRect()]);
				return list.flatMap(([a, p], i) => list.slice(i + 1).filter(([, q]) => p.left < q.right - 1 && p.right > q.left + 1 && p.top < q.bottom - 3 && p.bottom > q.top + 3)
					.map(([b]) => s.getAttribute("aria-label") + ": " + a + " and " + b));
			})`) {
				t.Errorf("%s, %d pixels: %s", name, width, fault)
			}
		}
		p.done()
	}
}

// TestChartsFillTheirColumn: a chart is as wide as the place where it stands. The heat map is not:
// its cells have a width of their own, and it scrolls.
func TestChartsFillTheirColumn(t *testing.T) {
	p := open(t, newPage(t), "")
	for _, width := range []int64{1280, 375} {
		p.do(chromedp.EmulateViewport(width, 900))
		p.visit(newPage(t), "")
		eval[bool](p, showEverything)
		for _, narrow := range eval[[]string](p, `[...document.querySelectorAll("svg.chart")].filter(s => !s.closest(".heat") && Math.abs(s.getBoundingClientRect().width - s.parentElement.clientWidth) > 2)
			.map(s => s.getAttribute("aria-label") + ": " + s.getBoundingClientRect().width + " of " + s.parentElement.clientWidth)`) {
			t.Errorf("%d pixels: %s", width, narrow)
		}
		for _, scaled := range eval[[]string](p, `[...document.querySelectorAll("svg.chart")].map(s => [s.getAttribute("aria-label"), s.getBoundingClientRect().width / s.viewBox.baseVal.width])
			.filter(([, scale]) => scale < .85 || scale > 1.2).map(([name, scale]) => name + " by " + scale)`) {
			t.Errorf("%d pixels: the text of a chart is scaled: %s", width, scaled)
		}
	}
	p.done()
}

// TestMarkersStandOnTheirLines: in the charts of paired differences.
func TestMarkersStandOnTheirLines(t *testing.T) {
	p := open(t, newPage(t), "")
	eval[bool](p, showEverything)
	for _, off := range eval[[]string](p, `[...document.querySelectorAll("#setting [aria-label^='Paired differences']")].flatMap(s => {
		const lines = [...s.querySelectorAll(".interval line")].map(l => l.getBoundingClientRect());
		return [...s.querySelectorAll("path[style*=fill]")].map(m => m.getBoundingClientRect()).map(b => [b.y + b.height / 2, Math.min(...lines.map(l => Math.abs(l.y + l.height / 2 - b.y - b.height / 2)))])
			.filter(([, d]) => d > 2.5).map(([y, d]) => s.getAttribute("aria-label") + ": a marker at " + y + " is " + d + " pixels from its line");
	})`) {
		t.Error(off)
	}
	if n := eval[int](p, `document.querySelectorAll("#setting [aria-label^='Paired differences'] .interval line").length`); n < 3 {
		t.Errorf("%d lines", n)
	}
	p.done()
}

// TestMarksHaveTips: what is under the pointer says what it is, in each kind of chart.
func TestMarksHaveTips(t *testing.T) {
	p := open(t, newPage(t), "")
	p.do(chromedp.EmulateViewport(1280, 900))
	p.visit(newPage(t), "")
	eval[bool](p, showEverything)
	for chart, want := range map[string]string{
		"#lead svg.chart": "confidence", "#setting figure svg.chart": "accuracy", "#severity-body figure svg.chart": "severity 1", "#severity-body .multiples svg.chart": "severity", "#dominance-body svg.chart": "cifar",
		"#setting [aria-label^='Gap by quantile']": "quantile", "#setting [aria-label^='Paired differences']": "from", "#published-body svg.chart": "published",
		".heat svg.chart": " on ", "tr[data-method=uncal] .shift svg.chart": " to QaTS",
	} {
		tip := eval[string](p, fmt.Sprintf(`(async () => {
			const s = document.querySelector(%q);
			if (!s) return "no chart";
			s.scrollIntoView({block: "center"});
			const box = s.getBoundingClientRect();
			let text = "";
			for (let x = .1; x < 1 && !text; x += .05) for (let y = .1; y < 1 && !text; y += .1) {
				s.dispatchEvent(new PointerEvent("pointermove", {pointerType: "mouse", bubbles: true, clientX: box.left + x * box.width, clientY: box.top + y * box.height}));
				await new Promise(requestAnimationFrame);
				text = s.querySelector("[aria-label=tip] text")?.textContent || "";
			}
			return text;
		})()`, chart))
		if !strings.Contains(tip, want) {
			t.Errorf("%s: the tip is %q, want one with %q", chart, tip, want)
		}
	}
	p.done()
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
		at := resultstest.Setting("x", fmt.Sprint("d", i), "net")
		f.Records = append(f.Records, resultstest.Value(at, "ts", "ece", .2), resultstest.Value(at, method, "ece", .2+d/100))
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
	if lowest := eval[string](p, `[...document.querySelectorAll("#dominance svg.chart [data-part='y-axis tick label'] text")].map(t => t.textContent).find(t => Number(t.replace("−", "-")) <= -1.4) || ""`); lowest == "" {
		t.Errorf("the axis does not reach -1.4: %q", p.texts("#dominance svg.chart [data-part='y-axis tick label'] text"))
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
