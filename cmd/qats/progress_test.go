package main

import (
	"os"
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

// A run says how long its rest takes, by the cells that it has done of those that the store lacked: here a quarter
// in 45 s.
func TestProgressSaysTheTimeLeft(t *testing.T) {
	var b strings.Builder
	clock := time.Unix(0, 0)
	p := newProgress(&b, false, false)
	p.now = func() time.Time { return clock }
	p.began, p.printed = clock, clock
	p.show(experiments.Progress{Total: 40, Todo: 20, Left: 20})
	clock = clock.Add(progressEvery)
	p.remind()
	clock = clock.Add(15 * time.Second)
	p.show(experiments.Progress{Done: 5, Total: 40, Setting: "d/a", Todo: 20, Left: 15, Experiment: "quick"})
	want := "qats: 0 of 40 cells done (0 %)\nqats: 5 of 40 cells done (12 %), 140 s left; experiment quick is done\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// Nothing is said of the time that is left before some of it has passed, or where nothing is done.
func TestTheTimeLeftInWords(t *testing.T) {
	for _, c := range []struct {
		done, left int
		elapsed    time.Duration
		want       string
	}{
		{1, 9, time.Second, ""}, {0, 9, time.Hour, ""}, {9, 0, time.Hour, ""}, {-1, 4, time.Hour, ""}, {1, 1, 0, ""}, {1, 9, 4 * time.Second, ", 36 s left"},
		{1000, 1, 5 * time.Second, ", 1 s left"}, {1, 99, 10 * time.Second, ", 16 minutes left"}, {1, 99, 10 * time.Minute, ", 16 hours left"},
	} {
		if got := leftWords(c.done, c.left, c.elapsed); got != c.want {
			t.Errorf("%v done, %v left, %v: %q, want %q", c.done, c.left, c.elapsed, got, c.want)
		}
	}
}

// The text before a bar has room for 36 bytes: the name gives way to the time that is left.
func TestTheTextBeforeABar(t *testing.T) {
	for _, c := range []struct{ verb, name, left, want string }{
		{"read ", "d/n", "", "read d/n"},
		{"read ", strings.Repeat("a", 80), "", "read " + strings.Repeat("a", 31)},
		{"fitted ", strings.Repeat("\u00e9", 80), ", 120 minutes left", "fitted " + strings.Repeat("\u00e9", 5) + ", 120 minutes left"},
	} {
		if got := described(c.verb, c.name, c.left); got != c.want || len(got) > describedBytes {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Standard error of a command is a terminal where the file below it is one.
func TestTheFileBelowMessages(t *testing.T) {
	if got := below(newMessages(os.Stderr, nil)); got != os.Stderr {
		t.Errorf("%T, want the file", got)
	}
}
