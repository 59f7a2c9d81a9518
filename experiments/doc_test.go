package experiments

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// wayLine is a line of the package comment that names a file below the root of the project, functions
// in it, and what they do.
var wayLine = regexp.MustCompile(`(?m)^//\t(\S+/\S+\.go) +(\w+(?:, \w+)*) {2,}\S`)

// TestTheWayOfANumberNamesFunctions: a stranger who follows the package comment finds each function
// in the file that stands beside it.
func TestTheWayOfANumberNamesFunctions(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := wayLine.FindAllStringSubmatch(string(text), -1)
	if len(lines) < 30 {
		t.Fatalf("%d lines of the way are recognised", len(lines))
	}
	for _, line := range lines {
		code, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(line[1])))
		if err != nil {
			t.Error(err)
			continue
		}
		for name := range strings.SplitSeq(line[2], ", ") {
			if !regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + name + `[(\[]`).Match(code) {
				t.Errorf("%s has no function %s", line[1], name)
			}
		}
	}
}
