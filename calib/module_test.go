package calib_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
)

// The module has a program of at most 25 lines, the method of docs/calibrator.md, which is
// Tempered, and one each that is a Vector, a TopLabel and a function for each class. They pass the
// conformance suite, and need no internal package.
func TestAnotherModuleFitsQaTSAndHasMethods(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	program := text(t, "testdata/module/main.go")
	if n := strings.Count(program, "\n"); n > 25 {
		t.Errorf("the program has %d lines: want at most 25", n)
	}
	method := strings.Replace(text(t, "example_method_test.go"), "package calib_test", "package main", 1)
	method, _, _ = strings.Cut(strings.Replace(method, "\t\"log\"\n", "", 1), "// A method of one's own")
	dir := t.TempDir()
	for name, content := range map[string]string{
		"main.go":       program,
		"mine.go":       method,
		"kinds.go":      text(t, "testdata/module/kinds.go"),
		"kinds_test.go": text(t, "testdata/module/kinds_test.go"),
		"go.sum":        text(t, "../go.sum"),
		"go.mod": fmt.Sprintf("module example.com/mine\n\ngo 1.26\n\nrequire github.com/qats-bench/qats v0.0.0\n\nreplace github.com/qats-bench/qats => %q\n",
			filepath.ToSlash(root)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command(tool, "build", "-o", "program", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	switch out, err := build.CombinedOutput(); {
	case err != nil && strings.Contains(string(out), "GOPROXY=off"):
		t.Skipf("a module that qats requires is not in the module cache:\n%s", out)
	case err != nil:
		t.Fatalf("build: %v\n%s", err, out)
	}
	suite := exec.Command(tool, "test", ".")
	suite.Dir, suite.Env = dir, build.Env
	if out, err := suite.CombinedOutput(); err != nil {
		t.Errorf("the conformance suite in the module: %v\n%s", err, out)
	}
	cmd := exec.Command(filepath.Join(dir, "program"))
	cmd.Dir = filepath.Dir(network("cal"))
	got, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if want := fmt.Sprintf("ECE %.4f\n", eceOfQaTS(t)); string(got) != want {
		t.Errorf("the program prints %q, want %q", got, want)
	}
}

// eceOfQaTS returns the number that the program of the module prints.
func eceOfQaTS(t *testing.T) float64 {
	t.Helper()
	cal, err := data.ReadSet(network("cal/logits.npy"), network("cal/labels.npy"))
	if err != nil {
		t.Fatal(err)
	}
	test, err := data.ReadSet(network("test/logits.npy"), network("test/labels.npy"))
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := calib.Fit(context.Background(), calib.QaTS{}, cal)
	if err != nil {
		t.Fatal(err)
	}
	probs, err := fitted.Probabilities(test)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := metrics.FromProbs(probs, test)
	if err != nil {
		t.Fatal(err)
	}
	return metrics.ECE(samples, 15)
}
