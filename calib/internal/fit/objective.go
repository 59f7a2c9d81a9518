package fit

import (
	"context"
	"runtime"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// BlockRows is how many rows the kernel takes at a time.
const BlockRows = 256

// Objective is a calibration set as temperature methods see it: the row
// kernel run over all rows at given scales 1/T. The rows are in memory, with
// one float32 a row beside the logits, or streamed. It belongs to one fit.
type Objective struct {
	Logits     data.Matrix // n x k; where the rows are streamed only its shape
	LabelLogit []float32   // n, the logit of the true class; nil where streamed
	labels     []int32     // n, the true class; nil where streamed, or where no sum asks for it
	stream     Stream      // nil where the rows are in memory
	Passes     float64     // reads of the whole set so far; a part counts as its share
	Shared     *Shared     // of fits on these rows, may be nil
	spaces     []*workspace
}

// NewObjective checks that every row has a label and keeps the views of set.
func NewObjective(set *data.Set) (*Objective, error) {
	if err := CheckLabelled(set); err != nil {
		return nil, err
	}
	o := &Objective{Logits: set.Logits, LabelLogit: make([]float32, set.Logits.Rows), labels: set.Labels}
	for i, y := range set.Labels {
		o.LabelLogit[i] = set.Logits.Row(i)[y]
	}
	return o, nil
}

// Rows returns n.
func (o *Objective) Rows() int { return o.Logits.Rows }

// Scaling gives the scales 1/T of rows lo, lo+1, ..., len(dst) of them: in dst
// or, where all rows have the same, in a slice of its own with that one.
type Scaling func(dst []float64, lo int) []float64

// Constant is one scale for all rows.
func Constant(scale float64) Scaling {
	s := []float64{scale}
	return func([]float64, int) []float64 { return s }
}

// RowBlock is some neighbouring rows on which the kernel has been run.
type RowBlock struct {
	First      int               // the first of them
	Scale      []float64         // 1/T of every row, or one for all
	Moments    []softmax.Moments // at these scales
	LabelLogit []float32         // logits of the true classes
	Labels     []int32           // these classes
}

// beta returns the scale 1/T of row lo+i.
func (b *RowBlock) beta(i int) float64 {
	if len(b.Scale) == 1 {
		return b.Scale[0]
	}
	return b.Scale[i]
}

// workspace is the memory of one worker, kept from pass to pass.
type workspace struct {
	moments [BlockRows]softmax.Moments
	scale   [BlockRows]float64
	label   [BlockRows]float32

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

// eachRows calls do for all rows, BlockRows or fewer at a time, on all
// processors. Consecutive blocks share a slot, of which there are numSlots; a
// slot is done by one worker, its blocks in their order. In a run of many fits
// the processors are busy with other fits: goroutines then wait, and a fit
// never has more of them than there are processors.
func (o *Objective) eachRows(ctx context.Context, do func(w *workspace, slot, lo int, logits []float32, labels []int32)) error {
	n, k := o.Logits.Rows, o.Logits.Cols
	workers := runtime.GOMAXPROCS(0)
	if n*k < smallSet {
		workers = 1
	}
	for len(o.spaces) < workers {
		o.spaces = append(o.spaces, nil)
	}
	step := o.slotRows()
	return EachTask(ctx, o.numSlots(), workers, func(worker, slot int) error {
		w := o.spaces[worker]
		if w == nil {
			w = &workspace{}
			o.spaces[worker] = w
		}
		end := min((slot+1)*step, n)
		for lo := slot * step; lo < end; lo += BlockRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+BlockRows, end)
			var logits []float32
			var labels []int32
			if o.stream == nil {
				logits = o.Logits.Data[lo*k : hi*k]
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

// slotRows is how many rows a slot has: a multiple of BlockRows.
func (o *Objective) slotRows() int {
	return max(1, (NumBlocks(o.Rows())+slots-1)/slots) * BlockRows
}

func (o *Objective) numSlots() int { return (o.Rows() + o.slotRows() - 1) / o.slotRows() }

// Sums runs the kernel over all rows and returns the total of what visit adds
// to the given number of sums. visit is called by several goroutines at a time
// for blocks of rows; it may also keep something for each row of its block.
// Partial sums are reduced in the order of the rows, so the bits of a fit do
// not depend on who computes which block, nor on how many do.
func (o *Objective) Sums(ctx context.Context, scale Scaling, width int, visit func(b *RowBlock, sum []float64)) ([]float64, error) {
	o.Passes++
	k := o.Logits.Cols
	parts := make([]float64, o.numSlots()*width)
	err := o.eachRows(ctx, func(w *workspace, slot, lo int, logits []float32, labels []int32) {
		n := len(logits) / k
		b := RowBlock{First: lo, Scale: scale(w.scale[:n], lo), Moments: w.moments[:n], LabelLogit: w.label[:n]}
		softmax.Rows(b.Moments, logits, k, b.Scale)
		if o.stream == nil {
			b.LabelLogit = o.LabelLogit[lo : lo+n]
			if o.labels != nil {
				b.Labels = o.labels[lo : lo+n]
			}
		} else {
			b.Labels = labels
			for i := range b.LabelLogit {
				b.LabelLogit[i] = logits[i*k : (i+1)*k][labels[i]]
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

// NLL returns the mean NLL in nats at one temperature: one pass.
func (o *Objective) NLL(ctx context.Context, t float64) (float64, error) {
	s, err := o.Slope(ctx, 1/t)
	return s.NLL, err
}

// NLLAt returns the mean NLL where row i has the scale beta(i): one pass. Where
// all have the same it has the bits of nll.
func (o *Objective) NLLAt(ctx context.Context, beta func(i int) float64) (float64, error) {
	scale := func(dst []float64, lo int) []float64 {
		for i := range dst {
			dst[i] = beta(lo + i)
		}
		return dst
	}
	total, err := o.Sums(ctx, scale, 1, func(b *RowBlock, sum []float64) { sum[0] += b.NLL() })
	if err != nil {
		return 0, err
	}
	return total[0] / float64(o.Rows()), nil
}

// NLL returns the sum of the NLL of the rows.
func (b *RowBlock) NLL() float64 {
	var logs logSum
	loss := 0.0
	for i := range b.Moments {
		m := &b.Moments[i]
		logs.add(m.Tail, 1/(1+m.Tail))
		loss += float64(b.beta(i) * (float64(m.Max) - float64(b.LabelLogit[i])))
	}
	return logs.total() + loss
}

// Slope is what one pass at a single scale comes to, as means over the rows.
type Slope struct {
	NLL      float64 // NLL, nats
	Loss     float64 // max l - l_y
	Drop     float64 // max l - E_p[l]
	Variance float64 // Var_p[l]
}

// Slope returns the means over the rows at one scale 1/T: one pass.
func (o *Objective) Slope(ctx context.Context, scale float64) (Slope, error) {
	s, _, err := o.slopeAnd(ctx, scale, 0, nil)
	return s, err
}

// slopeAnd is slope and the totals of what visit adds to further sums in the
// same pass.
func (o *Objective) slopeAnd(ctx context.Context, scale float64, width int, visit func(b *RowBlock, sum []float64)) (Slope, []float64, error) {
	const own = 4
	total, err := o.Sums(ctx, Constant(scale), own+width, func(b *RowBlock, sum []float64) {
		s := b.slope(scale)
		sum[0] += s.NLL
		sum[1] += s.Loss
		sum[2] += s.Drop
		sum[3] += s.Variance
		if visit != nil {
			visit(b, sum[own:])
		}
	})
	if err != nil {
		return Slope{}, nil, err
	}
	n := float64(o.Rows())
	return Slope{total[0] / n, total[1] / n, total[2] / n, total[3] / n}, total[own:], nil
}

// slope returns the sums over the rows, all at the given scale. The NLL has the
// bits of nll.
func (b *RowBlock) slope(scale float64) Slope {
	var s Slope
	logs := logSum{product: 1}
	label := b.LabelLogit[:len(b.Moments)]
	for i := range b.Moments {
		m := &b.Moments[i]
		gap := float64(m.Max) - float64(label[i])
		one := 1 + m.Tail
		inverse := 1 / one
		mean := float64(m.S1 * inverse)
		s.Loss += gap
		s.NLL += float64(scale * gap)
		s.Drop -= mean
		s.Variance += max(0, float64(m.S2*inverse)-float64(mean*mean))
		logs.sum += float64((m.Tail - (one - 1)) * inverse) // logSum.add
		if logs.product *= one; logs.product > fullProduct {
			logs.flush()
			logs.product = 1
		}
	}
	s.NLL = logs.total() + s.NLL
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

// Where returns the rows of o whose group is c, copied into the memory of dst, which has room for all.
func (o *Objective) Where(dst *Objective, group []int, c int) *Objective {
	k := o.Logits.Cols
	n := 0
	for i, of := range group {
		if of == c {
			copy(dst.Logits.Data[n*k:(n+1)*k], o.Logits.Row(i))
			dst.LabelLogit[n] = o.LabelLogit[i]
			n++
		}
	}
	return &Objective{Logits: dst.Logits.Slice(0, n), LabelLogit: dst.LabelLogit[:n]}
}
