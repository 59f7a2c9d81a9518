package data

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/qats-bench/qats/internal/kernel/finite"
)

// setReader reads a set from open arrays.
type setReader struct {
	all                                                    []*Array
	logits, labels, features, augmented, weight, bias, ood *Array
	n, k                                                   int

	mu      sync.Mutex
	network Set  // head and OOD, once read
	read    bool // network has been read

	kind    Kind // of the logits
	examine sync.Once
	form    Form
	formErr error
}

// Form examines the logits, those of views and those out of distribution, at
// its first call.
func (r *setReader) Form() (Form, error) {
	r.examine.Do(func() {
		for _, a := range []*Array{r.logits, r.augmented, r.ood} {
			if a == nil {
				continue
			}
			how, form, err := a.examine(r.kind)
			if err != nil {
				r.formErr = err
				return
			}
			a.reading = how
			if a == r.augmented {
				form.OffsetLost = false // views of rows whose own offset is there
			}
			r.form = r.form.join(form)
		}
	})
	return r.form, r.formErr
}

func (r *setReader) Rows() int    { return r.n }
func (r *setReader) Classes() int { return r.k }

func (r *setReader) Bytes() int64 {
	var elements int64
	for _, a := range r.all {
		elements += int64(a.Rows()) * int64(a.Cols())
	}
	return 4 * elements // float32 and int32 alike
}

func (r *setReader) Close() error {
	var errs []error
	for _, a := range r.all {
		errs = append(errs, a.Close())
	}
	return errors.Join(errs...)
}

// Read returns rows lo..hi-1: C-order float32 arrays of the byte order of this
// machine, of 64 KiB and more, are mapped, the others read into memory.
func (r *setReader) Read(ctx context.Context, lo, hi int) (_ *Set, err error) {
	if lo < 0 || lo > hi || hi > r.n {
		panic(fmt.Sprintf("data: rows %d..%d of %d", lo, hi, r.n))
	}
	if _, err := r.Form(); err != nil {
		return nil, err
	}
	s := &Set{}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.Logits, err = s.matrix(ctx, r.logits, lo, hi); err != nil {
		return nil, err
	}
	if r.labels != nil {
		s.Labels = make([]int32, hi-lo)
		if err := r.readLabels(s.Labels, &r.labels.buf, lo, hi); err != nil {
			return nil, err
		}
	}
	if s.Features, err = s.matrix(ctx, r.features, lo, hi); err != nil {
		return nil, err
	}
	if r.augmented != nil {
		for v := range r.augmented.shape[0] {
			m, err := s.matrix(ctx, r.augmented, v*r.n+lo, v*r.n+hi)
			if err != nil {
				return nil, err
			}
			s.Augmented = append(s.Augmented, m)
		}
	}
	return s, r.addNetwork(ctx, s)
}

// addNetwork adds head and OOD rows, which are the same for every block.
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
	if r.weight != nil {
		var err error
		if r.network.Head.W, err = readMatrix(ctx, r.weight, 0, r.weight.Rows()); err != nil {
			return err
		}
		r.network.Head.B = make([]float32, r.k)
		if err := r.bias.ReadFloat32(r.network.Head.B, 0, r.k); err != nil {
			return err
		}
	}
	if r.ood != nil {
		var err error
		if r.network.OOD, err = readMatrix(ctx, r.ood, 0, r.ood.Rows()); err != nil {
			return err
		}
	}
	return nil
}

// readLabels reads labels lo..hi-1, each one of the classes, into dst.
func (r *setReader) readLabels(dst []int32, buf *[]byte, lo, hi int) error {
	if err := r.labels.readInt32(dst, buf, lo, hi); err != nil {
		return err
	}
	limit := uint32(math.MaxInt32) + 1
	if r.k > 0 {
		limit = uint32(min(r.k, math.MaxInt32))
	}
	for i, v := range dst {
		switch {
		case uint32(v) < limit:
		case r.k == 0:
			return fmt.Errorf("%s: row %d: label %d is negative", r.labels.name, lo+i, v)
		default:
			return fmt.Errorf("%s: row %d: label %d is outside 0..%d", r.labels.name, lo+i, v, r.k-1)
		}
	}
	return nil
}

// mapAtLeast is the least size that is mapped: below it, reading costs less
// than two calls of the system.
const mapAtLeast = 64 << 10

// matrix returns rows lo..hi-1 of a, or nothing where a is absent. A mapped
// file is added to what s holds.
func (s *Set) matrix(ctx context.Context, a *Array, lo, hi int) (Matrix, error) {
	if a == nil || !a.aliases() || 4*(hi-lo)*a.Cols() < mapAtLeast {
		return readMatrix(ctx, a, lo, hi)
	}
	at, n := a.extent(lo, hi)
	m, err := mapFile(a.file, a.name, at, n)
	if err != nil {
		return readMatrix(ctx, a, lo, hi) // a file system that cannot
	}
	s.maps = append(s.maps, m)
	values := float32sOf(m.part)
	return Matrix{Rows: hi - lo, Cols: a.Cols(), Data: values}, s.checkMapped(ctx, a, values, lo)
}

// checkMapped looks at the values of a from row lo on, which are mapped, on all
// processors: a large file is read from memory as fast as that goes. The error
// is that of the first bad value for any number of processors.
func (s *Set) checkMapped(ctx context.Context, a *Array, values []float32, lo int) error {
	const piece = 1 << 20 // numbers
	errs := make([]error, (len(values)+piece-1)/piece)
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < len(errs) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
			from := i * piece
			errs[i] = guarded(s.mapped, func() error {
				return a.checkFinite(values[from:min(from+piece, len(values))], lo, from)
			})
		}
	}
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(errs)) - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// interruptAt is how many numbers are read before an interrupt is heard.
const interruptAt = 4 << 20

// readMatrix reads rows lo..hi-1 of a, or nothing where a is absent.
func readMatrix(ctx context.Context, a *Array, lo, hi int) (Matrix, error) {
	if a == nil {
		return Matrix{}, nil
	}
	m := NewMatrix(hi-lo, a.Cols())
	step := max(1, interruptAt/a.Cols())
	if a.fortran {
		step = hi - lo // each piece would seek to every column again
	}
	for i := lo; i < hi; i += step {
		if err := ctx.Err(); err != nil {
			return Matrix{}, err
		}
		j := min(i+step, hi)
		if err := a.ReadFloat32(m.Slice(i-lo, j-lo).Data, i, j); err != nil {
			return Matrix{}, err
		}
	}
	return m, nil
}

// aliases reports whether the bytes of the file are the values of a Matrix.
func (a *Array) aliases() bool {
	return a.file != nil && a.reading == asStored && !a.fortran && a.dtype == Float32 && a.bigEndian == nativeBig && a.offset%4 == 0
}

// extent returns the offset and the size of rows lo..hi-1 of a C-order file.
func (a *Array) extent(lo, hi int) (at int64, n int) {
	row := int64(a.Cols()) * int64(a.dtype.size())
	return a.offset + int64(lo)*row, int(int64(hi-lo) * row)
}

// checkFinite looks at values, which are those from element done of the rows
// from lo on, where the file holds them in native order.
func (a *Array) checkFinite(values []float32, lo, done int) error {
	if finite.All32(bytesOf(values)) {
		return nil
	}
	bad := finite.First(values)
	return a.refuse(lo, done+bad, fmt.Sprint(values[bad]))
}
