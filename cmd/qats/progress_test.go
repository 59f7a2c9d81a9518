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
