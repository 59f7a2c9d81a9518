package main

import (
	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/arrays"
	"github.com/qats-bench/qats/internal/inputfile"
	"github.com/spf13/cobra"
)

func applyCommand() *cobra.Command {
	var a arrayFiles
	var output string
	var memory memory
	cmd := &cobra.Command{
		Use:   "apply MODEL",
		Short: "Apply a saved calibrator to logits; the probabilities are float64",
		Long: `Apply a saved calibrator to logits. The probabilities are float64, n x k. The
ending of the output decides its format: .npy is one array, .npz has it as "probs",
and .csv is text, one row a line below the numbers of the classes. "-o -" writes the
bytes of a .npy to standard output.

A top-label method (spline, ir-top, hb-top) keeps the predicted class and gives
it a new confidence. It has no probabilities for the other classes. Its pairs are
written to top.npz in the folder of the output (class int32, conf float64); score
them by qats score --top. The output has the same confidences, and the other
classes are rescaled to share the rest.`,
		Example: `  qats apply model.json --logits test/logits.npy -o probs.npy
  qats apply model.json --logits test/logits.npy -o - > probs.npy
  qats apply model.json --logits -#logits -o - < test.safetensors > probs.npy`,
		Args: argumentsOr(1, 1, "apply takes one saved model, as in: qats apply model.json --logits L.npy -o probs.npy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return usage("apply needs -o FILE.npy")
			}
			if _, err := data.FormOf(output); err != nil {
				return usage("-o %w", err)
			}
			stdout, err := binaryOutput(cmd, output)
			if err != nil {
				return err
			}
			if err := checkOutput(output); err != nil {
				return err
			}
			model, contract, err := loadModel(args[0])
			if err != nil {
				return err
			}
			files, err := a.only(contract.Test|data.Logits, model.Method)
			if err != nil {
				return err
			}
			files.FS, files.MemberLimit = arrayInput(cmd, memory), memory.bytes
			set := arrays.Apply{Model: model, Contract: contract, Files: files, Warn: warnOfFile(cmd)}
			return set.Write(cmd.Context(), output, stdout)
		},
	}
	a.flags(cmd, "set", false)
	memory.flag(cmd, "memory for members of archives and for standard input")
	cmd.Flags().StringVarP(&output, "output", "o", "", "probabilities, n x k, float64: FILE.npy, FILE.npz or FILE.csv; - for standard output")
	return cmd
}

// loadModel reads a saved model, and finds the contract of its method.
func loadModel(path string) (*calib.Model, calib.Contract, error) {
	f, _, err := inputfile.Open(path)
	if err != nil {
		return nil, calib.Contract{}, &data.Problem{Place: path, Cause: inputfile.Cause(err).Error()}
	}
	defer f.Close()
	model, err := calib.LoadModel(f, all.Registry())
	if err != nil {
		return nil, calib.Contract{}, &data.Problem{Place: path, Cause: err.Error()}
	}
	entry, _ := all.Lookup(model.Method)
	return model, entry.Method.Contract(), nil
}
