package submission

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestIsolation: a program writes below its folder alone, finds hidden folders empty, and has no network.
func TestIsolation(t *testing.T) {
	top := t.TempDir()
	work, secret := filepath.Join(top, "work"), filepath.Join(top, "secret")
	for _, dir := range []string{work, secret} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(secret, "labels.npy"), []byte("labels"), 0o666); err != nil {
		t.Fatal(err)
	}
	around, err := Isolation(work, []string{secret})
	if errors.Is(err, ErrNotIsolated) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	run := func(script string) (string, error) {
		cmd := exec.Command(around[0], append(around[1:], "sh", "-c", script)...)
		cmd.Dir = work
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if said, err := run("echo yes > " + filepath.Join(work, "file") + " && cat " + filepath.Join(work, "file")); err != nil || said != "yes\n" {
		t.Errorf("%v %s", err, said)
	}
	if said, err := run("echo yes > relative && cat relative"); err != nil || said != "yes\n" {
		t.Errorf("%v %s", err, said)
	}
	if said, err := run("ls " + secret); err != nil || said != "" {
		t.Errorf("%v %s", err, said)
	}
	for _, script := range []string{"touch " + filepath.Join(top, "file"), "touch " + filepath.Join(secret, "labels.npy"), "touch $HOME/qats-was-here", "touch /dev/shm/qats-was-here"} {
		if said, err := run(script); err == nil {
			t.Errorf("%s: %s", script, said)
		}
	}
	if said, err := run("grep -v lo: /proc/net/dev | tail -n +3"); err != nil || strings.TrimSpace(said) != "" {
		t.Errorf("%v %s", err, said)
	}
	if text, err := os.ReadFile(filepath.Join(secret, "labels.npy")); err != nil || string(text) != "labels" {
		t.Errorf("%v %s", err, text)
	}
}

// TestNoIsolation: without unshare there is no such place, and nothing runs.
func TestNoIsolation(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if around, err := Isolation(t.TempDir(), nil); !errors.Is(err, ErrNotIsolated) || around != nil {
		t.Errorf("%v %v", around, err)
	}
}

// TestCodeGetsNoSecrets: what a file of Python prints of itself sees the variables that programs get, and no others.
func TestCodeGetsNoSecrets(t *testing.T) {
	atRoot(t)
	needs(t, "python3", "-c", "import numpy")
	t.Setenv("MY_TOKEN", "secret")
	code := Source{"mine.py": []byte("import os\nassert 'MY_TOKEN' not in os.environ\ndef fit(logits, labels): pass\ndef apply(model, logits): pass\n")}
	if _, err := Prepare(t.Context(), described("mine", Python, "mine.py"), code, t.TempDir(), nil); err != nil {
		t.Error(err)
	}
}
