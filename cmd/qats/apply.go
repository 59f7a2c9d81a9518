package main

import (
	"fmt"

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
	cmd := &cobra.Command{
		Use:   "apply MODEL",
		Short: "Apply a saved calibrator to logits; the probabilities are float64",
		Long: `Apply a saved calibrator to logits. The probabilities are float64, n x k.

A top-label method (spline, ir-top, hb-top) keeps the predicted class and gives
it a new confidence. It has no probabilities for the other classes. Its pairs are
written to top.npz in the folder of the output (class int32, conf float64); score
them by qats score --top. The output has the same confidences, and the other
classes are rescaled to share the rest.`,
		Example: "  qats apply model.json --logits test/logits.npy -o probs.npy",
		Args:    argumentsOr(1, 1, "apply takes one saved model, as in: qats apply model.json --logits L.npy -o probs.npy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return fmt.Errorf("apply needs -o FILE.npy")
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
			set := arrays.Apply{Model: model, Contract: contract, Files: files, Warn: func(note string) { warn(cmd.ErrOrStderr(), note) }}
			return set.Write(cmd.Context(), output)
		},
	}
	a.flags(cmd, "set", false)
	cmd.Flags().StringVarP(&output, "output", "o", "", "probabilities, n x k, '<f8'")
	return cmd
}

// loadModel reads a saved model, and finds the contract of its method.
func loadModel(path string) (*calib.Model, calib.Contract, error) {
	f, _, err := inputfile.Open(path)
	if err != nil {
		return nil, calib.Contract{}, err
	}
	defer f.Close()
	model, err := calib.LoadModel(f, all.Registry())
	if err != nil {
		return nil, calib.Contract{}, fmt.Errorf("%s: %w", path, err)
	}
	entry, _ := all.Lookup(model.Method)
	return model, entry.Method.Contract(), nil
}
