package table

import (
	"strings"
	"testing"
)

// LaTeX accepts letters, digits and hyphens in every label.
func TestLabelsHaveLettersDigitsAndHyphens(t *testing.T) {
	if got := strings.Map(labelRune, "azAZ09-_ :@[`{/é"); got != "azAZ09----------" {
		t.Error(got)
	}
}

// Control characters would break the file.
func TestControlCharactersAreSpaces(t *testing.T) {
	if got := Escape("a\x00b\tc\x1fd\x7fe f"); got != "a b c d e f" {
		t.Errorf("%q", got)
	}
}
