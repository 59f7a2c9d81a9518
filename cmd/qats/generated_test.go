package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGeneratedCodeIsCurrent: the vector code equals the output of its generators,
// which are a module of their own. The test is skipped if their libraries cannot be
// downloaded.
func TestGeneratedCodeIsCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generators")
	}
	t.Parallel()
	run := func(arg ...string) ([]byte, error) {
		c := exec.Command("go", arg...)
		c.Dir = filepath.Join("..", "..", "internal", "kernel", "gen")
		c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
		return c.CombinedOutput()
	}
	if out, err := run("mod", "download"); err != nil {
		t.Skipf("the generators' libraries: %v\n%s", err, out)
	}
	for generator, file := range map[string]string{
		"softmax": "internal/kernel/softmax/kernels_amd64.s",
		"linear":  "internal/kernel/linear/kernels_amd64.s",
	} {
		written := filepath.Join(t.TempDir(), "generated.s")
		if out, err := run("run", "./"+generator, written); err != nil {
			t.Errorf("%s: %v\n%s", generator, err, out)
			continue
		}
		got, err := os.ReadFile(written)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what internal/kernel/gen/%s writes: make generate", file, generator)
		}
	}
}
