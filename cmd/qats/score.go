package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/arrays"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
)

func scoreCommand() *cobra.Command {
	s := scoreFlags{strategy: metrics.Uniform}
	cmd := &cobra.Command{
		Use:   "score",
		Short: "Score probabilities, or the softmax of logits, against labels",
		Long: `score prints n and metrics of probabilities, of the softmax of logits, or of the
pairs (class, confidence) of a top-label method, in fractions and nats; or of predictions
with a confidence alone (--confidence with --correct, or with --predicted and --labels).
` + called.Command() + ` doc metrics lists the names for --metric, with their conventions. A metric that is
undefined is printed as "-" (null in JSON): a top-label method has no NLL and no
Brier score, for example. Consistency bands, folds and resamples are drawn with a seed
of their own, so those of ` + called.Command() + ` run differ a little.

Of two classes, metrics of the probability of the positive class are printed too: its ECE,
observed / expected, and slope and intercept of the logistic recalibration. It is the second
class; --positive 0 names the first, and with --positive a figure is of its probability.

An exact 0 in a file of probabilities was rounded away and counts as 2^-126; a note says
how many there are. Every other number counts as it is, down to 1e-300.

--interval adds to each value the ends of a 95 % interval, as NAME_lo and NAME_hi. Of
NLL, Brier score, accuracy and AUROC it covers the value in the population. Of a
calibration error it covers the mean value that test sets of this size report, which
is above that of the population: the value plus and minus 1.96 standard deviations over
2,000 resamples, or over 200 for a metric that is computed anew in each of them.
--interval population covers the ECE or AECE in the population; it is about twice as
long. Consistency bands, class-wise ECE and a few others have no interval.
docs/read.md#intervals says what each kind covers. --uncal names the logits of the
uncalibrated network on the same rows, with which phi compares.

Files are read in blocks. Besides some megabytes, scoring takes up to 113 bytes of
memory a row, 113 more with --uncal, up to 240 more with --interval and 120 more for
metrics of all classes; decomposition_ts and lp_variational take 16 bytes a probability
and 152 a row. If that is more than --max-memory, ` + called.Command() + ` score stops with an error at once.`,
		Example: examples(
			"score --probs probs.npy --labels test/labels.npy",
			"score --logits test/logits.npy --labels test/labels.npy --json",
			"score --confidence confidence.npy --correct correct.npy",
			"score --probs -#probs --labels -#labels --json < test.safetensors",
			"score --probs probs.npy --labels test/labels.npy --metric ece,ece_null,auroc",
			"score --probs probs.npy --labels test/labels.npy --metric ece,nll,smece --interval standard",
			"score --probs probs.npy --labels test/labels.npy --uncal test/logits.npy --metric phi",
			"score --logits test/logits.npy --labels test/labels.npy --figure out.svg",
			"score --probs probs.npy --labels test/labels.npy --figure corp.pdf --corp",
		),
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&s.probs, "probs", "", "probabilities, n x k; "+arrayNames+", as all arrays")
	f.StringVar(&s.logits, "logits", "", "logits, n x k")
	f.StringVar(&s.top, "top", "", "pairs of a top-label method, as "+called.Command()+" apply writes them: FILE.npz with class and conf")
	kindFlag(cmd, &s.kind)
	var classes int
	confidenceFlags(cmd, &s.confidence, &classes)
	cmd.Flags().MarkHidden("classes") // no score depends on it
	outcomeFlags(cmd, &s.correct, &s.predicted)
	ignoreFlag(cmd, &s.ignore)
	f.StringVar(&s.labels, "labels", "", "labels, n integers")
	f.StringSliceVar(&s.metrics, "metric", []string{"accuracy", "ece", "aece", "nll", "brier"}, "metrics and groups of metrics; "+called.Command()+" doc metrics lists both")
	f.StringVar(&s.uncal, "uncal", "", "logits of the uncalibrated network, n x k, for the metrics that compare with it")
	choiceFlag(cmd, &s.interval, "interval", metrics.IntervalKinds(), "print intervals too: percentile, standard, bc or population")
	positiveFlag(cmd, &s.positive)
	s.memory.flag(cmd, "memory for arrays")
	f.BoolVar(&s.json, "json", false, "print one JSON object")
	f.IntVar(&s.bins, "bins", 0, "with --json: this many bins of the rows too, with 95 % intervals of their accuracies")
	choiceFlag(cmd, &s.strategy, "strategy", []metrics.Strategy{metrics.Uniform, metrics.Quantile}, "with --bins: bins of equal width (uniform) or of equal mass (quantile)")
	s.figure.flag(cmd, "the rows")
	corpFlag(cmd, &s.corp)
	for _, name := range []string{"probs", "logits", "top", "labels", "uncal"} {
		cmd.MarkFlagFilename(name, "npy", "npz", "safetensors")
	}
	cmd.RegisterFlagCompletionFunc("metric", oneOf(describedMetrics))
	return cmd
}

// scoreFlags are the flags of score.
type scoreFlags struct {
	probs, logits, top, labels, uncal string
	confidence, correct, predicted    string
	kind                              data.Kind
	ignore                            data.Ignore
	metrics                           []string
	memory                            memory
	json                              bool
	positive                          int // class
	bins                              int // 0 for none
	strategy                          metrics.Strategy
	interval                          metrics.Interval // empty for none
	figure                            figureFile
	corp                              bool
}

func (s *scoreFlags) run(cmd *cobra.Command) error {
	if s.kind == data.KindConfidence && s.confidence == "" {
		s.confidence, s.logits = s.logits, ""
	}
	stated, err := withConfidence(data.Files{Labels: s.labels, Predicted: s.predicted, Kind: s.kind}, s.confidence, s.correct)
	if err != nil {
		return err
	}
	s.labels, s.kind = stated.Labels, stated.Kind
	given := 0
	for _, name := range []string{s.probs, s.logits, s.top, s.confidence} {
		if name != "" {
			given++
		}
	}
	if given != 1 || s.labels == "" {
		return usage("score needs --labels and one of --probs, --logits and --top, or --confidence and --correct")
	}
	if s.corp && s.figure == "" {
		return errCORPAlone
	}
	if cmd.Flags().Changed("bins") {
		switch err := s.binning().Check(); {
		case err != nil:
			return usage("--%v", err)
		case !s.json:
			return usage("--bins is a part of the JSON: give --json too")
		}
	} else if cmd.Flags().Changed("strategy") {
		return usage("--strategy says how --bins makes bins: give their number by --bins N; a metric names its own, as in --metric ece_15_quantile_l1")
	}
	if s.confidence != "" && !cmd.Flags().Changed("metric") {
		s.metrics = []string{"accuracy", "ece", "aece", "nll_top", "brier_top"}
	}
	entries, err := metricEntries(s.metrics)
	if err != nil {
		return err
	}
	tell := teller(cmd, false, nil)
	files := data.Files{Logits: cmp.Or(s.logits, s.uncal, s.confidence), Labels: s.labels, Kind: s.kind, Ignore: s.ignore}
	files, took, err := folder.WithManifest(files)
	if err != nil {
		return err
	}
	for _, t := range took {
		tell(newTaken(t))
	}
	s.kind, s.ignore = files.Kind, files.Ignore
	score := arrays.Score{Probs: s.probs, Logits: s.logits, Top: s.top, Labels: s.labels, Confidence: s.confidence, Predicted: s.predicted, Uncal: s.uncal, Kind: s.kind, Ignore: s.ignore,
		Metrics: entries, Interval: s.interval, Memory: s.memory.bytes, Warn: notesTo(tell), FS: arrayInput(cmd, s.memory)}
	samples, err := score.Samples(cmd.Context())
	if err != nil {
		return err
	}
	if two := samples.Classes() == 2; two || cmd.Flags().Changed("positive") {
		if samples, err = samples.WithPositive(s.positive); err != nil {
			return fmt.Errorf("--positive: %w", err)
		}
		if two && !cmd.Flags().Changed("metric") {
			score.Metrics = append(score.Metrics, lists.Where(metrics.Registry(), func(e metrics.Entry) bool { return e.Positive })...)
		}
	}
	if s.figure != "" {
		name, label := cmp.Or(s.logits, s.probs, s.top, s.confidence), "Softmax of logits"
		switch {
		case s.confidence != "":
			label = "Confidence"
		case s.logits == "":
			label = "Probabilities"
		}
		as, shown := pictured{corp: s.corp}, samples
		if cmd.Flags().Changed("positive") {
			as.positive = className(s.positive)
			if shown, err = samples.OfPositive(); err != nil {
				return fmt.Errorf("--positive: %w", err)
			}
		}
		if err := saveDiagrams(cmd.OutOrStdout(), s.figure, as, name, []diagram{{"uncal", label, shown}}); err != nil {
			return err
		}
	}
	if s.figure == stdoutName { // the figure alone, so that it can be redirected
		return nil
	}
	return s.print(cmd, &score, samples)
}

// binning are the bins that are printed.
func (s *scoreFlags) binning() metrics.ECEOptions {
	return metrics.ECEOptions{Bins: s.bins, Strategy: s.strategy, Norm: metrics.L1}
}

// describedMetrics returns the groups of metrics with their summaries, and the metrics.
func describedMetrics() []string {
	known := experiments.Registry()
	return slices.Concat(describedGroups(known.MetricGroups), lists.Values(known.Metrics, func(e metrics.Entry) string { return e.Name }))
}

// metricEntries returns the metrics with the given names, and those of a group in its place.
func metricEntries(names []string) ([]metrics.Entry, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("--metric: name one, such as ece")
	}
	var entries []metrics.Entry
	has := func(e metrics.Entry) bool {
		return slices.ContainsFunc(entries, func(o metrics.Entry) bool { return o.Name == e.Name })
	}
	known := experiments.Registry()
	withOptions := metrics.Known(known.Metrics, names...) // a group has none of these
	for _, name := range names {
		if spec.IsGroup(name) {
			members, err := spec.MembersOf(known.MetricGroups, name, known.Metrics, func(e metrics.Entry) string { return e.Name })
			if err != nil {
				return nil, fmt.Errorf("--metric: %w", err)
			}
			for _, e := range members {
				if !has(e) {
					entries = append(entries, e)
				}
			}
			continue
		}
		e, err := spec.MatchMetric(withOptions, known.MetricGroups, name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("--metric: %w", err)
		case has(e):
			return nil, fmt.Errorf("--metric: %s stands twice", e.Name)
		}
		entries = append(entries, e)
	}
	return entries, nil
}
