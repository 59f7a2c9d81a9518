package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/inputfile"
)

func applyCommand() *cobra.Command {
	var a arrays
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
			return apply(cmd.Context(), cmd.ErrOrStderr(), model, contract, files, output)
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
	model, err := calib.LoadModel(f, calib.Registry())
	if err != nil {
		return nil, calib.Contract{}, fmt.Errorf("%s: %w", path, err)
	}
	entry, _ := calib.Lookup(model.Method)
	return model, entry.Method.Contract(), nil
}

// applyBytes is the size of the blocks of logits that the map is applied to.
const applyBytes = 4 << 20

// apply writes the probabilities of the set to output, and the pairs of a top-label map
// beside it.
func apply(ctx context.Context, stderr io.Writer, model *calib.Model, contract calib.Contract, files data.Files, output string) error {
	r, err := openLogits(stderr, files, model.Method, contract.TrueLogits)
	if err != nil {
		return err
	}
	defer r.Close()
	if model.Classes != 0 && r.Classes() != model.Classes {
		return fmt.Errorf("%s has %d classes, the model is for %d", files.Logits, r.Classes(), model.Classes)
	}
	w, err := data.CreateArray(output, data.Float64, r.Rows(), r.Classes())
	if err != nil {
		return err
	}
	defer w.Abort()
	var classes []int32
	var confidences []float64
	top, isTop := model.Map.(calib.TopLabel)
	offsetLost := contract.TrueLogits // in all rows read so far
	if err := data.Blocks(ctx, r, applyBytes, func(_ int, set *data.Set) error {
		offsetLost = offsetLost && data.LogProbs(set.Logits)
		probs, seen := data.NewProbs(set.Logits.Rows, set.Logits.Cols), set.View(contract.Test)
		if err := calib.CheckSet(model.Map, seen); err != nil {
			return fmt.Errorf("%s: %w", files.Features, err)
		}
		if isTop {
			class, conf := calib.TopLabels(top, seen)
			classes, confidences = append(classes, class...), append(confidences, conf...)
		}
		calib.Apply(model.Map, probs, seen)
		return w.Float64(probs.Data)
	}); err != nil {
		return err
	}
	if offsetLost && r.Rows() > 0 {
		return fmt.Errorf("%s: %s", files.Logits, experiments.NeedsTrueLogits(model.Method))
	}
	if err := w.Close(); err != nil || !isTop {
		return err
	}
	return saveTop(stderr, output, model.Method, classes, confidences)
}

// topFile is the name of the pairs that a top-label method predicts.
const topFile = "top.npz"

// saveTop writes the predicted class and the confidence of each row into the folder of
// output, and a warning to w. If output is not a regular file, such as /dev/null, it does
// nothing.
func saveTop(w io.Writer, output, method string, classes []int32, confidences []float64) error {
	info, err := os.Stat(output)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	path := filepath.Join(filepath.Dir(output), topFile)
	if err := atomicfile.Write(path, func(w io.Writer) error {
		return data.WriteNPZ(w, data.Member{Name: "class", Int32: classes}, data.Member{Name: "conf", Float64: confidences})
	}); err != nil {
		return err
	}
	warn(w, fmt.Sprintf("%s keeps the predicted class and gives it a new confidence: score %s by qats score --top; "+
		"in %s the other classes are rescaled, and another class may be the largest", method, path, output))
	return nil
}
