package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMakeFuzzRunsAllTargets, also after one that fails, and then fails. The error of Go's
// own deadline is not a failure.
func TestMakeFuzzRunsAllTargets(t *testing.T) {
	for _, name := range []string{"make", "git", "sh", "sed"} {
		if find(name) == "" {
			t.Skipf("%s is not installed", name)
		}
	}
	root, dir := project(t), t.TempDir()
	list, err := exec.Command("grep", "-rho", "--include=*_test.go", "^func Fuzz[A-Za-z0-9]*", root).Output()
	if err != nil {
		t.Fatal(err)
	}
	fake, calls := filepath.Join(dir, "go"), filepath.Join(dir, "calls")
	script := `#!/bin/sh
while [ "$1" != -fuzz ]; do shift; done
echo "$2" >> ` + quote(calls) + `
case $2 in
^FuzzLayout\$) printf '    context deadline exceeded\n    Failing input written to here\n'; exit 1;;
^FuzzNPY\$) printf '    context deadline exceeded\n'; exit 1;;
^FuzzRun\$) echo 'no such package'; exit 1;;
esac
echo 'fuzz: elapsed: 5s, execs: 12'
`
	if err := os.WriteFile(fake, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("make", "-s", "-C", root, "fuzz", "GO="+fake, "FUZZTIME=5s")
	said, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		t.Fatalf("%v: %s", err, said)
	}
	b, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for name := range strings.Lines(string(list)) {
		want = append(want, "^"+strings.TrimPrefix(strings.TrimSpace(name), "func ")+"$")
	}
	got := strings.Fields(string(b))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("ran %v, want %v", got, want)
	}
	if !strings.Contains(string(said), "failed: ./data/folder:FuzzLayout ./results:FuzzRun\n") || !strings.Contains(string(said), "no such package") ||
		!strings.Contains(string(said), "./data/npy FuzzNPZ: fuzz: elapsed: 5s, execs: 12\n") {
		t.Errorf("%s", said)
	}
}
