package main

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	module = "github.com/qats-bench/qats/"
	set    = "data/bundle/cifar10-jpeg/resnet18-w16-s2/"

	pageFile = "cmd/qats/report.go"
	pageFunc = "func makePage(w io.Writer, dir string) error {"
)

// walk is what a command enters, without what --version enters.
type walk struct {
	name       string
	files      []string // sorted
	functions  int
	statements int
}

func (w walk) packages() int {
	all := map[string]bool{}
	for _, file := range w.files {
		all[path.Dir(file)] = true
	}
	return len(all)
}

// below returns the number of files below a root folder.
func (w walk) below(root string) (n int) {
	for _, file := range w.files {
		if rootOf(file) == root {
			n++
		}
	}
	return n
}

// block is the place of some statements that follow each other.
type block struct {
	file       string
	line       int
	place      string // its lines and columns
	statements int
}

type blocks map[block]bool

// walksOf returns the walks of the commands in a tree: --version, fit, run up to its last CSV file and after it, and report.
// Of --version it is all that it enters. The tree is built twice, the second time with a page that is never made, which says
// what of a run comes before it.
func walksOf(dir string) ([]walk, error) {
	out := filepath.Join(dir, "walked")
	run := func(program, name string, args ...string) (blocks, error) {
		counters := filepath.Join(out, name)
		if err := os.MkdirAll(counters, 0o777); err != nil {
			return nil, err
		}
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOCOVERDIR="+counters, "HOME="+out)
		if text, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("qats %s: %w: %s", strings.Join(args, " "), err, text)
		}
		return entered(dir, counters)
	}
	whole, err := build(dir, "qats")
	if err != nil {
		return nil, err
	}
	// The spec is that of this tree also where another one is walked.
	spec, err := filepath.Abs("docs/size/walk.yaml")
	if err != nil {
		return nil, err
	}
	version, err := run(whole, "version", "--version")
	if err != nil {
		return nil, err
	}
	fit, err := run(whole, "fit", "fit", "ts", "--logits", set+"cal/logits.npy", "--labels", set+"cal/labels.npy")
	if err != nil {
		return nil, err
	}
	all, err := run(whole, "run", "run", spec, "--out", filepath.Join(out, "a"))
	if err != nil {
		return nil, err
	}
	report, err := run(whole, "report", "report", spec, "--out", filepath.Join(out, "a"))
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, pageFile))
	if err != nil {
		return nil, err
	}
	without := strings.Replace(string(text), pageFunc, pageFunc+" if true { return nil };", 1) // on the same line, so that blocks keep their places
	if without == string(text) {
		return nil, fmt.Errorf("%s has no %s", pageFile, strings.TrimSpace(pageFunc))
	}
	if err := os.WriteFile(filepath.Join(dir, pageFile), []byte(without), 0o666); err != nil {
		return nil, err
	}
	short, err := build(dir, "qats-without-page")
	if err != nil {
		return nil, err
	}
	csv, err := run(short, "csv", "run", spec, "--out", filepath.Join(out, "b"))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, pageFile), text, 0o666); err != nil {
		return nil, err
	}
	minus := func(a blocks, others ...blocks) blocks {
		a = maps.Clone(a)
		for _, b := range others {
			maps.DeleteFunc(a, func(x block, _ bool) bool { return b[x] })
		}
		return a
	}
	var walks []walk
	for _, w := range []struct {
		name   string
		blocks blocks
		before []blocks // whose files do not count again
	}{
		{"--version", version, nil},
		{"fit ts", fit, []blocks{version}},
		{"run, to the last CSV file", csv, []blocks{version}},
		{"run, after it", all, []blocks{version, csv}},
		{"report", report, []blocks{version}},
	} {
		of, err := walkOf(dir, w.name, minus(w.blocks, w.before...), w.before)
		if err != nil {
			return nil, err
		}
		walks = append(walks, of)
	}
	return walks, nil
}

// build builds the program of a tree so that it counts.
func build(dir, name string) (string, error) {
	program := filepath.Join(dir, name)
	cmd := exec.Command("go", "build", "-cover", "-trimpath", "-buildvcs=false", "-o", program, "./cmd/qats")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build -cover: %w: %s", err, text)
	}
	return program, nil
}

// entered returns the blocks that a command has entered, by its counters.
func entered(dir, counters string) (blocks, error) {
	profile := filepath.Join(counters, "profile.txt")
	cmd := exec.Command("go", "tool", "covdata", "textfmt", "-i="+counters, "-o="+profile)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go tool covdata: %w: %s", err, text)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	return parse(text)
}

// parse reads a profile, whose lines are FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT.
func parse(profile []byte) (blocks, error) {
	all := blocks{}
	for s := bufio.NewScanner(bytes.NewReader(profile)); s.Scan(); {
		file, rest, ok := strings.Cut(s.Text(), ".go:")
		if !ok {
			continue // the mode
		}
		b, count := block{file: strings.TrimPrefix(file, module) + ".go"}, 0
		if _, err := fmt.Sscanf(rest, "%s %d %d", &b.place, &b.statements, &count); err != nil {
			return nil, fmt.Errorf("profile: %q: %w", s.Text(), err)
		}
		if _, err := fmt.Sscanf(rest, "%d.", &b.line); err != nil {
			return nil, fmt.Errorf("profile: %q: %w", s.Text(), err)
		}
		if count > 0 {
			all[b] = true
		}
	}
	return all, nil
}

// walkOf returns the walk of blocks, without the files and functions that other walks have entered.
func walkOf(dir, name string, of blocks, before []blocks) (walk, error) {
	w := walk{name: name}
	type function struct {
		file string
		line int
	}
	starts := map[string][]int{} // the lines on which functions of a file begin
	functionOf := func(b block) (function, error) {
		if starts[b.file] == nil {
			lines, err := functionsOf(filepath.Join(dir, filepath.FromSlash(b.file)))
			if err != nil {
				return function{}, err
			}
			starts[b.file] = lines
		}
		line := 0
		for _, start := range starts[b.file] {
			if start <= b.line {
				line = start
			}
		}
		return function{b.file, line}, nil
	}
	oldFiles, oldFunctions := map[string]bool{}, map[function]bool{}
	for _, old := range before {
		for b := range old {
			f, err := functionOf(b)
			if err != nil {
				return w, err
			}
			oldFiles[b.file], oldFunctions[f] = true, true
		}
	}
	files, functions := map[string]bool{}, map[function]bool{}
	for b := range of {
		f, err := functionOf(b)
		if err != nil {
			return w, err
		}
		w.statements += b.statements
		if !oldFiles[b.file] {
			files[b.file] = true
		}
		if !oldFunctions[f] {
			functions[f] = true
		}
	}
	w.files, w.functions = slices.Sorted(maps.Keys(files)), len(functions)
	return w, nil
}

// functionsOf returns the lines on which the functions of a file begin, in ascending order.
func functionsOf(file string) ([]int, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	lines := []int{0}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			lines = append(lines, files.Position(f.Pos()).Line)
		}
	}
	return lines, nil
}
