package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestWorkflowsAreGuarded: a workflow whose jobs sign, publish or make a release names actions by their commits, and restores no
// build cache, which other workflows fill with what entries run. Every checkout has the history: without it .ci/run does not
// know what changed, nor the build its version.
func TestWorkflowsAreGuarded(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(project(t), ".github", "workflows", "*.yml"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%d workflows, %v", len(files), err)
	}
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40}$`)
	guarded := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w struct {
			Jobs map[string]struct {
				Permissions map[string]string
				Steps       []struct {
					Uses string
					With map[string]any
				}
			}
		}
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Fatal(err)
		}
		release := false
		for _, job := range w.Jobs {
			release = release || job.Permissions["id-token"] == "write" || job.Permissions["contents"] == "write"
		}
		if release {
			guarded++
		}
		for name, job := range w.Jobs {
			for _, step := range job.Steps {
				action, _, _ := strings.Cut(step.Uses, "@")
				switch {
				case step.Uses == "":
					continue
				case release && !pinned.MatchString(step.Uses):
					t.Errorf("%s, job %s: %s is not pinned by a commit", filepath.Base(file), name, step.Uses)
				case release && action == "actions/cache", release && action == "actions/setup-go" && step.With["cache"] != false, release && action == "actions/setup-python" && step.With["cache"] != nil:
					t.Errorf("%s, job %s: %s restores a cache", filepath.Base(file), name, action)
				}
				if depth, ok := step.With["fetch-depth"].(int); action == "actions/checkout" && (!ok || depth != 0) {
					t.Errorf("%s, job %s: a checkout without fetch-depth: 0", filepath.Base(file), name)
				}
			}
		}
	}
	if guarded != 2 {
		t.Errorf("%d workflows make releases, want those of the program and of the bundle", guarded)
	}
}

// TestVersionsAreThoseOfTheProgram: whatever asks git for the tag of a commit asks for tags v*. The bundle has tags of its own,
// data/bundle/v*.
func TestVersionsAreThoseOfTheProgram(t *testing.T) {
	root := project(t)
	asks := regexp.MustCompile(`git(?: -C \S+)? describe\b.*|"describe"\W.*`)
	for _, pattern := range []string{"Makefile", "docs/*.mk", ".goreleaser.yaml", ".ci/*", ".github/workflows/*.yml", "python/*.py", "python/tools/*.py"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range asks.FindAllString(string(text), -1) {
				if !regexp.MustCompile(`--match['", =]+v\*`).MatchString(call) {
					t.Errorf("%s: %s; add --match 'v*'", filepath.Base(file), call)
				}
			}
		}
	}
	for _, c := range []struct {
		line string
		ok   bool
	}{{"git describe --tags", false}, {"git describe --tags --match 'v*' --abbrev=0", true}, {`["git", "describe", "--match", "v*"]`, true}} {
		if got := regexp.MustCompile(`--match['", =]+v\*`).MatchString(asks.FindString(c.line)); got != c.ok {
			t.Errorf("%s: %v", c.line, got)
		}
	}
	config, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(config), `ignore_tags: ["data/bundle/*"]`) {
		t.Error(".goreleaser.yaml does not ignore the tags of the bundle")
	}
}
