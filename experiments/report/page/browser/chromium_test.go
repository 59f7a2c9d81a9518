package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a page in Chromium.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	problems []string // uncaught errors and what the console says of errors
}

// profile is the folder of the browser's profile.
var profile string

func TestMain(m *testing.M) {
	code := 1
	var err error
	if profile, err = os.MkdirTemp("", "page-browser-"); err == nil {
		code = m.Run()
		stop()
		os.RemoveAll(profile)
	}
	os.Exit(code)
}

// stop ends the browser.
var stop = func() {}

// chromium starts the browser, which all tests share, with a tab for each. It tries
// three times, because on a busy machine the first start can fail.
var chromium = sync.OnceValues(func() (context.Context, error) {
	bin, err := exec.LookPath("chromium")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(bin), chromedp.UserDataDir(profile), chromedp.WindowSize(1280, 900))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // root in a container
	}
	for range 3 {
		allocator, cancel1 := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, cancel2 := chromedp.NewContext(allocator)
		if err = chromedp.Do(ctx); err == nil {
			stop = func() { cancel2(); cancel1() }
			return ctx, nil
		}
		cancel2()
		cancel1()
	}
	return nil, err
})

// open opens a file in a new tab, with a fragment such as "#settings?metric=nll".
// Without Chromium the test is skipped.
func open(t *testing.T, path, fragment string) *tab {
	t.Helper()
	browser, err := chromium()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("no chromium: apt-get install -y --no-install-recommends chromium")
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 8*time.Minute)
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	p.visit(path, fragment)
	return p
}

// visit loads a file and waits until its script has drawn everything.
func (p *tab) visit(path, fragment string) {
	p.t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		p.t.Fatal(err)
	}
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+abs+fragment), chromedp.WaitReady("html[data-ready]"))
}

func (p *tab) listen(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, ev.Request.URL)
	case *runtime.EventExceptionThrown:
		what := ev.ExceptionDetails.Text
		if e := ev.ExceptionDetails.Exception; e != nil {
			what = e.Description
		}
		p.problems = append(p.problems, fmt.Sprintf("%s at line %d", what, ev.ExceptionDetails.LineNumber+1))
	case *log.EventEntryAdded:
		if ev.Entry.Level == "error" {
			p.problems = append(p.problems, ev.Entry.Text)
		}
	case *runtime.EventConsoleAPICalled:
		if ev.Type == "error" {
			p.problems = append(p.problems, "console.error")
		}
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// eval evaluates an expression in the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%.80s: %v", expression, err)
	}
	return v
}

// choose sets a select and tells the page.
func (p *tab) choose(id, value string) {
	p.t.Helper()
	if !eval[bool](p, fmt.Sprintf(`(() => { const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event("change")); return s.value === %q || !s.isConnected })()`, id, value, value)) {
		p.t.Fatalf("%s has no choice %q", id, value)
	}
}

// texts returns the texts of the elements that a selector finds.
func (p *tab) texts(selector string) []string {
	p.t.Helper()
	return eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => e.textContent.trim())`, selector))
}

// media sets the type of the medium and the theme.
func (p *tab) media(medium, theme string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}})
	if err != nil {
		p.t.Fatal(err)
	}
}

// done fails the test if the page asked for anything but itself, or had an error.
func (p *tab) done() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, url := range p.requests {
		if !strings.HasPrefix(url, "file:") && url != "about:blank" {
			p.t.Errorf("request %s", url)
		}
	}
	for _, problem := range p.problems {
		p.t.Errorf("problem %s", problem)
	}
}

// axe returns the script of axe-core, from the file that AXE names or from
// node_modules. Without it the test is skipped.
func axe(t *testing.T) string {
	t.Helper()
	for _, path := range []string{os.Getenv("AXE"), filepath.Join("node_modules", "axe-core", "axe.min.js")} {
		if text, err := os.ReadFile(path); path != "" && err == nil {
			return string(text)
		}
	}
	t.Skip("no axe-core: npm install --no-save axe-core@4.14.1 in this folder")
	return ""
}

// violations returns what axe-core finds in the page as it is.
func (p *tab) violations(script string) string {
	p.t.Helper()
	return eval[string](p, script+`;axe.run().then(r => r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.target.join(" ") + " " + (n.any[0] ? n.any[0].message : "")).join(" | ")).join("\n"))`)
}
