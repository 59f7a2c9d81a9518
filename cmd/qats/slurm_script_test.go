package main

import (
	"context"
	"os"
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
		"--shard auto\n", "afterany", "--quick", `it'\''s here' --quick`, "#SBATCH --signal=B:TERM@30\n"} {
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

// TestSlurmPaths: the name of a log is a pattern of sbatch, with its own escapes. Names
// that a batch script or such a pattern cannot hold are rejected, and nothing is written.
func TestSlurmPaths(t *testing.T) {
	spec, top := filepath.Join(project(t), "experiments", "example.yaml"), t.TempDir()
	for _, c := range []struct{ name, want string }{
		{"100%j", "#SBATCH --output=" + top + "/100%%j/slurm/%A_%a.log\n"},
		{"100%%", "#SBATCH --output=" + top + "/100%%%%/slurm/%A_%a.log\n"},
		{`a "b" 'c' #d`, `#SBATCH "--output=` + top + `/a \"b\" 'c' #d/slurm/%A_%a.log"` + "\n"},
		{`a\b`, "qats: --out " + top + `/a\b: Slurm writes no log into a folder with a backslash`},
		{"a\n#SBATCH --account=other", "has a control character"},
		{"a\tb", "has a control character"},
		{"a\x1b[2J", "has a control character"},
		{"a\u0085b", "has a control character"},
	} {
		var stdout, stderr strings.Builder
		status := run(t.Context(), []string{"slurm", spec, "--shards", "2", "--out", filepath.Join(top, c.name)}, &stdout, &stderr)
		rejected := strings.HasPrefix(c.want, "#") == (status != exitOK)
		if !strings.Contains(stdout.String()+stderr.String(), c.want) || rejected || status != exitOK && strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%q: status %d, %s%s; want %s", c.name, status, stdout.String(), stderr.String(), c.want)
		}
	}
	t.Chdir(top)
	for _, args := range [][]string{{"--data", "a\nb"}, {"--store", "a\nb"}} {
		var stdout, stderr strings.Builder
		if status := run(t.Context(), append([]string{"slurm", spec, "--shards", "2"}, args...), &stdout, &stderr); status != exitUsage || !strings.Contains(stderr.String(), "has a control character") {
			t.Errorf("%q: status %d, %s", args, status, stderr.String())
		}
	}
	if left, _ := os.ReadDir(top); len(left) > 0 {
		t.Errorf("written: %v", left)
	}
}

// TestStatusOfShards prints a line for each shard that has run, names the others, and
// counts the cells of all. Cells whose objects are gone from the store are missing.
func TestStatusOfShards(t *testing.T) {
	spec, out := filepath.Join("..", "..", "experiments", "example.yaml"), t.TempDir()
	qats := func(args ...string) (int, string) {
		var stdout, stderr strings.Builder
		status := run(t.Context(), args, &stdout, &stderr)
		return status, stdout.String() + stderr.String()
	}
	if status, said := qats("status", out); status != exitUsage || !strings.Contains(said, "no shard has run here") {
		t.Errorf("status %d, %s", status, said)
	}
	for _, shard := range []string{"1/3", "3/3"} {
		if status, said := qats("run", spec, "--out", out, "--shard", shard); status != exitOK {
			t.Fatal(said)
		}
	}
	check := func(wants ...string) {
		t.Helper()
		status, said := qats("status", out)
		if status != exitOK {
			t.Fatal(said)
		}
		for _, want := range wants {
			if !strings.Contains(said, want) {
				t.Errorf("no %q in\n%s", want, said)
			}
		}
	}
	check("shard 1 of 3: done; 10 cells done, 0 of them failed, 0 missing; last sign of life ",
		"shard 3 of 3: done; 5 cells done, 0 of them failed, 0 missing; last ",
		"not started: 1 of 3 (2)\n", "together: 15 of 25 cells done, 0 failed\n")
	for kind, wants := range map[string][]string{
		"pairs": {"shard 1 of 3: incomplete; 2 cells done, 0 of them failed, 8 missing (8 no longer in the store); ", "together: 3 of 25 cells done, 0 failed\n"},
		"facts": {"shard 1 of 3: done; 10 cells done, 0 of them failed, 0 missing; ", "together: 15 of 25 cells done, 0 failed\n"}, // no row needs them
	} {
		folder := filepath.Join(out, "store", kind)
		if err := os.Rename(folder, folder+".away"); err != nil {
			t.Fatal(err)
		}
		check(wants...)
		if err := os.Rename(folder+".away", folder); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(out, "store", "scores")); err != nil {
		t.Fatal(err)
	}
	check("shard 1 of 3: incomplete; 0 cells done", "together: 0 of 25 cells done")
}
