package experiments

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats"
	"github.com/qats-bench/qats/experiments/spec"
)

// TestProgramCarriesEverySpecOfTheProject, as it stands in the files, and at most
// 2 MB in all.
func TestProgramCarriesEverySpecOfTheProject(t *testing.T) {
	total := 0
	err := fs.WalkDir(qats.Files, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		carried, err := fs.ReadFile(qats.Files, file)
		if err != nil {
			return err
		}
		total += len(carried)
		onDisk, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
		if !bytes.Equal(carried, onDisk) {
			t.Errorf("%s differs from the file", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if total > 2_000_000 {
		t.Errorf("%d bytes", total)
	}
	var want []string
	for _, pattern := range []string{"*.yaml", "paper/*.yaml", "protocol/*/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			want = append(want, strings.TrimSuffix(filepath.Base(file), ".yaml"))
		}
	}
	slices.Sort(want)
	if got, want := BuiltinSpecs(), slices.Compact(want); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSpecOfTheProjectIsFoundByNameAndByPath in a folder that has none of its files.
func TestSpecOfTheProjectIsFoundByNameAndByPath(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("arrays", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"companion", "Companion", "standard", "experiments/companion.yaml", "experiments/paper/standard.yaml"} {
		s, err := ReadSpec(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !s.Builtin || !strings.HasSuffix(name, ".yaml") && s.Name != strings.ToLower(name) {
			t.Errorf("%s: spec %s, built in: %v", name, s.Name, s.Builtin)
		}
	}
	for name, want := range map[string]string{
		"companoin":                  "companoin: there is no such file, and the program has no spec of this name (did you mean companion?)",
		"arrays":                     "arrays is a folder and no spec; qats init arrays writes a spec for the arrays in it",
		"companion.yaml":             "companion.yaml: no such file or directory; qats init DIR writes a spec for the arrays in DIR",
		"experiments/standard.yaml":  "experiments/standard.yaml: no such file or directory; qats init DIR writes a spec for the arrays in DIR",
		"../experiments/mine.yaml":   "../experiments/mine.yaml: no such file or directory; qats init DIR writes a spec for the arrays in DIR",
		"experiments/../../etc/pass": "experiments/../../etc/pass: no such file or directory; qats init DIR writes a spec for the arrays in DIR",
	} {
		if _, err := ReadSpec(name); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// TestFileComesBeforeTheSpecOfTheProgram of the same name or path, and a folder does
// not.
func TestFileComesBeforeTheSpecOfTheProgram(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const text = "name: mine\nmethods: [ts]\nsettings: {dataset: a, backbone: b}\n"
	if err := os.MkdirAll("experiments/paper", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("real", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"companion", "experiments/paper/standard.yaml"} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"companion": "mine", "standard": "mine", "experiments/paper/standard.yaml": "mine", "real": "real"} {
		s, err := ReadSpec(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Name != want || s.Builtin != (want != "mine") {
			t.Errorf("%s: spec %s, built in: %v", name, s.Name, s.Builtin)
		}
	}
	if _, err := ReadSpecs([]string{"companion", "standard"}); err == nil || err.Error() != `standard: name "mine" is also the name of companion` {
		t.Error(err)
	}
}

// TestMissingBundleNamesTheFlag and the places that were tried.
func TestMissingBundleNamesTheFlag(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	s, err := ReadSpec("companion")
	if err != nil {
		t.Fatal(err)
	}
	_, err = MakePlan(t.Context(), []*spec.Spec{s}, PlanOptions{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"experiments/companion.yaml: ", filepath.Join("data", "bundle"), "git clone https://github.com/qats-bench/qats", "--data qats/data/bundle"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %q", want, err)
		}
	}
}

// TestModuleCacheFollowsTheEnvironment as that of the go command does.
func TestModuleCacheFollowsTheEnvironment(t *testing.T) {
	list := string(filepath.ListSeparator)
	for _, c := range []struct{ cache, path, want string }{
		{"/cache", "/one" + list + "/two", "/cache"},
		{"", "/one" + list + "/two", "/one/pkg/mod"},
		{"", "", "/home/me/go/pkg/mod"},
	} {
		t.Setenv("GOMODCACHE", c.cache)
		t.Setenv("GOPATH", c.path)
		t.Setenv("HOME", "/home/me")
		t.Setenv("USERPROFILE", "/home/me")
		if got := filepath.ToSlash(moduleCache()); got != c.want {
			t.Errorf("GOMODCACHE=%s GOPATH=%s: %s, want %s", c.cache, c.path, got, c.want)
		}
	}
}
