package main

import (
	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/arrays"
)

// arrayNames says how a flag names an array.
const arrayNames = "FILE.npy, FILE.npz#MEMBER, FILE.safetensors#NAME, or -#NAME of a .safetensors on standard input"

// arrayInput returns the files that a command reads, with standard input, of which it holds at
// most the given memory.
func arrayInput(cmd *cobra.Command, m memory) *data.Input {
	return data.NewInput(cmd.InOrStdin(), "standard input", m.bytes)
}

// warnOfFile returns what prints the notes on a file.
func warnOfFile(cmd *cobra.Command) func(arrays.Note) {
	return func(n arrays.Note) { warn(cmd.ErrOrStderr(), fileRemark{"file", n.Text, n.Place}) }
}
