package arrays

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/called"
)

// Apply says which fit is applied to which set.
type Apply struct {
	Model    *calib.Model
	Contract calib.Contract // of its method
	Files    data.Files     // of the set

	DType        npy.DType // of the output: npy.Float64, also if it is empty, or npy.Float32
	Temperatures bool      // writes the temperature of each row in place of its probabilities
	Shares       []float64 // of the classes of the set, k, where they are not those of the calibration rows; nil for these

	Warn func(Problem) // is called with the notes on the files

	ratios []float64 // of Shares to those of the calibration rows; nil without
}

// Applied says what was written.
type Applied struct {
	Rows, Classes  int
	ConfidenceOnly bool   // the set has a confidence alone, and confidences were written
	Pairs          string // the file of the pairs of a top-label method; empty if there is none
}

// Write writes the probabilities of the set, n x k, or its temperatures, n, to output, in the
// form that its name says, or to stdout if output is "-". It writes the pairs of a top-label map
// beside a file of probabilities. A probability of 0 is written as 1e-300, so that the NLL of
// the file is that of the map; as float32 it rounds to 0 again.
func (a *Apply) Write(ctx context.Context, output string, stdout io.Writer) (*Applied, error) {
	as, err := data.FormOf(output)
	if err != nil {
		return nil, err
	}
	if _, ok := a.Model.Map.(calib.Tempered); a.Temperatures && !ok {
		return nil, fmt.Errorf("%s has no temperature of a row: it does more than divide the logits of a row by a number", a.Model.Method)
	}
	if a.Shares != nil {
		if a.ratios, err = a.Model.Ratios(a.Shares); err != nil {
			return nil, fmt.Errorf("shares: %w", err)
		}
	}
	r, err := Open(a.Files, a.Model.Method, a.Contract, a.Warn)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	form, err := r.Form()
	if err != nil {
		return nil, err
	}
	if form.Confidence && a.Temperatures {
		return nil, fmt.Errorf("%s: predictions with a confidence alone have no temperature of a row", a.Files.Logits)
	}
	if k := a.Model.Classes; k != 0 && r.Classes() != k && (r.Classes() != 0 || !form.Confidence) {
		return nil, fmt.Errorf("%s has %d classes, the model is for %d", a.Files.Logits, r.Classes(), k)
	}
	applied := &Applied{Rows: r.Rows(), Classes: r.Classes(), ConfidenceOnly: form.Confidence}
	var top pairs
	write := func(w io.Writer) error {
		top = pairs{}
		if applied.ConfidenceOnly {
			return a.writeConfidences(ctx, w, as, r)
		}
		return a.write(ctx, w, as, r, &top)
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
	w, err := data.NewProbsWriter(to, data.Output{Form: form, DType: a.DType, Temperatures: a.Temperatures}, r.Rows(), r.Classes())
	if err != nil {
		return err
	}
	column := &engine.Column{Contract: a.Contract, Map: a.Model.Map}
	_, pairs.kept = a.Model.Map.(calib.TopLabel)
	masked := 0          // logits read so far
	var memory []float64 // of a block of the output
	err = engine.Apply(ctx, column, r, func(lo int, set *data.Set) error {
		masked += set.Logits.Masked()
		if _, err := column.View(set); err != nil {
			return fmt.Errorf("%s: %w", a.Files.Features, err)
		}
		table := data.Probs{Rows: set.Logits.Rows, Cols: set.Logits.Cols}
		if a.Temperatures {
			table.Cols = 1
		}
		memory = slices.Grow(memory[:0], table.Rows*table.Cols)[:table.Rows*table.Cols]
		table.Data = memory
		if a.Temperatures {
			if err := column.Scales(table.Data, lo, set, calib.NewUnscaled(set.Logits)); err != nil {
				return err
			}
			for i, scale := range table.Data {
				table.Data[i] = 1 / scale
			}
			return w.Write(table)
		}
		if pairs.kept {
			class, conf, err := column.TopLabels(set)
			if err != nil {
				return err
			}
			pairs.classes, pairs.confidences = append(pairs.classes, class...), append(pairs.confidences, conf...)
		}
		if err := column.Probabilities(table, lo, set); err != nil {
			return err
		}
		if a.ratios != nil {
			if err := calib.Reweigh(table, a.ratios); err != nil {
				return fmt.Errorf("%s, from row %d: %w", a.Files.Logits, lo, err)
			}
		}
		keepZeros(table, set.Logits)
		return w.Write(table)
	})
	var why *engine.Unsuited
	switch {
	case errors.As(err, &why):
		return unsuited(a.Files.Logits, a.Model.Method, why)
	case err != nil:
		return err
	}
	if masked > 0 {
		a.Warn(problemOf(a.Files.Logits, data.MaskedNote(masked, r.Rows()*r.Classes())))
	}
	return w.Close()
}

// writeConfidences writes the new confidence of each row of r, which has a confidence alone, to w.
func (a *Apply) writeConfidences(ctx context.Context, to io.Writer, form data.FileForm, r data.Reader) error {
	w, err := data.NewProbsWriter(to, data.Output{Form: form, DType: a.DType, Confidences: true}, r.Rows(), 1)
	if err != nil {
		return err
	}
	column := &engine.Column{Contract: a.Contract, Map: a.Model.Map}
	err = engine.Apply(ctx, column, r, func(_ int, set *data.Set) error {
		_, conf, err := column.TopLabels(set)
		if err != nil {
			return fmt.Errorf("%s: %w", a.Files.Logits, err)
		}
		return w.Write(data.Probs{Rows: len(conf), Cols: 1, Data: conf})
	})
	if err != nil {
		return err
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
		return npy.WriteNPZ(w, npy.Column{Name: "class", Int32: top.classes}, npy.Column{Name: "conf", Float64: top.confidences})
	}); err != nil {
		return "", err
	}
	a.Warn(Problem{Place: path, Text: fmt.Sprintf("%s keeps the predicted class and gives it a new confidence: score this file by "+called.Command()+" score --top; "+
		"in %s the other classes are rescaled, and another class may be the largest", a.Model.Method, output)})
	return path, nil
}
