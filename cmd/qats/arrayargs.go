package main

import (
	"fmt"
	"os"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/formats"
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
		form, _ := data.Forms().Match(arg)
		switch {
		case formats.IsTorch(arg):
			p := formats.TorchProblem(arg)
			p.Fix = importing("pickle", arg) + " of its logits and labels; or " + p.Fix
			return p
		case form == nil:
			p := formats.ForeignFile(arg, texts)
			if p == nil {
				continue
			}
			what, remedy = p.Cause, p.Fix
		case form.Content() == formats.One:
			remedy = called.Command() + " try LOGITS.npy LABELS.npy reads two such files"
		default:
			remedy = called.Command() + " try " + quoted([]string{arg}) + " reads it"
			if form.Content() == formats.Rows {
				remedy += "; " + importing("csv", arg) + " of its columns"
			}
		}
		return fmt.Errorf("%s is %s, and %s: %s", arg, what, takes, remedy)
	}
	return nil
}
