package submission

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// NewerCommit returns the whole hash of a commit that draws can follow from: one of the history in which the entry in dir stands as it
// is, and that was made after it. Whoever handed in the entry could not know it.
func NewerCommit(ctx context.Context, dir, commit string) (string, error) {
	git := gitIn(ctx, dir)
	hash, err := git("rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("%.80q is no commit of the repository of %s", commit, dir)
	}
	changed, err := git("status", "--porcelain", "--ignored", "--", ".")
	if err != nil || changed != "" {
		return "", fmt.Errorf("%s is not committed as it is: commit it, and draw by a later commit", dir)
	}
	entry, err := git("log", "-1", "--format=%H", "--", ".")
	if err != nil || entry == "" {
		return "", fmt.Errorf("%s is not committed: commit it, and draw by a later commit", dir)
	}
	if _, err := git("merge-base", "--is-ancestor", entry, hash); err != nil || entry == hash {
		return "", fmt.Errorf("commit %.12s is not newer than %.12s, which has the entry %s: its author could know the draws", hash, entry, filepath.Base(dir))
	}
	return hash, nil
}

// gitIn returns what runs git in a folder, and returns what it prints.
func gitIn(ctx context.Context, dir string) func(args ...string) (string, error) {
	return func(args ...string) (string, error) {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
}
