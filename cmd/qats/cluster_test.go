package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestClusterPage: docs/cluster.md shows the files that the tests here run or check.
func TestClusterPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "cluster.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"job.yaml", "Snakefile"} {
		b, err := os.ReadFile(filepath.Join("testdata", "cluster", name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), string(b)) {
			t.Errorf("docs/cluster.md has another %s than testdata/cluster", name)
		}
	}
}

// example runs the example without shards, and returns the folder of its results
// and a folder on PATH with qats.
func example(t *testing.T) (root, alone string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(buildQats(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	alone = t.TempDir()
	var stderr strings.Builder
	if status := run(context.Background(), []string{"run", filepath.Join(root, "experiments", "example.yaml"), "--out", alone}, &strings.Builder{}, &stderr); status != exitOK {
		t.Fatal(stderr.String())
	}
	return root, alone
}

// TestGNUParallel runs the line of docs/cluster.md on the example.
func TestGNUParallel(t *testing.T) {
	if testing.Short() {
		t.Skip("starts five processes")
	}
	if find("parallel") == "" {
		t.Skip("parallel is not installed (Debian: apt-get install parallel)")
	}
	root, alone := example(t)
	out := t.TempDir()
	for _, line := range []string{
		"parallel qats run experiments/example.yaml --out " + out + " --workers 1 --shard {}/4 ::: 1 2 3 4",
		"qats run experiments/example.yaml --out " + out,
	} {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = root
		if b, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, b)
		}
	}
	sameCSV(t, "parallel", alone, out)
}

// TestSnakefile runs the Snakefile of docs/cluster.md on the example.
func TestSnakefile(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a workflow of six processes")
	}
	if find("snakemake") == "" {
		t.Skip("snakemake is not installed (Debian: apt-get install snakemake)")
	}
	root, alone := example(t)
	out := t.TempDir()
	b, err := os.ReadFile(filepath.Join("testdata", "cluster", "Snakefile"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("experiments/companion.yaml", filepath.Join(root, "experiments", "example.yaml"), `"results/out"`, `"`+out+`"`).Replace(string(b))
	dir := t.TempDir() // snakemake leaves its records there
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
