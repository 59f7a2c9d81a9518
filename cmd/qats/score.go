package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"github.com/spf13/cobra"
)

// scored are the metrics that score prints, in order.
var scored = []string{"accuracy", "ece", "aece", "nll", "brier"}

func scoreCommand() *cobra.Command {
	var probs, logits, labels string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "score",
		Short: "Score probabilities, or the softmax of logits, against labels",
		Long: `score prints n, accuracy, ECE and AECE (15 bins), NLL and Brier score of
probabilities or of the softmax of logits. Fractions and nats; see qats metrics
for the conventions.`,
		Example: `  qats score --probs probs.npy --labels test/labels.npy
  qats score --logits test/logits.npy --labels test/labels.npy --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (probs == "") == (logits == "") || labels == "" {
				return fmt.Errorf("score needs --labels and one of --probs and --logits")
			}
			var facts *metrics.Facts
			var err error
			if logits != "" {
				facts, err = scoreLogits(cmd.Context(), data.Files{Logits: logits, Labels: labels})
			} else {
				facts, err = scoreProbs(cmd.Context(), probs, labels)
			}
			if err != nil {
				return err
			}
			return printScores(cmd.OutOrStdout(), facts, asJSON)
		},
	}
	cmd.Flags().StringVar(&probs, "probs", "", "probabilities, n x k")
	cmd.Flags().StringVar(&logits, "logits", "", "logits, n x k")
	cmd.Flags().StringVar(&labels, "labels", "", "labels, n integers")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	for _, name := range []string{"probs", "logits", "labels"} {
		cmd.MarkFlagFilename(name, "npy", "npz")
	}
	return cmd
}

// scoreLogits scores the uncalibrated softmax.
func scoreLogits(ctx context.Context, files data.Files) (*metrics.Facts, error) {
	r, err := files.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	facts := metrics.NewFacts(r.Rows())
	err = data.Blocks(ctx, r, applyBytes, func(_ int, set *data.Set) error {
		scales := slices.Repeat([]float64{1}, set.Logits.Rows)
		return metrics.AppendScaled([]*metrics.Facts{facts}, set, scales)
	})
	return facts, err
}

// scoreProbs scores probabilities in float64, as they are in the file.
func scoreProbs(ctx context.Context, probs, labels string) (*metrics.Facts, error) {
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
	set, err := r.Read(ctx, 0, n)
	if err != nil {
		return nil, err
	}
	facts := metrics.NewFacts(n)
	block := max(1, applyBytes/(8*k))
	for lo := 0; lo < n; lo += block {
		hi := min(n, lo+block)
		dst := data.NewProbs(hi-lo, k)
		if err := p.ReadFloat64(dst.Data, lo, hi); err != nil {
			return nil, err
		}
		if err := facts.Append(dst, set.Rows(lo, hi)); err != nil {
			return nil, fmt.Errorf("%s: %w", probs, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return facts, nil
}

// printScores prints the metrics, in 9 significant digits as in results.csv.
func printScores(w io.Writer, facts *metrics.Facts, asJSON bool) error {
	in := metrics.NewInput(facts, 0)
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
	fmt.Fprint(w, open, pad("n"), facts.N())
	for _, name := range scored {
		e, _ := metrics.Lookup(name)
		values, err := e.Compute(in)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprint(w, between, pad(name), strconv.FormatFloat(values[0], 'g', 9, 64))
	}
	_, err := fmt.Fprint(w, end)
	return err
}
