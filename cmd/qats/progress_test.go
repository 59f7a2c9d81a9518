package main

import (
	"strings"
	"testing"
	"time"

	"github.com/qats-bench/qats/experiments"
)

// TestProgressWithoutATerminal is a line every 30 seconds and at the end of each
// experiment, and nothing for a run of a few seconds.
func TestProgressWithoutATerminal(t *testing.T) {
	var b strings.Builder
	clock := time.Unix(0, 0)
	p := newProgress(&b, false, false)
	p.now = func() time.Time { return clock }
	p.began, p.printed = clock, clock
	p.show(experiments.Progress{Total: 40})
	p.show(experiments.Progress{Done: 5, Total: 40, Setting: "d/a", Experiment: "quick"})
	clock = clock.Add(29 * time.Second)
	p.remind()
	if b.Len() != 0 {
		t.Errorf("too early: %q", b.String())
	}
	clock = clock.Add(time.Second)
	p.remind()
	p.remind()
	clock = clock.Add(10 * time.Second)
	p.show(experiments.Progress{Done: 20, Total: 40, Failed: 2, Setting: "d/b", Experiment: "standard"})
	want := "qats: 5 of 40 cells done (12 %); last d/a\nqats: 20 of 40 cells done (50 %), 2 failed; experiment standard is done\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// TestProgressNamesTheFit that runs, with its time; a line that says the same again is left out.
func TestProgressNamesTheFit(t *testing.T) {
	var b strings.Builder
	clock := time.Unix(0, 0)
	p := newProgress(&b, false, false)
	p.now = func() time.Time { return clock }
	p.began, p.printed = clock, clock
	remind := func() { clock = clock.Add(progressEvery); p.remind() }
	p.show(experiments.Progress{Total: 9})
	remind()
	remind()
	p.show(experiments.Progress{Total: 9, Fitting: "h-calibration on d/a"})
	clock = clock.Add(15 * time.Second)
	p.show(experiments.Progress{Total: 9, Fits: 1, Fitting: "h-calibration on d/a"})
	remind()
	remind()
	p.show(experiments.Progress{Done: 9, Total: 9, Fits: 2, Fitting: "ts on d/b", Setting: "d/b", Experiment: "mine"})
	want := `qats: 0 of 9 cells done (0 %)
qats: 0 of 9 cells done (0 %), 1 fit made; fitting h-calibration on d/a for 45 s
qats: 0 of 9 cells done (0 %), 1 fit made; fitting h-calibration on d/a for 75 s
qats: 9 of 9 cells done (100 %), 2 fits made; experiment mine is done
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}
