package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLinesAreCounted: code and comments on lines of their own; a line with both is code.
func TestLinesAreCounted(t *testing.T) {
	const text = "// Package p.\npackage p\n\n/* two\nlines */\nvar A, b = 1, `x\n\ny` // end\n\n// F is exported.\nfunc F() {}\n\nfunc (t) G() {}\n\ntype t int\n\nfunc (T) H() {}\n\ntype T int\n"
	if code, comments := linesOf([]byte(text)); code != 9 || comments != 4 {
		t.Errorf("%d lines of code and %d of comments; want 9 and 4", code, comments)
	}
	if n := exportedOf([]byte(text)); n != 4 { // A, F, H and T
		t.Errorf("%d exported names; want 4", n)
	}
	if n := exportedOf([]byte(strings.Replace(text, "package p", "package main", 1))); n != 0 {
		t.Errorf("%d exported names of a program", n)
	}
}

// TestWalksCountWhatIsEntered: a file, a package and a function count once, and not where another walk has entered them.
func TestWalksCountWhatIsEntered(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a/x.go": "package a\n\nfunc F() {\n}\n\nfunc G() {\n}\n", "b/y.go": "package b\n\nfunc H() {\n}\n"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	of, err := parse([]byte("mode: set\n" + module + "a/x.go:3.10,4.2 2 1\n" + module + "a/x.go:6.10,7.2 3 1\n" + module + "b/y.go:3.10,4.2 5 0\n"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := walkOf(dir, "all", of, nil)
	if err != nil || !slices.Equal(w.files, []string{"a/x.go"}) || w.packages() != 1 || w.functions != 2 || w.statements != 5 {
		t.Errorf("%+v, %v; want a/x.go with 2 functions and 5 statements", w, err)
	}
	before, err := parse([]byte(module + "a/x.go:3.10,4.2 2 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for b := range before {
		delete(of, b)
	}
	if w, err = walkOf(dir, "rest", of, []blocks{before}); err != nil || len(w.files) != 0 || w.functions != 1 || w.statements != 3 {
		t.Errorf("%+v, %v; want 1 function with 3 statements in no new file", w, err)
	}
}

// TestTheHouseInAnEveningExists: CONTRIBUTING.md names twelve files in order, and the function that it names in one is there.
func TestTheHouseInAnEveningExists(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "### This house in an evening\n")
	section, _, _ = strings.Cut(section, "\n## ")
	lines := regexp.MustCompile(`(?m)^\d+\. \[(\S+)\]\((\S+)\): (.+)$`).FindAllStringSubmatch(section, -1)
	if !ok || len(lines) != 12 {
		t.Fatalf("%d files", len(lines))
	}
	for _, line := range lines {
		code, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(line[2])))
		if err != nil || line[1] != line[2] {
			t.Errorf("%s: %v", line[0], err)
		}
		for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(line[3], -1) {
			if !regexp.MustCompile(`(?m)^(func (\([^)]*\) )?` + name[1] + `[(\[]|` + name[1] + `:)`).Match(code) {
				t.Errorf("%s has no %s", line[2], name[1])
			}
		}
	}
}
