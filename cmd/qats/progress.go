package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/qats-bench/qats/experiments"
)

// describedBytes is the length of the setting's name, which is ASCII, before the
// bar. It keeps the line below 80 columns, because a line that wraps is not
// cleared.
const describedBytes = 26

// progressEvery is the time from which finished settings make another line of progress
// where there is no terminal.
const progressEvery = 30 * time.Second

// quietFor is the time of a run that needs no lines at the end of experiments.
const quietFor = 10 * time.Second

// progress is a bar on a terminal. Elsewhere, as in the log of a batch job, it is a
// line at most every progressEvery and at the end of each experiment.
type progress struct {
	w       io.Writer
	tty     bool
	verbose bool
	now     func() time.Time

	bar            *progressbar.ProgressBar
	at             experiments.Progress
	began, printed time.Time
}

// newProgress returns a progress that prints to w: nothing if it is silent, and a
// line for each setting if it is verbose.
func newProgress(w io.Writer, silent, verbose bool) *progress {
	if silent {
		w = io.Discard
	}
	now := time.Now()
	return &progress{w: w, tty: !verbose && isTerminal(w), verbose: verbose, now: time.Now, began: now, printed: now}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// newBar returns a bar of a total, or a spinner for a total of -1. It is cleared at the
// end.
func newBar(w io.Writer, total int64, shows progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, shows, progressbar.OptionSetWriter(w), progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetWidth(16), progressbar.OptionClearOnFinish())
}

// line prints how far the run is.
func (p *progress) line(done string) {
	p.printed = p.now()
	percent := 0
	if p.at.Total > 0 {
		percent = 100 * p.at.Done / p.at.Total
	}
	text := fmt.Sprintf("qats: %d of %d cells done (%d %%)", p.at.Done, p.at.Total, percent)
	if p.at.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.at.Failed)
	}
	switch {
	case done != "":
		text += "; experiment " + done + " is done"
	case p.at.Setting != "":
		text += "; last " + p.at.Setting
	}
	fmt.Fprintln(p.w, text)
}

func (p *progress) show(at experiments.Progress) {
	next := at.Setting != p.at.Setting
	p.at = at
	if p.tty {
		if p.bar == nil {
			p.bar = newBar(p.w, int64(at.Total), progressbar.OptionShowCount())
		}
		p.bar.Describe(at.Setting[:min(len(at.Setting), describedBytes)])
		p.bar.Set(at.Done)
		return
	}
	if p.verbose && next && at.Setting != "" {
		p.line("")
	}
	switch now := p.now(); {
	case at.Experiment != "" && now.Sub(p.began) >= quietFor:
		p.line(at.Experiment)
	case now.Sub(p.printed) >= progressEvery:
		p.line("")
	}
}

func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
