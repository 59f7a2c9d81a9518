package page

import (
	"strings"
	"testing"
)

// TestNamesAreCutOnlyWhereTheyMust: a name as wide as its room is whole, and one letter
// always stays.
func TestNamesAreCutOnlyWhereTheyMust(t *testing.T) {
	for _, c := range []struct{ name, fits, want string }{{"abcdef", "abcdef", "abcdef"}, {"abcdef", "ab…", "ab…"}, {"WW", "", "W…"}} {
		if got := cut(c.name, textWidth(c.fits, labelSize, true), true); got != c.want {
			t.Errorf("%s in the room of %q: %s", c.name, c.fits, got)
		}
	}
}

// TestLettersBeyondLatin1AreWide.
func TestLettersBeyondLatin1AreWide(t *testing.T) {
	for text, want := range map[string]float64{"ÿ": .63, "Ā": 1, "m": 1, "i": .32, "t": .41, "A": .74} {
		if got := textWidth(text, 1, false); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestDrawingsUpToTheNarrowWidthShrink.
func TestDrawingsUpToTheNarrowWidthShrink(t *testing.T) {
	for width, want := range map[float64]bool{narrow: true, narrow + 1: false} {
		if got := strings.Contains(string((&svg{width: width}).html("")), `class="chart narrow"`); got != want {
			t.Errorf("%v: %v", width, got)
		}
	}
}

// TestNiceSteps are 1, 2 or 5 times a power of ten, with at most n parts.
func TestNiceSteps(t *testing.T) {
	for _, c := range []struct {
		width float64
		n     int
		want  float64
	}{{0, 5, 1}, {-1, 5, 1}, {10, 10, 1}, {11, 10, 2}, {20, 10, 2}, {21, 10, 5}, {50, 10, 5}, {51, 10, 10}, {99, 10, 10}, {.25, 5, .05}} {
		if got := niceStep(c.width, c.n); got != c.want {
			t.Errorf("%v in %d: %v, want %v", c.width, c.n, got, c.want)
		}
	}
}
