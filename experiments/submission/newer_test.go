package submission

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDrawsAreOfANewerCommit: a commit that does not exist, that is older than the entry, or that has it, gives no draws; the
// short form of a newer one is the whole one.
func TestDrawsAreOfANewerCommit(t *testing.T) {
	needs(t, "git", "--version")
	top := t.TempDir()
	dir := filepath.Join(top, "submissions", "mine")
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", top, "-c", "user.name=n", "-c", "user.email=e@x"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", args, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(name string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(top, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-q", "-m", name)
		return git("rev-parse", "HEAD")
	}
	git("init", "-q")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	old := commit("old")
	if err := os.WriteFile(filepath.Join(dir, CardFile), []byte("a card"), 0o666); err != nil {
		t.Fatal(err)
	}
	check := func(name, want string) {
		t.Helper()
		hash, err := NewerCommit(t.Context(), dir, name)
		if strings.Contains(want, " ") && (err == nil || !strings.Contains(err.Error(), want)) || !strings.Contains(want, " ") && hash != want {
			t.Errorf("%s: %s %v, want %s", name, hash, err, want)
		}
	}
	check(old, "is not committed as it is")
	has := commit("submissions/mine/results.csv")
	check(old, "is not newer than")
	check(has, "is not newer than")
	check("deadbeef", "is no commit of the repository")
	check("--all", "is no commit of the repository")
	later := commit("later")
	check(later, later)
	check(later[:9], later)
	if err := os.WriteFile(filepath.Join(dir, CardFile), []byte("another card"), 0o666); err != nil {
		t.Fatal(err)
	}
	check(later, "is not committed as it is")
}
