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
	var probs, logits, labels, memory string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "score",
		Short: "Score probabilities, or the softmax of logits, against labels",
		Long: `score prints n, accuracy, ECE and AECE (15 bins), NLL and Brier score of
probabilities or of the softmax of logits. Fractions and nats; see qats metrics
for the conventions. Files are read in blocks: beside some megabytes it takes 9
bytes of memory a row, and refuses to begin where that is more than --max-memory.`,
		Example: `  qats score --probs probs.npy --labels test/labels.npy
  qats score --logits test/logits.npy --labels test/labels.npy --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (probs == "") == (logits == "") || labels == "" {
				return fmt.Errorf("score needs --labels and one of --probs and --logits")
			}
			limit, err := parseBytes(memory)
			if err != nil {
				return err
			}
			var t *metrics.Tally
			if logits != "" {
				t, err = scoreLogits(cmd.Context(), data.Files{Logits: logits, Labels: labels}, limit)
			} else {
				t, err = scoreProbs(cmd.Context(), probs, labels, limit)
			}
			if err != nil {
				return err
			}
			return printScores(cmd.OutOrStdout(), t.Scores(), asJSON)
		},
	}
	cmd.Flags().StringVar(&probs, "probs", "", "probabilities, n x k")
	cmd.Flags().StringVar(&logits, "logits", "", "logits, n x k")
	cmd.Flags().StringVar(&labels, "labels", "", "labels, n integers")
	cmd.Flags().StringVar(&memory, "max-memory", "4GiB", "memory for arrays, as in 512MiB or 6GiB")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	for _, name := range []string{"probs", "logits", "labels"} {
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
func scoreLogits(ctx context.Context, files data.Files, memory int64) (*metrics.Tally, error) {
	r, err := files.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t, err := newTally(r.Rows(), files.Logits, memory)
	if err != nil {
		return nil, err
	}
	block := max(1, scoreBytes/(4*r.Classes()))
	ones := slices.Repeat([]float64{1}, block)
	return t, data.Scan(ctx, r, block, runtime.GOMAXPROCS(0), func(lo int, set *data.Set) error {
		return t.AppendScaled(lo, set, ones[:set.Logits.Rows])
	})
}

// scoreProbs scores probabilities in float64, as they are in the file.
func scoreProbs(ctx context.Context, probs, labels string, memory int64) (*metrics.Tally, error) {
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
	return t, data.Scan(ctx, r, block, 1, func(lo int, set *data.Set) error {
		rows := dst.Slice(0, len(set.Labels))
		if err := p.ReadFloat64(rows.Data, lo, lo+rows.Rows); err != nil {
			return err
		}
		if err := t.Append(lo, rows, set); err != nil {
			return fmt.Errorf("%s: %w", probs, err)
		}
		return nil
	})
}

// printScores prints the metrics, in 9 significant digits as in results.csv.
func printScores(w io.Writer, s metrics.Scores, asJSON bool) error {
	open, between, quote, end := "", "\n", "", "\n"
	if asJSON {
		open, between, quote, end = "{", ", ", `"`, "}\n"
	}
	pad := func(name string) string {
		if asJSON {
			return quote + name + quote + ": "
		}
		return fmt.Sprintf("%-9s ", name)
	}
	fmt.Fprint(w, open, pad("n"), s.N)
	for _, m := range []struct {
		name  string
		value float64
	}{{"accuracy", s.Accuracy}, {"ece", s.ECE}, {"aece", s.AECE}, {"nll", s.NLL}, {"brier", s.Brier}} {
		fmt.Fprint(w, between, pad(m.name), strconv.FormatFloat(m.value, 'g', 9, 64))
	}
	_, err := fmt.Fprint(w, end)
	return err
}
