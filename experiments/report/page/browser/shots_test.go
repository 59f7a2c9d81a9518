package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// picture returns a picture of an element, at most 8,000 pixels high.
func (p *tab) picture(selector string) []byte {
	p.t.Helper()
	box := eval[[]float64](p, `(() => { const r = document.querySelector("`+selector+`").getBoundingClientRect(); return [r.x + scrollX, r.y + scrollY, r.width, Math.min(8000, r.height)] })()`)
	yes := true
	result, err := chromedp.Call(p.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng, CaptureBeyondViewport: &yes,
		Clip: &page.Viewport{X: box[0], Y: box[1], Width: box[2], Height: box[3], Scale: 1},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return result.Data
}

// TestScreenshots writes pictures of the page that PAGE names, or else of the test
// folder, into the folder that SHOTS names, for people to look at. SECTIONS may list
// the sections, with commas.
func TestScreenshots(t *testing.T) {
	dir, path := os.Getenv("SHOTS"), os.Getenv("PAGE")
	if dir == "" {
		t.Skip("set SHOTS to a folder for pictures, and PAGE to an index.html")
	}
	if path == "" {
		path = newPage(t)
	}
	prefix := os.Getenv("PREFIX")
	sections := []string{"overview", "leaderboard", "settings", "setting", "severity", "comparison", "dominance", "times", "published", "missing", "provenance"}
	if names := os.Getenv("SECTIONS"); names != "" {
		sections = strings.Split(names, ",")
	}
	save := func(name string, picture []byte, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, prefix+name), picture, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, path, "")
	for _, view := range []struct {
		name          string
		width, height int64
		theme         string
	}{{"desktop", 1280, 900, "light"}, {"dark", 1280, 900, "dark"}, {"tablet", 768, 900, "light"}, {"phone", 375, 800, "light"}, {"phone-dark", 375, 800, "dark"}} {
		p.do(chromedp.EmulateViewport(view.width, view.height))
		p.media("screen", view.theme)
		p.visit(path, "")
		eval[bool](p, `(document.querySelector(".of-set:not([open]) > summary")?.click() || true)`)
		eval[bool](p, `(document.querySelectorAll(".names a")[7] ?? document.querySelector(".names a"))?.click() || true`)
		for _, section := range sections {
			if !eval[bool](p, `(() => { const s = document.getElementById("`+section+`"); if (!s) return false; s.scrollIntoView(); return true })()`) {
				continue
			}
			save(view.name+"-"+section+".png", p.picture("#"+section), nil)
		}
		eval[bool](p, `(document.getElementById("filters").scrollIntoView(), true)`)
		picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		save(view.name+"-filters.png", picture, err)
		eval[bool](p, `(scrollTo(0, 0), true)`)
		picture, err = chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		save(view.name+"-top.png", picture, err)
		width := eval[int](p, `document.documentElement.scrollWidth`)
		if width > int(view.width) {
			t.Errorf("%s: the page is %d pixels wide", view.name, width)
			t.Log(strings.Join(eval[[]string](p, `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll")).slice(0, 10).map(e => e.tagName + "#" + e.id + "." + e.className + " " + Math.round(e.getBoundingClientRect().right))`), "\n"))
		}
	}
	p.media("", "light")
	p.do(chromedp.EmulateViewport(1280, 900))
	p.visit(path, "")
	pdf, err := chromedp.Run(p.ctx, chromedp.PrintToPDF(chromedp.PDFPrintBackground()))
	save("print.pdf", pdf, err)
	t.Logf("ready after %s ms", eval[string](p, `document.documentElement.dataset.ready`))
	p.done()
}
