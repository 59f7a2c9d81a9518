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

// TestSeedsAreOneRow with their mean and range, folded, and count once in the leaderboard as they
// do in compare.
func TestSeedsAreOneRow(t *testing.T) {
	f := &results.Rows{}
	add := func(backbone string, v results.Variant, ts, qats float64) {
		s := resultstest.Varied(resultstest.Setting("standard", "d", backbone), v)
		f.Records = append(f.Records, resultstest.Value(s, "ts", "ece", ts), resultstest.Value(s, "qats", "ece", qats))
	}
	add("net", results.Variant{}, .1, .2)
	for seed, x := range []float64{.01, .02, .06} {
		add("several", results.Seed(seed), x, x+.01*float64(seed))
	}
	slices.SortStableFunc(f.Records, func(a, b results.Record) int { return strings.Compare(b.Method, a.Method) })
	path, err := page.WriteFile(results.Folder(t.TempDir()), f, page.Options{Against: "ts"})
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, path, "")
	rows := func() []string {
		return eval[[]string](p, `(async () => {
			const table = [...document.querySelectorAll("#settings-body > details")].at(-1);
			table.open = true;
			await new Promise(r => setTimeout(r, 50));
			return [...table.querySelectorAll("tbody tr")].map(r => [...r.children].map(c => c.innerText.replace(/\s+/g, " ").trim()).join("|"));
		})()`)
	}
	folded := []string{"d/net|10.00|+10.00", "d/several|3.00 1.00 to 6.00|+1.00 0.00 to +2.00"}
	if got := rows(); !slices.Equal(got, folded) {
		t.Errorf("folded: %q, want %q", got, folded)
	}
	p.do(chromedp.Click("#settings-body button.fold"))
	if got, want := rows(), append(folded, "d/several/seed=0|1.00|=", "d/several/seed=1|2.00|+1.00", "d/several/seed=2|6.00|+2.00"); !slices.Equal(got, want) {
		t.Errorf("unfolded: %q, want %q", got, want)
	}
	if got := p.texts("#shown"); !strings.Contains(fmt.Sprint(got), "2 settings") {
		t.Errorf("%q", got)
	}
	if got := eval[[]string](p, `[...document.querySelectorAll("#leaderboard-table tbody tr")].map(r => r.innerText)`); len(got) != 2 || !strings.Contains(got[0], "6.50") {
		t.Errorf("leaderboard %q, want the mean of 10.00 and 3.00", got)
	}
	p.do(chromedp.Click("#settings-body .names li:nth-child(2) a"))
	if text := eval[string](p, `document.getElementById("setting").innerText`); !strings.Contains(text, "Means over 3 trainings") || !strings.Contains(text, "1.00 to 6.00") {
		t.Error(text)
	}
	p.done()
}
