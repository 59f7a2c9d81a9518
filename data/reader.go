package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/lists"
)

// setReader reads a set from open arrays.
type setReader struct {
	all                            []*npy.Array // of the parts
	others                         []*npy.Array // open besides, such as labels that say which rows are kept
	labels, features, weight, bias *npy.Array
	confidence, predicted          *npy.Array // of KindConfidence
	weights, groups, folds         *npy.Array // may be absent beside labels
	logits, augmented, ood         scores
	n, k                           int
	stated                         int // classes of a set without logits; 0 if they are not known
	oneHot                         bool

	ignore   Ignore    // as it is stated
	kept     *npy.Kept // the rows of the files; nil for all
	left     Note      // on rows that are left out by their labels
	counts   *Counts   // of the rows by weights; nil without
	grouped  sync.Once
	group    []int32 // of each row of the set; nil without groups and weights
	groupErr error

	mu      sync.Mutex
	network Set  // head and OOD, once read
	read    bool // network has been read

	kind    Kind // of the logits
	examine sync.Once
	form    Form
	formErr error
}

// Form examines the logits, also those of views and of OOD images, at its first
// call, and the type of the labels. It says how many rows are left out.
func (r *setReader) Form() (Form, error) {
	r.examine.Do(func() {
		if r.left.Text != "" {
			r.form.Notes = append(r.form.Notes, r.left)
		}
		if r.counts != nil {
			r.form.Notes = append(r.form.Notes, r.counts.Note())
		}
		for _, a := range []*scores{&r.logits, &r.augmented, &r.ood} {
			if a.Array == nil {
				continue
			}
			how, form, err := a.examine(r.kind)
			if err != nil {
				r.formErr = err
				return
			}
			a.conversion = how
			if a == &r.augmented {
				form.OffsetLost = false // the row without augmentation keeps its offset
			}
			r.form = r.form.Join(form)
		}
		if r.kind == KindConfidence {
			r.formErr = r.examineConfidence(&r.form)
			return
		}
		if r.oneHot {
			r.form.Notes = append(r.form.Notes, Note{Text: "the labels have exactly one 1 in each row: they are read as one label"})
		}
		if r.labels != nil && !r.labels.DType().Integer() {
			var buf []byte
			if r.formErr = r.readFloatLabels(make([]int32, r.n), &buf, 0, r.n); r.formErr != nil {
				return
			}
			r.form.Notes = append(r.form.Notes, Note{Warning: true, Text: fmt.Sprintf("the labels are %s; whole numbers are read as classes", r.labels.DType())})
		}
	})
	return r.form, r.formErr
}

func (r *setReader) Rows() int { return r.n }
func (r *setReader) Classes() int {
	if r.confidence != nil {
		return r.stated
	}
	return r.k
}

func (r *setReader) Bytes() int64 {
	var elements, bytes int64
	for _, a := range r.all {
		elements += int64(a.Rows()) * int64(r.cols(a))
		bytes += a.InMemory() // beside the rows that are read of it
	}
	if r.confidence != nil {
		elements += int64(r.confidence.Rows())
	}
	return bytes + 4*elements // float32 and int32 alike, and twice as much of float64
}

// cols returns the columns of an array after its conversion.
func (r *setReader) cols(a *npy.Array) int {
	for _, x := range []scores{r.logits, r.augmented, r.ood} {
		if x.Array == a {
			return x.tableCols()
		}
	}
	return a.Cols()
}

func (r *setReader) Close() error {
	var errs []error
	for _, a := range slices.Concat(r.all, r.others) {
		errs = append(errs, a.Close())
	}
	return errors.Join(errs...)
}

// Kept returns the rows of the files.
func (r *setReader) Kept() *npy.Kept { return r.kept }

// Unchanged compares size and time of every file with those that it had when it was opened.
func (r *setReader) Unchanged() error {
	for _, a := range slices.Concat(r.all, r.others) {
		if err := a.Unchanged(); err != nil {
			return err
		}
	}
	return nil
}

// ReadInto reads rows lo..hi-1 into the memory of b.
func (r *setReader) ReadInto(ctx context.Context, b *Block, lo, hi int) (*Set, error) {
	if lo < 0 || lo > hi || hi > r.n {
		panic(fmt.Sprintf("data: rows %d..%d of %d", lo, hi, r.n))
	}
	if _, err := r.Form(); err != nil {
		return nil, err
	}
	s := &b.Set
	masked, err := b.logits(ctx, &s.Logits, r.logits, lo, hi)
	if err != nil {
		return nil, err
	}
	if err := r.readConfidence(s, &b.bytes, lo, hi); err != nil {
		return nil, err
	}
	if r.labels == nil {
		s.Labels = nil
	} else if r.kind == KindConfidence {
		s.Labels = lists.Resize(s.Labels, hi-lo)
		if err := r.readOutcomes(s.Labels, &b.bytes, lo, hi); err != nil {
			return nil, err
		}
	} else {
		s.Labels = lists.Resize(s.Labels, hi-lo)
		if err := r.readLabels(s.Labels, &b.bytes, lo, hi); err != nil {
			return nil, err
		}
	}
	if err := r.readRows(s, &b.bytes, lo, hi); err != nil {
		return nil, err
	}
	if masked {
		if err := r.checkMasks(s.Logits, s.Labels, lo); err != nil {
			return nil, err
		}
	}
	if err := b.matrix(ctx, &s.Features, r.features, lo, hi); err != nil {
		return nil, err
	}
	if r.augmented.Array == nil {
		s.Augmented = nil
	} else {
		s.Augmented = lists.Resize(s.Augmented, r.augmented.Shape()[0])
		for v := range s.Augmented {
			first := v*r.n + lo
			masked, err := b.logits(ctx, &s.Augmented[v], r.augmented, first, v*r.n+hi)
			if err == nil && masked {
				err = s.Augmented[v].checkMasks(r.augmented.Name(), nil, func(row, class int) string { return r.augmented.Name() + ": " + r.augmented.Place(first+row, class) }, nil)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return s, r.addNetwork(ctx, s)
}

// addNetwork adds the head and the OOD rows, which are the same for every block.
func (r *setReader) addNetwork(ctx context.Context, s *Set) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.read {
		if err := r.readNetwork(ctx); err != nil {
			return err
		}
		r.read = true
	}
	s.Head, s.OOD = r.network.Head, r.network.OOD
	return nil
}

func (r *setReader) readNetwork(ctx context.Context) error {
	var b Block
	if r.weight != nil {
		if err := b.matrix(ctx, &r.network.Head.W, r.weight, 0, r.weight.Rows()); err != nil {
			return err
		}
		r.network.Head.B = make([]float32, r.k)
		if err := r.bias.ReadFloat32(r.network.Head.B, 0, r.k); err != nil {
			return err
		}
	}
	if r.ood.Array == nil {
		return nil
	}
	masked, err := b.logits(ctx, &r.network.OOD, r.ood, 0, r.ood.Rows())
	if err == nil && masked {
		err = r.network.OOD.checkMasks(r.ood.Name(), nil, func(row, class int) string { return r.ood.Name() + ": " + r.ood.Place(row, class) }, nil)
	}
	return err
}

// checkMasks returns an error if a row of logits, whose first is row lo of the set, has no class
// that is not masked, or if its label is masked.
func (r *setReader) checkMasks(logits Matrix, labels []int32, lo int) error {
	return logits.checkMasks(r.logits.Name(), labels,
		func(row, class int) string { return r.logits.Name() + ": " + r.logits.Place(lo+row, class) },
		func(row int) string { return r.labels.Name() + ": " + r.labels.Place(lo+row, 0) })
}

// interruptAt is the number of values read between two checks of the context.
const interruptAt = 4 << 20

// logits is matrix for logits, and reports whether there is a masked class.
func (b *Block) logits(ctx context.Context, m *Matrix, a scores, lo, hi int) (masked bool, err error) {
	if a.Array == nil {
		*m = Matrix{}
		return false, nil
	}
	err = b.read(ctx, m, a.Array, a.tableCols(), lo, hi, func(dst []float32, lo, hi int) error { return a.readInto(dst, &b.bytes, lo, hi, &masked) })
	return masked, err
}

// matrix reads rows lo..hi-1 of a into the memory of m. If a is absent, m becomes absent.
func (b *Block) matrix(ctx context.Context, m *Matrix, a *npy.Array, lo, hi int) error {
	if a == nil {
		*m = Matrix{}
		return nil
	}
	return b.read(ctx, m, a, a.Cols(), lo, hi, func(dst []float32, lo, hi int) error { return npy.Floats(a, dst, &b.bytes, lo, hi) })
}

func (b *Block) read(ctx context.Context, m *Matrix, a *npy.Array, cols, lo, hi int, read func(dst []float32, lo, hi int) error) error {
	m.Rows, m.Cols = hi-lo, cols
	m.Data = lists.Resize(m.Data, m.Rows*m.Cols)
	step := max(1, interruptAt/m.Cols)
	if a.ByColumns() {
		step = hi - lo // each piece would seek to every column again
	}
	for i := lo; i < hi; i += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		j := min(i+step, hi)
		if err := read(m.Slice(i-lo, j-lo).Data, i, j); err != nil {
			return err
		}
	}
	return nil
}
