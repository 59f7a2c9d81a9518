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

// maxNodes is the number of nodes kept, the newest ones.
const maxNodes = 3

// with returns c with one more node. It drops an old node at nearly the same y,
// since rounding would spoil the difference of the two.
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

// at returns the polynomial at y, 0 if there is no node.
func (c curveNodes) at(y float64) float64 {
	u, _ := c.slopeAt(y)
	return u
}

// slopeAt returns the polynomial and its derivative at y. It uses divided
// differences with every node taken twice.
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

// reference is an approximation of the curve u(y) of the set, from a sample of its
// rows. The difference between the two curves is small and nearly linear, so
// interpolating the difference needs fewer passes over the whole set than
// interpolating u. The approximation need not be exact. It is a sum of curves:
// the curve of a small sample, and a correction from a larger one.
type reference []curveNodes

// at returns the curve at y.
func (r reference) at(y float64) float64 {
	u := 0.0
	for _, c := range r {
		u += c.at(y)
	}
	return u
}

// less returns a node of the whole curve minus the reference.
func (r reference) less(node curveNode) curveNode {
	for _, c := range r {
		u, du := c.slopeAt(node.y)
		node.u, node.du = node.u-u, node.du-du
	}
	return node
}

const (
	sampleShare = 16   // one row in 16 is in the sample,
	sampleRows  = 4096 // at most 4096 rows;
	sampleFloor = 512  // smaller sets have no sample: a dozen rows say little
)

// firstU is the first u of a fit without a sample, T = 1.5: most networks are
// overconfident.
const firstU = -0.4

// newReference returns the reference of o and the u at which the NLL of the sample
// has its minimum. If there is no sample or no minimum, it returns nil and firstU.
// The rows of the sample are evenly spaced, because labels and images are often in
// order. A pass over the sample counts as its share of o.
func newReference(ctx context.Context, o *Objective) (reference, float64, error) {
	if o.Rows() < sampleFloor {
		return nil, firstU, nil
	}
	sample, err := o.sample(ctx, min(o.Rows()/sampleShare, sampleRows))
	if err != nil {
		return nil, 0, err
	}
	sample.unit = o.unit
	defer func() { o.Passes += sample.Passes * float64(sample.Rows()) / float64(o.Rows()) }()
	eval := func(u float64) (curveNode, float64, error) {
		s, err := sample.Slope(ctx, softmax.Exp(u))
		node, target := s.node(u)
		return node, target, err
	}
	const (
		maxSteps = 6
		near     = 0.05 // the next error is at most its square, less than the error of the sample
		reach    = 0.25 // the curve is known from u - reach to u + reach
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

func finite(c curveNode) bool { return !math.IsNaN(c.y+c.du) && !math.IsInf(c.y+c.du, 0) }

// sample returns a copy of m evenly spaced rows of o.
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
	// thinFrom is the number of rows from which a reference is refined and the
	// last Newton step is taken without another pass. The minimum of a reference
	// of m rows has an error of about 6 m^-1/2, mostly the noise of misclassified
	// rows. After one pass from there the error is about 20 m^-3/2. For sets this
	// large it is about 1e-7 after the second whole pass. That is above stepTol,
	// but the error of a Newton step from there is only its square. Without it the
	// fit takes three whole passes in place of two.
	thinFrom = 1 << 23

	thinRows = 8    // of every block of BlockRows; the kernel reads this many rows at once
	lastStep = 1e-5 // of u, relative to T
)

// refined returns the reference with a correction from one row in 32, and the u at
// which these rows have their minimum. It starts at u. Its two passes over these
// rows count as their share. If refinement moves u by more than near, or
// diverges, it returns r and u unchanged.
func (r reference) refined(ctx context.Context, o *Objective, u float64) (reference, float64, error) {
	if o.stream == nil && o.labels == nil {
		return r, u, nil
	}
	thin, err := NewStreamed(thinned{o})
	if err != nil {
		return nil, 0, err
	}
	thin.unit = o.unit
	defer func() { o.Passes += thin.Passes * float64(thin.Rows()) / float64(o.Rows()) }()
	const near = 0.1 // several times the error of the first few thousand rows
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

// stepped returns the fit after a Newton step from u without another pass. The NLL
// at the new T follows from the slope and the curvature at u, to within rounding.
// The gradient, of the order of the square of the step, is an estimate.
func (s Slope) stepped(u, step float64) *temperatureFit {
	g := s.LabelGap - s.MeanGap
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
