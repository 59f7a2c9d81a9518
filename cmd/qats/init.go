package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/look"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/terminal"
)

// schemaFile is the JSON Schema that init writes beside the spec, for editors.
const schemaFile = "qats.schema.json"

// exampleDir is the folder of the arrays of the example, and the name of its spec.
const exampleDir = "virtual"

func initCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Look at a folder of arrays and write a spec for it",
		Long: `init looks for logits and labels in DIR and writes a spec for them with comments, methods, tables
and figures, and qats.schema.json beside it, for editors. DIR has cal.npz and test.npz, one
NETWORK.npz, or cal/logits.npy, cal/labels.npy and the same of test, in itself or below
DATASET/BACKBONE. Without DIR, init writes an example.`,
		Example: examples(
			"init .",
			"init arrays -o mine.yaml",
			"init",
		),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && args[0] == "" {
				return errors.New("init takes the folder of the arrays, as in: " + called.Command() + " init arrays; without a folder it writes an example")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return initSpec(cmd, exampleDir, true, output)
			}
			if err := notArrays("init takes a folder of arrays", args, true); err != nil {
				return err
			}
			return initSpec(cmd, args[0], false, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "`FILE` of the spec (default: the name of the folder); - for standard output")
	cmd.MarkFlagFilename("output", "yaml")
	return cmd
}

// initSpec writes a spec for the arrays in dir into file. It first writes the arrays
// if they are to be an example.
func initSpec(cmd *cobra.Command, dir string, example bool, file string) error {
	if example && file == stdoutName {
		return errors.New("init without a folder writes arrays and a spec for them: name the file of the spec by -o, or a folder of arrays")
	}
	file = cmp.Or(file, look.NameOf(dir)+".yaml")
	if _, err := os.Stat(file); file != stdoutName && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already: remove it, or name another file by -o", file)
	}
	if example {
		if err := writeExample(cmd, dir); err != nil {
			return err
		}
	}
	s, err := look.NewStarter(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s; name the folder of your arrays, or write an example by "+called.Command()+" init without a folder", dir)
	}
	if err != nil {
		return err
	}
	for _, p := range s.Problems {
		if len(s.Sets) > 0 && len(s.Unusable) == 0 {
			warn(cmd.ErrOrStderr(), newTextWarning(p.Error()))
		}
	}
	if err := s.Check(); err != nil {
		return err
	}
	if file == stdoutName {
		return printSpec(cmd, s)
	}
	s.Schema = schemaFile
	if name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)); keyed.IsID(name) {
		s.Name = name
	}
	var where []string // the flag that names the folder, if the spec cannot
	var inside bool
	if s.Dir, inside = experiments.DataName(file, dir); !inside {
		s.Dir, where = "", []string{"--data", dir}
	}
	text := s.Spec()
	read, err := spec.Parse(file, []byte(text), experiments.Registry())
	if err != nil {
		return fmt.Errorf("internal error: the spec of %s is wrong: %w", dir, err)
	}
	var schema bytes.Buffer
	if err := spec.WriteSchema(&schema, experiments.Registry()); err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(filepath.Join(filepath.Dir(file), schemaFile), schema.Bytes()); err != nil {
		return err
	}
	if err := save(file, cmd.OutOrStdout(), func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}); err != nil {
		return err
	}
	terminal.Fprintf(cmd.OutOrStdout(), "wrote %s: %s, %s\n", file, english.Count(len(read.Settings), "setting"), english.Count(len(read.Methods), "method"))
	next(cmd, append([]string{"check", file}, where...)...)
	if without := s.Uncalibrated(); len(without) > 0 {
		warn(cmd.ErrOrStderr(), newTextWarning(experiments.NoCalibration(without)))
		return errFailed
	}
	return nil
}

// printSpec prints the spec of a folder. Its data is named from the current folder.
func printSpec(cmd *cobra.Command, s *look.Starter) error {
	if dir, inside := experiments.DataName("spec.yaml", s.Folder()); inside {
		s.Dir = dir
	}
	_, err := io.WriteString(cmd.OutOrStdout(), s.Spec())
	return err
}

// writeExample writes the arrays of two virtual networks into dir, which must be new.
func writeExample(cmd *cobra.Command, dir string) error {
	if err := os.Mkdir(dir, 0o777); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already, and the example would be written there: "+called.Command()+" init %s writes a spec for the arrays in it", dir, dir)
	} else if err != nil {
		return err
	}
	if err := look.WriteSynthetic(cmd.Context(), dir); err != nil {
		return err
	}
	_, err := terminal.Fprintf(cmd.OutOrStdout(), "wrote the arrays of two virtual networks below %s\n", filepath.Join(dir, "toy"))
	return err
}
