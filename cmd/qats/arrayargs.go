package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/called"
)

// importing names the command of the Python package that makes arrays of a file.
func importing(format, file string) string {
	return "python3 -m qatsbench.datasets import " + format + " " + quoted([]string{file}) + " makes arrays"
}

// notArrays returns an error for arguments that are files of arrays or of predictions, where a command takes others. It
// names the command that reads the file. Of texts it looks only at tables, unless texts are no arguments either.
func notArrays(takes string, args []string, texts bool) error {
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.Mode().IsRegular() {
			continue
		}
		what, remedy := "a file of arrays", ""
		switch end := strings.ToLower(filepath.Ext(arg)); {
		case npy.IsTorch(arg):
			p := npy.TorchProblem(arg)
			p.Fix = importing("pickle", arg) + " of its logits and labels; or " + p.Fix
			return p
		case end == ".npz" || end == ".safetensors":
			remedy = called.Command() + " try " + quoted([]string{arg}) + " reads it"
		case end == ".npy":
			remedy = called.Command() + " try LOGITS.npy LABELS.npy reads two such files"
		case npy.IsTable(arg):
			remedy = called.Command() + " try " + quoted([]string{arg}) + " reads it; " + importing("csv", arg) + " of its columns"
		default:
			p := npy.ForeignFile(arg, texts)
			if p == nil {
				continue
			}
			what, remedy = p.Cause, p.Fix
		}
		return fmt.Errorf("%s is %s, and %s: %s", arg, what, takes, remedy)
	}
	return nil
}
