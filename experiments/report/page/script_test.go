package page

import (
	"regexp"
	"strings"
	"testing"
)

// TestTheScriptAveragesAndRanksNothing: all that is averaged, summed, ranked, counted or tested
// comes from Go. This reads the script; tests in Chromium compare its numbers with those of
// package results/compare.
func TestTheScriptAveragesAndRanksNothing(t *testing.T) {
	code := regexp.MustCompile(`(?m)^ *//.*$`).ReplaceAllString(script(), "")
	code = strings.ReplaceAll(code, `whole.search += " " + s.search`, "") // a text
	for _, found := range regexp.MustCompile(`\b(mean|median|mode|sum|fsum|rank|variance|deviation|rollups?|reduce|erf|pow|exp|log1p)\(|\+= |\+\+(;|])`).FindAllString(code, -1) {
		t.Errorf("the script has %s", found)
	}
	for _, call := range regexp.MustCompile(`\bd3\.(\w+)`).FindAllStringSubmatch(code, -1) {
		switch call[1] {
		case "ascending", "descending", "sort", "extent", "range", "group", "groups": // arrange
		case "cumsum": // places bins on the axis of quantiles
		case "quantile": // the width of a shade
		default:
			t.Errorf("the script uses %s", call[0])
		}
	}
}
