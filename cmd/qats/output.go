package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/internal/atomicfile"
)

// stdoutName is the name of standard output, wherever a flag names an output file.
const stdoutName = "-"

// binaryOutput returns standard output for bytes that are not text. It is nil unless path
// names standard output. A terminal cannot show such bytes.
func binaryOutput(cmd *cobra.Command, path string) (io.Writer, error) {
	if path != stdoutName {
		return nil, nil
	}
	w := cmd.OutOrStdout()
	if isTerminal(w) {
		return nil, errors.New("standard output is a terminal, which cannot show these bytes: name a file, or redirect the output as in > FILE")
	}
	return below(w), nil
}

// checkOutput returns an error if the folder of an output file is missing, before the
// work is done.
func checkOutput(path string) error {
	if path == "" || path == stdoutName {
		return nil
	}
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("-o %s: there is no folder %s; make it first", path, dir)
	}
	return nil
}

// save writes to a file, which appears complete or not at all, or to standard
// output for "-".
func save(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == stdoutName {
		return write(stdout)
	}
	return atomicfile.WriteNamed(path, write)
}
