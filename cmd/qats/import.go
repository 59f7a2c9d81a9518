package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data/public"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/terminal"
)

// arraysDir is the folder of the user's arrays, which specs call arrays.
const arraysDir = "data/arrays"

func importCommand() *cobra.Command {
	var o public.Options
	var formats []string
	for _, f := range public.Formats() {
		formats = append(formats, fmt.Sprintf("  %-9s %s:\n            %s", f.Name, f.Title, f.Files))
	}
	cmd := &cobra.Command{
		Use:   "import FORMAT FILE...",
		Short: "Import predictions that other people published into a folder of arrays",
		Long: `import reads published predictions and writes them as arrays in the default
layout, with a manifest that says where they come from. Formats:

` + strings.Join(formats, "\n") + `

Datasets and backbones get the names that the specs use, so that the specs find
the arrays. Logits keep every bit. Probabilities become log-probabilities; a
probability below 2^-126, also an exact zero, counts as 2^-126, and the summary
says how many there were. A network with a dataset and a backbone of the paper is
another training of the same architecture: it is a stand-in, whose numbers are
marked and enter no verdict on the paper.

Nothing in the files is run. Pickles may hold arrays, lists, tuples, dicts and
numbers; any other name in them is an error. Arrays of another source are not
overwritten; comments in an existing manifest.yaml are lost.

import is for files that you trust. A pickle, HDF5, zip or CSV file that is made for
it can take all memory or time. An import that was interrupted may leave arrays that
the manifest does not name: remove the folder and import again.`,
		Example: `  qats import nncal probs_*_logits.p
  qats import medmnist predictions.zip dermamnist.npz bloodmnist.npz
  qats import calarena cv-multiclass.h5 --select 'c10/*' --to data/calarena
  qats import csv predictions.csv --split part --cal val --test test --label y --classes 'p*' --kind probs \
      --dataset mine --backbone resnet50`,
		Args: argumentsOr(2, math.MaxInt, "import needs a format and its files, as in qats import nncal probs_resnet110_c10_logits.p"),
		RunE: func(cmd *cobra.Command, args []string) error {
			sum, err := public.Import(cmd.Context(), args[0], args[1:], o)
			if err != nil {
				return err
			}
			printImport(cmd.OutOrStdout(), sum, o.Dir)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "to", arraysDir, "folder of arrays to write to")
	f.StringVar(&o.Dataset, "dataset", "", "name of the dataset, in place of that of the file; with --backbone")
	f.StringVar(&o.Backbone, "backbone", "", "name of the backbone, in place of that of the file; with --dataset")
	f.StringArrayVar(&o.Select, "select", nil, "import only networks whose DATASET/MODEL in the source matches this pattern; may be repeated")
	f.IntVar(&o.Pixels, "pixels", 28, "medmnist: resolution of the training that gets the plain name of the backbone")
	f.IntVar(&o.Run, "run", 1, "medmnist: run that gets the plain name of the backbone")
	f.StringSliceVar(&o.Columns.Classes, "classes", nil, "csv: columns of the classes in order, or a pattern for them such as 'p*'")
	f.StringVar(&o.Columns.Label, "label", "", "csv: column of the label, an integer from 0")
	f.StringVar((*string)(&o.Columns.Kind), "kind", "", "csv: what the columns of the classes hold, logits or probs")
	f.StringVar(&o.Columns.Split, "split", "", "csv: column that says the set of a row; without it, give two files")
	f.StringVar(&o.Columns.Cal, "cal", "cal", "csv: value of that column in rows that calibrate")
	f.StringVar(&o.Columns.Test, "test", "test", "csv: value of that column in rows that test")
	f.StringVar(&o.From, "from", "", "what the networks are, in a few words for captions")
	f.StringVar(&o.Licence, "licence", "", "licence of the predictions, if not that of the source")
	f.StringVar(&o.URL, "url", "", "where the files come from, for the manifest")
	cmd.MarkFlagDirname("to")
	return cmd
}

// printImport prints what was imported, one network a line.
func printImport(w io.Writer, sum *public.Summary, dir string) {
	width, standIns := 0, 0
	for _, n := range sum.Networks {
		width = max(width, len(n.Name))
	}
	for _, n := range sum.Networks {
		terminal.Fprintf(w, "%-*s  %6d rows to calibrate, %6d to test, %d classes", width, n.Name, n.Cal, n.Test, n.Classes)
		if n.LogProbs {
			fmt.Fprint(w, ", log-probabilities")
		}
		if n.Clipped > 0 {
			fmt.Fprintf(w, " (%d below 2^-126 set to it)", n.Clipped)
		}
		if n.StandIn != "" {
			standIns++
			fmt.Fprint(w, ", stand-in")
		}
		fmt.Fprintln(w)
	}
	for _, line := range sum.Skipped {
		terminal.Fprintf(w, "left out: %s\n", line)
	}
	terminal.Fprintf(w, "imported %s into %s", english.Count(len(sum.Networks), "network"), dir)
	if standIns > 0 {
		fmt.Fprintf(w, "; stand-ins for networks of the paper: %d", standIns)
	}
	fmt.Fprintln(w)
	if len(sum.Networks) > 0 && sum.Networks[0].Licence != "" {
		terminal.Fprintf(w, "licence: %s\n", sum.Networks[0].Licence)
	}
}
