package calib

import (
	"context"
	"runtime"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// blockRows is how many rows the kernel takes at a time.
const blockRows = 256

// objective is a calibration set as temperature methods see it: the row
// kernel run over all rows at given scales 1/T. The rows are in memory, with
// one float32 a row beside the logits, or streamed. It belongs to one fit.
type objective struct {
	logits data.Matrix // n x k; where the rows are streamed only its shape
	label  []float32   // n, the logit of the true class; nil where streamed
	labels []int32     // n, the true class; nil where streamed, or where no sum asks for it
	stream rowStream   // nil where the rows are in memory
	passes float64     // reads of the whole set so far; a part counts as its share
	shared *sharedFits // of fits on these rows, may be nil
	spaces []*workspace
}

// newObjective checks that every row has a label and keeps the views of set.
func newObjective(set *data.Set) (*objective, error) {
	if err := checkLabelled(set); err != nil {
		return nil, err
	}
	o := &objective{logits: set.Logits, label: make([]float32, set.Logits.Rows), labels: set.Labels}
	for i, y := range set.Labels {
		o.label[i] = set.Logits.Row(i)[y]
	}
	return o, nil
}

func (o *objective) rows() int { return o.logits.Rows }

// scaling gives the scales 1/T of rows lo, lo+1, ..., len(dst) of them: in dst
// or, where all rows have the same, in a slice of its own with that one.
type scaling func(dst []float64, lo int) []float64

// constant is one scale for all rows.
func constant(scale float64) scaling {
	s := []float64{scale}
	return func([]float64, int) []float64 { return s }
}

// rowBlock is some neighbouring rows on which the kernel has been run.
type rowBlock struct {
	lo      int               // the first of them
	scale   []float64         // 1/T of every row, or one for all
	moments []softmax.Moments // at these scales
	label   []float32         // logits of the true classes
	labels  []int32           // these classes
}

// beta returns the scale 1/T of row lo+i.
func (b *rowBlock) beta(i int) float64 {
	if len(b.scale) == 1 {
		return b.scale[0]
	}
	return b.scale[i]
}

// workspace is the memory of one worker, kept from pass to pass.
type workspace struct {
	moments [blockRows]softmax.Moments
	scale   [blockRows]float64
	label   [blockRows]float32

	// Rows of a stream: lo and those after it.
	lo     int
	logits []float32
	labels []int32
}

// slots is how many partial sums a pass keeps at the most.
const slots = 1024

// smallSet is the number of logits below which a pass is over before another
// processor has woken up.
const smallSet = 1 << 16

// eachRows calls do for all rows, blockRows or fewer at a time, on all
// processors. Consecutive blocks share a slot, of which there are numSlots; a
// slot is done by one worker, its blocks in their order. In a run of many fits
// the processors are busy with other fits: goroutines then wait, and a fit
// never has more of them than there are processors.
func (o *objective) eachRows(ctx context.Context, do func(w *workspace, slot, lo int, logits []float32, labels []int32)) error {
	n, k := o.logits.Rows, o.logits.Cols
	workers := runtime.GOMAXPROCS(0)
	if n*k < smallSet {
		workers = 1
	}
	for len(o.spaces) < workers {
		o.spaces = append(o.spaces, nil)
	}
	step := o.slotRows()
	return eachTask(ctx, o.numSlots(), workers, func(worker, slot int) error {
		w := o.spaces[worker]
		if w == nil {
			w = &workspace{}
			o.spaces[worker] = w
		}
		end := min((slot+1)*step, n)
		for lo := slot * step; lo < end; lo += blockRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+blockRows, end)
			var logits []float32
			var labels []int32
			if o.stream == nil {
				logits = o.logits.Data[lo*k : hi*k]
			} else {
				var err error
				if logits, labels, err = o.read(ctx, w, lo, hi, end); err != nil {
					return err
				}
			}
			do(w, slot, lo, logits, labels)
		}
		return nil
	})
}

// slotRows is how many rows a slot has: a multiple of blockRows.
func (o *objective) slotRows() int {
	return max(1, (numBlocks(o.rows())+slots-1)/slots) * blockRows
}

func (o *objective) numSlots() int { return (o.rows() + o.slotRows() - 1) / o.slotRows() }

// sums runs the kernel over all rows and returns the total of what visit adds
// to the given number of sums. visit is called by several goroutines at a time
// for blocks of rows; it may also keep something for each row of its block.
// Partial sums are reduced in the order of the rows, so the bits of a fit do
// not depend on who computes which block, nor on how many do.
func (o *objective) sums(ctx context.Context, scale scaling, width int, visit func(b *rowBlock, sum []float64)) ([]float64, error) {
	o.passes++
	k := o.logits.Cols
	parts := make([]float64, o.numSlots()*width)
	err := o.eachRows(ctx, func(w *workspace, slot, lo int, logits []float32, labels []int32) {
		n := len(logits) / k
		b := rowBlock{lo: lo, scale: scale(w.scale[:n], lo), moments: w.moments[:n], label: w.label[:n]}
		softmax.Rows(b.moments, logits, k, b.scale)
		if o.stream == nil {
			b.label = o.label[lo : lo+n]
			if o.labels != nil {
				b.labels = o.labels[lo : lo+n]
			}
		} else {
			b.labels = labels
			for i := range b.label {
				b.label[i] = logits[i*k : (i+1)*k][labels[i]]
			}
		}
		visit(&b, parts[slot*width:(slot+1)*width])
	})
	if err != nil {
		return nil, err
	}
	total := make([]float64, width)
	for i, v := range parts {
		total[i%width] += v
	}
	return total, nil
}

// nll returns the mean NLL in nats at one temperature: one pass.
func (o *objective) nll(ctx context.Context, t float64) (float64, error) {
	s, err := o.slope(ctx, 1/t)
	return s.nll, err
}

// nllAt returns the mean NLL where row i has the scale beta(i): one pass. Where
// all have the same it has the bits of nll.
func (o *objective) nllAt(ctx context.Context, beta func(i int) float64) (float64, error) {
	scale := func(dst []float64, lo int) []float64 {
		for i := range dst {
			dst[i] = beta(lo + i)
		}
		return dst
	}
	total, err := o.sums(ctx, scale, 1, func(b *rowBlock, sum []float64) { sum[0] += b.nll() })
	if err != nil {
		return 0, err
	}
	return total[0] / float64(o.rows()), nil
}

// nll returns the sum of the NLL of the rows.
func (b *rowBlock) nll() float64 {
	var logs logSum
	loss := 0.0
	for i := range b.moments {
		m := &b.moments[i]
		logs.add(m.Tail, 1/(1+m.Tail))
		loss += float64(b.beta(i) * (float64(m.Max) - float64(b.label[i])))
	}
	return logs.total() + loss
}

// slope is what one pass at a single scale comes to, as means over the rows.
type slope struct {
	nll      float64 // NLL, nats
	loss     float64 // max l - l_y
	drop     float64 // max l - E_p[l]
	variance float64 // Var_p[l]
}

func (o *objective) slope(ctx context.Context, scale float64) (slope, error) {
	s, _, err := o.slopeAnd(ctx, scale, 0, nil)
	return s, err
}

// slopeAnd is slope and the totals of what visit adds to further sums in the
// same pass.
func (o *objective) slopeAnd(ctx context.Context, scale float64, width int, visit func(b *rowBlock, sum []float64)) (slope, []float64, error) {
	const own = 4
	total, err := o.sums(ctx, constant(scale), own+width, func(b *rowBlock, sum []float64) {
		s := b.slope(scale)
		sum[0] += s.nll
		sum[1] += s.loss
		sum[2] += s.drop
		sum[3] += s.variance
		if visit != nil {
			visit(b, sum[own:])
		}
	})
	if err != nil {
		return slope{}, nil, err
	}
	n := float64(o.rows())
	return slope{total[0] / n, total[1] / n, total[2] / n, total[3] / n}, total[own:], nil
}

// slope returns the sums over the rows, all at the given scale. The NLL has the
// bits of nll.
func (b *rowBlock) slope(scale float64) slope {
	var s slope
	logs := logSum{product: 1}
	label := b.label[:len(b.moments)]
	for i := range b.moments {
		m := &b.moments[i]
		gap := float64(m.Max) - float64(label[i])
		one := 1 + m.Tail
		inverse := 1 / one
		mean := float64(m.S1 * inverse)
		s.loss += gap
		s.nll += float64(scale * gap)
		s.drop -= mean
		s.variance += max(0, float64(m.S2*inverse)-float64(mean*mean))
		logs.sum += float64((m.Tail - (one - 1)) * inverse) // logSum.add
		if logs.product *= one; logs.product > fullProduct {
			logs.flush()
			logs.product = 1
		}
	}
	s.nll = logs.total() + s.nll
	return s
}

// logSum adds log(1 + tail) over rows with one logarithm for many of them: the
// factors 1 + tail are multiplied, and what the ones lose of small tails is
// added as such. The error is below 2^-52 for each row, and relative to the
// sum where every tail is small.
type logSum struct {
	product float64 // 0 stands for 1
	sum     float64
}

// fullProduct leaves room for one factor more: no tail has 2^120 classes.
const fullProduct = 0x1p900

// add adds log(1 + tail); inverse is 1/(1 + tail).
func (l *logSum) add(tail, inverse float64) {
	one := 1 + tail
	l.sum += float64((tail - (one - 1)) * inverse)
	if l.product == 0 {
		l.product = 1
	}
	if l.product *= one; l.product > fullProduct {
		l.flush()
	}
}

func (l *logSum) flush() {
	l.sum += softmax.Log(l.product)
	l.product = 0
}

func (l *logSum) total() float64 {
	if l.product > 1 {
		l.flush()
	}
	return l.sum
}
