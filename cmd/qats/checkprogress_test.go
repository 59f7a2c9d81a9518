package main

import (
	"strings"
	"testing"
	"time"
)

// A check of thousands of settings says how far it is: a line every progressEvery, and none
// for a short one.
func TestCheckSaysHowFarItIs(t *testing.T) {
	var b strings.Builder
	now := time.Now()
	progress, end := settingsProgress(&b, func() time.Time { return now })
	progress(1, 4, "a/b")
	if b.Len() > 0 {
		t.Errorf("at once: %q", b.String())
	}
	now = now.Add(progressEvery)
	progress(2, 4, "a/c")
	progress(3, 4, "a/d")
	now = now.Add(progressEvery)
	progress(4, 4, "a/e") // the last one: the result follows
	end()
	if got, want := b.String(), "qats: 2 of 4 settings read (50 %), 30 s left; last a/c\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
