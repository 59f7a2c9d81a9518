package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/metrics"
)

// TestMethodsPageIsCurrent compares docs/methods.md with what qats methods --page
// prints; -update rewrites it.
func TestMethodsPageIsCurrent(t *testing.T) {
	var page bytes.Buffer
	if err := writePage(&page); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "docs", "methods.md")
	if *update {
		if err := os.WriteFile(file, page.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, page.Bytes()) {
		t.Error("docs/methods.md is not current: go test ./cmd/qats -run MethodsPage -update")
	}
}

// TestEveryEntrySaysWhatItWasComparedWith: "none" and "not compared" are answers,
// silence is not.
func TestEveryEntrySaysWhatItWasComparedWith(t *testing.T) {
	check := func(name string, fields ...string) {
		for i, f := range fields {
			if f == "" {
				t.Errorf("%s: %s is empty", name, []string{"Formula", "Code", "Agreement", "Departs"}[i])
			}
		}
	}
	for _, e := range calib.Registry() {
		check(e.Name, e.Formula, e.Code, e.Agreement, e.Departs)
	}
	for _, e := range metrics.Registry() {
		check(e.Name, e.Formula, e.Code, e.Agreement, e.Departs)
	}
}

// TestEveryAgreementNamesItsSets: a figure without the rows on which it was taken says
// nothing.
func TestEveryAgreementNamesItsSets(t *testing.T) {
	sets := regexp.MustCompile(`lattice|rows|network|sets|data/bundle|logits|^not compared|definition read`)
	check := func(name, agreement string) {
		if !sets.MatchString(agreement) {
			t.Errorf("%s: on which sets? %s", name, agreement)
		}
	}
	for _, e := range calib.Registry() {
		check(e.Name, e.Agreement)
	}
	for _, e := range metrics.Registry() {
		check(e.Name, e.Agreement)
	}
}

// In docs/peers.md the last column of the first two comparisons has every method and
// every metric, and no other name.
func TestPeersPageHasEveryMethodAndMetric(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "peers.md"))
	if err != nil {
		t.Fatal(err)
	}
	column := func(heading string) map[string]bool {
		_, section, found := strings.Cut(string(page), "\n## "+heading+"\n")
		if !found {
			t.Fatalf("no section %q", heading)
		}
		section, _, _ = strings.Cut(section, "\n## ")
		names := map[string]bool{}
		for line := range strings.Lines(section) {
			cells := strings.Split(strings.TrimSpace(line), "|")
			if len(cells) < 9 {
				continue
			}
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[len(cells)-2], -1) {
				names[name[1]] = true
			}
		}
		return names
	}
	same := func(kind string, got map[string]bool, want []string) {
		for _, name := range want {
			if !got[name] {
				t.Errorf("docs/peers.md lacks the %s %s", kind, name)
			}
			delete(got, name)
		}
		for name := range got {
			t.Errorf("docs/peers.md names %q, which is no %s", name, kind)
		}
	}
	var methods, measures []string
	for _, e := range calib.Registry() {
		methods = append(methods, e.Name)
	}
	for _, e := range metrics.Registry() {
		measures = append(measures, e.Name)
	}
	same("method", column("Calibrators"), methods)
	same("metric", column("Measures"), measures)
}
