package fit

import (
	"context"
	"math"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// curveNode is a point of a curve u(y) with its slope.
type curveNode struct{ u, y, du float64 }

// curveNodes is the polynomial of least degree that has the values and the
// slopes of its nodes (Hermite).
type curveNodes []curveNode

// maxNodes is how many of the newest nodes are kept.
const maxNodes = 3

// with returns c with one more node. A node at nearly the same y is replaced:
// rounding would spoil their difference.
func (c curveNodes) with(node curveNode) curveNodes {
	var kept curveNodes
	for _, old := range c {
		if math.Abs(old.y-node.y) > 1e-7 {
			kept = append(kept, old)
		}
	}
	if len(kept) == maxNodes {
		kept = kept[1:]
	}
	return append(kept, node)
}

// at returns the polynomial at y: 0 where there is no node.
func (c curveNodes) at(y float64) float64 {
	u, _ := c.slopeAt(y)
	return u
}

// slopeAt returns the polynomial and its derivative at y, by divided
// differences on the nodes taken twice.
func (c curveNodes) slopeAt(y float64) (u, du float64) {
	n := 2 * len(c)
	if n == 0 {
		return 0, 0
	}
	at := func(i int) float64 { return c[len(c)-1-i/2].y } // the newest first
	var diff [2 * maxNodes]float64
	for i := range n {
		diff[i] = c[len(c)-1-i/2].u
	}
	for order := 1; order < n; order++ {
		for i := n - 1; i >= order; i-- {
			if order == 1 && i%2 == 1 {
				diff[i] = c[len(c)-1-i/2].du
				continue
			}
			diff[i] = (diff[i] - diff[i-1]) / (at(i) - at(i-order))
		}
	}
	u = diff[n-1]
	for i := n - 2; i >= 0; i-- {
		du = float64(du*(y-at(i))) + u
		u = float64(u*(y-at(i))) + diff[i]
	}
	return u, du
}

// reference is the curve u(y) of some rows of the set, at n/16 rows nearly
// that of the whole: what is left of u after it is small and nearly linear,
// so that interpolating the rest needs fewer passes over the whole set. It
// need not be exact. It is the sum of the curves: that of a few rows, and what
// more rows add to it.
type reference []curveNodes

// at returns the curve at y.
func (r reference) at(y float64) float64 {
	u := 0.0
	for _, c := range r {
		u += c.at(y)
	}
	return u
}

// less returns what a node of the whole curve has beyond the reference.
func (r reference) less(node curveNode) curveNode {
	for _, c := range r {
		u, du := c.slopeAt(node.y)
		node.u, node.du = node.u-u, node.du-du
	}
	return node
}

const (
	sampleShare = 16   // one row of so many is in the sample,
	sampleRows  = 4096 // but no more than so many rows,
	sampleFloor = 512  // of a set of so many at least: a dozen rows say little
)

// firstU is where a fit that knows nothing begins, T = 1.5: most networks are
// too sure.
const firstU = -0.4

// newReference returns the reference of o with the u where the sample has its
// minimum; without a sample, or where its NLL has none, no nodes and firstU.
// The sample is every sixteenth row, or wider apart: labels and images are
// often in order. A pass over it counts as its share.
func newReference(ctx context.Context, o *Objective) (reference, float64, error) {
	if o.Rows() < sampleFloor {
		return nil, firstU, nil
	}
	sample, err := o.sample(ctx, min(o.Rows()/sampleShare, sampleRows))
	if err != nil {
		return nil, 0, err
	}
	defer func() { o.Passes += sample.Passes * float64(sample.Rows()) / float64(o.Rows()) }()
	eval := func(u float64) (curveNode, float64, error) {
		s, err := sample.Slope(ctx, softmax.Exp(u))
		node, target := s.node(u)
		return node, target, err
	}
	const (
		maxSteps = 6
		near     = 0.05 // the next error is its square or less, and that of the sample larger
		reach    = 0.25 // how far from u the curve is known
	)
	var known curveNodes
	u, found := firstU, false
	for range maxSteps {
		node, target, err := eval(u)
		if err != nil {
			return nil, 0, err
		}
		known = known.with(node)
		next := known.at(target)
		if !(math.Abs(next) < softmax.Log(MaxT)) {
			return nil, firstU, nil
		}
		step := next - u
		u += min(max(step, -2), 2)
		if found = math.Abs(step) < near; found {
			break
		}
	}
	if !found {
		return nil, firstU, nil
	}
	var curve curveNodes
	for _, at := range []float64{u - reach, u, u + reach} {
		node, _, err := eval(at)
		if err != nil || !finite(node) {
			return nil, firstU, err
		}
		curve = append(curve, node)
	}
	return reference{curve}, u, nil
}

// node returns the point of the curve that a pass at u has found, and the y of
// the minimum.
func (s Slope) node(u float64) (node curveNode, target float64) {
	beta := softmax.Exp(u)
	return curveNode{u: u, y: softmax.Log(s.Drop), du: -s.Drop / float64(beta*s.Variance)}, softmax.Log(s.Loss)
}

func finite(c curveNode) bool { return !math.IsNaN(c.y+c.du) && !math.IsInf(c.y+c.du, 0) }

// sample returns m rows of o, evenly apart, copied.
func (o *Objective) sample(ctx context.Context, m int) (*Objective, error) {
	n, k := o.Logits.Rows, o.Logits.Cols
	s := &Objective{Logits: data.NewMatrix(m, k), LabelLogit: make([]float32, m)}
	var class [1]int32
	for i := range m {
		from := int((2*int64(i) + 1) * int64(n) / (2 * int64(m)))
		if o.stream == nil {
			copy(s.Logits.Row(i), o.Logits.Row(from))
			s.LabelLogit[i] = o.LabelLogit[from]
			continue
		}
		if err := o.stream.Read(ctx, from, from+1, s.Logits.Row(i), class[:]); err != nil {
			return nil, err
		}
		if err := checkLabels(class[:], from, k); err != nil {
			return nil, err
		}
		s.LabelLogit[i] = s.Logits.Row(i)[class[0]]
	}
	return s, nil
}

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
