package arrays

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/internal/atomicfile"
)

// Apply says which fit is applied to which set.
type Apply struct {
	Model    *calib.Model
	Contract calib.Contract // of its method
	Files    data.Files     // of the set

	DType        data.DType // of the output: data.Float64, also if it is empty, or data.Float32
	Temperatures bool       // writes the temperature of each row in place of its probabilities

	Warn func(Note) // is called with the notes on the files
}

// Applied says what was written.
type Applied struct {
	Rows, Classes int
	Pairs         string // the file of the pairs of a top-label method; empty if there is none
}

// applyBytes is the size of the blocks of logits that the map is applied to.
const applyBytes = 4 << 20

// Write writes the probabilities of the set, n x k, or its temperatures, n, to output, in the
// form that its name says, or to stdout if output is "-". It writes the pairs of a top-label map
// beside a file of probabilities. A probability of 0 is written as 1e-300, so that the NLL of
// the file is that of the map; as float32 it rounds to 0 again.
func (a *Apply) Write(ctx context.Context, output string, stdout io.Writer) (*Applied, error) {
	form, err := data.FormOf(output)
	if err != nil {
		return nil, err
	}
	if _, ok := a.Model.Map.(calib.Tempered); a.Temperatures && !ok {
		return nil, fmt.Errorf("%s has no temperature of a row: it does more than divide the logits of a row by a number", a.Model.Method)
	}
	r, err := Open(a.Files, a.Model.Method, a.Contract.TrueLogits, a.Warn)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if k := a.Model.Classes; k != 0 && r.Classes() != k {
		return nil, fmt.Errorf("%s has %d classes, the model is for %d", a.Files.Logits, r.Classes(), k)
	}
	applied := &Applied{Rows: r.Rows(), Classes: r.Classes()}
	var top pairs
	write := func(w io.Writer) error {
		top = pairs{}
		return a.write(ctx, w, form, r, &top)
	}
	if output == "-" {
		return applied, write(stdout)
	}
	if err := atomicfile.WriteNamed(output, write); err != nil || !top.kept {
		return applied, err
	}
	applied.Pairs, err = a.writeTop(output, top)
	return applied, err
}

// pairs are the predicted class and the confidence of each row of a top-label map.
type pairs struct {
	kept        bool
	classes     []int32
	confidences []float64
}

// write writes the probabilities of the rows of r to w, and gathers the pairs of a top-label
// map.
func (a *Apply) write(ctx context.Context, to io.Writer, form data.FileForm, r data.Reader, pairs *pairs) error {
	model, contract, files := a.Model, a.Contract, a.Files
	w, err := data.NewProbsWriter(to, data.Output{Form: form, DType: a.DType, Temperatures: a.Temperatures}, r.Rows(), r.Classes())
	if err != nil {
		return err
	}
	top, isTop := model.Map.(calib.TopLabel)
	pairs.kept = isTop
	offsetLost := contract.TrueLogits // in all rows read so far
	masked := 0                       // logits read so far
	if err := data.Blocks(ctx, r, applyBytes, func(_ int, set *data.Set) error {
		offsetLost = offsetLost && data.LogProbs(set.Logits)
		if masked += set.Logits.Masked(); contract.Refuses(set) {
			return &data.Problem{Place: files.Logits, Cause: model.Method + " " + calib.ErrMasked.Error()}
		}
		seen := set.View(contract.Test)
		if err := calib.CheckSet(model.Map, seen); err != nil {
			return fmt.Errorf("%s: %w", files.Features, err)
		}
		if a.Temperatures {
			return w.Write(temperatures(model.Map.(calib.Tempered), seen))
		}
		if isTop {
			class, conf, err := calib.TopLabels(top, seen)
			if err != nil {
				return err
			}
			pairs.classes, pairs.confidences = append(pairs.classes, class...), append(pairs.confidences, conf...)
		}
		probs := data.NewProbs(set.Logits.Rows, set.Logits.Cols)
		if err := calib.Apply(model.Map, probs, seen); err != nil {
			return err
		}
		keepZeros(probs, set.Logits)
		return w.Write(probs)
	}); err != nil {
		return err
	}
	if offsetLost && r.Rows() > 0 {
		return fmt.Errorf("%s: %s %s", files.Logits, model.Method, engine.NeedsTrueLogits)
	}
	if masked > 0 {
		a.Warn(noteOf(files.Logits, data.MaskedNote(masked, r.Rows()*r.Classes())))
	}
	return w.Close()
}

// keepZeros writes data.LeastProb over the probabilities of 0, as the metric NLL counts them.
// A reader of the file would take a 0 for a number that was rounded away. The 0 of a masked
// class stays.
func keepZeros(probs data.Probs, logits data.Matrix) {
	for i, p := range probs.Data {
		if p == 0 && logits.Data[i] != data.Masked {
			probs.Data[i] = data.LeastProb
		}
	}
}

// temperatures returns the temperature of each row, as a table of one column.
func temperatures(m calib.Tempered, set *data.Set) data.Probs {
	t := data.NewProbs(set.Logits.Rows, 1)
	m.Scales(t.Data, set, calib.NewUnscaled(set.Logits))
	for i, scale := range t.Data {
		t.Data[i] = 1 / scale
	}
	return t
}

// topFile is the name of the pairs that a top-label method predicts.
const topFile = "top.npz"

// writeTop writes the predicted class and the confidence of each row into the folder of
// output, with a warning, and returns the path. If output is not a regular file, such as
// /dev/null, it does nothing.
func (a *Apply) writeTop(output string, top pairs) (string, error) {
	info, err := os.Stat(output)
	if err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	path := filepath.Join(filepath.Dir(output), topFile)
	if err := atomicfile.Write(path, func(w io.Writer) error {
		return data.WriteNPZ(w, data.Member{Name: "class", Int32: top.classes}, data.Member{Name: "conf", Float64: top.confidences})
	}); err != nil {
		return "", err
	}
	a.Warn(Note{Place: path, Text: fmt.Sprintf("%s keeps the predicted class and gives it a new confidence: score this file by qats score --top; "+
		"in %s the other classes are rescaled, and another class may be the largest", a.Model.Method, output)})
	return path, nil
}
