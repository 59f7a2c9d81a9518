package experiments

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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

// TestMissingBundleNamesTheCommands that load it, and the places that were tried.
func TestMissingBundleNamesTheCommands(t *testing.T) {
	noBundle(t)
	s, err := ReadSpec("companion")
	if err != nil {
		t.Fatal(err)
	}
	_, err = MakePlan(t.Context(), []*spec.Spec{s}, PlanOptions{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"experiments/companion.yaml: ", filepath.Join("data", "bundle") + ", ", filepath.Join("modules", "github.com", "qats-bench", "qats", "data", "bundle@"+BundleVersion) + ", ",
		filepath.Join("cache", "bundle@"+BundleVersion) + ", ", "go mod download github.com/qats-bench/qats/data/bundle@" + BundleVersion + ",", "python -m qatsbench.datasets fetch bundle"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %q", want, err)
		}
	}
}

// noBundle leads to an empty folder, from which no bundle is found.
func noBundle(t *testing.T) (dir string) {
	dir = t.TempDir()
	t.Chdir(dir)
	t.Setenv("GOMODCACHE", filepath.Join(dir, "modules"))
	t.Setenv("QATS_CACHE", filepath.Join(dir, "cache"))
	return dir
}

// TestLoadedBundleIsFound in the module cache, and where the Python package writes it.
func TestLoadedBundleIsFound(t *testing.T) {
	for _, place := range []string{"modules/github.com/qats-bench/qats/data/bundle@" + BundleVersion, "cache/bundle@" + BundleVersion} {
		path := filepath.Join(noBundle(t), filepath.FromSlash(place))
		s, err := ReadSpec("companion")
		if err != nil {
			t.Fatal(err)
		}
		if !bundleMissing(s) {
			t.Error("a bundle is found where there is none")
		}
		if err := os.MkdirAll(path+"-other", 0o777); err != nil || !bundleMissing(s) {
			t.Errorf("a bundle of another version is found, %v", err)
		}
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if got := findOfProject(s, Bundle); got != path {
			t.Errorf("found %q, want %q", got, path)
		}
	}
}

// TestFetchedBundleFollowsTheEnvironment as the Python package does.
func TestFetchedBundleFollowsTheEnvironment(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folder of caches is that of Linux")
	}
	for _, c := range []struct{ own, xdg, want string }{
		{"/own", "/xdg", "/own/bundle@"},
		{"", "/xdg", "/xdg/qatsbench/bundle@"},
		{"", "", "/home/me/.cache/qatsbench/bundle@"},
		{"", "relative", ""}, // an error of os.UserCacheDir
	} {
		t.Setenv("QATS_CACHE", c.own)
		t.Setenv("XDG_CACHE_HOME", c.xdg)
		t.Setenv("HOME", "/home/me")
		want := c.want
		if want != "" {
			want += BundleVersion
		}
		if got := fetchedBundle(); got != want {
			t.Errorf("QATS_CACHE=%s XDG_CACHE_HOME=%s: %s, want %s", c.own, c.xdg, got, want)
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
