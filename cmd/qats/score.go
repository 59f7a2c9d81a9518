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
		Long: `score prints n and metrics of probabilities, of the softmax of logits, of the pairs of a top-label
method, or of confidences without logits, in fractions and nats. A metric that is
undefined is "-". Of two classes, it prints metrics of the positive class too. --interval adds a
95 % interval to each value.`,
		Example: examples(
			"score --probs probs.npy --labels test/labels.npy",
			"score --confidence confidence.npy --correct correct.npy",
			"score --probs -#probs --labels -#labels --json < test.safetensors",
			"score --probs probs.npy --labels test/labels.npy --metric ece,nll,smece --interval standard",
			"score --probs probs.npy --labels test/labels.npy --uncal test/logits.npy --metric phi",
			"score --logits test/logits.npy --labels test/labels.npy --figure out.svg --corp",
		),
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&s.probs, "probs", "", "`FILE` of probabilities, n x k: "+arrayNames)
	f.StringVar(&s.logits, "logits", "", "`FILE` of logits, n x k")
	f.StringVar(&s.top, "top", "", "`FILE` of the pairs of a top-label method, which apply writes")
	kindFlag(cmd, &s.kind)
	var classes int
	confidenceFlags(cmd, &s.confidence, &classes, &s.columns)
	cmd.Flags().MarkHidden("classes") // no score depends on it
	outcomeFlags(cmd, &s.correct, &s.predicted)
	ignoreFlag(cmd, &s.ignore, &s.columns.reading.Ignore)
	s.beside.flags(cmd, false)
	f.StringVar(&s.labels, "labels", "", "`FILE` of labels, n integers")
	f.StringSliceVar(&s.metrics, "metric", []string{"accuracy", "ece", "aece", "nll", "brier"}, "`NAMES` of metrics and groups; "+called.Command()+" doc metrics lists them")
	f.StringVar(&s.uncal, "uncal", "", "`FILE` of the logits of the uncalibrated network, for phi")
	choiceFlag(cmd, &s.interval, "interval", metrics.IntervalKinds(), "`KIND` of 95 % intervals")
	positiveFlag(cmd, &s.positive)
	s.memory.flag(cmd)
	f.BoolVar(&s.json, "json", false, oneObject)
	f.IntVar(&s.bins, "bins", 0, "with --json: `N` bins of the rows too")
	choiceFlag(cmd, &s.strategy, "strategy", []metrics.Strategy{metrics.Uniform, metrics.Quantile}, "with --bins: `WIDTH` or mass is equal")
	s.figure.flag(cmd, "the rows")
	corpFlag(cmd, &s.corp)
	ofArrays(cmd)
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
	beside                            besideFlags
	columns                           readingFlags
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
	if err := s.columns.ofTable(s.probs, s.logits, s.top, s.labels, s.confidence); err != nil {
		return err
	}
	beside, err := s.beside.only()
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
	score := arrays.Score{Probs: s.probs, Logits: s.logits, Top: s.top, Labels: s.labels, Confidence: s.confidence, Predicted: s.predicted, Uncal: s.uncal, Kind: s.kind, Ignore: s.ignore, Beside: beside,
		Metrics: entries, Interval: s.interval, Memory: s.memory.bytes, Warn: notesTo(tell), FS: s.columns.input(cmd, s.memory)}
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
