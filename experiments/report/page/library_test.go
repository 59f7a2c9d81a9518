package page

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// TestTheLibraryIsThatOfNPM: @observablehq/plot 0.6.17 and d3 7.9.2, with their licences.
func TestTheLibraryIsThatOfNPM(t *testing.T) {
	for _, l := range []struct{ name, text, version, digest, licence string }{
		{"d3", d3, "// https://d3js.org v7.9.2 ", "912111098ea99503a6f4967361d2bbdc9dbf58cf9c678c8e27e5b02d1a07f0c1", d3Licence},
		{"plot", plot, "// @observablehq/plot v0.6.17 ", "4358086467740777dd788d6b27a95cebdbaefdd50c730a3060117073bd7134cb", plotLicence},
	} {
		sum := sha256.Sum256([]byte(l.text))
		if got := fmt.Sprintf("%x", sum); got != l.digest || !strings.HasPrefix(l.text, l.version) {
			t.Errorf("%s has the digest %s and begins with %.60q", l.name, got, l.text)
		}
		for _, end := range []string{"</script", "<!--", "//# source"} {
			if strings.Contains(strings.ToLower(l.text), end) {
				t.Errorf("%s has %s, which a page cannot have in a script", l.name, end)
			}
		}
		if !strings.Contains(l.licence, "Permission to use, copy, modify") || strings.Contains(l.licence, "*/") {
			t.Errorf("%s has the licence %s", l.name, l.licence)
		}
	}
}

// TestThePageHasTheLibraryOnce, after its data and before its own script.
func TestThePageHasTheLibraryOnce(t *testing.T) {
	text := write(t, folder())
	if strings.Count(text, d3Licence) != 1 || strings.Count(text, plotLicence) != 1 || strings.Count(text, d3) != 1 || strings.Count(text, plot) != 1 || strings.Index(text, d3) > strings.Index(text, plot) || strings.Index(text, plot) > strings.Index(text, "(() => {\n\"use strict\"") {
		t.Error("the library is not in its place")
	}
}
