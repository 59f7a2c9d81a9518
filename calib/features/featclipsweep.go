package features

import (
	"math"
	"slices"

	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// clipSums are sums over rows of one sweep of a Search, as views into one vector.
type clipSums struct {
	nll, slope   []float64   // by point
	hits         []float64   // by point
	wrong        []float64   // by point: rows that are wrong at every threshold between it and the next
	gap          []float64   // by point and bin, hits minus confidences; 0 unless the ECE is the criterion
	above, below clipBuckets // of the gradient at the next lower and the next higher point
}

const clipBins = 15

// clipBuckets hold, by grid value m, sums of g_j and g_j a_j over the features with
// c_{m-1} < a_j <= c_m.
type clipBuckets struct{ g, ga []float64 }

func (b clipBuckets) add(m int, g, a float64) {
	b.g[m] += g
	b.ga[m] += float64(g * a)
}

// width returns the length of the vector of a sweep of some points.
func (s *clipSearch) width(points int) int { return (4+clipBins)*points + 4*(s.top+1) }

// sums returns the views into the vector.
func (s *clipSearch) sums(vector []float64, points int) clipSums {
	take := func(n int) []float64 {
		part := vector[:n]
		vector = vector[n:]
		return part
	}
	return clipSums{
		nll: take(points), slope: take(points), hits: take(points), wrong: take(points), gap: take(clipBins * points),
		above: clipBuckets{take(s.top + 1), take(s.top + 1)}, below: clipBuckets{take(s.top + 1), take(s.top + 1)},
	}
}

// clipWorker sweeps the rows of one block.
type clipWorker struct {
	clipSums
	search *clipSearch
	points []int
	cut    []bool

	x        []float64    // clipLayerRows x d, features
	raws     []float64    // clipLayerRows x k, logits without clipping
	a, s     []float64    // k: the logits are a + c s; a is a row of raws
	z        []float64    // k, the logits
	gap32    []float32    // k
	residual []float64    // k, p - 1[y]
	which    []int        // scratch: features
	factors  [2][]float64 // scratch: numbers for each of them
	order    []uint64     // features that are clipped at some point: falling grid value of a_j, then j
	raw      int          // the prediction without clipping
	now      clipRow      // the row at the current threshold
}

// clipRow is a row at one threshold.
type clipRow struct {
	nll, slope, conf float64
	top              int // the prediction
}

func (s *clipSearch) worker(sums clipSums, points []int, cut []bool) *clipWorker {
	k := s.set.Head.W.Rows
	return &clipWorker{
		clipSums: sums, search: s, points: points, cut: cut,
		x: make([]float64, clipLayerRows*s.set.Features.Cols), raws: make([]float64, clipLayerRows*k), s: make([]float64, k),
		z: make([]float64, k), gap32: make([]float32, k), residual: make([]float64, k),
		which: make([]int, 0, s.set.Features.Cols),
	}
}

// rows adds rows lo..hi-1, at most clipLayerRows, to the sums.
func (w *clipWorker) rows(lo, hi int) {
	d, k := w.search.set.Features.Cols, len(w.z)
	for i := lo; i < hi; i++ {
		clipFeatures(w.x[(i-lo)*d:(i-lo+1)*d], w.search.set.Features.Row(i), math.Inf(1), 2)
	}
	w.search.last.Logits(w.raws[:(hi-lo)*k], w.x[:(hi-lo)*d])
	for i := lo; i < hi; i++ {
		w.a = w.raws[(i-lo)*k : (i-lo+1)*k]
		w.row(i)
	}
}

// row adds row i, whose logits are in a, to the sums.
func (w *clipWorker) row(i int) {
	h, y := w.search.set.Features.Row(i), int(w.search.set.Labels[i])
	clear(w.s)
	w.raw = clipGaps(w.gap32, w.a)
	w.sort(h)
	next := 0 // the features of order before next are clipped
	for p, point := range w.points {
		first := next
		for next < len(w.order) && featureOf(w.order[next]).m > point {
			next++
		}
		moved := w.order[first:next]
		if p > 0 && w.cut[p-1] {
			w.bucket(w.below, moved, h)
		}
		w.clipFeatures(moved, h)
		if p == 0 || next > 0 { // otherwise nothing is clipped, as at the last point
			w.evaluate(clipValue(point), y)
		}
		if p > 0 && w.cut[p-1] {
			w.bucket(w.above, moved, h)
			if w.staysWrong(moved, h, y, clipValue(point), clipValue(w.points[p-1])) {
				w.wrong[p-1]++
			}
		}
		w.count(p, y)
	}
	if w.cut[len(w.points)-1] {
		w.bucket(w.below, w.order[next:], h)
	}
}

// count adds the row at the current threshold to the sums of a point.
func (w *clipWorker) count(p, y int) {
	hit := 0.0
	if w.now.top == y {
		hit = 1
	}
	w.hits[p] += hit
	w.nll[p] += w.now.nll
	w.slope[p] += w.now.slope
	if w.search.byECE {
		w.gap[p*clipBins+softmax.Bin(w.now.conf, clipBins)] += hit - w.now.conf
	}
}

// clippedFeature is feature j with the grid value of its a_j.
type clippedFeature struct{ m, j int }

func featureOf(key uint64) clippedFeature {
	return clippedFeature{clipPoints + 1 - int(key>>32), int(uint32(key))}
}

// sort lists the features that any point or bound needs, by the falling grid value
// of a_j, then by j.
func (w *clipWorker) sort(h []float32) {
	lowest := w.points[len(w.points)-1]
	if w.cut[len(w.points)-1] {
		lowest = 1
	}
	w.order = w.order[:0]
	for j, v := range h {
		a, _ := w.search.reach(v)
		if m := clipIndex(a); m > lowest {
			w.order = append(w.order, uint64(clipPoints+1-m)<<32|uint64(j))
		}
	}
	slices.Sort(w.order)
}

// clipFeatures moves features from the constant A to the slope S of the logits.
func (w *clipWorker) clipFeatures(keys []uint64, h []float32) {
	which := w.which[:0]
	out, in := w.factors[0][:0], w.factors[1][:0]
	for _, key := range keys {
		j := featureOf(key).j
		_, sign := w.search.reach(h[j])
		which, out, in = append(which, j), append(out, -float64(h[j])), append(in, sign)
	}
	w.which, w.factors = which, [2][]float64{out, in}
	columns := linear.Rows{Data: w.search.columns, Width: len(w.z), Which: which}
	linear.Add(w.a, out, columns)
	linear.Add(w.s, in, columns)
}

// bucket adds g_j at the current residual to the buckets of the given features.
func (w *clipWorker) bucket(to clipBuckets, keys []uint64, h []float32) {
	which, g := w.which[:0], w.factors[0][:0]
	for _, key := range keys {
		which, g = append(which, featureOf(key).j), append(g, 0)
	}
	w.which, w.factors[0] = which, g
	linear.Dots(g, w.residual, linear.Rows{Data: w.search.columns, Width: len(w.z), Which: which})
	for i, key := range keys {
		f := featureOf(key)
		a, sign := w.search.reach(h[f.j])
		to.add(f.m, float64(sign*g[i]), a)
	}
}

// evaluate computes the row at threshold c. If clipping makes classes equal and the
// prediction without clipping is one of them, it stays the prediction, as in the
// metrics.
func (w *clipWorker) evaluate(c float64, y int) {
	top := linear.Line(w.z, w.a, w.s, c)
	linear.Gaps(w.gap32, w.z, w.z[top])
	if w.gap32[w.raw] == 0 {
		top = w.raw
	}
	softmax.Probs(w.residual, w.gap32, 1)
	w.now = clipRow{
		nll:  w.z[top] - w.z[y] - softmax.Log(w.residual[top]),
		conf: w.residual[top],
		top:  top,
	}
	w.residual[y]--
	w.now.slope = linear.Inner(w.residual, w.s)
}

// staysWrong reports whether the class that is predicted at lo certainly beats the
// label y up to hi. Its lead changes by (hi - lo) times the slope of the features that
// are clipped at hi too, and by at most (a_j - lo) times the slope of each moved
// feature, which is clipped at lo only.
func (w *clipWorker) staysWrong(moved []uint64, h []float32, y int, lo, hi float64) bool {
	const rounding = 1e-6
	top := w.now.top
	lead := w.z[top] - w.z[y] - rounding
	if !(lead > 0) {
		return false
	}
	slope := w.s[top] - w.s[y]
	for _, key := range moved {
		j := featureOf(key).j
		a, sign := w.search.reach(h[j])
		column := w.search.columns[j*len(w.a):]
		change := float64(sign * (float64(column[top]) - float64(column[y])))
		slope -= change
		lead += min(0, float64(change*(a-lo)))
	}
	return lead+min(0, float64(slope*(hi-lo))) > 0
}
