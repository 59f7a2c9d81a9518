package browser

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
)

// counted returns the measured rows of the test folder with rescaled settings, one of which is a
// copy; with settings that a second experiment has too; and with a method that sees the domain
// that it is tested on, better than all others.
func counted() *results.Rows {
	f := records()
	measured := f.Where(func(_ results.Setting, source string) bool { return source == "measured" })
	all := &results.Rows{Parameters: []results.Parameter{}}
	all.Append(measured)
	copied := func(change func(*results.Setting)) {
		for _, r := range measured.Records {
			if change(&r.Setting); r.Corruption == "" {
				all.Records = append(all.Records, r)
			}
		}
		for _, p := range measured.Pairs {
			if change(&p.Setting); p.Corruption == "" {
				all.Pairs = append(all.Pairs, p)
			}
		}
	}
	copied(func(s *results.Setting) { s.Variant.Rescale = 1 })
	copied(func(s *results.Setting) { s.Variant.Rescale = 2 })
	copied(func(s *results.Setting) { s.Experiment = "again" })
	for _, r := range slices.Clone(all.Records) {
		if r.Method == "ts" && r.Status == results.OK {
			if r.Method = "hfe-target"; r.Metric == "ece" {
				r.Value /= 100
			}
			all.Records = append(all.Records, r)
		}
	}
	return all
}

// TestThePageCountsAsCompareDoes: its head, its leaderboard and its comparison have the settings
// and the verdicts of qats compare, without rescaled ones and with each once.
func TestThePageCountsAsCompareDoes(t *testing.T) {
	f := counted()
	list, err := compare.Of(f.Records, f.Pairs, compare.Options{Metric: "ece", Against: "ts", Target: []string{"hfe-target"}})
	if err != nil {
		t.Fatal(err)
	}
	c := list[0]
	if c.Settings != 15 {
		t.Fatalf("%d settings in compare", c.Settings)
	}
	f.Methods = []results.MethodInfo{{Experiment: "e", Method: "hfe-target", Source: results.OfQats, Sees: []string{results.Target}}}
	path, err := page.WriteFile(results.Folder(filepath.Join(t.TempDir())), f, page.Options{Against: "ts"})
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, path, "#leaderboard?columns=all&base=ts&metric=ece")
	for _, at := range []string{"h1", "#banner", "#shown", ".facts dd:nth-of-type(1)"} {
		if text := strings.Join(p.texts(at), " "); !regexp.MustCompile(`\b15\b`).MatchString(text) {
			t.Errorf("%s says %q", at, text)
		}
	}
	if text := strings.Join(p.texts("#overview"), " "); !strings.Contains(text, "counts once: 24 settings, ") || !strings.Contains(text, "Not counted: 18 settings with rescaled logits.") {
		t.Errorf("the overview does not say what it leaves out: %s", text)
	}
	verdicts := func(win, tie, loss, sureWin, sureLoss int) string {
		text := func(n, sure int) string {
			if n == 0 {
				return "0"
			}
			return fmt.Sprintf("%d (%d)", n, sure)
		}
		return fmt.Sprintf("%s, %d, %s", text(win, sureWin), tie, text(loss, sureLoss))
	}
	for _, r := range c.Rows {
		if r.NoVerdict == r.Settings || !slices.Contains(c.Ranking.Methods, r.Method) {
			continue
		}
		row := p.texts(fmt.Sprintf("#leaderboard-table tr[data-method='%s'] td", r.Method))
		n := len(row)
		if got, want := strings.Join(row[n-4:n-1], ", "), verdicts(r.Win, r.Tie, r.Loss, r.SureWin, r.SureLoss); got != want {
			t.Errorf("%s: the leaderboard has %s, compare %s", r.Method, got, want)
		}
	}
	ranked := eval[[]string](p, `[...document.querySelectorAll("#leaderboard-table tbody tr")].map(r => r.dataset.method)`)
	want := slices.Sorted(slices.Values(c.Ranking.Methods)) // equal ranks have no order
	slices.Sort(ranked)
	if !slices.Equal(ranked, want) || slices.Contains(ranked, "hfe-target") {
		t.Errorf("ranked are %q, by compare %q", ranked, want)
	}
	if text := strings.Join(p.texts("#not-ranked li[data-method='hfe-target']"), " "); !strings.Contains(text, "; sees unlabelled rows of the test sets") {
		t.Errorf("HFE (target): %q", text)
	}
	if text := strings.Join(p.texts("#before-after"), " "); strings.Contains(text, "HFE") {
		t.Errorf("the page leads with %q", text)
	}
	judged, err := compare.Judge(f, compare.Options{Against: "ts", Target: []string{"hfe-target"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(p.texts("p.answer.measured"), " "); text != (compare.Conclusion{Judgement: judged[0]}).String()+" details" {
		t.Errorf("the comparison says %q", text)
	}
	p.choose("f-shift", "rescaled")
	if text := strings.Join(p.texts("#shown"), " "); !strings.Contains(text, "18 settings") {
		t.Errorf("asked for, the rescaled settings are %q", text)
	}
	p.done()
}
