package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestClusterRecipe: docs/compare.md shows the manifest that the tests here check.
func TestClusterRecipe(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "compare.md"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join("testdata", "cluster", "job.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), string(b)) {
		t.Error("docs/compare.md has another job.yaml than testdata/cluster")
	}
}

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
func scriptFor(t *testing.T, qats, out, system string) string {
	t.Helper()
	cmd := exec.Command(qats, "cluster", "script", "experiments/example.yaml", "--out", out, "--for", system, "--tests", "1")
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

// TestJobManifest: the manifest of docs/compare.md has the form of a Kubernetes job,
// by the types of the API, and other forms are noticed.
func TestJobManifest(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with the types of Kubernetes")
	}
	check := filepath.Join(t.TempDir(), "manifest")
	build := exec.Command("go", "build", "-o", check, ".")
	build.Dir = filepath.Join("testdata", "cluster", "manifest")
	build.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	switch b, err := build.CombinedOutput(); {
	case err != nil && strings.Contains(string(b), "proxy"):
		t.Skipf("the modules of Kubernetes are neither in the module cache nor at a proxy:\n%s", b)
	case err != nil:
		t.Fatalf("%v: %s", err, b)
	}
	b, err := os.ReadFile(filepath.Join("testdata", "cluster", "job.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"completionMode:", "completionmode2:", `unknown field "completionmode2"`},
		{"completions: 4", "completions: four", "cannot unmarshal string"},
		{"  completions: 4\n", "", "an indexed job needs completions"},
		{"completionMode: Indexed", "completionMode: NonIndexed", "completionMode is not Indexed"},
		{"restartPolicy: Never", "restartPolicy: Always", "backoffLimitPerIndex needs Never"},
		{"memory: 6Gi", "memory: 6 gigabytes", "quantities must match"},
		{"parallelism: 4", "parallelism: 4\n  parallelism: 5", "already set"},
		{"image:", "picture:", "unknown field"},
		{"- {name: work, mountPath", "- {name: play, mountPath", "no volume"},
		{"batch/v1", "batch/v2", "want a batch/v1 Job"},
	} {
		cmd := exec.Command(check)
		changed := strings.Replace(text, c.old, c.new, 1)
		if c.old != "" && changed == text {
			t.Fatalf("job.yaml has no %q", c.old)
		}
		cmd.Stdin = strings.NewReader(changed)
		switch out, err := cmd.CombinedOutput(); {
		case c.want == "" && (err != nil || string(out) != "4\n"):
			t.Errorf("job.yaml: %v: %s", err, out)
		case c.want != "" && (err == nil || !strings.Contains(string(out), c.want)):
			t.Errorf("with %q: %v: %s; want %s", c.new, err, out, c.want)
		}
	}
}

// TestJobManifestFillsTheStore: the command of the manifest, in the environment that
// Kubernetes gives it, once for each index, does all of the work.
func TestJobManifestFillsTheStore(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the example five times")
	}
	b, err := os.ReadFile(filepath.Join("testdata", "cluster", "job.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var job struct {
		Spec struct {
			Completions int
			Template    struct {
				Spec struct {
					Containers []struct {
						Command []string
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(b, &job); err != nil {
		t.Fatal(err)
	}
	alone, out := exampleResults(t), t.TempDir()
	t.Chdir(project(t))
	c := job.Spec.Template.Spec.Containers[0]
	words := strings.NewReplacer("companion.yaml", "example.yaml", "results/out", out).Replace(strings.Join(c.Command, "\n"))
	command := strings.Split(words, "\n")
	if command[0] != "qats" {
		t.Fatalf("the command is %q", command)
	}
	var stdout, stderr strings.Builder
	for i := range job.Spec.Completions {
		t.Setenv("JOB_COMPLETION_INDEX", strconv.Itoa(i))
		if status := run(context.Background(), command[1:], &stdout, &stderr); status != exitOK {
			t.Fatalf("index %d: status %d: %s", i, status, stderr.String())
		}
	}
	stdout.Reset()
	if status := run(context.Background(), []string{"run", filepath.Join("experiments", "example.yaml"), "--out", out}, &stdout, &stderr); status != exitOK {
		t.Fatal(stderr.String())
	}
	if !strings.Contains(stdout.String(), "; 0 fitted and 0 scored now") {
		t.Errorf("the indexes have left work: %s", stdout.String())
	}
	sameCSV(t, "kubernetes", alone, out)
}
