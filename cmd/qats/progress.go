package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/terminal"
)

// describedBytes is the length of the text before the bar. It keeps the line below 80 columns, because a
// line that wraps is not cleared.
const describedBytes = 36

// progressEvery is the time between two lines of progress where there is no terminal, and
// tickEvery that between two drawings of a bar on one.
const (
	progressEvery = 30 * time.Second
	tickEvery     = time.Second
)

// sureAfter is the time of a work from which the time that is left is shown.
const sureAfter = 2 * time.Second

// quietFor is the time of a run that needs no lines at the end of experiments.
const quietFor = 10 * time.Second

// progress is a bar on a terminal, which ticks. Elsewhere, as in the log of a batch job, it is a
// line every progressEvery and at the end of each experiment; a line that says what the last one
// said is left out.
type progress struct {
	w   io.Writer
	bar *progressbar.ProgressBar
	now func() time.Time

	verbose bool

	mu      sync.Mutex
	tty     bool
	at      experiments.Progress
	began   time.Time
	fitting time.Time // the begin of at.Fitting
	printed time.Time
	last    string      // line
	reminds *time.Timer // calls remind
}

// newProgress returns a progress that prints to w: nothing if it is silent, and a
// line for each setting if it is verbose.
func newProgress(w io.Writer, silent, verbose bool) *progress {
	if silent {
		w = io.Discard
	}
	return &progress{w: w, now: time.Now, verbose: verbose, tty: !verbose && isTerminal(w)}
}

// isTerminal reports whether a stream of a command is a terminal.
func isTerminal(stream any) bool {
	if w, ok := stream.(io.Writer); ok {
		stream = below(w)
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// below returns the writer that the text of a command goes to, which takes the sequences
// of a bar.
func below(w io.Writer) io.Writer {
	if t, ok := w.(interface{ Unwrap() io.Writer }); ok { // a terminal.Writer, also that of messages
		return t.Unwrap()
	}
	return w
}

// newBar returns a bar of a total, or a spinner for a total of -1. It is cleared at the
// end.
func newBar(w io.Writer, total int64, shows progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, shows, progressbar.OptionSetWriter(below(w)), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetWidth(12), progressbar.OptionClearOnFinish())
}

// described returns the text before a bar: a verb, as much of a name as there is room for, and the time that
// is left.
func described(verb, name, left string) string {
	name = terminal.Line(name)
	end := 0
	for i, r := range name {
		if len(verb)+i+utf8.RuneLen(r)+len(left) > describedBytes {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	return verb + name[:end] + left
}

// timeLeft estimates how long the rest of a work takes, if each piece of it takes as long as those that are done took. ok
// is false where nothing is done or left.
func timeLeft(done, left int, elapsed time.Duration) (rest time.Duration, ok bool) {
	if done <= 0 || left <= 0 || elapsed <= 0 {
		return 0, false
	}
	return time.Duration(float64(elapsed) / float64(done) * float64(left)), true
}

// leftWords says how long the rest of a work takes, after a comma; "" where that is not known, or if it took
// less than sureAfter so far.
func leftWords(done, left int, elapsed time.Duration) string {
	rest, ok := timeLeft(done, left, elapsed)
	if !ok || elapsed < sureAfter {
		return ""
	}
	return ", " + roughly(max(rest, time.Second)) + " left"
}

// left says how long the rest of the run takes, by the work on the cells that the store lacked when it began.
func (p *progress) left() string {
	if p.at.Done >= p.at.Total {
		return ""
	}
	return leftWords(p.at.Todo-p.at.Left, p.at.Left, p.now().Sub(p.began))
}

// start prints lines from now on, until finish.
func (p *progress) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began = p.now()
	p.printed = p.began
	every := progressEvery
	if p.tty {
		every = tickEvery
	}
	p.reminds = time.AfterFunc(every, p.remind)
}

// remind draws the bar again, or prints a line if the last one is old. It sets the timer to the
// time at which the bar or the last line will be old.
func (p *progress) remind() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tty {
		if p.reminds != nil { // the run goes on
			if p.bar != nil {
				p.bar.Describe(described("", cmp.Or(p.at.Fitting, p.at.Setting), p.left()))
				p.bar.RenderBlank()
			}
			p.reminds.Reset(tickEvery)
		}
		return
	}
	if p.now().Sub(p.printed) >= progressEvery {
		p.line("", "")
	}
	if p.reminds != nil {
		p.reminds.Reset(progressEvery - p.now().Sub(p.printed))
	}
}

// line prints how far the run is: with the experiment or the setting that is done or, if both are
// empty, with the fit that runs.
func (p *progress) line(done, setting string) {
	p.printed = p.now()
	if _, ok := asJSON(p.w); ok { // show prints it
		return
	}
	percent := 0
	if p.at.Total > 0 {
		percent = 100 * p.at.Done / p.at.Total
	}
	text := fmt.Sprintf(called.Name()+": %d of %d cells done (%d %%)%s", p.at.Done, p.at.Total, percent, p.left())
	if p.at.Fits > 0 {
		text += ", " + english.Count(p.at.Fits, "fit") + " made"
	}
	if p.at.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.at.Failed)
	}
	switch {
	case done != "":
		text += "; experiment " + done + " is done"
	case setting != "":
		text += "; last " + setting
	case p.at.Fitting != "":
		text += fmt.Sprintf("; fitting %s for %s", p.at.Fitting, roughly(p.now().Sub(p.fitting)))
	case p.at.Setting != "":
		text += "; last " + p.at.Setting
	}
	if text == p.last {
		return
	}
	p.last = text
	terminal.Fprintf(p.w, "%s\n", text)
}

func (p *progress) show(at experiments.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := at.Setting != p.at.Setting
	if at.Fitting != p.at.Fitting {
		p.fitting = p.now()
	}
	p.at = at
	if m, ok := asJSON(p.w); ok {
		m.progress(at.Done, at.Total, at.Setting, at.Todo-at.Left, at.Left)
		return
	}
	if p.verbose && next && at.Setting != "" {
		p.line("", at.Setting)
	}
	if !p.tty {
		if at.Experiment != "" && p.now().Sub(p.began) >= quietFor {
			p.line(at.Experiment, "")
		}
		return
	}
	if p.bar == nil {
		p.bar = newBar(p.w, int64(at.Total), progressbar.OptionShowCount())
	}
	p.bar.Describe(described("", cmp.Or(at.Fitting, at.Setting), p.left()))
	p.bar.Set(at.Done)
}

func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reminds != nil {
		p.reminds.Stop()
		p.reminds = nil
		p.printed = p.now() // a call of remind that waits prints nothing
	}
	if p.bar != nil {
		p.bar.Finish()
	}
}
