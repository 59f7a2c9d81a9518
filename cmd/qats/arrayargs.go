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

// notArrays returns an error for arguments that are files of arrays or of predictions, where
// a command takes folders or specs. It names the command that reads the file.
func notArrays(takes string, args []string) error {
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.Mode().IsRegular() {
			continue
		}
		remedy := ""
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
		case end == ".parquet":
			remedy = importing("parquet", arg) + " of its columns"
		case end == ".pkl" || end == ".p" || end == ".pickle":
			remedy = importing("pickle", arg) + " of its logits and labels (of published files: python3 -m qatsbench.datasets import --help)"
		case end == ".h5" || end == ".hdf5":
			remedy = "python3 -m qatsbench.datasets import makes arrays of published files of this kind (--help lists them); of others, save the arrays by np.save"
		default:
			continue
		}
		return fmt.Errorf("%s is a file of arrays, and %s: %s", arg, takes, remedy)
	}
	return nil
}
