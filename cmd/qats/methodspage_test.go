package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/figure"
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
		n := 0
		for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(page.String(), -1) {
			if strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(heading[1]), ",", ""), " ", "-") == l[1] {
				n++
			}
		}
		if n != 1 {
			t.Errorf("#%s has %d headings", l[1], n)
		}
	}
}

// TestEveryMethodIsOfAFamilyOfThePage: a new package of methods needs a heading.
func TestEveryMethodIsOfAFamilyOfThePage(t *testing.T) {
	for _, e := range all.Registry() {
		if !slices.ContainsFunc(families, func(f family) bool { return f.name == familyOf(e) }) {
			t.Errorf("%s is of the family %q, which has no heading", e.Name, familyOf(e))
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

// In docs/evidence.md the column of qats, the second one, has in code font only names of methods,
// metrics and kinds of figures, commands and paths.
func TestPeersPageNamesWhatThereIs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "evidence.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 10 || strings.HasPrefix(cells[2], " http") {
			continue
		}
		for _, found := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1) {
			name := found[1]
			_, method := all.Lookup(name)
			_, metric := metrics.Lookup(name)
			kind := slices.ContainsFunc(figure.Kinds(), func(k figure.Kind) bool { return k.Name == name })
			command := false
			if words := strings.Fields(name); words[0] == "qats" && len(words) > 1 {
				cmd, _, err := newRoot().Find(words[1:])
				command = err == nil && cmd.HasParent()
			}
			if names++; !method && !metric && !kind && !command && !strings.HasPrefix(name, "python -m ") && !strings.Contains(name, "/") {
				t.Errorf("docs/evidence.md names %q, which is nothing", name)
			}
		}
	}
	if names < len(all.Registry())+len(metrics.Registry()) {
		t.Errorf("%d names in the column of qats", names)
	}
}

// TestTheGalleryHasEveryKindOfFigure: its spec draws each kind, and the site shows them.
func TestTheGalleryHasEveryKindOfFigure(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "experiments", "gallery.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range figure.Kinds() {
		if !regexp.MustCompile(`\{kind: ` + k.Name + `[,}]`).Match(text) {
			t.Errorf("experiments/gallery.yaml has no figure of the kind %s", k.Name)
		}
	}
}
