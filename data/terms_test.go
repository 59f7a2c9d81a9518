package data_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/internal/bundletest"
)

// kindsOfArrays are the words of LICENSE-DATA for what is of a data set in the bundle, with parts of the names of files.
var kindsOfArrays = []struct{ word, part string }{
	{"logits", "/logits.npy"}, {"class numbers", "/labels.npy"}, {"features", "/features.npy"}, {"last layers", "/head_weight.npy"},
	{"augmented views", "/logits_aug.npy"}, {"ood/", "/ood/"}, {"row numbers", "/splits/"},
}

// TestEveryDataSetHasTerms: each entry of the manifest that names one data set has its licence, and LICENSE-DATA has a row for
// the data set, with this licence and with what the bundle has of it. Its terms are those of the bundle's own licence, which
// the module of the bundle has.
func TestEveryDataSetHasTerms(t *testing.T) {
	terms, err := os.ReadFile(filepath.Join(bundletest.Folder(t), "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	if all, err := os.ReadFile(filepath.Join("..", "LICENSE-DATA")); err != nil || !bytes.HasPrefix(all, terms) {
		t.Errorf("LICENSE-DATA does not begin with the terms of data/bundle/LICENSE, %v", err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(terms)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) == 5 && !strings.HasPrefix(cells[0], "---") && cells[0] != "data set" {
			rows[cells[0]] = cells[1:]
		}
	}
	m, err := folder.ReadManifest(bundle)
	if err != nil {
		t.Fatal(err)
	}
	licences, models := map[string]string{}, map[string]map[string]bool{}
	for _, s := range m.Sets {
		names := strings.Split(s.Set, "/")
		if strings.HasPrefix(names[0], "*") {
			continue // an entry of several data sets
		}
		if s.Licence == "" {
			t.Errorf("the entry %s of the manifest has no licence", s.Set)
		}
		if strings.Contains(s.Set, "*") {
			continue
		}
		if known, ok := licences[names[0]]; ok && known != s.Licence {
			t.Errorf("%s has the licences %q and %q", names[0], known, s.Licence)
		}
		model := strings.Join(names[1:], "/")
		if len(names) == 4 { // a corruption and its severity
			model = names[1]
		}
		if models[names[0]] == nil {
			models[names[0]] = map[string]bool{}
		}
		licences[names[0]], models[names[0]][model] = s.Licence, true
	}
	for dataset, licence := range licences {
		row := rows[dataset]
		delete(rows, dataset)
		if row == nil {
			t.Errorf("LICENSE-DATA has no row for %s", dataset)
			continue
		}
		var has []string
		for _, k := range kindsOfArrays {
			for file := range m.Files {
				if strings.HasPrefix(file, dataset+"/") && strings.Contains(file, k.part) && (k.part == "/ood/" || !strings.Contains(file, "/ood/")) {
					has = append(has, k.word)
					break
				}
			}
		}
		many := "models"
		if len(models[dataset]) == 1 {
			many = "model"
		}
		if want := fmt.Sprintf("%d %s: %s", len(models[dataset]), many, strings.Join(has, ", ")); row[0] != licence || row[3] != want || slices.Contains(row, "") {
			t.Errorf("LICENSE-DATA, %s: licence %q, holder %q, attribution %q, %q; want licence %q and %q", dataset, row[0], row[1], row[2], row[3], licence, want)
		}
	}
	for dataset := range rows {
		t.Errorf("LICENSE-DATA has a row for %s, which is not in the bundle", dataset)
	}
}
