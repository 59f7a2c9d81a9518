package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/metrics"
)

// TestMethodsPageIsCurrent compares docs/methods.md with what qats doc reference
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

// TestEveryNameOnTheMethodsPageLeadsToItsSection: a link of the index has one heading.
func TestEveryNameOnTheMethodsPageLeadsToItsSection(t *testing.T) {
	var page bytes.Buffer
	if err := writePage(&page); err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`\]\(#([^)]+)\)`).FindAllStringSubmatch(page.String(), -1)
	if least := len(all.Registry()) + len(metrics.Registry()); len(links) < least {
		t.Errorf("%d links, want at least %d", len(links), least)
	}
	for _, l := range links {
		heading := regexp.MustCompile(`(?mi)^#+ ` + regexp.QuoteMeta(l[1]) + `$`)
		if n := len(heading.FindAllString(page.String(), -1)); n != 1 {
			t.Errorf("#%s has %d headings", l[1], n)
		}
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
	for _, e := range all.Registry() {
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
	for _, e := range all.Registry() {
		check(e.Name, e.Agreement)
	}
	for _, e := range metrics.Registry() {
		check(e.Name, e.Agreement)
	}
}

// In docs/peers.md the last column of the first two comparisons has names of methods and
// metrics alone. A new one needs no row: the page says how many of them it names.
func TestPeersPageNamesMethodsAndMetrics(t *testing.T) {
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
	methods, measures := column("Calibrators"), column("Measures")
	for name := range methods {
		if _, ok := all.Lookup(name); !ok {
			t.Errorf("docs/peers.md names %q, which is no method", name)
		}
	}
	for name := range measures {
		if _, ok := metrics.Lookup(name); !ok {
			t.Errorf("docs/peers.md names %q, which is no metric", name)
		}
	}
}
