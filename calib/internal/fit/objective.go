package fit

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/pool"
)

// BlockRows is the number of rows that the kernel reads at a time.
const BlockRows = 256

// Objective is a labelled calibration set with the row kernel. It computes sums
// over all rows at given scales 1/T, such as the mean NLL and its derivatives.
// The rows are in memory, with one float32 a row beside the logits, or streamed.
// An Objective belongs to one fit.
type Objective struct {
	Logits     data.Matrix // n x k; of a stream only the shape
	LabelLogit []float32   // n, the logit of the true class; nil for a stream
	labels     []int32     // n, the true class; nil for a stream, or if no sum needs it
	stream     Stream      // nil for rows in memory
	Passes     float64     // reads of the whole set so far; a part counts as its share
	Shared     Cache       // results of other fits on these rows; may be nil
	unit       float64     // by which Slope divides the logits, a power of two; 0 means 1
	usual      bool        // the temperature is in the usual span, whatever the spread
	start      float64     // T at which its search begins; 0 means where any search begins
	spaces     []*workspace
}

// NewObjective returns the objective of the labelled set. It keeps views of the
// arrays. It returns an error if a row has no label; see CheckLabelled.
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

// Rows returns the number of rows n.
func (o *Objective) Rows() int { return o.Logits.Rows }

// Scaling returns the scales 1/T of the len(dst) rows from row lo on. It writes
// them to dst, or returns a slice with one element, the scale of all rows.
type Scaling func(dst []float64, lo int) []float64

// Constant returns the scaling with one scale for all rows.
func Constant(scale float64) Scaling {
	s := []float64{scale}
	return func([]float64, int) []float64 { return s }
}

// ByRow returns the scaling in which row i has the scale of(i).
func ByRow(of func(i int) float64) Scaling {
	return func(dst []float64, lo int) []float64 {
		for i := range dst {
			dst[i] = of(lo + i)
		}
		return dst
	}
}

// RowBlock is a block of neighbouring rows with the sums of the kernel.
type RowBlock struct {
	First      int               // index of the first row in the set
	Scale      []float64         // 1/T of every row, or one element for all rows
	Moments    []softmax.Moments // sums over the classes of every row at its scale
	LabelLogit []float32         // logit of the true class of every row
	Labels     []int32           // true class of every row
}

// beta returns the scale 1/T of row First+i.
func (b *RowBlock) beta(i int) float64 {
	if len(b.Scale) == 1 {
		return b.Scale[0]
	}
	return b.Scale[i]
}

// InTemperature returns the first and second derivative of the NLL f of row
// First+i in its temperature T. With beta = 1/T, g = E_p[l] - l_y and
// V = Var_p[l] they are
//
//	df/dT = -beta^2 g,  d2f/dT2 = beta^4 V + 2 beta^3 g.
func (b *RowBlock) InTemperature(i int) (first, second float64) {
	m, beta := &b.Moments[i], b.beta(i)
	g, b2 := m.Slope(b.LabelLogit[i]), float64(beta*beta)
	return -float64(b2 * g), float64(b2 * (float64(b2*m.Variance()) + float64(2*beta*g)))
}

// workspace is the memory of one worker. It is reused in every pass.
type workspace struct {
	moments [BlockRows]softmax.Moments
	scale   [BlockRows]float64
	label   [BlockRows]float32

	// Rows read from a stream, from row lo on.
	lo     int
	logits []float32
	labels []int32
}

// slots is the largest number of partial sums of a pass.
const slots = 1024

// smallSet is the number of logits below which a second goroutine costs more time
// than it saves.
const smallSet = 1 << 16

// eachRows calls do for all rows, BlockRows or fewer at a time, on all
// processors. Consecutive blocks share one of numSlots slots. One worker does
// all blocks of a slot, in their order. In a run of many fits the processors are
// busy with other fits, and goroutines wait; a fit never has more goroutines than
// there are processors.
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
	return pool.Each(ctx, o.numSlots(), workers, func(worker, slot int) error {
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

// slotRows returns the number of rows of a slot, a multiple of BlockRows.
func (o *Objective) slotRows() int {
	return max(1, (NumBlocks(o.Rows())+slots-1)/slots) * BlockRows
}

// numSlots returns the number of slots of a pass.
func (o *Objective) numSlots() int { return (o.Rows() + o.slotRows() - 1) / o.slotRows() }

// Sums runs the kernel over all rows at the given scales and returns width
// totals. visit adds the contributions of a block of rows to sum, which has width
// elements. Several goroutines call it at a time, for different blocks; it may
// also store a result for each row of its block. Partial sums are added in the
// order of the rows, so the bits of a fit do not depend on the number of
// goroutines or on which of them computes a block.
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

// NLLAt returns the mean NLL in nats at the given scales: one pass. If all scales
// are equal it has the bits of NLL.
func (o *Objective) NLLAt(ctx context.Context, scale Scaling) (float64, error) {
	total, err := o.Sums(ctx, scale, 1, func(b *RowBlock, sum []float64) { sum[0] += b.NLL() })
	if err != nil {
		return 0, err
	}
	return total[0] / float64(o.Rows()), nil
}

// NLL returns the sum of the NLL of the rows of the block, in nats.
func (b *RowBlock) NLL() float64 {
	logs, loss := logSum{product: 1}, 0.0
	for i := range b.Moments {
		m := &b.Moments[i]
		logs.add(m.Tail, 1+m.Tail, 1/(1+m.Tail))
		loss += float64(b.beta(i) * (float64(m.Max) - float64(b.LabelLogit[i])))
	}
	return logs.total() + loss
}

// Slope holds means over the rows at one scale beta = 1/T. The derivative of the
// mean NLL in beta is LabelGap - MeanGap, its second derivative Variance.
type Slope struct {
	NLL      float64 // NLL, nats
	LabelGap float64 // max l - l_y
	MeanGap  float64 // max l - E_p[l]
	Variance float64 // Var_p[l]
}

// Slope returns the means over the rows at one scale 1/T: one pass. Gaps, variance and scale
// are measured on the logits divided by the unit of o.
func (o *Objective) Slope(ctx context.Context, scale float64) (Slope, error) {
	s, _, err := o.slopeWithSums(ctx, scale, 0, nil)
	return s, err
}

// slopeWithSums returns Slope and, from the same pass, the totals of width more
// sums to which visit adds; see Sums.
func (o *Objective) slopeWithSums(ctx context.Context, scale float64, width int, visit func(b *RowBlock, sum []float64)) (Slope, []float64, error) {
	const own = 4
	unit := cmp.Or(o.unit, 1)
	scale /= unit
	total, err := o.Sums(ctx, Constant(scale), own+width, func(b *RowBlock, sum []float64) {
		s := b.slope(scale)
		sum[0] += s.NLL
		sum[1] += s.LabelGap
		sum[2] += s.MeanGap
		sum[3] += s.Variance
		if visit != nil {
			visit(b, sum[own:])
		}
	})
	if err != nil {
		return Slope{}, nil, err
	}
	n := float64(o.Rows())
	return Slope{total[0] / n, total[1] / n / unit, total[2] / n / unit, total[3] / n / unit / unit}, total[own:], nil
}

// slope returns the sums over the rows of the block, all at the given scale. The
// NLL has the bits of RowBlock.NLL.
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
		s.LabelGap += gap
		s.NLL += float64(scale * gap)
		s.MeanGap -= mean
		s.Variance += max(0, float64(m.S2*inverse)-float64(mean*mean))
		logs.add(m.Tail, one, inverse)
	}
	s.NLL = logs.total() + s.NLL
	return s
}

// logSum adds log(1 + tail) over rows with one logarithm for many of them. It
// multiplies the factors 1 + tail, and adds the rounding error of each 1 + tail to
// the sum separately. The error is below 2^-52 for each row, and relative to the
// sum if every tail is small.
type logSum struct {
	product float64 // starts at 1
	sum     float64
}

// fullProduct leaves room for one more factor: no row has 2^120 classes.
const fullProduct = 0x1p900

// add adds log(1 + tail); one is 1 + tail, inverse 1/one.
func (l *logSum) add(tail, one, inverse float64) {
	l.sum += float64((tail - (one - 1)) * inverse)
	if l.product *= one; l.product > fullProduct {
		l.flush()
	}
}

// flush moves the product into the sum. It is not inlined, so that add is.
//
//go:noinline
func (l *logSum) flush() {
	l.sum += softmax.Log(l.product)
	l.product = 1
}

func (l *logSum) total() float64 {
	if l.product > 1 {
		l.flush()
	}
	return l.sum
}

// Where returns the rows of o whose group is c. It copies them into the memory of
// dst, which must have room for all rows of o.
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

// Stage is called at the end of each stage of a fit, with its name and its passes over the
// calibration set. A nil Stage is not called.
type Stage func(name string, passes float64)

// End reports the end of a stage.
func (s Stage) End(name string, passes float64) {
	if s != nil {
		s(name, passes)
	}
}

// Cache keeps a result for other fits on the same rows; calib.Shared documents it. Load returns
// what Store was given last, nil at first. It is safe for concurrent use.
type Cache interface {
	Load() any
	Store(result any)
}

// ObjectiveOf returns the objective of a calibration set, or of a stream where there is no set,
// with the results of other fits on the same rows.
func ObjectiveOf(cal *data.Set, stream Stream, shared Cache) (*Objective, error) {
	var o *Objective
	var err error
	if cal == nil && stream != nil {
		o, err = NewStreamed(stream)
	} else {
		o, err = NewObjective(cal)
	}
	if err != nil {
		return nil, err
	}
	o.Shared = shared
	return o, nil
}

// Stream is calib.Stream.
type Stream interface {
	Rows() int
	Classes() int
	Read(ctx context.Context, lo, hi int, logits []float32, labels []int32) error
}

// readBytes is about the number of bytes that a worker reads from a stream at a time.
const readBytes = 1 << 20

// NewStreamed is NewObjective for streamed rows. Labels are checked when they are
// read.
func NewStreamed(s Stream) (*Objective, error) {
	if s.Rows() < 1 || s.Classes() < 1 {
		return nil, errors.New("the calibration set is empty")
	}
	return &Objective{Logits: data.Matrix{Rows: s.Rows(), Cols: s.Classes()}, stream: s}, nil
}

// read returns rows lo..hi-1 of the stream, which are valid until the next read of w.
// It reads ahead, up to the row end.
func (o *Objective) read(ctx context.Context, w *workspace, lo, hi, end int) ([]float32, []int32, error) {
	k := o.Logits.Cols
	if lo < w.lo || hi > w.lo+len(w.labels) {
		ahead := max(1, readBytes/(4*k*BlockRows)) * BlockRows
		n := min(max(ahead, hi-lo), end-lo)
		if cap(w.labels) < n {
			w.logits, w.labels = make([]float32, n*k), make([]int32, n)
		}
		w.lo, w.logits, w.labels = lo, w.logits[:n*k], w.labels[:n]
		if err := o.stream.Read(ctx, lo, lo+n, w.logits, w.labels); err != nil {
			w.labels = w.labels[:0]
			return nil, nil, err
		}
		if err := checkLabels(w.labels, lo, k); err != nil {
			return nil, nil, err
		}
	}
	return w.logits[(lo-w.lo)*k : (hi-w.lo)*k], w.labels[lo-w.lo : hi-w.lo], nil
}

// EachBlock calls do for every block of BlockRows rows among n, on all
// processors: rows lo..hi-1 of block number block. See pool.Each.
func EachBlock(ctx context.Context, n int, do func(block, lo, hi int)) error {
	return pool.Each(ctx, NumBlocks(n), runtime.GOMAXPROCS(0), func(_, block int) error {
		do(block, block*BlockRows, min((block+1)*BlockRows, n))
		return nil
	})
}

// SumBlocks returns width >= 1 sums over n rows, on all processors. add adds the rows
// lo..hi-1 of one block to sum. The sums of the blocks are added in their order, so the
// bits do not depend on the number of processors. With an error the sums are incomplete.
func SumBlocks(ctx context.Context, n, width int, add func(sum []float64, lo, hi int)) ([]float64, error) {
	parts := make([]float64, NumBlocks(n)*width)
	err := EachBlock(ctx, n, func(block, lo, hi int) { add(parts[block*width:(block+1)*width], lo, hi) })
	total := make([]float64, width)
	for part := range slices.Chunk(parts, width) {
		AddTo(total, 1, part)
	}
	return total, err
}

// NumBlocks returns the number of blocks of n rows.
func NumBlocks(n int) int { return (n + BlockRows - 1) / BlockRows }
