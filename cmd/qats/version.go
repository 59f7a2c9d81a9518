package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/internal/kernel/cpu"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit, the kernel and the instruction set",
		Long: `version prints the version of the program and the commit that it was built from, the
version of the kernel, and the vector instructions that this processor runs it with. The
kernel is the functions that turn logits into numbers; another version may give other
bits. The instructions change only the speed. qats --version prints the same.`,
		Example: "  qats version",
		Args:    arguments(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return printVersion(cmd.OutOrStdout()) },
	}
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
