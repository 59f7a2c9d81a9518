package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGoneNamesAreAnsweredWithCommands: the words that take the place of a name are a
// command with its flags, and the answer is one line.
func TestGoneNamesAreAnsweredWithCommands(t *testing.T) {
	for _, g := range goneNames() {
		var out, said bytes.Buffer
		if status := run(context.Background(), []string{g.name, "x", "--y"}, &out, &said); status != exitUsage || out.Len() > 0 || said.String() != "qats: "+g.name+" is now: "+g.now+"\n" {
			t.Errorf("%s: status %d, %q, %q", g.name, status, out.String(), said.String())
		}
		words := strings.Fields(g.now)[1:]
		cmd, rest, err := newRoot().Find(words)
		if err != nil || cmd.Hidden || cmd.HasSubCommands() && words[0] != "--version" {
			t.Errorf("%s is now %s, which is no command (%v)", g.name, g.now, err)
			continue
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("%s is now %s: %v", g.name, g.now, err)
		}
	}
}

// TestNoTextNamesAGoneCommand: documents, messages and scripts name commands that there are.
func TestNoTextNamesAGoneCommand(t *testing.T) {
	names := datasetsNames()
	for _, g := range goneNames() {
		names = append(names, g.name)
	}
	gone := regexp.MustCompile(`\b(?:qats|called\.Command\(\) ?\+ ?["\x60]) (?:` + strings.Join(names, "|") + `)\b(?:[^"]|$)`) // "qats spec" is the title of the schema
	root := project(t)
	answers := []string{"CHANGELOG.md", "cmd/qats/testdata/script/usage.txtar", "cmd/qats/testdata/script/datasets.txtar", "results/out", "bin", "data/bundle", "data/real", "data/wild"}
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case slices.Contains(answers, file), d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || !slices.Contains([]string{"", ".go", ".md", ".py", ".yaml", ".json", ".txtar", ".golden", ".html", ".js", ".ipynb", ".txt"}, filepath.Ext(file)):
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		for i, line := range bytes.Split(text, []byte("\n")) {
			if found := gone.Find(line); found != nil && !bytes.Contains(line, []byte("from qatsbench import")) {
				t.Errorf("%s:%d: %s", file, i+1, found)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
