package browser

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// manySettings writes a page of two data sets with 24 networks each, and returns its path.
func manySettings(t *testing.T) string {
	t.Helper()
	f := &results.Rows{}
	for i := range 48 {
		s := resultstest.Setting("standard", fmt.Sprint("set", i/24), fmt.Sprint("net", i%24))
		for j, m := range []string{"uncal", "ts", "hts", "ets", "ir", "svs", "qats"} {
			f.Records = append(f.Records, resultstest.Value(s, m, "nll", .5+.001*float64(i*j)))
		}
	}
	dir := t.TempDir()
	if err := report.WriteRowsPage(io.Discard, f, dir, page.Options{Against: "ts"}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, page.File)
}

// TestManySettingsAreFoldedByDataSet, drawn when a fold is opened, and a setting of the address is open.
func TestManySettingsAreFoldedByDataSet(t *testing.T) {
	path := manySettings(t)
	p := open(t, path, "")
	rows := func() int { return eval[int](p, `document.querySelectorAll(".names > li").length`) }
	if got := p.texts(".of-set > summary"); fmt.Sprint(got) != "[set0: 24 settings set1: 24 settings]" || rows() != 0 {
		t.Errorf("folds %q with %d rows", got, rows())
	}
	eval[bool](p, `(async () => { document.querySelectorAll(".of-set > summary")[1].click(); await new Promise(r => setTimeout(r, 50)); return true })()`)
	if got := p.texts(".names li"); rows() != 24 || got[0] != "net0" {
		t.Errorf("%d rows, the first %q", rows(), got)
	}
	p.visit(path, "#setting?set=standard%2Fset0%2Fnet3")
	if got := p.texts(".names li"); len(got) != 24 || p.texts("#setting")[0] == "" {
		t.Errorf("the fold of the setting of the address is not open: %q", got)
	}
	p.done()
}

// TestATelephoneShowsTheMethodsAskedFor beside the baseline; only the others scroll.
func TestATelephoneShowsTheMethodsAskedFor(t *testing.T) {
	path := manySettings(t)
	p := open(t, path, "")
	p.do(chromedp.EmulateViewport(400, 800))
	p.visit(path, "#setting?set=standard%2Fset0%2Fnet0")
	if all := eval[[]string](p, `[...document.querySelectorAll(".heat .stay svg text")].map(t => t.textContent).filter(t => /^[A-Za-z]/.test(t))`); fmt.Sprint(all) != "[TS Uncal QaTS]" {
		t.Errorf("%q stay", all)
	}
	if right := eval[float64](p, `document.querySelector(".heat .stay").getBoundingClientRect().right`); right > 400 {
		t.Errorf("they end at pixel %v of 400", right)
	}
	p.done()
}
