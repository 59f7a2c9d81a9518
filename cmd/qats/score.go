package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
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

--interval adds to each value the ends of a 95 % interval, as NAME_lo and NAME_hi. Of
NLL, Brier score, accuracy and AUROC it covers the value in the population. Of a
calibration error it covers the mean value that test sets of this size report, which
is above that of the population: the value plus and minus 1.96 standard deviations over
2,000 resamples, or 200 of a metric that is computed anew in each of them.
--interval=population covers the ECE or AECE in the population; it is about twice as
long. Consistency bands, class-wise ECE and a few others have none. docs/intervals.md says how
often each kind covers. --uncal names the logits of the
uncalibrated network on the same rows, with which phi compares.

Files are read in blocks. Besides some megabytes, scoring takes up to 73 bytes of
memory a row, 41 more with --uncal, 88 more with --interval and 120 more for metrics of
all classes; decomposition_ts and lp_variational take 16 bytes a probability and 152 a
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
	choiceFlag(cmd, &s.interval, "interval", metrics.IntervalKinds(), "print intervals too: percentile, standard, bc or population")
	f.Lookup("interval").NoOptDefVal = string(metrics.Standard)
	s.memory.flag(cmd, "memory for arrays")
	f.BoolVar(&s.json, "json", false, "print one JSON object")
	s.figure.flag(cmd, "the rows")
	for _, name := range []string{"probs", "logits", "top", "labels", "uncal"} {
		cmd.MarkFlagFilename(name, "npy", "npz", "safetensors")
	}
	cmd.RegisterFlagCompletionFunc("metric", oneOf(metricNames()))
	return cmd
}

// scoreFlags are the flags of score.
type scoreFlags struct {
	probs, logits, top, labels, uncal string
	kind                              data.Kind
	metrics                           []string
	memory                            memory
	json                              bool
	interval                          metrics.Interval // empty for none
	figure                            figureFile

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
	s.classes = slices.ContainsFunc(entries, func(e metrics.Entry) bool { return e.Classes })
	s.vectors = slices.ContainsFunc(entries, func(e metrics.Entry) bool { return e.CrossFit })
	var scores *scoring.SampleScores
	switch {
	case s.logits != "":
		scores, err = s.scoreLogits(cmd, s.logits)
	case s.probs != "":
		scores, err = s.scoreProbs(cmd)
	default:
		scores, err = s.scoreTop(cmd.Context())
	}
	if err != nil {
		return err
	}
	samples := metrics.Of(scores)
	if samples, err = s.against(cmd, samples); err != nil {
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

// against makes the scores of the uncalibrated network known: the scores of --uncal, or
// the samples themselves if they are of logits.
func (s *scoreFlags) against(cmd *cobra.Command, samples *metrics.Samples) (*metrics.Samples, error) {
	switch {
	case s.uncal != "":
		plain := *s
		plain.classes, plain.vectors = false, false // no metric reads them
		scores, err := plain.scoreLogits(cmd, s.uncal)
		if err != nil {
			return nil, err
		}
		return samples.Against(metrics.Of(scores))
	case s.logits != "":
		return samples.Against(samples)
	}
	return samples, nil
}

func metricNames() (names []string) {
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

// rowBytes is the memory of a row while it is scored: 41 for the sample scores, 16
// for their order, and 16 that some metrics take while they are computed.
const rowBytes = 73

// uncalBytes is the memory of a row of the uncalibrated network, and intervalBytes
// that of a row while it is drawn again: how often, its copies, and their order.
const (
	uncalBytes    = 41
	intervalBytes = 88
)

// checkMemory returns an error if scoring n rows of k classes takes too much memory.
func (s *scoreFlags) checkMemory(n, k int, name string) error {
	need := int64(n) * rowBytes
	if s.interval != "" {
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
	if need > s.memory.bytes {
		return fmt.Errorf("%s: scoring %d rows takes %d MiB; raise --max-memory", name, n, need>>20+1)
	}
	return nil
}

// scoreBytes is the size of a block of rows: one stays in the cache of a processor
// while it is scored.
const scoreBytes = 1 << 20

// scan scores the rows of r in blocks on some workers. score scores a block, which
// begins at row lo, into part, and returns its probabilities of k classes, which metrics
// of all classes read; a row takes size bytes. name is the name of the input in errors.
func (s *scoreFlags) scan(ctx context.Context, r data.Reader, name string, k, size, workers int,
	score func(part *scoring.SampleScores, lo int, set *data.Set) (data.Probs, error)) (*scoring.SampleScores, error) {
	if err := s.checkMemory(r.Rows(), k, name); err != nil {
		return nil, err
	}
	all := scoring.Zeros(r.Rows())
	var whole data.Probs
	if s.vectors {
		whole = data.NewProbs(r.Rows(), k)
	}
	var mu sync.Mutex
	tally := scoring.NewClassTally(k)
	err := data.Scan(ctx, r, max(1, scoreBytes/size), workers, func(lo int, set *data.Set) error {
		hi := lo + len(set.Labels)
		probs, err := score(all.Part(lo, hi), lo, set)
		if err != nil {
			return err
		}
		if s.vectors {
			copy(whole.Slice(lo, hi).Data, probs.Data)
		}
		if s.classes {
			mu.Lock()
			defer mu.Unlock()
			tally.Add(lo, probs, set.Labels)
		}
		return nil
	})
	if s.classes {
		all.Classes = tally.Bins()
	}
	if s.vectors && err == nil {
		all.Vectors, err = metrics.CrossFit(ctx, whole, all.Label, scoreSeed)
	}
	return all, err
}

// scoreLogits scores the uncalibrated softmax, on all processors.
func (s *scoreFlags) scoreLogits(cmd *cobra.Command, file string) (*scoring.SampleScores, error) {
	r, err := openLogits(cmd.ErrOrStderr(), data.Files{Logits: file, Labels: s.labels, Kind: s.kind, MemberLimit: s.memory.bytes}, "", false)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	k := r.Classes()
	score := func(part *scoring.SampleScores, _ int, set *data.Set) (probs data.Probs, err error) {
		n := set.Logits.Rows
		err = scoring.AppendScaled([]*scoring.SampleScores{part}, set, slices.Repeat([]float64{1}, n))
		if err == nil && (s.classes || s.vectors) {
			probs = data.NewProbs(n, k)
			for i := range n {
				softmax.Probs(probs.Row(i), set.Logits.Row(i), 1)
			}
		}
		return probs, err
	}
	return s.scan(cmd.Context(), r, file, k, 4*k, runtime.GOMAXPROCS(0), score)
}

// scoreProbs scores probabilities in float64, as they are in the file. Rows whose
// sum is only loosely 1, as in float16 files and with few decimals, are divided by
// it and counted.
func (s *scoreFlags) scoreProbs(cmd *cobra.Command) (*scoring.SampleScores, error) {
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
	divided := 0
	all, err := s.scan(cmd.Context(), r, s.probs, k, 8*k, 1, func(part *scoring.SampleScores, lo int, set *data.Set) (data.Probs, error) {
		rows := data.NewProbs(len(set.Labels), k)
		if err := p.ReadFloat64(rows.Data, lo, lo+rows.Rows); err != nil {
			return rows, err
		}
		for i := range rows.Rows {
			if scoring.Normalise(rows.Row(i)) {
				divided++
			}
		}
		if err := part.AppendProbs(rows, set); err != nil {
			return rows, fmt.Errorf("%s: %w", s.probs, err)
		}
		return rows, nil
	})
	if err != nil {
		return nil, err
	}
	if divided > 0 {
		warn(cmd.ErrOrStderr(), fmt.Sprintf("%s: %d of %d rows sum to 1 only within %g and are divided by their sum", s.probs, divided, n, scoring.LooseSum))
	}
	all.Changed = nil // the uncalibrated logits are unknown
	return all, nil
}

// scoreTop scores the pairs of a top-label method, which it reads completely.
func (s *scoreFlags) scoreTop(ctx context.Context) (*scoring.SampleScores, error) {
	r, err := data.Files{Labels: s.labels}.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	n := r.Rows()
	if err := s.checkMemory(n, 0, s.top); err != nil {
		return nil, err
	}
	set, err := r.Read(ctx, 0, n)
	if err != nil {
		return nil, err
	}
	column := func(member string, read func(*data.Array) error) error {
		a, err := data.OpenArrayFile(s.top + "#" + member)
		if err != nil {
			return err
		}
		defer a.Close()
		if shape := a.Shape(); len(shape) != 1 || shape[0] != n {
			return fmt.Errorf("%s: shape %v; %s has %d rows", a.Name(), shape, s.labels, n)
		}
		return read(a)
	}
	class, conf := make([]int32, n), make([]float64, n)
	if err := cmp.Or(
		column("class", func(a *data.Array) error { return a.ReadInt32(class, 0, n) }),
		column("conf", func(a *data.Array) error { return a.ReadFloat64(conf, 0, n) }),
	); err != nil {
		return nil, err
	}
	all := scoring.New(n)
	if err := all.AppendTopLabel(class, conf, set.Labels); err != nil {
		return nil, fmt.Errorf("%s: %w", s.top, err)
	}
	all.Changed = nil // the uncalibrated logits are unknown
	return all, nil
}
