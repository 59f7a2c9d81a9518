package experiments

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
)

// paperSpecs are the specs with the paper's settings and no others.
var paperSpecs = map[string]int{"standard": 15, "longtail": 15, "shift": 75, "medical": 55, "tasks": 2}

// TestPaperSettings: the specs have each of the 162 settings of the published numbers
// once.
func TestPaperSettings(t *testing.T) {
	numbers, err := paper.Read()
	if err != nil {
		t.Fatal(err)
	}
	published := map[results.Setting]bool{}
	for _, p := range numbers {
		if p.Method == "uncal" && p.Dataset != paper.Average && p.Corruption != paper.Average {
			published[results.Setting{Dataset: p.Dataset, Backbone: p.Backbone, Corruption: p.Corruption, Severity: p.Severity}] = true
		}
	}
	if len(published) != 162 {
		t.Fatalf("the paper prints %d settings", len(published))
	}
	total := 0
	for name, want := range paperSpecs {
		s, err := spec.Read(filepath.Join("paper", name+".yaml"), Registry())
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Settings) != want {
			t.Errorf("%s has %d settings, want %d", name, len(s.Settings), want)
		}
		for _, s := range s.Settings {
			cell := s.Setting
			cell.Experiment, cell.Loss = "", ""
			if !published[cell] {
				t.Errorf("%s: %s is not in the paper, or stands twice", name, &s)
			}
			delete(published, cell)
			total++
		}
	}
	if total != 162 || len(published) != 0 {
		t.Errorf("%d settings; the paper has these besides: %v", total, published)
	}
}

// TestExtentOfThePaper: the settings of the specs that qats paper reproduce runs, in its words.
func TestExtentOfThePaper(t *testing.T) {
	var settings []results.Setting
	for _, name := range []string{"rescale", "ablation", "losses", "standard", "longtail", "shift", "medical", "tasks"} {
		s, err := spec.Read(filepath.Join("paper", name+".yaml"), Registry())
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range s.Settings {
			settings = append(settings, at.Setting)
		}
	}
	e, err := paper.ExtentOf(settings)
	if want := "the paper's 162 settings (15 + 15 + 75 + 55 + 2); 20 more of its loss figure; 30 rescaled copies"; err != nil || e.String() != want || len(settings) != 234 {
		t.Errorf("%d settings: got %q (%v), want %q", len(settings), e, err, want)
	}
}

// TestPaperSpecsPrintThePapersNames: their labels are those of package paper, of all data sets and
// networks.
func TestPaperSpecsPrintThePapersNames(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("paper", "*.yaml"))
	if err != nil || len(files) < 9 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		s, err := spec.Read(file, Registry())
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range s.Settings {
			for column, id := range map[string]string{"dataset": at.Dataset, "backbone": at.Backbone} {
				if want := paper.Name(column, id); s.Labels[id] != want && want != id {
					t.Errorf("%s prints %q for %s, want %q", file, s.Labels[id], id, want)
				}
			}
		}
	}
}

// TestSpecsOfTheCompanionHaveOneBaseline: make companion runs them into one folder, where compare has verdicts against TS
// of all of them.
func TestSpecsOfTheCompanionHaveOneBaseline(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^COMPANION := (.*)$`).FindSubmatch(makefile)
	if line == nil {
		t.Fatal("the Makefile has no COMPANION")
	}
	files := strings.Fields(string(line[1]))
	if len(files) < 5 {
		t.Errorf("specs: %v", files)
	}
	for _, file := range files {
		s, err := spec.Read(filepath.Join("..", filepath.FromSlash(file)), Registry())
		if err != nil {
			t.Fatal(err)
		}
		if s.Baseline != "ts" {
			t.Errorf("%s: baseline %s", file, s.Baseline)
		}
	}
}

// TestEveryPaperCellCanRun plans the paper without any arrays: each of the 162
// settings has a virtual network with all the parts that the methods need.
func TestEveryPaperCellCanRun(t *testing.T) {
	store, err := results.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cells := 0
	for _, name := range []string{"standard", "longtail", "shift", "medical", "tasks", "losses", "ablation", "variants", "rescale"} {
		s, err := spec.Read(filepath.Join("paper", name+".yaml"), Registry())
		if err != nil {
			t.Fatal(err)
		}
		p, err := MakePlan(context.Background(), []*spec.Spec{s}, PlanOptions{Store: store, Digests: &folder.Digests{}})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range p.Units {
			if u.Provenance.Origin != data.Simulated {
				t.Errorf("%s %s: %q", name, u.Setting, u.Provenance.Origin)
			}
			for _, c := range u.Cells {
				if c.State != Miss {
					t.Errorf("%s %s %s: %s, %s", name, u.Setting, c.Method.Name, c.State, c.Why)
				}
				if _, paper := paperSpecs[name]; paper && c.Method.Name != "hfe-target" {
					cells++
				}
			}
		}
	}
	if cells != 162*7 {
		t.Errorf("%d cells of the paper's methods, want 1,134", cells)
	}
}
