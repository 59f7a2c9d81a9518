package arrays

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

// Score says what to score against the labels of a set: one of Probs, Logits and Top.
type Score struct {
	Probs  string // probabilities, n x k
	Logits string // n x k, whose softmax is scored
	Top    string // an .npz file with the class (n) and conf (n) of a top-label method
	Labels string // n integers

	FS fs.FS // that has the files, such as a data.InputFS; nil for that of the operating system

	Uncal    string      // logits of the uncalibrated network, n x k, for the metrics that compare with it
	Kind     data.Kind   // of the logits
	Ignore   data.Ignore // labels of rows that are left out
	Metrics  []metrics.Entry
	Interval metrics.Interval // of the values; empty for none
	Memory   int64            // bytes that arrays may take

	Warn func(Note) // is called with the notes on the files
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
	entries := slices.DeleteFunc(slices.Clone(s.Metrics), func(e metrics.Entry) bool { return e.Whole })
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

// classes reports whether a metric reads class bins.
func (s *Score) classes() bool {
	return slices.ContainsFunc(s.Metrics, func(e metrics.Entry) bool { return e.Classes })
}

// vectors reports whether a metric recalibrates whole vectors.
func (s *Score) vectors() bool {
	return slices.ContainsFunc(s.Metrics, func(e metrics.Entry) bool { return e.CrossFit })
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
func (s *Score) checkMemory(n, k int, name string) error {
	need := int64(n) * rowBytes
	if s.Interval != "" {
		need += int64(n) * intervalBytes
	}
	if s.classes() {
		need += scoring.ClassBytes(n, 0)
	}
	if s.vectors() {
		need += scoring.VectorBytes(n, k)
	}
	if s.Uncal != "" {
		need += int64(n) * uncalBytes
	}
	if need > s.Memory {
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
func (s *Score) scan(ctx context.Context, r data.Reader, name string, k, size, workers int,
	score func(part *scoring.SampleScores, lo int, set *data.Set) (data.Probs, error)) (*scoring.SampleScores, error) {
	if err := s.checkMemory(r.Rows(), k, name); err != nil {
		return nil, err
	}
	all := scoring.Zeros(r.Rows())
	var whole data.Probs
	if s.vectors() {
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
		if s.vectors() {
			copy(whole.Slice(lo, hi).Data, probs.Data)
		}
		if s.classes() {
			mu.Lock()
			defer mu.Unlock()
			tally.Add(lo, probs, set.Labels)
		}
		return nil
	})
	if s.classes() {
		all.Classes = tally.Bins()
	}
	if s.vectors() && err == nil {
		all.Vectors, err = metrics.CrossFit(ctx, whole, all.Label, seed)
	}
	return all, err
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
	r, err := Open(data.Files{Logits: file, Labels: s.Labels, Kind: s.Kind, Ignore: s.Ignore, FS: s.FS, MemberLimit: s.Memory}, "", false, s.Warn)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	k := r.Classes()
	var masked atomic.Int64
	score := func(part *scoring.SampleScores, _ int, set *data.Set) (probs data.Probs, err error) {
		n := set.Logits.Rows
		masked.Add(int64(set.Logits.Masked()))
		err = scoring.AppendScaled([]*scoring.SampleScores{part}, set, slices.Repeat([]float64{1}, n))
		if err == nil && (s.classes() || s.vectors()) {
			probs = data.NewProbs(n, k)
			for i := range n {
				softmax.Probs(probs.Row(i), set.Logits.Row(i), 1)
			}
		}
		return probs, err
	}
	scores, err := s.scan(ctx, r, file, k, 4*k, runtime.GOMAXPROCS(0), score)
	if n := int(masked.Load()); n > 0 && err == nil {
		s.Warn(noteOf(file, data.MaskedNote(n, r.Rows()*k)))
	}
	return scores, err
}

// open opens an array.
func (s *Score) open(name string) (*data.Array, error) {
	if s.FS == nil {
		return data.OpenArrayFile(name)
	}
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
	r, err := Open(data.Files{Labels: s.Labels, Ignore: s.Ignore, Classes: k, FS: s.FS}, "", false, s.Warn)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := data.Follow(p, r); err != nil {
		return nil, err
	}
	all, err := s.scan(ctx, r, file, k, 8*k, 1, func(part *scoring.SampleScores, lo int, set *data.Set) (data.Probs, error) {
		rows := data.NewProbs(len(set.Labels), k)
		if err := read.Read(rows.Data, lo, lo+rows.Rows); err != nil {
			return rows, err
		}
		if err := part.AppendProbs(rows, set); err != nil {
			return rows, fmt.Errorf("%s: %w", file, scoring.InFile(err, p.FileRow))
		}
		return rows, nil
	})
	if err != nil {
		return nil, err
	}
	for _, note := range read.Remarks() {
		s.Warn(noteOf(file, note))
	}
	all.Changed = nil // the uncalibrated logits are unknown
	return all, nil
}

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
	r, err := Open(data.Files{Labels: s.Labels, Ignore: s.Ignore, FS: s.FS}, "", false, s.Warn)
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
	column := func(member string, read func(*data.Array) error) error {
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
		column("class", func(a *data.Array) error { return a.ReadInt32(class, 0, n) }),
		column("conf", func(a *data.Array) error { return a.ReadFloat64(conf, 0, n) }),
	); err != nil {
		return nil, err
	}
	if void := s.void(class, set.Labels); void > 0 {
		words := fmt.Sprintf("state --ignore %d", data.Void)
		s.Warn(Note{s.Labels, fmt.Sprintf("warning: %d of %d rows have the label %d, which no prediction is; if they have no class, %s", void, n, data.Void, words),
			data.Remedy{Argument: "ignore", Value: data.Ignore{data.Void}.String(), Words: words}})
	}
	all := scoring.New(n)
	if err := all.AppendTopLabel(class, conf, set.Labels); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Top, scoring.InFile(err, fileRow))
	}
	all.Changed = nil // the uncalibrated logits are unknown
	return all, nil
}
