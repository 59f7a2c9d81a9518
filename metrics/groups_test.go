package metrics

import (
	"slices"
	"strings"
	"testing"
)

// A name that is listed by hand and is not registered would be left out in silence.
func TestGroupsCoverTheRegistry(t *testing.T) {
	sizes := map[string]int{"@default": 8, "@binned": 17, "@unbinned": 9, "@proper": 6, "@ranking": 4, "@predictions": 3, "@all": len(Registry())}
	grouped := map[string]string{}
	for _, g := range Groups() {
		if !strings.HasPrefix(g.Name, "@") || g.Summary == "" || len(g.Members) != sizes[g.Name] {
			t.Errorf("%+v: want a name that begins with @, a summary and %d members", g, sizes[g.Name])
		}
		delete(sizes, g.Name)
		for _, m := range g.Members {
			if _, ok := Lookup(m); !ok {
				t.Errorf("%s: %s is not registered", g.Name, m)
			}
			if g.Name == "@default" || g.Name == "@all" {
				continue
			}
			if earlier := grouped[m]; earlier != "" {
				t.Errorf("%s is in %s and in %s", m, earlier, g.Name)
			}
			grouped[m] = g.Name
		}
	}
	if len(sizes) > 0 || len(grouped) != len(Registry()) {
		t.Errorf("no groups %v; %d of %d metrics are in a group", sizes, len(grouped), len(Registry()))
	}
}

// The five scores that qats score prints are in the files of every run, with their bands, and
// with the changed predictions that mark a method in tables.
func TestDefaultMetrics(t *testing.T) {
	want := []string{"accuracy", "ece", "ece_null", "aece", "aece_null", "nll", "brier", "argmax_change"}
	if got := Groups()[0].Members; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, e := range Paired() {
		if !slices.Contains(want, e.Name) {
			t.Errorf("pairs compare by %s, which a run has by request only", e.Name)
		}
	}
}
