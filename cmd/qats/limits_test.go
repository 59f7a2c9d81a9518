//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTooFewFileDescriptorsLeaveTheOldResults: with no descriptors to open arrays by,
// a run ends with status 2, names the cause, and writes none of the three files.
func TestTooFewFileDescriptorsLeaveTheOldResults(t *testing.T) {
	out := t.TempDir()
	if err := os.CopyFS(out, os.DirFS(exampleResults(t))); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(out, "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	limits := []string{"12", "16", "20", "24", "28"}
	if testing.Short() {
		limits = []string{"12", "20"}
	}
	for _, limit := range limits {
		if err := os.RemoveAll(filepath.Join(out, "store")); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", `ulimit -n "$0" && exec "$1"`, limit, os.Args[0])
		cmd.Env = childOfExample(out, 64).Env
		said, err := cmd.CombinedOutput()
		got, _ := os.ReadFile(filepath.Join(out, "results.csv"))
		if string(got) != string(want) {
			t.Errorf("%s descriptors: other results; %s", limit, said)
		}
		if err != nil && (cmd.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(said), "too many open files")) {
			t.Errorf("%s descriptors: %v, %s", limit, err, said)
		}
	}
}
