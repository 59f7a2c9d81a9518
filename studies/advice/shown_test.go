package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/folder"
)

// ofCIFAR100 is the number of networks of -cifar100, as docs/evidence.md says.
const ofCIFAR100 = 4

// advice.csv has the same number of draws of each size for all networks of data/bundle, those of CIFAR-100 and the made ones:
// docs/evidence.md says that it is of all of them. The networks of the bundle are those that its manifest names.
func TestShownAdviceIsOfAllNetworksOfTheBundle(t *testing.T) {
	bundle := filepath.Join("..", "..", "data", "bundle")
	pools, err := readPools(bundle, "")
	if err != nil {
		t.Fatal(err)
	}
	var drawn []string
	each := 0 // draws of a network of each size
	for _, p := range pools {
		if p.kind == "bundle" {
			drawn = append(drawn, p.name)
		}
	}
	slices.Sort(drawn)
	if named := networksOf(t, bundle); !slices.Equal(named, drawn) {
		t.Errorf("the manifest of the bundle names %v, and draws are of %v", named, drawn)
	}
	f, err := os.Open(filepath.Join("..", "..", "results", "shown", "advice.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	for _, n := range sizes {
		want := ofCIFAR100 // networks
		for _, p := range pools {
			if p.kind == "bundle" {
				if cal, _ := p.draw(newRand(p.name, n, 0), n); cal == nil {
					continue
				}
			}
			want++
		}
		of := 0
		for _, row := range rows[1:] {
			if column(row, "rows") != strconv.Itoa(n) {
				continue
			}
			of++
			if got := number(t, column(row, "draws")) + number(t, column(row, "none")); each == 0 {
				if each = got / want; got != each*want {
					t.Fatalf("%d draws of %d networks", got, want)
				}
			} else if got%each != 0 || got > each*want || got < each*(want-ofCIFAR100) { // some of these have fewer rows
				t.Errorf("%d rows, rule %s: %d draws, and %d networks of the %d networks of data/bundle, %d of CIFAR-100 and the made ones; run the study again", n, column(row, "rule"), got, want, len(drawn), ofCIFAR100)
			}
		}
		if of != len(rules) {
			t.Errorf("%d rows: %d of %d rules", n, of, len(rules))
		}
	}
}

// networksOf returns the networks that have a calibration set, as the manifest of a folder names them, sorted. A network
// with another loss than ce has that behind its name.
func networksOf(t *testing.T, dir string) []string {
	t.Helper()
	m, err := folder.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range m.Sets {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(s.Set), "cal")); err == nil && !strings.Contains(s.Set, "*") {
			names = append(names, s.Set)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// number returns a whole number of a CSV file.
func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
