package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/bundletest"
)

// TestContributingNamesWhatExists: every file, target, command and Go name that
// CONTRIBUTING.md has in code font is there, and it lists the targets that make help prints.
func TestContributingNamesWhatExists(t *testing.T) {
	bundletest.Folder(t) // it names other modules of the repository
	root := project(t)
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	targets, helped := makeTargets(t, root)
	c := contents{root: root, targets: targets, source: goSource(t, root)}
	listed := false
	for _, span := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(string(text), -1) {
		words := strings.Fields(span[1])
		if len(words) > 5 && slices.Contains(c.targets, words[0]) {
			listed = true
			slices.Sort(words)
			if !slices.Equal(words, helped) {
				t.Errorf("CONTRIBUTING.md lists the targets %v, make help prints %v", words, helped)
			}
			continue
		}
		if !c.has(words) {
			t.Errorf("CONTRIBUTING.md names %q, which is not there", span[1])
		}
	}
	if !listed {
		t.Error("CONTRIBUTING.md does not list the targets of the Makefile")
	}
	for _, absent := range []string{"calib/absent.go", "absent.csv", "make absent", "qats absent", "results.NothingSuch", "NothingSuch", "--nothing-such"} {
		if c.has(strings.Fields(absent)) {
			t.Errorf("%s is taken for something that is there", absent)
		}
	}
}

// contents is what a text about the project may name.
type contents struct {
	root    string
	targets []string // of the Makefile, sorted
	source  map[string]string
	folder  string // that was named last, or that has the file
}

// goName is the form of a Go name: a field with a value, a name of a package, a call.
var goName = regexp.MustCompile(`^\*?(?:([a-z]+)\.)?([A-Za-z]+)(?:\(\w*\)|:)?$`)

// has reports whether what a code span names is there. A span of another form, such as a
// line of YAML, names nothing.
func (c *contents) has(words []string) bool {
	switch first := words[0]; {
	case first == "make":
		return !slices.ContainsFunc(words[1:], func(w string) bool { return !slices.Contains(c.targets, w) })
	case first == "qats":
		cmd, _, err := newRoot().Find(words[1:])
		if err != nil || !cmd.HasParent() || cmd.Hidden {
			return false
		}
		name, typed := commandName(cmd), strings.Join(words[1:], " ")
		return typed == name || !cmd.HasSubCommands() && strings.HasPrefix(typed, name+" ")
	case strings.HasPrefix(first, "--"):
		return c.declared("cmd/qats", `"`+strings.TrimPrefix(first, "--")+`"`)
	case slices.Contains([]string{".go", ".csv"}, path.Ext(first)) && !strings.Contains(first, "/"):
		first = path.Join(c.folder, first)
		fallthrough
	case len(words) == 1 && strings.Contains(first, "/") || strings.HasPrefix(first, "."):
		info, err := os.Stat(filepath.Join(c.root, filepath.FromSlash(first)))
		if c.folder = first; err == nil && !info.IsDir() {
			c.folder = path.Dir(first)
		}
		return err == nil
	}
	name := goName.FindStringSubmatch(words[0])
	if name == nil || len(words) > 1 && name[2][0] >= 'a' {
		return true
	}
	return c.declared(name[1], `\b`+name[2]+`\b`)
}

// declared reports whether a pattern matches Go code of the packages of a name, or of a
// path, or of any package.
func (c *contents) declared(pkg, pattern string) bool {
	match := regexp.MustCompile(pattern)
	for dir, text := range c.source {
		if (pkg == "" || dir == pkg || path.Base(dir) == pkg) && match.MatchString(text) {
			return true
		}
	}
	return false
}

// makeTargets returns the targets of the Makefile, and those that make help prints, both sorted.
func makeTargets(t *testing.T, root string) (targets, helped []string) {
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^\.PHONY: (.*)$`).FindStringSubmatch(string(text))
	if line == nil {
		t.Fatal("the Makefile does not list its targets")
	}
	targets = strings.Fields(line[1])
	slices.Sort(targets)
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):[^#\n]*## `).FindAllStringSubmatch(string(text), -1) {
		helped = append(helped, m[1])
	}
	slices.Sort(helped)
	return targets, helped
}

// goSource returns the Go code of each folder of the project but this file.
func goSource(t *testing.T, root string) map[string]string {
	source := map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && strings.HasPrefix(d.Name(), ".") || file == "results/out" {
			return fs.SkipDir
		}
		if path.Ext(file) != ".go" || path.Base(file) == "contributing_test.go" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		source[path.Dir(file)] += string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return source
}
