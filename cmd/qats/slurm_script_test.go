package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSlurmScripts: both scripts are what a shell reads, whatever characters the
// paths have, and the array has throttle, requeue and a log that is appended to.
func TestSlurmScripts(t *testing.T) {
	spec := filepath.Join("..", "..", "experiments", "example.yaml")
	var stdout, stderr strings.Builder
	out := filepath.Join(t.TempDir(), "it's here")
	args := []string{"slurm", spec, "--shards", "16", "--at-once", "4", "--cpus", "2", "--out", out, "--quick"}
	if status := run(context.Background(), args, &stdout, &stderr); status != exitOK {
		t.Fatal(stderr.String())
	}
	text := stdout.String()
	for _, want := range []string{"#SBATCH --array=1-16%4\n", "#SBATCH --requeue\n", "#SBATCH --open-mode=append\n", "#SBATCH --cpus-per-task=2\n",
		"--shard auto\n", "afterany", "--quick", `it'\''s here`, "#SBATCH --signal=B:TERM@30\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	check := exec.Command("sh", "-n")
	check.Stdin = strings.NewReader(text)
	if b, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, b, text)
	}
	for _, bad := range [][]string{
		{"slurm", spec}, {"slurm", spec, "--shards", "0"}, {"slurm", spec, "--shards", "10001"}, {"slurm", spec, "--shards", "4", "--cpus", "0"},
		{"slurm", "--shards", "4"}, {"slurm", spec, "--shards", "4", "--max-memory", "lots"}, {"slurm", "nowhere.yaml", "--shards", "4"},
	} {
		stderr.Reset()
		if status := run(context.Background(), bad, &stdout, &stderr); status != exitUsage || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%v: status %d, %s", bad, status, stderr.String())
		}
	}
}

// TestStatusOfShards prints a line for each shard that has run, and names the others.
func TestStatusOfShards(t *testing.T) {
	spec, out := filepath.Join("..", "..", "experiments", "example.yaml"), t.TempDir()
	var stdout, stderr strings.Builder
	if status := run(context.Background(), []string{"status", out}, &stdout, &stderr); status != exitUsage || !strings.Contains(stderr.String(), "no shard has run here") {
		t.Errorf("status %d, %s", status, stderr.String())
	}
	for _, shard := range []string{"1/3", "3/3"} {
		if status := run(context.Background(), []string{"run", spec, "--out", out, "--shard", shard}, &stdout, &stderr); status != exitOK {
			t.Fatal(stderr.String())
		}
	}
	stdout.Reset()
	if status := run(context.Background(), []string{"status", out}, &stdout, &stderr); status != exitOK {
		t.Fatal(stderr.String())
	}
	text := stdout.String()
	for _, want := range []string{"shard 1 of 3: done; ", "shard 3 of 3: done; ", " 0 of them failed, 0 missing; last sign of life ", "not started: 1 of 3 (2)\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
