package main

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/bundletest"
)

// TestTheAnswerInTheReadme: results/shown/try.txt, which README.md shows, has the answer of
// the program on a network of the project, without the times of fits.
func TestTheAnswerInTheReadme(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("..", "..", "results", "shown", "try.txt"))
	if err != nil {
		t.Fatal(err)
	}
	bundletest.Folder(t)
	t.Chdir(filepath.Join("..", "..")) // the answer has the paths that it was given
	var out strings.Builder
	if status := run(context.Background(), []string{"try", "data/bundle/20newsgroups-body/transformer-d64-l2", "--quiet"}, &out, io.Discard); status != exitOK {
		t.Fatalf("status %d: %s", status, out.String())
	}
	got := strings.Split(out.String(), "\n")
	shown := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
	if len(shown) != answerLines {
		t.Errorf("results/shown/try.txt has %d lines, an answer %d", len(shown), answerLines)
	}
	for i, line := range shown {
		if rest, ok := strings.CutPrefix(got[i], line); !ok || len(rest) > len("      0.01 s") {
			t.Errorf("line %d of the answer is\n%s\nand results/shown/try.txt has\n%s\n(make docs)", i+1, got[i], line)
		}
	}
}

// smallCompanion stands for experiments/companion.yaml in the test of the commands: two
// networks of data/example, and three of its methods.
const smallCompanion = `name: companion
data: [data/example]
baseline: ts
methods:
  - uncal
  - ts
  - qats
metrics: [ece, aece]
settings: {dataset: example, backbone: [unsure-overscaled, sure-overscaled]}
`

// smallTabular stands for experiments/tabular.yaml: another data set with one of these networks.
const smallTabular = `name: tabular
data: [data/example]
baseline: ts
methods:
  - ts
  - qats
metrics: [ece]
settings: {dataset: table, backbone: sure-overscaled}
`

// smallProgram stands for mine.py: a calibrator that returns the logits as they are.
const smallProgram = `test "$1" = fit && { mkdir -p "$2/model"; echo 1 > "$2/model/a"; exit; }
cp "$2/test/logits.npy" "$2/logits.npy"
`

// TestTheCommandsOfComparingACalibrator runs the commands that docs/calibrator.md shows under "Compare it",
// as they stand: for a method in Go, for a program and for a folder of
// probabilities. A registered name takes the place of mine in Go.
func TestTheCommandsOfComparingACalibrator(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	root := project(t)
	text, err := os.ReadFile(filepath.Join(root, "docs", "calibrator.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Compare it\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var commands, entries []string
	for line := range strings.Lines(section) {
		line = strings.TrimRight(line, "\n")
		command, _, _ := strings.Cut(line, "#")
		switch {
		case strings.HasPrefix(line, "    "):
			commands = append(commands, strings.TrimSpace(command))
		case strings.HasPrefix(line, "  - {name: mine, "):
			entries = append(entries, strings.Replace(line, "[python3, mine.py]", "["+sh+", mine.sh]", 1))
		}
	}
	if len(commands) != 4 || len(entries) != 2 || commands[0] != "make companion" || commands[2] != "cp experiments/companion.yaml mine.yaml" {
		t.Fatalf("commands %q, lines of a spec %q", commands, entries)
	}
	t.Chdir(t.TempDir())
	write := func(path, text string) {
		t.Helper()
		if err := cmp.Or(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("experiments/companion.yaml", smallCompanion)
	if err := os.CopyFS("data/example", os.DirFS(filepath.Join(root, "data", "example"))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS("data/example/table", os.DirFS(filepath.Join(root, "data", "example", "example"))); err != nil {
		t.Fatal(err)
	}
	write("experiments/tabular.yaml", smallTabular)
	write("mine.sh", smallProgram)
	qats := func(command, method string, settings int) {
		t.Helper()
		words := strings.Fields(command)
		if words[0] != "bin/qats" {
			t.Fatalf("%q is no command of the program", command)
		}
		var out, errs strings.Builder
		if status := run(context.Background(), words[1:], &out, &errs); status != exitOK {
			t.Fatalf("%s: status %d: %s%s", command, status, out.String(), errs.String())
		}
		if settings == 0 {
			return
		}
		rows, err := os.ReadFile("results/out/companion/compare/results.csv")
		if err != nil || strings.Count(string(rows), ",ce,,,,"+method+",ece,0.") != settings {
			t.Errorf("%s: not %d rows of %s (%v):\n%s", command, settings, method, err, rows)
		}
	}
	qats("bin/qats run experiments/companion.yaml --out results/out/companion", "", 0)
	qats(strings.Replace(commands[1], "compare mine ", "compare hts ", 1), "hts", 3)
	for _, backbone := range []string{"unsure-overscaled", "sure-overscaled"} {
		set := filepath.Join(root, "data", "example", "example", backbone)
		write("mine/example/"+backbone+"/probs.npy", "")
		qats("bin/qats fit vs --logits "+set+"/cal/logits.npy --labels "+set+"/cal/labels.npy -o model.json", "", 0)
		qats("bin/qats apply model.json --logits "+set+"/test/logits.npy -o mine/example/"+backbone+"/probs.npy", "", 0)
	}
	for _, entry := range entries {
		write("mine.yaml", strings.Replace(smallCompanion, "methods:\n", "methods:\n"+entry+"\n", 1))
		qats(commands[3], "mine", 2)
	}
}

// TestNoTextInstallsAStrangersPackage: on PyPI the name of the Python package belongs to another
// project, so a text that installs its extras names the folder of the project.
func TestNoTextInstallsAStrangersPackage(t *testing.T) {
	root := project(t)
	phrase := []byte("qats" + "[datasets]")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch rel = filepath.ToSlash(rel); {
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".git") || d.Name() == "node_modules" || slices.Contains([]string{"bin", "dist", "data/bundle", "data/real", "data/wild", "results/out", "python/qatsbench/datasets"}, rel)):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(bytes.ReplaceAll(text, []byte(`\`), nil), phrase) {
			t.Errorf("%s has %s: another project has this name on PyPI; write ./python[datasets]", rel, phrase)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
