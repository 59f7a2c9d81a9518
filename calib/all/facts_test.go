package all

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/facts"
)

var update = flag.Bool("update", false, "write facts_generated.go again")

// TestFactsAreThoseOfTheDocComments: the doc comment of the type of each method ends with
// its facts, and the program prints these.
func TestFactsAreThoseOfTheDocComments(t *testing.T) {
	packages := map[string]map[string]facts.Sheet{}
	sheets := map[string]facts.Sheet{}
	for _, e := range Registry() {
		pkg, name, _ := strings.Cut(fmt.Sprintf("%T", e.Method), ".")
		if packages[pkg] == nil {
			dir := filepath.Join("..", pkg)
			if pkg == "calib" {
				dir = ".."
			}
			read, err := facts.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			packages[pkg] = read
		}
		sheets[e.Name] = packages[pkg][name]
		if sheets[e.Name] == nil {
			t.Errorf("%s: the doc comment of %s.%s has no list of facts", e.Name, pkg, name)
		}
	}
	source, err := facts.Source("all", "github.com/qats-bench/qats/calib", "calib.Sheet", sheets)
	if err != nil {
		t.Fatal(err)
	}
	if err := facts.Current("facts_generated.go", source, *update); err != nil {
		t.Error(err)
	}
}
