package metrics

import (
	"flag"
	"testing"

	"github.com/qats-bench/qats/internal/facts"
)

var update = flag.Bool("update", false, "write facts_generated.go again")

// TestFactsAreThoseOfTheDocComments: the doc comment of the function of each metric, or of
// its entry, ends with its facts, and the program prints these.
func TestFactsAreThoseOfTheDocComments(t *testing.T) {
	sheets, err := facts.Read(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range registry {
		if sheets[e.Name] == nil {
			t.Errorf("%s: no doc comment has its list of facts", e.Name)
		}
	}
	if len(sheets) != len(registry) {
		t.Errorf("%d comments have facts, and there are %d metrics", len(sheets), len(registry))
	}
	source, err := facts.Source("metrics", "", "Sheet", sheets)
	if err != nil {
		t.Fatal(err)
	}
	if err := facts.Current("facts_generated.go", source, *update); err != nil {
		t.Error(err)
	}
}
