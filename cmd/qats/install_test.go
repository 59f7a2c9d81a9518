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
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/bundletest"
)

// installedVersion is the version under which the test offers this tree.
const installedVersion = "v0.0.1"

// moduleLimit is the size in bytes of the zip that whoever imports a package of the project loads. data/bundle, most of
// the project, is a module of its own.
const moduleLimit = 7_500_000

// TestInstalledProgramRunsInAnyFolder installs the program as a stranger does, by go
// install from a module proxy, and runs it in an empty folder. The proxy is a folder
// with the two modules of this tree; those that it requires come from the module cache.
// The bundle is loaded by the command that the program names.
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
	bundletest.Folder(t)
	root := filepath.Join("..", "..")
	proxy, cache, bin := t.TempDir(), t.TempDir(), t.TempDir()
	size := offerModule(t, root, "", installedVersion, proxy)
	t.Logf("the module of the project: %.1f MB", float64(size)/1e6)
	if size > moduleLimit {
		t.Errorf("the module of the project has %d bytes, more than %d", size, moduleLimit)
	}
	size = offerModule(t, root, experiments.Bundle, experiments.BundleVersion, proxy)
	t.Logf("the module of the bundle: %.1f MB", float64(size)/1e6)
	goCommand := func(args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "GOBIN="+bin, "GOMODCACHE="+cache, "GOFLAGS=-modcacherw -trimpath", "GOSUMDB=off", "GOWORK=off",
			"GOPROXY="+fileURL(proxy)+","+fileURL(filepath.Join(strings.TrimSpace(string(known)), "cache", "download"))+",off")
		if out, err := cmd.CombinedOutput(); err != nil {
			if bytes.Contains(out, []byte("GOPROXY=off")) || bytes.Contains(out, []byte("module lookup disabled")) {
				t.Skipf("a module that qats requires is not in the module cache:\n%s", out)
			}
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	goCommand("install", module+"cmd/qats@"+installedVersion)

	empty := t.TempDir()
	answer := func(args ...string) (string, error) {
		cmd := exec.Command(filepath.Join(bin, "qats"), args...)
		cmd.Dir = empty
		cmd.Env = append(os.Environ(), "GOMODCACHE="+cache, "QATS_CACHE="+filepath.Join(empty, "none"), "PATH=") // no Go
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	qats := func(args ...string) string {
		t.Helper()
		out, err := answer(args...)
		if err != nil {
			t.Fatalf("qats %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return out
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
	out, err := answer("run", "-n", "companion")
	remedy := regexp.MustCompile(`Get it by go (mod download [^ ,]+),`).FindStringSubmatch(out)
	if err == nil || remedy == nil {
		t.Fatalf("without the bundle: %v, and no command in:\n%s", err, out)
	}
	goCommand(strings.Fields(remedy[1])...)
	has(qats("run", "-n", "companion"), " measured, 0 simulated, 0 without arrays")
	has(qats("compare", "ts", "--spec", "companion-pixels", "--out", "pixels"), "1 setting: 1 measured", "TS against QaTS: NLL ")
	has(qats("paper", "reproduce", "--quick", "--out", "quick"), "0 failed", "paper.tex", "index.html")
	licenceOfBundle(t, root, cache)
}

// licenceOfBundle checks that the zip of the bundle's module has the terms with which LICENSE-DATA begins. Without a file LICENSE of its own
// the go command would put that of the project, which is about the code, into the zip.
func licenceOfBundle(t *testing.T, root, cache string) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join(root, "LICENSE-DATA"))
	if err != nil {
		t.Fatal(err)
	}
	path := module + experiments.Bundle
	z, err := zip.OpenReader(filepath.Join(cache, "cache", "download", filepath.FromSlash(path), "@v", experiments.BundleVersion+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open(path + "@" + experiments.BundleVersion + "/LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.HasPrefix(got, []byte("# Terms of the data\n")) || !bytes.HasPrefix(want, got) {
		t.Errorf("LICENSE of the bundle's module has %d bytes, with which LICENSE-DATA does not begin, %v", len(got), err)
	}
}

// offerModule writes the module in the folder dir of the project into a folder that serves as a module proxy, and returns
// the size of its zip.
func offerModule(t *testing.T, root, dir, version, proxy string) int {
	t.Helper()
	name := path.Join(module, dir)
	root = filepath.Join(root, filepath.FromSlash(dir))
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
	at := filepath.Join(proxy, filepath.FromSlash(name), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, file := range files {
		body, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: name + "@" + version + "/" + file, Method: zip.Deflate})
		if err == nil {
			_, err = f.Write(body)
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
	info, _ := json.Marshal(map[string]string{"Version": version})
	for file, body := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": info, version + ".mod": gomod, version + ".zip": archive.Bytes()} {
		if err := os.WriteFile(filepath.Join(at, file), body, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return archive.Len()
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
