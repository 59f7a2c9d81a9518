package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/scoring"
	"github.com/qats-bench/qats/metrics"
	"github.com/spf13/cobra"
)

func scoreCommand() *cobra.Command {
	var s scoreFlags
	cmd := &cobra.Command{
		Use:   "score",
		Short: "Score probabilities, or the softmax of logits, against labels",
		Long: `score prints n and metrics of probabilities, of the softmax of logits, or of the
pairs (class, confidence) of a top-label method, in fractions and nats. qats
metrics lists the names for --metric, with their conventions. A metric that is
undefined is printed as "-" (null in JSON): a top-label method has no NLL and no
Brier score, for example. Consistency bands, folds and resamples are drawn with a seed
of their own, so those of qats run differ a little.

--interval adds to each value the ends of its 95 % bootstrap interval, as NAME_lo and
NAME_hi: 2,000 resamples, or 200 of a metric that is computed anew in each of them.
Consistency bands and class-wise ECE have none. --uncal names the logits of the
uncalibrated network on the same rows, with which phi compares.

Files are read in blocks. Besides some megabytes, scoring takes up to 65 bytes of
memory a row, 33 more with --uncal, 80 more with --interval and 120 more for metrics of
all classes; decomposition_ts and lp_variational take 16 bytes a probability and 144 a
row. If that is more than --max-memory, qats score stops with an error at once.`,
		Example: `  qats score --probs probs.npy --labels test/labels.npy
  qats score --logits test/logits.npy --labels test/labels.npy --json
  qats score --probs probs.npy --labels test/labels.npy --metric ece,ece_null,auroc
  qats score --probs probs.npy --labels test/labels.npy --metric ece,nll,smece --interval
  qats score --probs probs.npy --labels test/labels.npy --uncal test/logits.npy --metric phi
  qats score --logits test/logits.npy --labels test/labels.npy --figure out.svg`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&s.probs, "probs", "", "probabilities, n x k")
	f.StringVar(&s.logits, "logits", "", "logits, n x k")
	f.StringVar(&s.top, "top", "", "pairs of a top-label method, as qats apply writes them: FILE.npz with class and conf")
	kindFlag(cmd, &s.kind)
	f.StringVar(&s.labels, "labels", "", "labels, n integers")
	f.StringSliceVar(&s.metrics, "metric", []string{"accuracy", "ece", "aece", "nll", "brier"}, "metrics, as qats metrics names them")
	f.StringVar(&s.uncal, "uncal", "", "logits of the uncalibrated network, n x k, for the metrics that compare with it")
	f.BoolVar(&s.interval, "interval", false, "print bootstrap intervals too")
	f.StringVar(&s.memory, "max-memory", "4GiB", "memory for arrays, as in 512MiB or 6GiB")
	f.BoolVar(&s.json, "json", false, "print one JSON object")
	figureFlag(cmd, &s.figure, "the rows")
	for _, name := range []string{"probs", "logits", "top", "labels", "uncal"} {
		cmd.MarkFlagFilename(name, "npy", "npz", "safetensors")
	}
	cmd.RegisterFlagCompletionFunc("metric", oneOf(metricNames()))
	return cmd
}

// scoreFlags are the flags of score.
type scoreFlags struct {
	probs, logits, top, labels, uncal, memory string
	kind                                      data.Kind
	metrics                                   []string
	json, interval                            bool
	figure                                    string

	classes bool // a metric reads class bins
	vectors bool // a metric recalibrates whole vectors
}

func (s *scoreFlags) run(cmd *cobra.Command) error {
	given := 0
	for _, name := range []string{s.probs, s.logits, s.top} {
		if name != "" {
			given++
		}
	}
	if given != 1 || s.labels == "" {
		return fmt.Errorf("score needs --labels and one of --probs, --logits and --top")
	}
	entries, err := metricEntries(s.metrics)
	if err != nil {
		return err
	}
	if err := checkFigure(s.figure); err != nil {
		return err
	}
	s.classes = slices.ContainsFunc(entries, func(e metrics.Entry) bool { return e.Classes })
	s.vectors = slices.ContainsFunc(entries, func(e metrics.Entry) bool { return e.CrossFit })
	memory, err := parseBytes(s.memory)
	if err != nil {
		return err
	}
	var scores *scoring.SampleScores
	switch {
	case s.logits != "":
		scores, err = s.scoreLogits(cmd, s.logits, memory)
	case s.probs != "":
		scores, err = s.scoreProbs(cmd, memory)
	default:
		scores, err = s.scoreTop(cmd.Context(), memory)
	}
	if err != nil {
		return err
	}
	samples := metrics.Of(scores)
	if samples, err = s.against(cmd, samples, memory); err != nil {
		return err
	}
	if s.figure != "" {
		name, label := cmp.Or(s.logits, s.probs, s.top), "Softmax of logits"
		if s.logits == "" {
			label = "Probabilities"
		}
		if err := saveDiagrams(s.figure, name, []diagram{{"uncal", label, samples}}); err != nil {
			return err
		}
	}
	return s.print(cmd, samples, entries)
}

// against makes the scores of the uncalibrated network known: those of --uncal, or
// the samples themselves if they are of logits.
func (s *scoreFlags) against(cmd *cobra.Command, samples *metrics.Samples, memory int64) (*metrics.Samples, error) {
	switch {
	case s.uncal != "":
		plain := *s
		plain.classes, plain.vectors = false, false // no metric reads them
		scores, err := plain.scoreLogits(cmd, s.uncal, memory)
		if err != nil {
			return nil, err
		}
		return samples.Against(metrics.Of(scores))
	case s.logits != "":
		return samples.Against(samples)
	}
	return samples, nil
}

func metricNames() []string {
	var names []string
	for _, e := range metrics.Registry() {
		names = append(names, e.Name)
	}
	return names
}

// metricEntries returns the metrics with the given names.
func metricEntries(names []string) ([]metrics.Entry, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("--metric: name one, such as ece")
	}
	var entries []metrics.Entry
	for _, name := range names {
		e, err := spec.MatchMetric(metrics.Registry(), name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("--metric: %w", err)
		case slices.ContainsFunc(entries, func(o metrics.Entry) bool { return o.Name == e.Name }):
			return nil, fmt.Errorf("--metric: %s stands twice", e.Name)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// rowBytes is the memory of a row while it is scored: 33 for the sample scores, 16
// for their order, and 16 that some metrics take while they are computed.
const rowBytes = 65

// uncalBytes is the memory of a row of the uncalibrated network, and intervalBytes
// that of a row while it is drawn again: how often, its copies, and their order.
const (
	uncalBytes    = 33
	intervalBytes = 80
)

// sampleScores returns n rows of k classes to be filled, if they fit into memory bytes.
func (s *scoreFlags) sampleScores(n, k int, name string, memory int64) (*scoring.SampleScores, error) {
	need := int64(n) * rowBytes
	if s.interval {
		need += int64(n) * intervalBytes
	}
	if s.classes {
		need += scoring.ClassBytes(n, 0)
	}
	if s.vectors {
		need += scoring.VectorBytes(n, k)
	}
	if s.uncal != "" {
		need += int64(n) * uncalBytes
	}
	if need > memory {
		return nil, fmt.Errorf("%s: scoring %d rows takes %d MiB; raise --max-memory", name, n, need>>20+1)
	}
	return scoring.Zeros(n), nil
}

// scoreBytes is the size of a block of rows: one stays in the cache of a processor
// while it is scored.
const scoreBytes = 1 << 20

// scoreLogits scores the uncalibrated softmax, on all processors.
func (s *scoreFlags) scoreLogits(cmd *cobra.Command, file string, memory int64) (*scoring.SampleScores, error) {
	r, err := data.Files{Logits: file, Labels: s.labels, Kind: s.kind, MemberLimit: memory}.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := notice(cmd.ErrOrStderr(), r, "", false, file); err != nil {
		return nil, err
	}
	all, err := s.sampleScores(r.Rows(), r.Classes(), file, memory)
	if err != nil {
		return nil, err
	}
	block := max(1, scoreBytes/(4*r.Classes()))
	ones := slices.Repeat([]float64{1}, block)
	tally, whole := s.newTally(r.Classes()), s.newVectors(r.Rows(), r.Classes())
	err = data.Scan(cmd.Context(), r, block, runtime.GOMAXPROCS(0), func(lo int, set *data.Set) error {
		n := set.Logits.Rows
		if err := scoring.AppendScaled([]*scoring.SampleScores{all.Part(lo, lo+n)}, set, ones[:n]); err != nil || tally == nil && whole == nil {
			return err
		}
		probs := data.NewProbs(n, set.Logits.Cols)
		if whole != nil {
			probs = whole.Slice(lo, lo+n)
		}
		for i := range n {
			softmax.Probs(probs.Row(i), set.Logits.Row(i), 1)
		}
		tally.add(probs, set.Labels)
		return nil
	})
	all.Classes = tally.bins()
	addVectors(all, whole, err)
	return all, err
}

// scoreProbs scores probabilities in float64, as they are in the file. Rows whose
// sum is only loosely 1, as in float16 files and with few decimals, are divided by
// it and counted.
func (s *scoreFlags) scoreProbs(cmd *cobra.Command, memory int64) (*scoring.SampleScores, error) {
	r, err := data.Files{Labels: s.labels}.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p, err := data.OpenArrayFile(s.probs)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	shape := p.Shape()
	if len(shape) != 2 || shape[1] < 2 {
		return nil, fmt.Errorf("%s: probabilities are n x k with k >= 2, this is %v", s.probs, shape)
	}
	n, k := shape[0], shape[1]
	if n != r.Rows() {
		return nil, fmt.Errorf("%s has %d rows, %s has %d", s.probs, n, s.labels, r.Rows())
	}
	all, err := s.sampleScores(n, k, s.probs, memory)
	if err != nil {
		return nil, err
	}
	block := max(1, scoreBytes/(8*k))
	dst := data.NewProbs(min(block, n), k)
	tally, whole := s.newTally(k), s.newVectors(n, k)
	divided := 0
	err = data.Scan(cmd.Context(), r, block, 1, func(lo int, set *data.Set) error {
		rows := dst.Slice(0, len(set.Labels))
		if err := p.ReadFloat64(rows.Data, lo, lo+rows.Rows); err != nil {
			return err
		}
		for i := range rows.Rows {
			if scoring.Normalise(rows.Row(i)) {
				divided++
			}
		}
		if err := all.Part(lo, lo+rows.Rows).AppendProbs(rows, set); err != nil {
			return fmt.Errorf("%s: %w", s.probs, err)
		}
		tally.add(rows, set.Labels)
		if whole != nil {
			copy(whole.Slice(lo, lo+rows.Rows).Data, rows.Data)
		}
		return nil
	})
	if err == nil && divided > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "qats: %s: %d of %d rows sum to 1 only within %g and are divided by their sum\n", s.probs, divided, n, scoring.LooseSum)
	}
	all.Changed = nil // the uncalibrated logits are unknown
	all.Classes = tally.bins()
	addVectors(all, whole, err)
	return all, err
}

// newVectors returns room for all probabilities, nil if no metric needs them together.
func (s *scoreFlags) newVectors(n, k int) *data.Probs {
	if !s.vectors {
		return nil
	}
	p := data.NewProbs(n, k)
	return &p
}

// addVectors adds the numbers of whole vectors, if all was read without an error.
func addVectors(all *scoring.SampleScores, probs *data.Probs, err error) {
	if probs != nil && err == nil {
		all.Vectors = metrics.CrossFit(*probs, all.Label, scoreSeed)
	}
}

// scoreTop scores the pairs of a top-label method.
func (s *scoreFlags) scoreTop(ctx context.Context, memory int64) (*scoring.SampleScores, error) {
	r, err := data.Files{Labels: s.labels}.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	class, err := data.OpenArrayFile(s.top + "#class")
	if err != nil {
		return nil, err
	}
	defer class.Close()
	conf, err := data.OpenArrayFile(s.top + "#conf")
	if err != nil {
		return nil, err
	}
	defer conf.Close()
	n := r.Rows()
	for _, a := range []*data.Array{class, conf} {
		if shape := a.Shape(); len(shape) != 1 || shape[0] != n {
			return nil, fmt.Errorf("%s: shape %v; %s has %d rows", a.Name(), shape, s.labels, n)
		}
	}
	all, err := s.sampleScores(n, 0, s.top, memory)
	if err != nil {
		return nil, err
	}
	all.TopLabel, all.NLL, all.Brier = true, nil, nil
	block := min(scoreBytes/8, n)
	classes, confidences := make([]int32, block), make([]float64, block)
	err = data.Scan(ctx, r, max(1, block), 1, func(lo int, set *data.Set) error {
		hi := lo + len(set.Labels)
		if err := class.ReadInt32(classes[:hi-lo], lo, hi); err != nil {
			return err
		}
		if err := conf.ReadFloat64(confidences[:hi-lo], lo, hi); err != nil {
			return err
		}
		if err := all.Part(lo, hi).AppendTopLabel(classes[:hi-lo], confidences[:hi-lo], set.Labels); err != nil {
			return fmt.Errorf("%s: %w", s.top, err)
		}
		return nil
	})
	all.Changed = nil // the uncalibrated logits are unknown
	return all, err
}

// classTally fills class bins from several goroutines. A nil classTally does
// nothing.
type classTally struct {
	mu    sync.Mutex
	tally *scoring.ClassTally
}

// newTally returns nil if no metric reads class bins.
func (s *scoreFlags) newTally(k int) *classTally {
	if !s.classes {
		return nil
	}
	return &classTally{tally: scoring.NewClassTally(k)}
}

func (t *classTally) add(probs data.Probs, labels []int32) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tally.Add(probs, labels)
}

func (t *classTally) bins() *scoring.ClassBins {
	if t == nil {
		return nil
	}
	return t.tally.Bins()
}
