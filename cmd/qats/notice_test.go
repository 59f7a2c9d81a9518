package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestNoticeHasEveryLinkedModule of the program, on each system that has a release, in its version.
func TestNoticeHasEveryLinkedModule(t *testing.T) {
	root := project(t)
	text, err := os.ReadFile(filepath.Join(root, "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	titles := strings.Split(string(text), "\n")
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/qats")
		list.Dir, list.Env = root, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Skipf("go list for %s: %v", system, err)
		}
		modules := strings.Split(strings.TrimSpace(string(out)), "\n")
		slices.Sort(modules)
		for _, module := range slices.Compact(modules) {
			if module != "" && !slices.ContainsFunc(titles, func(line string) bool { return strings.HasPrefix(line, module+": ") }) {
				t.Errorf("NOTICE lacks %s, which the program for %s links: make notice", module, system)
			}
		}
	}
	for _, want := range []string{"SIL OPEN FONT LICENSE Version 1.1", "Apache License", "Copyright ©2013 The Gonum Authors", "Copyright 2009 The Go Authors"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("NOTICE has no %q", want)
		}
	}
}

// TestArchivesHaveTheirFiles: the licences, and data/bundle and data/example whole. A pattern such as data/bundle/**/* takes
// the files in folders alone, and not the manifest.
func TestArchivesHaveTheirFiles(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(project(t), ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Archives []struct{ Files []any }
	}
	if err := yaml.Unmarshal(text, &config); err != nil || len(config.Archives) != 1 {
		t.Fatalf("%d archives, %v", len(config.Archives), err)
	}
	for _, file := range []string{"LICENSE", "LICENSE-DATA", "NOTICE", "README.md", "data/bundle", "data/example"} {
		if !slices.Contains(config.Archives[0].Files, any(file)) {
			t.Errorf(".goreleaser.yaml does not put %s into archives", file)
		}
	}
}
