package arrays

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

// Score says what to score against the labels of a set: one of Probs, Logits, Top and Confidence.
type Score struct {
	Probs  string // probabilities, n x k
	Logits string // n x k, whose softmax is scored
	Top    string // an .npz file with the class (n) and conf (n) of a top-label method
	Labels string // n integers; of Confidence without Predicted n of 0 and 1, 1 where the prediction is right

	Confidence string // of each prediction, n, where that is all there is
	Predicted  string // the predicted classes, n, of Confidence; may be empty

	FS fs.FS // that has the files, such as a data.InputFS; nil for that of the operating system

	Uncal       string      // logits of the uncalibrated network, n x k, for the metrics that compare with it
	Kind        data.Kind   // of the logits
	Ignore      data.Ignore // labels of rows that are left out
	Metrics     []metrics.Entry
	Interval    metrics.Interval // of the values; empty for none
	data.Beside                  // of the labels
	Memory      int64            // bytes that arrays may take

	Warn func(Problem) // is called with the notes on the files
}

// seed is the seed of consistency bands, folds and resamples: the identity of the test set
// is not known.
const seed = 0

// Samples reads the files and returns the scores of their rows, from which Compute and
// Intervals make values.
func (s *Score) Samples(ctx context.Context) (*metrics.Samples, error) {
	var scores *scoring.SampleScores
	var err error
	switch {
	case s.Logits != "":
		scores, err = s.uncalibrated(ctx, s.Logits)
	case s.Probs != "":
		scores, err = s.probs(ctx, s.Probs)
	case s.Confidence != "":
		scores, err = s.confidences(ctx)
	default:
		scores, err = s.top(ctx)
	}
	if err != nil {
		return nil, err
	}
	return s.against(ctx, metrics.Of(scores))
}

// Compute returns the values of a metric, one for each of its names.
func (s *Score) Compute(samples *metrics.Samples, e metrics.Entry) ([]float64, error) {
	return e.Compute(samples, seed)
}

// Intervals returns the intervals by the name of the output: none without Interval, and none
// of metrics that cannot have any.
func (s *Score) Intervals(ctx context.Context, samples *metrics.Samples) (map[string]metrics.Estimate, error) {
	entries := slices.DeleteFunc(slices.Clone(s.Metrics), func(e metrics.Entry) bool { return e.NoBootstrap })
	if s.Interval == "" || len(entries) == 0 {
		return nil, nil
	}
	list, err := metrics.Intervals(ctx, samples, metrics.PairOptions{Seed: seed, Interval: s.Interval, Metrics: entries})
	if err != nil {
		return nil, err
	}
	byName := map[string]metrics.Estimate{}
	for _, e := range list {
		byName[e.Metric] = e
	}
	return byName, nil
}

// against makes the scores of the uncalibrated network known: those of Uncal, or the samples
// themselves if they are of logits.
func (s *Score) against(ctx context.Context, samples *metrics.Samples) (*metrics.Samples, error) {
	switch {
	case s.Uncal != "":
		plain := *s
		plain.Metrics = nil // none compares in it
		scores, err := plain.uncalibrated(ctx, s.Uncal)
		if err != nil {
			return nil, err
		}
		return samples.Against(metrics.Of(scores))
	case s.Logits != "":
		return samples.Against(samples)
	}
	return samples, nil
}

// checkMemory returns an error if scoring n rows of k classes takes too much memory.
func (s *Score) checkMemory(n, k int, name string) error {
	reads := engine.ReadsOf(s.Metrics)
	reads.Uncal = s.Uncal != ""
	var drawn []metrics.Entry
	if s.Interval != "" {
		drawn = s.Metrics
	}
	a := engine.NewAccount(n, k, reads, drawn, false)
	// Blocks are small, and the limit is for what grows with the rows.
	if need := a.Column + max(a.Apply, a.Score, a.Drawn+a.Method); need > s.Memory {
		return fmt.Errorf("%s: scoring %d rows takes %d MiB; raise --max-memory", name, n, need>>20+1)
	}
	return nil
}

// column scores the rows of r, of k classes, under a column on some workers. name is the name of the input in errors.
func (s *Score) column(ctx context.Context, r data.Reader, name string, k int, c *engine.Column, o engine.ScoreOptions) (*scoring.SampleScores, error) {
	if err := s.checkMemory(r.Rows(), k, name); err != nil {
		return nil, err
	}
	o.Reads, o.Seed, o.K = engine.ReadsOf(s.Metrics), seed, k
	err := engine.Score(ctx, r, []*engine.Column{c}, o)
	return c.Samples, cmp.Or(err, c.Err)
}

// uncalibrated scores the network whose logits, or what their kind says, are in a file. Those of
// kind probs are scored as every file of probabilities is.
func (s *Score) uncalibrated(ctx context.Context, file string) (*scoring.SampleScores, error) {
	if s.Kind != data.KindProbs {
		return s.logits(ctx, file)
	}
	all, err := s.probs(ctx, file)
	if err == nil {
		all.Changed = make([]bool, all.Len())
	}
	return all, err
}

// logits scores the uncalibrated softmax, on all processors.
func (s *Score) logits(ctx context.Context, file string) (*scoring.SampleScores, error) {
	r, err := Open(data.Files{Logits: file, Labels: s.Labels, Kind: s.Kind, Ignore: s.Ignore, Beside: s.Beside, FS: s.FS, MemberLimit: s.Memory}, "", calib.Contract{}, s.Warn)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	k := r.Classes()
	uncal, err := calib.Uncalibrated{}.Fit(ctx, calib.Input{})
	if err != nil {
		return nil, err
	}
	var masked atomic.Int64
	scores, err := s.column(ctx, r, file, k, &engine.Column{Contract: calib.Uncalibrated{}.Contract(), Map: uncal.Map},
		engine.ScoreOptions{Workers: runtime.GOMAXPROCS(0), Block: func(set *data.Set) { masked.Add(int64(set.Logits.Masked())) }})
	if n := int(masked.Load()); n > 0 && err == nil {
		s.Warn(problemOf(file, data.MaskedNote(n, r.Rows()*k)))
	}
	return scores, err
}

// confidences scores predictions with a confidence alone.
func (s *Score) confidences(ctx context.Context) (*scoring.SampleScores, error) {
	uncal := calib.Uncalibrated{}.Contract()
	r, err := Open(data.Files{Logits: s.Confidence, Labels: s.Labels, Predicted: s.Predicted, Kind: data.KindConfidence, Ignore: s.Ignore, Beside: s.Beside, FS: s.FS, MemberLimit: s.Memory}, "", uncal, s.Warn)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	fitted, err := calib.Uncalibrated{}.Fit(ctx, calib.Input{})
	if err != nil {
		return nil, err
	}
	all, err := s.column(ctx, r, s.Confidence, 0, &engine.Column{Contract: uncal, Map: fitted.Map}, engine.ScoreOptions{})
	if err != nil {
		return nil, err
	}
	all.Changed = nil // nothing else is known of the network
	return all, nil
}

// open opens an array.
func (s *Score) open(name string) (*npy.Array, error) {
	return data.OpenArray(s.FS, name)
}

// probs scores probabilities in float64, as they are in the file. Rows whose
// sum is only loosely 1, as in float16 files and with few decimals, are divided by
// it, and a probability of exactly 0 counts as data.ZeroProb; both are counted. See
// data.ProbReader.
func (s *Score) probs(ctx context.Context, file string) (*scoring.SampleScores, error) {
	p, err := s.open(file)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	read, err := data.NewProbReader(p)
	if err != nil {
		return nil, err
	}
	k := read.Classes()
	r, err := Open(data.Files{Labels: s.Labels, Ignore: s.Ignore, Beside: s.Beside, Classes: k, FS: s.FS}, "", calib.Contract{}, s.Warn)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := data.Follow(p, r); err != nil {
		return nil, err
	}
	all, err := s.column(ctx, r, file, k, &engine.Column{Table: table{read, p, file}}, engine.ScoreOptions{})
	if err != nil {
		return nil, err
	}
	for _, note := range read.Notes() {
		s.Warn(problemOf(file, note))
	}
	all.Changed = nil // the uncalibrated logits are unknown
	return all, nil
}

// table is an array of probabilities as a column.
type table struct {
	read  *data.ProbReader
	array *npy.Array
	name  string
}

func (t table) Name() string                      { return t.name }
func (t table) FileRow(row int) int               { return t.array.FileRow(row) }
func (t table) Rows(dst data.Probs, lo int) error { return t.read.Read(dst.Data, lo, lo+dst.Rows) }

// void returns the number of labels that stand for no class by custom, if nothing is stated and
// no class of the predictions has that number. The number of classes of pairs is not known.
func (s *Score) void(class, labels []int32) (n int) {
	if len(s.Ignore) > 0 || slices.Contains(class, data.Void) {
		return 0
	}
	for _, y := range labels {
		if y == data.Void {
			n++
		}
	}
	return n
}

// top scores the pairs of a top-label method, which it reads completely.
func (s *Score) top(ctx context.Context) (*scoring.SampleScores, error) {
	r, err := Open(data.Files{Labels: s.Labels, Ignore: s.Ignore, Beside: s.Beside, FS: s.FS}, "", calib.Contract{}, s.Warn)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	n := r.Rows()
	if err := s.checkMemory(n, 0, s.Top); err != nil {
		return nil, err
	}
	set, err := data.Read(ctx, r, 0, n)
	if err != nil {
		return nil, err
	}
	var fileRow func(row int) int
	column := func(member string, read func(*npy.Array) error) error {
		a, err := s.open(s.Top + "#" + member)
		if err != nil {
			return err
		}
		defer a.Close()
		if shape := a.Shape(); len(shape) != 1 {
			return fmt.Errorf("%s: shape %v; want n", a.Name(), shape)
		}
		if err := data.Follow(a, r); err != nil {
			return err
		}
		fileRow = a.FileRow
		return read(a)
	}
	class, conf := make([]int32, n), make([]float64, n)
	if err := cmp.Or(
		column("class", func(a *npy.Array) error { return a.ReadInt32(class, 0, n) }),
		column("conf", func(a *npy.Array) error { return a.ReadFloat64(conf, 0, n) }),
	); err != nil {
		return nil, err
	}
	if void := s.void(class, set.Labels); void > 0 {
		words := fmt.Sprintf("state --ignore %d", data.Void)
		s.Warn(Problem{Place: s.Labels, Text: fmt.Sprintf("%d of %d rows have the label %d, which no prediction is; if they have no class, %s", void, n, data.Void, words), Warning: true,
			Remedy: problem.Remedy{Argument: "ignore", Value: data.Ignore{data.Void}.String(), Words: words}})
	}
	all := scoring.New(n)
	if err := all.AppendTopLabel(class, conf, set.Labels); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Top, scoring.InFile(err, fileRow))
	}
	all.Changed = nil // the uncalibrated logits are unknown
	return all, nil
}
