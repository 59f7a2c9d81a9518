//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestPipesAreNamedAndNotWaitedFor: a pipe without a writer, in place of any input, is
// an error at once.
func TestPipesAreNamedAndNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "results.csv")
	if err := errors.Join(results.Folder(dir).Write(&results.Rows{}), os.Remove(pipe)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join("..", "..")
	set := filepath.Join(root, "data", "example", "example", "unsure-overscaled", "cal")
	logits, labels := filepath.Join(set, "logits.npy"), filepath.Join(set, "labels.npy")
	spec := filepath.Join(root, "experiments", "example.yaml")
	for _, args := range [][]string{
		{"fit", "ts", "--logits", pipe, "--labels", labels},
		{"fit", "ts", "--logits", logits, "--labels", pipe},
		{"score", "--logits", logits, "--labels", pipe},
		{"score", "--probs", pipe, "--labels", labels},
		{"apply", pipe, "--logits", logits, "-o", filepath.Join(dir, "p.npy")},
		{"run", "-n", pipe}, {"run", pipe}, {"report", pipe},
		{"report", spec, "--out", dir},
		{"compare", "--out", dir},
		{"paper", "diff", "--out", dir},
	} {
		var stdout, stderr strings.Builder
		status := run(context.Background(), args, &stdout, &stderr)
		if said := stderr.String(); status != exitUsage || !strings.Contains(said, "results.csv: not a regular file") || strings.Count(said, "\n") != 1 {
			t.Errorf("qats %v: status %d, %q", args, status, said)
		}
	}

	// So is one in the place of a file that a run or a page writes, before any work.
	for _, name := range []string{results.ResultsFile, results.WideFile, results.ClassesFile, results.RunFile} {
		out := t.TempDir()
		if err := syscall.Mkfifo(filepath.Join(out, name), 0o666); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr strings.Builder
		status := run(context.Background(), []string{"run", spec, "--out", out}, &stdout, &stderr)
		if said := stderr.String(); status != exitUsage || !strings.Contains(said, name+": not a regular file; remove it") || strings.Count(said, "\n") != 1 {
			t.Errorf("a pipe as %s: status %d, %q", name, status, said)
		}
		if _, err := os.Stat(filepath.Join(out, "store")); err == nil {
			t.Errorf("a pipe as %s: there was work before the error", name)
		}
	}
	page := t.TempDir()
	if err := errors.Join(results.Folder(page).Write(&results.Rows{}), syscall.Mkfifo(filepath.Join(page, "index.html"), 0o666)); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if status := run(context.Background(), []string{"report", page}, io.Discard, &said); status != exitUsage || !strings.Contains(said.String(), "index.html: not a regular file; remove it") {
		t.Errorf("a pipe as index.html: status %d, %q", status, said.String())
	}

	// An array of a run fails its cells, also in the plan.
	arrays := filepath.Join(dir, "arrays", "example", "unsure-overscaled", "cal")
	if err := os.CopyFS(filepath.Dir(arrays), os.DirFS(filepath.Dir(set))); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(arrays, "labels.npy")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(arrays, "labels.npy"), 0o666); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	args := []string{"run", spec, "--data", filepath.Join(dir, "arrays"), "--out", filepath.Join(dir, "out")}
	if status := run(context.Background(), append(args, "-n"), &stdout, &stderr); status != exitOK || !strings.Contains(stdout.String(), "labels.npy: not a regular file") {
		t.Errorf("plan: status %d, %q, %q", status, stdout.String(), stderr.String())
	}
	if status := run(context.Background(), args, &stdout, &stderr); status != exitFailed || !strings.Contains(stderr.String(), "labels.npy: not a regular file") {
		t.Errorf("run: status %d, %q", status, stderr.String())
	}
}

// full is a writer to a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestOutputThatCannotBeWrittenIsAnError.
func TestOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	spec := filepath.Join("..", "..", "experiments", "example.yaml")
	for _, args := range [][]string{{"run", "-n", spec, "--out", t.TempDir()}, {"run", spec, "--out", t.TempDir()}, {"doc", "methods"}, {"doc", "metrics"}, {"paper", "audit"}} {
		var stderr strings.Builder
		if status := run(context.Background(), args, full{}, &stderr); status != exitUsage || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("qats %v: status %d, %q", args, status, stderr.String())
		}
	}
}
