package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// installedVersion is the version under which the test offers this tree.
const installedVersion = "v0.0.1"

// TestInstalledProgramRunsInAnyFolder installs the program as a stranger does, by go
// install from a module proxy, and runs it in an empty folder. The proxy is a folder
// with this tree; the modules that it requires come from the module cache.
func TestInstalledProgramRunsInAnyFolder(t *testing.T) {
	if os.Getenv("QATS_TEST_INSTALL") == "" {
		t.Skip("builds the program in a module cache of its own, for a minute; .ci/run sets QATS_TEST_INSTALL=1")
	}
	for _, tool := range []string{"go", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s command", tool)
		}
	}
	known, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	proxy, cache, bin := t.TempDir(), t.TempDir(), t.TempDir()
	offerModule(t, filepath.Join("..", ".."), proxy)
	install := exec.Command("go", "install", module+"cmd/qats@"+installedVersion)
	install.Dir = t.TempDir()
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOMODCACHE="+cache, "GOFLAGS=-modcacherw -trimpath", "GOSUMDB=off", "GOWORK=off",
		"GOPROXY="+fileURL(proxy)+","+fileURL(filepath.Join(strings.TrimSpace(string(known)), "cache", "download"))+",off")
	if out, err := install.CombinedOutput(); err != nil {
		if bytes.Contains(out, []byte("GOPROXY=off")) || bytes.Contains(out, []byte("module lookup disabled")) {
			t.Skipf("a module that qats requires is not in the module cache:\n%s", out)
		}
		t.Fatalf("go install: %v\n%s", err, out)
	}

	empty := t.TempDir()
	qats := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(bin, "qats"), args...)
		cmd.Dir = empty
		cmd.Env = append(os.Environ(), "GOMODCACHE="+cache, "PATH=") // no Go
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("qats %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	has := func(out string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in:\n%s", want, out)
			}
		}
	}
	has(qats("--version"), installedVersion, "softmax")
	has(qats("try", "@demo"), "Use `qats`: on your test rows NLL 1.367", "0.9626   5.24")
	has(qats("run", "-n", "companion"), " measured, 0 simulated, 0 without arrays")
	has(qats("compare", "ts", "--spec", "companion-pixels", "--out", "pixels"), "1 setting: 1 measured", "TS against QaTS: NLL ")
	has(qats("paper", "reproduce", "--quick", "--out", "quick"), "0 failed", "paper.tex", "index.html")
}

// offerModule writes the module at root into a folder that serves as a module proxy.
func offerModule(t *testing.T, root, proxy string) {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Skipf("no git repository: %v", err)
	}
	files := slices.DeleteFunc(strings.Split(string(out), "\x00"), func(file string) bool {
		info, err := os.Lstat(filepath.Join(root, file))
		return file == "" || err != nil || !info.Mode().IsRegular() || inNestedModule(root, file)
	})
	dir := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, file := range files {
		body, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: strings.TrimSuffix(module, "/") + "@" + installedVersion + "/" + file, Method: zip.Store})
		if err == nil {
			_, err = io.Copy(f, bytes.NewReader(body))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	info, _ := json.Marshal(map[string]string{"Version": installedVersion})
	for name, body := range map[string][]byte{"list": []byte(installedVersion + "\n"), installedVersion + ".info": info,
		installedVersion + ".mod": gomod, installedVersion + ".zip": archive.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// inNestedModule reports whether a file belongs to a module below the root's own.
func inNestedModule(root, file string) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir), "go.mod")); err == nil {
			return true
		}
	}
	return false
}

func fileURL(dir string) string {
	if runtime.GOOS == "windows" {
		return "file:///" + filepath.ToSlash(dir)
	}
	return "file://" + dir
}
