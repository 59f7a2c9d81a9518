package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/arrays"
)

// arrayNames says how a flag names an array.
const arrayNames = ".npy, or NAME in another file as FILE.npz#NAME, also .safetensors and .csv; -#NAME for standard input"

// arrayInput returns the files that a command reads, with standard input, of which it holds at
// most the given memory.
func arrayInput(cmd *cobra.Command, m memory) *data.InputFS {
	return data.NewInput(cmd.InOrStdin(), "standard input", m.bytes)
}

// notesTo returns what takes the notes on a file as warnings.
func notesTo(tell func(warning)) func(arrays.Problem) {
	return func(n arrays.Problem) {
		tell(fileWarning{cmp.Or(n.Kind, "file"), n.Text, n.Place, n.Warning, n.Remedy})
	}
}

// What --json prints.
const (
	oneObject = "print one JSON object"
	objects   = "print JSON, one object a line"
)
