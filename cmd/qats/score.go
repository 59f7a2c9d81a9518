package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"github.com/spf13/cobra"
)

func scoreCommand() *cobra.Command {
	var probs, logits, top, labels, memory string
	var asJSON bool
	var kind data.Kind
	cmd := &cobra.Command{
		Use:   "score",
		Short: "Score probabilities, or the softmax of logits, against labels",
		Long: `score prints n, accuracy, ECE and AECE (15 bins), NLL and Brier score of
probabilities, of the softmax of logits, or of the pairs (class, confidence) of
a top-label method, which have no NLL and no Brier score. Fractions and nats;
see qats metrics for the conventions. Files are read in blocks: beside some megabytes it takes 9
bytes of memory a row, and refuses to begin where that is more than --max-memory.`,
		Example: `  qats score --probs probs.npy --labels test/labels.npy
  qats score --logits test/logits.npy --labels test/labels.npy --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			given := 0
			for _, name := range []string{probs, logits, top} {
				if name != "" {
					given++
				}
			}
			if given != 1 || labels == "" {
				return fmt.Errorf("score needs --labels and one of --probs, --logits and --top")
			}
			limit, err := parseBytes(memory)
			if err != nil {
				return err
			}
			var t *metrics.Tally
			switch {
			case logits != "":
				t, err = scoreLogits(cmd, data.Files{Logits: logits, Labels: labels, Kind: kind}, limit)
			case probs != "":
				t, err = scoreProbs(cmd, probs, labels, limit)
			default:
				t, err = scoreTop(cmd.Context(), top, labels, limit)
			}
			if err != nil {
				return err
			}
			return printScores(cmd.OutOrStdout(), t.Scores(), top == "", asJSON)
		},
	}
	cmd.Flags().StringVar(&probs, "probs", "", "probabilities, n x k")
	cmd.Flags().StringVar(&logits, "logits", "", "logits, n x k")
	cmd.Flags().StringVar(&top, "top", "", "pairs of a top-label method, as qats apply writes them: FILE.npz with class and conf")
	kindFlag(cmd, &kind)
	cmd.Flags().StringVar(&labels, "labels", "", "labels, n integers")
	cmd.Flags().StringVar(&memory, "max-memory", "4GiB", "memory for arrays, as in 512MiB or 6GiB")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	for _, name := range []string{"probs", "logits", "top", "labels"} {
		cmd.MarkFlagFilename(name, "npy", "npz")
	}
	return cmd
}

// tallyBytes is the memory that a Tally takes for a row at its end.
const tallyBytes = 9

// newTally returns a tally of n rows where they fit into memory bytes.
func newTally(n int, name string, memory int64) (*metrics.Tally, error) {
	if need := int64(n) * tallyBytes; need > memory {
		return nil, fmt.Errorf("%s: scoring %d rows takes %d MiB; raise --max-memory", name, n, need>>20+1)
	}
	return metrics.NewTally(n), nil
}

// scoreBytes is the size of the blocks that are scored at a time: they stay in
// the cache of a processor.
const scoreBytes = 1 << 20

// scoreLogits scores the uncalibrated softmax, on all processors.
func scoreLogits(cmd *cobra.Command, files data.Files, memory int64) (*metrics.Tally, error) {
	r, err := files.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := notice(cmd.ErrOrStderr(), r, "", false, files.Logits); err != nil {
		return nil, err
	}
	t, err := newTally(r.Rows(), files.Logits, memory)
	if err != nil {
		return nil, err
	}
	block := max(1, scoreBytes/(4*r.Classes()))
	ones := slices.Repeat([]float64{1}, block)
	return t, data.Scan(cmd.Context(), r, block, runtime.GOMAXPROCS(0), func(lo int, set *data.Set) error {
		return t.AppendScaled(lo, set, ones[:set.Logits.Rows])
	})
}

// scoreProbs scores probabilities in float64, as they are in the file. Rows that
// sum to 1 only loosely, as those of float16 files and of few decimals do, are
// divided by their sum and counted.
func scoreProbs(cmd *cobra.Command, probs, labels string, memory int64) (*metrics.Tally, error) {
	r, err := data.Files{Labels: labels}.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p, err := data.OpenArrayFile(probs)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	shape := p.Shape()
	if len(shape) != 2 || shape[1] < 2 {
		return nil, fmt.Errorf("%s: probabilities are n x k with k >= 2, this is %v", probs, shape)
	}
	n, k := shape[0], shape[1]
	if n != r.Rows() {
		return nil, fmt.Errorf("%s has %d rows, %s has %d", probs, n, labels, r.Rows())
	}
	t, err := newTally(n, probs, memory)
	if err != nil {
		return nil, err
	}
	block := max(1, scoreBytes/(8*k))
	dst := data.NewProbs(min(block, n), k)
	divided := 0
	err = data.Scan(cmd.Context(), r, block, 1, func(lo int, set *data.Set) error {
		rows := dst.Slice(0, len(set.Labels))
		if err := p.ReadFloat64(rows.Data, lo, lo+rows.Rows); err != nil {
			return err
		}
		for i := range rows.Rows {
			if metrics.Normalise(rows.Row(i)) {
				divided++
			}
		}
		if err := t.Append(lo, rows, set); err != nil {
			return fmt.Errorf("%s: %w", probs, err)
		}
		return nil
	})
	if err == nil && divided > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "qats: %s: %d of %d rows sum to 1 only within %g and are divided by their sum\n", probs, divided, n, metrics.LooseSum)
	}
	return t, err
}

// scoreTop scores the pairs of a top-label method.
func scoreTop(ctx context.Context, top, labels string, memory int64) (*metrics.Tally, error) {
	r, err := data.Files{Labels: labels}.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	class, err := data.OpenArrayFile(top + "#class")
	if err != nil {
		return nil, err
	}
	defer class.Close()
	conf, err := data.OpenArrayFile(top + "#conf")
	if err != nil {
		return nil, err
	}
	defer conf.Close()
	n := r.Rows()
	for _, a := range []*data.Array{class, conf} {
		if shape := a.Shape(); len(shape) != 1 || shape[0] != n {
			return nil, fmt.Errorf("%s: shape %v; %s has %d rows", a.Name(), shape, labels, n)
		}
	}
	t, err := newTally(n, top, memory)
	if err != nil {
		return nil, err
	}
	block := min(scoreBytes/8, n)
	classes, confidences := make([]int32, block), make([]float64, block)
	return t, data.Scan(ctx, r, max(1, block), 1, func(lo int, set *data.Set) error {
		hi := lo + len(set.Labels)
		if err := class.ReadInt32(classes[:hi-lo], lo, hi); err != nil {
			return err
		}
		if err := conf.ReadFloat64(confidences[:hi-lo], lo, hi); err != nil {
			return err
		}
		if err := t.AppendTopLabel(lo, classes[:hi-lo], confidences[:hi-lo], set.Labels); err != nil {
			return fmt.Errorf("%s: %w", top, err)
		}
		return nil
	})
}

// printScores prints the metrics, in 9 significant digits as in results.csv.
// Without a vector of probabilities there is neither NLL nor Brier score.
func printScores(w io.Writer, s metrics.Scores, vector, asJSON bool) error {
	open, between, quote, end, none := "", "\n", "", "\n", "-"
	if asJSON {
		open, between, quote, end, none = "{", ", ", `"`, "}\n", "null"
	}
	pad := func(name string) string {
		if asJSON {
			return quote + name + quote + ": "
		}
		return fmt.Sprintf("%-9s ", name)
	}
	fmt.Fprint(w, open, pad("n"), s.N)
	for _, m := range []struct {
		name   string
		value  float64
		vector bool
	}{{"accuracy", s.Accuracy, false}, {"ece", s.ECE, false}, {"aece", s.AECE, false}, {"nll", s.NLL, true}, {"brier", s.Brier, true}} {
		value := strconv.FormatFloat(m.value, 'g', 9, 64)
		if m.vector && !vector {
			value = none
		}
		fmt.Fprint(w, between, pad(m.name), value)
	}
	_, err := fmt.Fprint(w, end)
	return err
}
