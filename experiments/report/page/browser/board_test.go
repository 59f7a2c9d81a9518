package browser

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/experiments/submission"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/leaderboard"
)

// TestTheBoard: axe-core finds nothing on the page of the leaderboard, no table is cut at 1280 pixels, and the page is no wider
// than the screen.
func TestTheBoard(t *testing.T) {
	script := axe(t)
	b, _, err := submission.Board(t.Context(), submission.Version, leaderboard.Folder("../../../../results/leaderboard/"+submission.FolderOf(submission.Version)), "../../../../submissions", submission.Records{Dir: "../../../../results/leaderboard/verified"})
	if err != nil {
		t.Fatal(err)
	}
	path, err := page.WriteBoardFile(results.Folder(t.TempDir()), b)
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, path, "")
	for _, view := range []struct {
		width int64
		theme string
	}{{1280, "light"}, {1280, "dark"}, {600, "light"}, {375, "dark"}} {
		p.do(chromedp.EmulateViewport(view.width, 900))
		p.media("screen", view.theme)
		p.visit(path, "")
		if found := p.violations(script); found != "" {
			t.Errorf("%d pixels, %s:\n%s", view.width, view.theme, found)
		}
		if wide := eval[int64](p, `document.documentElement.scrollWidth`); wide > view.width {
			t.Errorf("the page is %d pixels wide on a screen of %d", wide, view.width)
		}
		for _, cut := range eval[[]string](p, `[...document.querySelectorAll(".scroll")].filter(s => innerWidth === 1280 && s.scrollWidth > s.clientWidth + 1).map(s => s.getAttribute("aria-label"))`) {
			t.Errorf("cut at 1280 pixels: %s", cut)
		}
	}
	p.done()
}
