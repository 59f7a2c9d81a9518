package arrays

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/metrics"
)

// Apply says which fit is applied to which set.
type Apply struct {
	Model    *calib.Model
	Contract calib.Contract // of its method
	Files    data.Files     // of the set

	Warn func(note string) // is called with the notes on the files
}

// applyBytes is the size of the blocks of logits that the map is applied to.
const applyBytes = 4 << 20

// Write writes the probabilities of the set, n x k in float64, to output, and the pairs of a
// top-label map beside it.
func (a *Apply) Write(ctx context.Context, output string) error {
	model, contract, files := a.Model, a.Contract, a.Files
	r, err := Open(files, model.Method, contract.TrueLogits, a.Warn)
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
		return fmt.Errorf("%s: %s %s", files.Logits, model.Method, experiments.NeedsTrueLogits)
	}
	if err := w.Close(); err != nil || !isTop {
		return err
	}
	return a.writeTop(output, classes, confidences)
}

// topFile is the name of the pairs that a top-label method predicts.
const topFile = "top.npz"

// writeTop writes the predicted class and the confidence of each row into the folder of
// output, with a warning. If output is not a regular file, such as /dev/null, it does
// nothing.
func (a *Apply) writeTop(output string, classes []int32, confidences []float64) error {
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
	a.Warn(fmt.Sprintf("%s keeps the predicted class and gives it a new confidence: score %s by qats score --top; "+
		"in %s the other classes are rescaled, and another class may be the largest", a.Model.Method, path, output))
	return nil
}

// BeforeAfter scores the calibration set before and after its own fit. contract is that of the
// method.
func BeforeAfter(fitted *calib.Fitted, contract calib.Contract, cal *data.Set) (before, after *metrics.Samples, err error) {
	if before, err = metrics.FromLogits(cal); err != nil {
		return nil, nil, err
	}
	seen := cal.View(contract.Test)
	if err := calib.CheckSet(fitted.Map, seen); err != nil {
		return nil, nil, err
	}
	top, ok := fitted.Map.(calib.TopLabel)
	if !ok {
		after, err = metrics.FromProbs(fitted.Probabilities(seen), cal)
		return before, after, err
	}
	class, conf := calib.TopLabels(top, seen)
	correct := make([]bool, len(class))
	for i, c := range class {
		correct[i] = c == cal.Labels[i]
	}
	after, err = metrics.FromConfidences(conf, correct)
	return before, after, err
}
