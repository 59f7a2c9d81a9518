package inspect

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
)

// scored are the arrays that an inspection reads row by row.
const scored = data.Logits | data.Labels

// blockBytes is the memory of the block of rows that are read at a time.
const blockBytes = 1 << 20

// inspected is a set under inspection.
type inspected struct {
	key  setKey
	name string
	row  Set
	ok   bool // read completely

	disordered bool // labels and logits do not belong together

	logProbs, offsetLost bool
	mu                   sync.Mutex
	counts               []int // rows of each class
	flat                 int   // rows whose logits are all equal
	before, after        int   // rows whose prediction is the label - 1, and the label + 1
}

// read reads the set: first all headers, then the rows once.
func (x *inspected) read(ctx context.Context, in *Inspection) error {
	parts := x.key.source.Has(x.key.ref)
	arrays, err := data.Headers(ctx, x.key.source, x.key.ref, parts)
	if err != nil {
		return err
	}
	r, err := x.key.source.Open(ctx, x.key.ref, scored)
	if err != nil {
		return err
	}
	defer r.Close()
	form, err := r.Form()
	if err != nil {
		return err
	}
	for _, note := range form.Notes {
		f := Finding{Severity: Note, Place: x.name, Cause: note.String()}
		if note.Warning {
			f.Severity = Warning
		}
		in.add(f)
	}
	x.offsetLost = form.OffsetLost
	x.row = Set{Set: x.name, Rows: r.Rows(), Classes: r.Classes(), Source: string(x.key.source.Describe(x.key.ref).Origin)}
	x.headers(arrays)
	return x.scan(ctx, r)
}

// headers notes the types of logits and labels and the shapes of the other arrays.
func (x *inspected) headers(arrays []data.ArrayHeader) {
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
	samples := scoring.Zeros(r.Rows())
	x.counts = make([]int, r.Classes())
	x.row.Least, x.row.Largest = math.Inf(1), math.Inf(-1)
	x.logProbs = true
	block := max(1, blockBytes/(4*r.Classes()))
	ones := slices.Repeat([]float64{1}, block)
	err := data.Scan(ctx, r, block, runtime.GOMAXPROCS(0), func(lo int, set *data.Set) error {
		part := samples.Part(lo, lo+set.Logits.Rows)
		if err := scoring.AppendScaled([]*scoring.SampleScores{part}, set, ones[:set.Logits.Rows]); err != nil {
			return err
		}
		x.add(set.Logits)
		return nil
	})
	if err != nil {
		return err
	}
	for i, y := range samples.Label {
		x.counts[y]++
		switch samples.Pred[i] {
		case y - 1:
			x.before++
		case y + 1:
			x.after++
		}
	}
	m := metrics.Of(samples)
	x.row.Accuracy, x.row.ECE = metrics.Accuracy(m), metrics.ECE(m, 15)
	x.ok = true
	return nil
}

// add adds a block of logits.
func (x *inspected) add(logits data.Matrix) {
	least, largest, logProbs := float64(slices.Min(logits.Data)), float64(slices.Max(logits.Data)), data.LogProbs(logits)
	flat := 0
	for i := range logits.Rows {
		if row := logits.Row(i); slices.Min(row) == slices.Max(row) {
			flat++
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.row.Least, x.row.Largest = min(x.row.Least, least), max(x.row.Largest, largest)
	x.flat += flat
	x.logProbs = x.logProbs && logProbs
}

// judge adds findings on a set that was read.
func (x *inspected) judge(in *Inspection) {
	n, k, accuracy := float64(x.row.Rows), float64(x.row.Classes), x.row.Accuracy
	chance := 1 / k
	chance += 3 * math.Sqrt(chance*(1-chance)/n)
	x.disordered = true
	// Labels that are shifted leave the class at one end without rows. If none is
	// empty, the classes are in another order.
	shifted := func(correct, end int) bool { return x.counts[end] == 0 && float64(correct)/n > accuracy+0.2 }
	switch {
	case shifted(x.before, 0):
		in.add(Finding{Error, x.name, fmt.Sprintf("the labels seem to count from 1: with labels - 1 the accuracy is %.1f %%, as they are %.1f %%", 100*float64(x.before)/n, 100*accuracy), "store labels - 1"})
	case shifted(x.after, len(x.counts)-1):
		in.add(Finding{Error, x.name, fmt.Sprintf("the labels seem to be one too small: with labels + 1 the accuracy is %.1f %%, as they are %.1f %%", 100*float64(x.after)/n, 100*accuracy), "store labels + 1, or drop the column of the background from the logits"})
	case accuracy <= chance && x.row.Rows >= 20:
		in.add(Finding{Warning, x.name, fmt.Sprintf("accuracy %.1f %% of %d classes is chance: rows of logits and labels, or the classes, may be in another order", 100*accuracy, x.row.Classes), "save logits and labels in the same loop, without shuffling between them"})
	default:
		x.disordered = false
	}
	if x.flat > 0 {
		in.add(Finding{Warning, x.name, fmt.Sprintf("%d of %d rows have the same logit for every class", x.flat, x.row.Rows), "look for rows that were never filled"})
	}
	filled := lists.Where(x.counts, func(rows int) bool { return rows > 0 })
	if x.key.ref.Split == data.Cal && x.row.Rows < x.row.Classes {
		in.add(Finding{Severity: Warning, Place: x.name, Cause: experiments.FewRows(x.row.Rows, x.row.Classes).String()})
	} else if empty := x.row.Classes - len(filled); empty > 0 {
		in.add(Finding{Severity: Note, Place: x.name, Cause: fmt.Sprintf("%d of %d classes have no row", empty, x.row.Classes)})
	}
}
