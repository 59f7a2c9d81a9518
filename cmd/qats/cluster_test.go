package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// project returns the root of the project.
func project(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// scriptFor is what qats cluster script prints of the example for another system, run by a program
// in a folder of its own.
func scriptFor(t *testing.T, qats, out, system string, more ...string) string {
	t.Helper()
	cmd := exec.Command(qats, append([]string{"cluster", "script", "experiments/example.yaml", "--out", out, "--for", system, "--tests", "1"}, more...)...)
	cmd.Dir = project(t)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	b, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	return string(b)
}

// TestGNUParallel runs the script for GNU parallel on the example, in a folder whose name needs
// quotes.
func TestGNUParallel(t *testing.T) {
	if testing.Short() {
		t.Skip("starts seven processes")
	}
	if find("parallel") == "" {
		t.Skip("parallel is not installed (Debian: apt-get install parallel)")
	}
	alone, out := exampleResults(t), filepath.Join(t.TempDir(), `it's "here"`)
	cmd := exec.Command("sh")
	cmd.Stdin = strings.NewReader(scriptFor(t, buildQats(t), out, "parallel"))
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	sameCSV(t, "parallel", alone, out)
}

// TestSnakefile runs the Snakefile of the example, in a folder whose name needs quotes.
func TestSnakefile(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a workflow of seven processes")
	}
	if find("snakemake") == "" {
		t.Skip("snakemake is not installed (Debian: apt-get install snakemake)")
	}
	alone, out := exampleResults(t), filepath.Join(t.TempDir(), `it's "here"`)
	text := scriptFor(t, buildQats(t), out, "snakemake")
	dir := t.TempDir() // snakemake leaves its records there
	text = strings.Replace(text, "\nworkdir: ", "\n# workdir: ", 1)
	text = strings.ReplaceAll(text, "experiments/example.yaml", filepath.Join(project(t), "experiments", "example.yaml"))
	file := filepath.Join(dir, "Snakefile")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("snakemake", "-s", file, "-j", "2", "--directory", dir, "--nolock")
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	sameCSV(t, "snakemake", alone, out)
}
