package fit

import (
	"context"
	"math"

	"github.com/qats-bench/qats/internal/kernel/softmax"
)

const (
	// thinFrom is the number of rows from which on a reference is refined, and
	// the last step taken. A reference of m rows leads to about 6 m^-1/2 from
	// the minimum, by the noise of the wrong rows most of all, and a pass begun
	// from there to 20 m^-3/2: here to some 1e-7 with the second whole pass.
	// That is too far for stepTol, and a step of that size errs by its square.
	thinFrom = 1 << 23

	thinRows = 8    // of every block of BlockRows: what the kernel takes abreast
	lastStep = 1e-5 // of u, relative to T
)

// refined returns the reference with what a thirty-second of the rows adds to
// it, and the u where these have their minimum, beginning at u. Two passes over
// them count as their share. Where they lead elsewhere than the rows before
// them, or nowhere, it returns what it was given.
func (r reference) refined(ctx context.Context, o *Objective, u float64) (reference, float64, error) {
	if o.stream == nil && o.labels == nil {
		return r, u, nil
	}
	thin, err := NewStreamed(thinned{o})
	if err != nil {
		return nil, 0, err
	}
	defer func() { o.Passes += thin.Passes * float64(thin.Rows()) / float64(o.Rows()) }()
	const near = 0.1 // several times what the first few thousand rows err by
	var rest curveNodes
	at := u
	for range 2 {
		s, err := thin.Slope(ctx, softmax.Exp(at))
		if err != nil {
			return nil, 0, err
		}
		node, target := s.node(at)
		if !finite(node) {
			return r, u, nil
		}
		rest = rest.with(r.less(node))
		at = r.at(target) + rest.at(target)
		if !(math.Abs(at-u) < near) {
			return r, u, nil
		}
	}
	return append(reference{rest}, r...), at, nil
}

// stepped is how a fit ends with Newton's step from u, which no pass follows. The
// NLL is that at T by the slope and the curvature at u, to within rounding; the
// gradient, which is 0 but for the square of the step, is an estimate.
func (s Slope) stepped(u, step float64) *temperatureFit {
	g := s.Loss - s.Drop
	move := float64(softmax.Exp(u) * step)
	beta := softmax.Exp(u + step)
	return &temperatureFit{t: 1 / beta, beta: beta, report: Report{
		NLL:      s.NLL + float64(g*move)/2,
		Gradient: math.Abs(float64(g * step)),
	}}
}

// thinned is a stream of thinRows neighbouring rows from the middle of every
// whole block of o.
type thinned struct{ o *Objective }

func (t thinned) Rows() int    { return t.o.Rows() / BlockRows * thinRows }
func (t thinned) Classes() int { return t.o.Logits.Cols }

func (t thinned) Read(ctx context.Context, lo, hi int, logits []float32, labels []int32) error {
	k := t.Classes()
	for lo < hi {
		within := lo % thinRows
		from := lo/thinRows*BlockRows + (BlockRows-thinRows)/2 + within
		n := min(thinRows-within, hi-lo)
		if s := t.o.stream; s != nil {
			if err := s.Read(ctx, from, from+n, logits[:n*k], labels[:n]); err != nil {
				return err
			}
			if err := checkLabels(labels[:n], from, k); err != nil {
				return err // with its row of the set
			}
		} else {
			copy(logits[:n*k], t.o.Logits.Data[from*k:])
			copy(labels[:n], t.o.labels[from:])
		}
		lo, logits, labels = lo+n, logits[n*k:], labels[n:]
	}
	return nil
}
