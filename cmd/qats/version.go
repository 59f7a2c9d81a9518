package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/qats-bench/qats/experiments/submission"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/kernel/cpu"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/results/table"
)

// protocol is raised when a program that calls this one by its JSON would have to change.
const protocol = 1

// versionJSON is the version for a program that calls this one.
type versionJSON struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"` // empty if the build does not record it
	Protocol int    `json:"protocol"`
	Kernel   int    `json:"kernel"`
	Vectors  string `json:"vectors"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Board    string `json:"leaderboard"` // version of the leaderboard's protocol under which calibrators are handed in
}

func newVersionJSON() versionJSON {
	version, commit := version()
	return versionJSON{version, commit, protocol, softmax.Version, cpu.Best().String(), runtime.Version(), runtime.GOOS, runtime.GOARCH, submission.Version}
}

// printVersion prints the version of the program and the commit that it was built from, the
// version of the kernel, which are the functions that turn logits into numbers, and the
// vector instructions that this processor runs it with, and the version of the leaderboard's protocol. Another version of the kernel may give
// other bits; the instructions change only the speed.
func printVersion(w io.Writer, asJSON bool) error {
	if asJSON {
		return table.WriteJSON(w, []versionJSON{newVersionJSON()})
	}
	version, commit := version()
	if commit == "" {
		commit = "not recorded in this build"
	}
	_, err := fmt.Fprintf(w, "%-8s %s\ncommit   %s\nkernel   softmax %d\nvectors  %s\nboard    protocol %s\nbuilt    %s, %s/%s\n",
		called.Name(), version, commit, softmax.Version, cpu.Best(), submission.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version returns the version of the program, and the commit that it was built
// from if the build says so.
func version() (version, commit string) {
	version = "(devel)"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, ""
	}
	if v := info.Main.Version; v != "" {
		version = v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			commit = s.Value
		}
	}
	return version, commit
}
