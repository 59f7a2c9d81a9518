package experiments

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestRecipesOfThePaper: data/zoo/paper.yaml has one network for each of the paper's 162
// settings, under the ids by which a plan looks for its arrays, and with the data set
// that calibrates it.
func TestRecipesOfThePaper(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "data", "zoo", "paper.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Networks []struct{ Dataset, Backbone, Clean string }
	}
	if err := yaml.Unmarshal(b, &table); err != nil {
		t.Fatal(err)
	}
	type network struct{ dataset, backbone string }
	calibrates := map[network]string{}
	for _, n := range table.Networks {
		id := network{n.Dataset, n.Backbone}
		if calibrates[id] != "" {
			t.Errorf("%v stands twice", id)
		}
		if calibrates[id] = n.Clean; n.Clean == "" {
			calibrates[id] = n.Dataset
		}
	}
	var files []string
	for _, name := range []string{"standard", "longtail", "shift", "medical", "tasks"} {
		files = append(files, filepath.Join("paper", name+".yaml"))
	}
	specs, err := ReadSpecs(files)
	if err != nil {
		t.Fatal(err)
	}
	settings, wanted := map[string]bool{}, map[network]bool{}
	for _, s := range specs {
		for i := range s.Settings {
			test, cal := s.Settings[i].Test(), s.Settings[i].Cal()
			id := network{test.Dataset, test.Backbone}
			if calibrates[id] != cal.Dataset || cal.Backbone != test.Backbone {
				t.Errorf("%v: %q calibrates in the table, %v in the spec", test, calibrates[id], cal)
			}
			settings[fmt.Sprint(test)], wanted[id] = true, true
		}
	}
	if len(settings) != 162 {
		t.Errorf("%d settings, want 162", len(settings))
	}
	for id := range calibrates {
		if !wanted[id] {
			t.Errorf("no spec wants %v", id)
		}
	}
}

// TestListOfThePaperNeedsPyYAMLAlone: results/shown/paper-rows.tsv and paper-ways.csv, which docs
// show, are what python3 -m zoo paper prints where torch, numpy and PIL cannot be imported.
func TestListOfThePaperNeedsPyYAMLAlone(t *testing.T) {
	for flag, file := range map[string]string{"--list": "paper-rows.tsv", "--ways": "paper-ways.csv"} {
		t.Run(flag, func(t *testing.T) { zooPrints(t, flag, file) })
	}
}

// zooPrints compares what python3 -m zoo paper prints with a file of results/shown.
func zooPrints(t *testing.T, flag, file string) {
	if err := exec.Command("python3", "-c", "import yaml").Run(); err != nil {
		t.Skip("needs python3 with PyYAML")
	}
	const blocked = `
import runpy, sys
sys.modules.update(dict.fromkeys(["torch", "numpy", "PIL"]))
sys.argv = ["zoo", "paper", sys.argv[1]]
runpy.run_module("zoo", run_name="__main__")`
	c := exec.Command("python3", "-B", "-c", blocked, flag)
	c.Dir = filepath.Join("..", "studies")
	var errors strings.Builder
	c.Stderr = &errors
	got, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &errors)
	}
	want, err := os.ReadFile(filepath.Join("..", "results", "shown", file))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("results/shown/%s is not current: cd studies && python3 -m zoo paper %s > ../results/shown/%[1]s", file, flag)
	}
}
