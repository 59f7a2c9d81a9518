package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/internal/kernel/cpu"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/results/table"
)

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit, the kernel and the instruction set",
		Long: `version prints the version of the program and the commit that it was built from, the
version of the kernel, and the vector instructions that this processor runs it with. The
kernel is the functions that turn logits into numbers; another version may give other
bits. The instructions change only the speed. qats --version prints the same.`,
		Example: "  qats version",
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return table.WriteJSON(cmd.OutOrStdout(), []versionJSON{newVersionJSON()})
			}
			return printVersion(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

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
}

func newVersionJSON() versionJSON {
	version, commit := version()
	return versionJSON{version, commit, protocol, softmax.Version, cpu.Best().String(), runtime.Version(), runtime.GOOS, runtime.GOARCH}
}

func printVersion(w io.Writer) error {
	version, commit := version()
	if commit == "" {
		commit = "not recorded in this build"
	}
	_, err := fmt.Fprintf(w, "qats     %s\ncommit   %s\nkernel   softmax %d\nvectors  %s\nbuilt    %s, %s/%s\n",
		version, commit, softmax.Version, cpu.Best(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
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
