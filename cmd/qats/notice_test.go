package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNoticeHasEveryLinkedModule of the program, on each system that has a release, in its version. Archives have the file, and
// wheels have it by license-files of pyproject.toml.
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
	archives, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"LICENSE", "LICENSE-DATA", "NOTICE"} {
		if !strings.Contains(string(archives), "\n      - "+file+"\n") {
			t.Errorf(".goreleaser.yaml does not put %s into archives", file)
		}
	}
}
