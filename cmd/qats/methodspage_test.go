package main

import (
	"bytes"
	"os"
	"path/filepath"
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
