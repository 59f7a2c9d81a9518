package inspect

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

// scored are the arrays that an inspection reads row by row.
const scored = data.Logits | data.Labels

// blockBytes is the memory of the block of rows that are read at a time.
const blockBytes = 1 << 20

// inspected is a set under inspection.
type inspected struct {
	name   string
	split  data.Split
	source string                                       // measured or simulated
	open   func(context.Context) (data.Reader, error)   // its logits and labels
	known  func(folder.Oddity) (reason string, ok bool) // of the manifest; may be nil
	arrays []folder.ArrayHeader                         // of all its files, if it has files
	err    error                                        // of reading the headers

	row Set
	ok  bool // read completely

	disordered bool // labels and logits do not belong together

	logProbs, offsetLost bool
	brief                bool // keep nothing of a row: no ECE, no search for wide rows
	mu                   sync.Mutex
	counts               []int     // rows of each class
	spread               []float32 // of each row, the largest logit minus the least; nil if brief
	correct              int       // rows whose prediction is the label
	before, after        int       // rows whose prediction is the label - 1, and the label + 1
	flat                 int       // rows whose logits are all equal
	auroc                float64   // of a confidence alone; NaN where it is undefined
}

// read reads the rows of the set once.
func (x *inspected) read(ctx context.Context, in *Inspection) error {
	if x.err != nil {
		return x.err
	}
	r, err := x.open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	form, err := r.Form()
	if err != nil {
		return err
	}
	for _, note := range form.Notes {
		f := Problem{Severity: Note, Place: x.name, Cause: note.String(), Fix: note.Fix, Remedy: note.Remedy}
		if note.Warning {
			f.Oddity = folder.OddForm
			in.warn(f, x)
			continue
		}
		f.AlwaysShown = true
		in.add(f)
	}
	x.offsetLost = form.OffsetLost
	x.row = Set{Set: x.name, Rows: r.Rows(), Classes: r.Classes(), Source: x.source}
	x.headers(x.arrays)
	if x.row.ConfidenceOnly = form.Confidence; x.row.ConfidenceOnly {
		return x.scanConfidence(ctx, r)
	}
	return x.scan(ctx, r)
}

// headers notes the types of logits and labels and the shapes of the other arrays.
func (x *inspected) headers(arrays []folder.ArrayHeader) {
	for _, a := range arrays {
		switch a.Role {
		case "logits":
			x.row.DType = string(a.DType)
		case "labels":
			x.row.Labels = string(a.DType)
		default:
			shape := strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Shape), " ", " x "), "[]")
			x.row.Also = append(x.row.Also, fmt.Sprintf("%s %s %s", a.Role, shape, a.DType))
		}
	}
}

// scan reads the rows in parallel. Sums are of whole numbers and the extremes have no
// order, so the result does not depend on the number of processors.
func (x *inspected) scan(ctx context.Context, r data.Reader) error {
	x.counts = make([]int, r.Classes())
	x.row.Least, x.row.Largest = math.Inf(1), math.Inf(-1)
	x.logProbs = true
	block := max(1, min(r.Rows(), blockBytes/(4*r.Classes())))
	score := func(int, *data.Set) error { return nil }
	var samples *scoring.SampleScores
	if !x.brief {
		samples, x.spread = scoring.Zeros(r.Rows()), make([]float32, r.Rows())
		ones := slices.Repeat([]float64{1}, block)
		score = func(lo int, set *data.Set) error {
			part := samples.Part(lo, lo+set.Logits.Rows)
			return scoring.AppendScaled([]*scoring.SampleScores{part}, set, ones[:set.Logits.Rows])
		}
	}
	err := data.Scan(ctx, r, block, runtime.GOMAXPROCS(0), func(lo int, set *data.Set) error {
		x.add(lo, set)
		return score(lo, set)
	})
	if err != nil {
		return err
	}
	x.row.Accuracy = float64(x.correct) / float64(max(1, r.Rows()))
	if !x.brief {
		x.row.ECE = metrics.ECE(metrics.Of(samples), 15)
	}
	x.ok = true
	return nil
}

// add adds a block of rows, whose first is row lo of the set.
func (x *inspected) add(lo int, set *data.Set) {
	logits, n := set.Logits, set.Logits.Rows
	counts := make([]int, logits.Cols)
	var flat, correct, before, after int
	least, largest := float32(math.Inf(1)), float32(math.Inf(-1))
	for i := range n {
		a, b, top := bounds(logits.Row(i))
		if least, largest = min(least, a), max(largest, b); a == b && logits.Cols-logits.Slice(i, i+1).Masked() > 1 {
			flat++
		}
		if !x.brief {
			x.spread[lo+i] = b - a
		}
		y := set.Labels[i]
		counts[y]++
		switch top {
		case y:
			correct++
		case y - 1:
			before++
		case y + 1:
			after++
		}
	}
	logProbs, masked := data.LogProbs(logits), logits.Masked()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.row.Least, x.row.Largest = min(x.row.Least, float64(least)), max(x.row.Largest, float64(largest))
	x.logProbs = x.logProbs && logProbs
	x.row.Masked += masked
	x.flat, x.correct, x.before, x.after = x.flat+flat, x.correct+correct, x.before+before, x.after+after
	for j, rows := range counts {
		x.counts[j] += rows
	}
}

// bounds returns the least logit of a row that is not masked and the largest, and the class of
// the largest: the lowest of equal ones, which every score takes for the prediction.
func bounds(row []float32) (least, largest float32, top int32) {
	least, largest = float32(math.Inf(1)), float32(math.Inf(-1))
	for j, v := range row {
		if v != data.Masked {
			least = min(least, v)
		}
		if v > largest {
			largest, top = v, int32(j)
		}
	}
	return least, largest, top
}

// wide is how many times as far apart as those of the median row the logits of a row must be
// to be reported. Rows of networks that end well are at most 30 times as far apart.
const wide = 50

// extremes returns how many rows are wide, and the spread of the median row and of the widest.
func (x *inspected) extremes() (far int, median, widest float64) {
	sorted := slices.Clone(x.spread)
	slices.Sort(sorted)
	if len(sorted) == 0 {
		return 0, 0, 0
	}
	median, widest = float64(sorted[len(sorted)/2]), float64(sorted[len(sorted)-1])
	if median > 0 {
		far = len(sorted) - sort.Search(len(sorted), func(i int) bool { return float64(sorted[i]) > wide*median })
	}
	return far, median, widest
}

// judge adds findings on a set that was read.
func (x *inspected) judge(in *Inspection) {
	if x.row.ConfidenceOnly {
		x.judgeConfidence(in)
		return
	}
	n, k, accuracy := float64(x.row.Rows), float64(x.row.Classes), x.row.Accuracy
	chance := 1 / k
	chance += 3 * math.Sqrt(chance*(1-chance)/n)
	x.disordered = true
	// Labels that are shifted leave the class at one end without rows. If none is
	// empty, the classes are in another order.
	shifted := func(correct, end int) bool { return x.counts[end] == 0 && float64(correct)/n > accuracy+0.2 }
	switch {
	case shifted(x.before, 0):
		in.add(Problem{Severity: Error, Place: x.name, Cause: fmt.Sprintf("the labels seem to count from 1: with labels - 1 the accuracy is %.1f %%, as they are %.1f %%", 100*float64(x.before)/n, 100*accuracy), Fix: "store labels - 1"})
	case shifted(x.after, len(x.counts)-1):
		in.add(Problem{Severity: Error, Place: x.name, Cause: fmt.Sprintf("the labels seem to be one too small: with labels + 1 the accuracy is %.1f %%, as they are %.1f %%", 100*float64(x.after)/n, 100*accuracy), Fix: "store labels + 1, or drop the column of the background from the logits"})
	case accuracy <= chance && x.row.Rows >= 20:
		in.warn(Problem{Place: x.name, Oddity: folder.OddChance, Cause: fmt.Sprintf("accuracy %.1f %% of %d classes is chance: rows of logits and labels, or the classes, may be in another order", 100*accuracy, x.row.Classes), Fix: "save logits and labels in the same loop, without shuffling between them"}, x)
	default:
		x.disordered = false
	}
	if x.row.Masked > 0 {
		in.add(Problem{Severity: Note, Place: x.name, Cause: x.row.MaskedNote().String(), AlwaysShown: true})
	}
	far, median, widest := x.extremes()
	if x.flat > 0 {
		in.warn(Problem{Place: x.name, Oddity: folder.OddEqualLogits, Cause: fmt.Sprintf("%d of %d rows have the same logit for every class", x.flat, x.row.Rows), Fix: "look for rows that were never filled"}, x)
	}
	if far > 0 {
		in.warn(Problem{Place: x.name, Oddity: folder.OddExtremeLogits, Cause: fmt.Sprintf("the logits of %d of %d rows are up to %.0f apart, those of the median row %.3g: such rows alone can decide a fit", far, x.row.Rows, widest, median),
			Fix: "look at the inputs of these rows, and leave them out of the calibration set if they are broken"}, x)
	}
	var empty []string
	for class, rows := range x.counts {
		if rows == 0 {
			empty = append(empty, strconv.Itoa(class))
		}
	}
	if x.split == data.Cal && x.row.Rows < x.row.Classes {
		in.warn(Problem{Place: x.name, Oddity: folder.OddFewRows, Cause: experiments.FewRows(x.row.Rows, x.row.Classes).String(),
			Fix: "save more held-out rows: a few hundred are enough for ts"}, x)
	} else if x.split == data.Cal && x.row.Classes > 1 && len(empty) == x.row.Classes-1 {
		in.warn(Problem{Place: x.name, Oddity: folder.OddFewRows, Cause: fmt.Sprintf("all %d calibration rows are of class %d, and there are %d classes: a map that is fitted to them moves every row towards this class", x.row.Rows, slices.Index(x.counts, x.row.Rows), x.row.Classes),
			Fix: "take calibration rows of every class, such as a random part of the held-out rows"}, x)
	} else if len(empty) > 0 && x.split == data.Cal {
		in.warn(Problem{Place: x.name, Oddity: folder.OddFewRows, Cause: fmt.Sprintf("%d of %d classes have no calibration row: %s", len(empty), x.row.Classes, experiments.Few(empty, 5)),
			Fix: "save rows of all classes, or use a method that keeps every prediction"}, x)
	} else if len(empty) > 0 {
		in.add(Problem{Severity: Note, Place: x.name, Cause: fmt.Sprintf("%d of %d classes have no row", len(empty), x.row.Classes)})
	}
	if few, ok := report.FewOfClass(x.counts); ok && x.split == data.Cal && x.row.Rows >= x.row.Classes {
		in.add(Problem{Severity: Note, Place: x.name, Oddity: folder.OddFewRows, Cause: few.String(), AlwaysShown: true})
	}
}
