package simulate

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/lists"
)

// chunk is the number of rows that are made together: enough to keep the prototypes
// in the cache between rows. The result does not depend on it.
const chunk = 32

// viewLikeness is the correlation of the noise of a view with that of its image;
// viewSignal is the share of the image's signal that a view keeps.
const (
	viewLikeness = 0.97
	viewSignal   = 0.96
)

// reader makes the rows of one set. It implements data.Reader.
type reader struct {
	w      Network
	c      Constants
	split  data.Split
	parts  data.Parts
	d      int            // features that carry signal
	W      []float64      // k x d
	packed *linear.Packed // W
	offset []float64      // k
	cum    []float64      // k
	head   data.Linear
	ood    data.Matrix

	images, shifted, oods uint64 // identities of the streams of rows
	views                 [Views]uint64
	s                     stream

	mu sync.Mutex // of what follows, and of head, ood and s

	class          [chunk]int
	level          [chunk]float64
	noise, e, g, u []float64 // scratch of a chunk: n x d, d, n x d, n x k
	powers         *powers   // scratch
}

func newReader(w Network, c Constants, split data.Split, parts data.Parts) *reader {
	d := w.signalWidth()
	r := &reader{w: w, c: c, split: split, parts: parts, d: d, W: w.prototypes(), cum: cumulative(w.shares(split)),
		noise: make([]float64, chunk*d), e: make([]float64, d), g: make([]float64, chunk*d), u: make([]float64, chunk*w.Classes), powers: newPowers(w.Classes)}
	r.packed = linear.Pack(r.W, w.Classes, d)
	r.offset = make([]float64, w.Classes)
	if w.skewed() {
		r.offset = logs(w.trained())
		for j := range r.offset {
			r.offset[j] = float64(float32(float64(c.Favour * r.offset[j])))
		}
	}
	// Clean and corrupted sets have the same images.
	r.images = identity(w.Name, string(split))
	severity := strconv.Itoa(w.Shift.Severity)
	r.shifted = identity(w.Name, string(split), w.Shift.Corruption, severity)
	r.oods = identity(w.Name, "ood")
	for v := range r.views {
		r.views[v] = identity(w.Name, string(split), w.Shift.Corruption, severity, "view", strconv.Itoa(v))
	}
	return r
}

func (r *reader) Rows() int    { return r.w.rows(r.split) }
func (r *reader) Classes() int { return r.w.Classes }
func (r *reader) Close() error { return nil }

// Form is plain: logits are drawn as logits.
func (r *reader) Form() (data.Form, error) { return data.Form{}, nil }

func (r *reader) Bytes() int64 {
	n, k, d := int64(r.Rows()), int64(r.w.Classes), int64(r.w.Width)
	elements := int64(0)
	for _, part := range r.parts.List() {
		switch part {
		case data.Logits:
			elements += n * k
		case data.Labels:
			elements += n
		case data.Features:
			elements += n * d
		case data.Augmented:
			elements += Views * n * k
		case data.Head:
			elements += k*d + k
		case data.OOD:
			elements += int64(r.w.OODRows) * k
		}
	}
	return 4 * elements
}

// Unchanged is nil: the rows are a function of the network.
func (r *reader) Unchanged() error { return nil }

// Kept is nil: all rows have a class.
func (r *reader) Kept() *npy.Kept { return nil }

// ReadInto makes rows lo..hi-1 in the memory of b.
func (r *reader) ReadInto(ctx context.Context, b *data.Block, lo, hi int) (*data.Set, error) {
	if lo < 0 || lo > hi || hi > r.Rows() {
		panic(fmt.Sprintf("simulate: rows %d..%d of %d", lo, hi, r.Rows()))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n, k := hi-lo, r.w.Classes
	set, memory := &data.Set{}, &b.Set
	if r.parts&data.Logits != 0 {
		set.Logits = matrix(&memory.Logits, n, k)
	}
	if r.parts&data.Labels != 0 {
		memory.Labels = lists.Resize(memory.Labels, n)
		set.Labels = memory.Labels
	}
	if r.parts&data.Features != 0 {
		set.Features = matrix(&memory.Features, n, r.w.Width)
	}
	if r.parts&data.Augmented != 0 {
		memory.Augmented = lists.Resize(memory.Augmented, Views)
		for v := range memory.Augmented {
			matrix(&memory.Augmented[v], n, k)
		}
		set.Augmented = memory.Augmented
	}
	for at := 0; at < n; at += chunk {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.fill(set, lo, at, min(chunk, n-at))
	}
	if err := r.network(ctx, set); err != nil {
		return nil, err
	}
	return set, nil
}

// matrix returns an n x k matrix, not cleared, in the memory of m.
func matrix(m *data.Matrix, n, k int) data.Matrix {
	m.Rows, m.Cols, m.Data = n, k, lists.Resize(m.Data, n*k)
	return *m
}

// fill makes n <= chunk rows from row at of set; this is row lo+at of the complete
// set.
func (r *reader) fill(set *data.Set, lo, at, n int) {
	for i := range n {
		r.image(i, lo+at+i)
		if set.Labels != nil {
			set.Labels[at+i] = int32(r.class[i])
		}
	}
	if set.Logits.Present() || set.Features.Present() {
		for i := range n {
			r.represent(i, 1, r.noise[i*r.d:(i+1)*r.d])
		}
		r.classify(r.c, set.Logits, set.Features, at, n)
	}
	spread := math.Sqrt((1 - viewLikeness*viewLikeness) * (1 + r.c.Loss))
	for v, m := range set.Augmented {
		for i := range n {
			r.s.seed(r.views[v], lo+at+i)
			r.s.normals(r.e)
			for c, x := range r.noise[i*r.d:][:len(r.e)] {
				r.e[c] = float64(viewLikeness*x) + float64(spread*r.e[c])
			}
			r.represent(i, viewSignal, r.e)
		}
		r.classify(r.c, m, data.Matrix{}, at, n)
	}
}

// image draws class, level and noise of an image into place i of the chunk.
func (r *reader) image(i, row int) {
	r.s.seed(r.images, row)
	r.class[i] = class(r.cum, r.s.uniform())
	r.level[i] = level(r.s.uniform())
	if r.parts&(data.Logits|data.Features|data.Augmented) == 0 {
		return
	}
	noise := r.noise[i*r.d : (i+1)*r.d]
	r.s.normals(noise)
	if r.c.Loss > 0 {
		spread := math.Sqrt(r.c.Loss)
		r.s.seed(r.shifted, row)
		r.s.normals(r.e)
		for c := range noise {
			noise[c] += float64(spread * r.e[c])
		}
	}
}

// represent writes the network's representation of image i, with a share of its
// signal and the given noise, not yet scaled, to the scratch of features.
func (r *reader) represent(i int, share float64, noise []float64) {
	m := float64(r.c.Signal * r.level[i])
	pull := float64(share * float64(m*(1-r.c.Loss)))
	g, proto := r.g[i*r.d:][:r.d], r.W[r.class[i]*r.d:][:r.d]
	for c, x := range noise[:r.d] {
		g[c] = float64(m * (float64(pull*proto[c]) + x))
	}
}

// classify turns the scratch of features of n rows into logits and features from
// row at of each; absent arrays are skipped.
func (r *reader) classify(c Constants, logits, features data.Matrix, at, n int) {
	k, d := r.w.Classes, r.d
	r.packed.Times(r.u[:n*k], r.g[:n*d])
	for first := 0; first < n; first += abreast {
		end := min(first+abreast, n)
		for i := first; i < end; i++ {
			u := r.u[i*k : (i+1)*k]
			top := linear.Line(u, u, r.offset, 1)
			r.powers.set(i-first, u, top, 1)
		}
		chances := r.powers.chances()
		for i := first; i < end; i++ {
			scale := c.scale(chances[i-first], r.w.Tilt)
			if logits.Present() {
				scaled(logits.Row(at+i), r.u[i*k:], scale)
			}
			if features.Present() {
				row := features.Row(at + i)
				scaled(row[:d], r.g[i*d:], scale)
				if r.w.skewed() {
					row[d] = float32(scale - r.headScale())
				}
			}
		}
	}
}

// scaled writes scale v, as far as dst goes.
func scaled(dst []float32, v []float64, scale float64) {
	for j, v := range v[:len(dst)] {
		dst[j] = float32(scale * v)
	}
}

// headScale is the row scale for which the bias of the head is the offset. It
// belongs to the clean network.
func (r *reader) headScale() float64 { return 1 + r.c.Excess }

// network adds the arrays that belong to the network and not to rows.
func (r *reader) network(ctx context.Context, set *data.Set) error {
	k, d, width := r.w.Classes, r.d, r.w.Width
	if r.parts&data.Head != 0 {
		if r.head.B == nil {
			r.head = data.Linear{W: data.NewMatrix(k, width), B: make([]float32, k)}
			for j := range k {
				row := r.head.W.Row(j)
				for c := range d {
					row[c] = float32(r.W[j*d+c])
				}
				if r.w.skewed() {
					row[d] = float32(r.offset[j])
					r.head.B[j] = float32(r.headScale() * r.offset[j])
				}
			}
		}
		set.Head = r.head
	}
	if r.parts&data.OOD != 0 {
		if !r.ood.Present() {
			m := data.NewMatrix(r.w.OODRows, k)
			clean := r.c
			clean.Factor = 1
			for at := 0; at < m.Rows; at += chunk {
				if err := ctx.Err(); err != nil {
					return err
				}
				n := min(chunk, m.Rows-at)
				for i := range n {
					r.outlier(i, at+i)
				}
				r.classify(clean, m, data.Matrix{}, at, n)
			}
			r.ood = m
		}
		set.OOD = r.ood
	}
	return nil
}

// outlier writes the representation of an image of no class: noise alone, at the
// lower half of the levels, since features of such images are shorter.
func (r *reader) outlier(i, row int) {
	r.s.seed(r.oods, row)
	m := float64(r.c.Signal * level(0.5*r.s.uniform()))
	g := r.g[i*r.d : (i+1)*r.d]
	r.s.normals(g)
	for c := range g {
		g[c] *= m
	}
}
