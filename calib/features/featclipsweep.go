package features

import (
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

const (
	clipBins   = 15
	clipScores = 2 + clipBins // sums of a point
)

// clipShape says how many sums a sweep has.
type clipShape struct {
	points  int
	buckets int // of gradients; 0 if there are no bounds
}

// clipSums are sums over rows of one sweep, as views into one vector.
type clipSums struct {
	all    []float64
	scores []float64 // by point: NLL, hits, and by bin hits minus confidences, 0 unless the ECE is the criterion
	g, ga  []float64 // by grid value m: g_j and g_j a_j of the features with c_{m-1} < a_j <= c_m
}

func (h clipShape) width() int { return clipScores*h.points + 2*h.buckets }

// sums returns the views into a vector.
func (h clipShape) sums(vector []float64) clipSums {
	scores, buckets := vector[:clipScores*h.points], vector[clipScores*h.points:]
	return clipSums{vector, scores, buckets[:h.buckets], buckets[h.buckets:]}
}

// repeat makes every point that of the sums of a sweep of one point, and copies its buckets.
func (s clipSums) repeat(one []float64) {
	for point := range slices.Chunk(s.scores, clipScores) {
		copy(point, one)
	}
	copy(s.all[len(s.scores):], one[clipScores:])
}

// score returns the score of a point for n rows.
func (s clipSums) score(p, n int) clipScore {
	sums := s.scores[p*clipScores:][:clipScores]
	ece := 0.0
	for _, gap := range sums[2:] {
		ece += math.Abs(gap)
	}
	return clipScore{computed: true, counted: true, nll: sums[0] / float64(n), hits: int(sums[1]), ece: ece / float64(n)}
}

// clipWorker sweeps the rows of one block. At a threshold c the logits of a row are
// A + c S, with A = b + sum of W_j h_j over the features that are not clipped and S = sum of
// W_j s_j over those with a_j > c. Two products give both at the first threshold of a block
// of rows, or A + c S alone if it is the only one. When c falls and a feature becomes
// clipped, A and S change by a column of W.
type clipWorker struct {
	clipSums
	search *clipSearch
	points []int

	x         []float64    // clipLayerRows x d: features, then gradients
	a, s      []float64    // clipLayerRows x k
	residuals []float64    // clipLayerRows x k, p - 1[y]
	z         []float64    // k, the logits
	gap32     []float32    // k
	order     []uint64     // features that are clipped at some point but the first: falling grid value of a_j, then j
	which     []int        // scratch: features
	factors   [2][]float64 // scratch: numbers for each of them
	now       clipRow      // the row at the current threshold
}

// clipRow is a row at one threshold.
type clipRow struct {
	nll, conf float64
	top       int // the prediction
}

func (s *clipSearch) worker(sums clipSums, points []int) *clipWorker {
	d, k := s.set.Features.Cols, s.set.Head.W.Rows
	matrix := func(width int) []float64 { return make([]float64, clipLayerRows*width) }
	return &clipWorker{
		clipSums: sums, search: s, points: points,
		x: matrix(d), a: matrix(k), s: matrix(k), residuals: matrix(k), z: make([]float64, k), gap32: make([]float32, k),
		which: make([]int, 0, d), // nil would name all rows
	}
}

// block adds some rows, at most clipLayerRows, to the sums. add adds one of them, which is number
// i of its block, from its logits at the first threshold.
func (w *clipWorker) block(rows []int, add func(w *clipWorker, i, row int)) {
	s, first := w.search, w.points[0]
	c := clipValue(first)
	if first == s.top {
		c = math.Inf(1)
	}
	d, k := s.set.Features.Cols, len(w.z)
	x, a := w.x[:len(rows)*d], w.a[:len(rows)*k]
	for i, row := range rows {
		clipFeatures(x[i*d:(i+1)*d], s.set.Features.Row(row), c, s.sides)
	}
	s.last.Logits(a, x)
	if len(w.points) > 1 {
		for i, row := range rows {
			for j, v := range s.set.Features.Row(row) {
				reach, sign := s.reach(v)
				if reach <= c {
					sign = 0
				}
				x[i*d+j] = sign
			}
		}
		s.last.weights.Times(w.s[:len(rows)*k], x)
		fit.AddTo(a, -clipValue(first), w.s[:len(rows)*k])
	}
	for i, row := range rows {
		add(w, i, row)
	}
	if len(w.g) == 0 {
		return
	}
	s.gradient.Times(x, w.residuals[:len(rows)*k])
	for i, row := range rows {
		for j, v := range s.set.Features.Row(row) {
			reach, sign := s.reach(v)
			m, g := clipIndex(reach), sign*x[i*d+j]
			w.g[m] += g
			w.ga[m] += float64(g * reach)
		}
	}
}

// row adds the scores of a row, which is number i of its block, to the sums.
func (w *clipWorker) row(i, row int) {
	search, k := w.search, len(w.z)
	h, y := search.set.Features.Row(row), int(search.set.Labels[row])
	a, s, residual := w.a[i*k:(i+1)*k], w.s[i*k:(i+1)*k], w.residuals[i*k:(i+1)*k]
	clipped := len(w.points) > 1 && w.sort(h)
	next := 0 // the features of order before next are clipped
	for p, point := range w.points {
		from := next
		for next < len(w.order) && featureOf(w.order[next]).m > point {
			next++
		}
		w.clip(a, s, w.order[from:next], h)
		if p == 0 || clipped || next > 0 { // otherwise nothing is clipped, as at the last point
			w.evaluate(a, s, residual, clipValue(point), y, &search.predicted[row])
		}
		w.count(p, y)
	}
}

// hits adds the hits of a row, which is number i of its block, to the sums. Between two
// thresholds at which a feature becomes clipped the logits are lines, so a prediction of which
// other classes stay away needs no look at each threshold.
func (w *clipWorker) hits(i, row int) {
	search, k := w.search, len(w.z)
	h, y := search.set.Features.Row(row), int(search.set.Labels[row])
	a, s := w.a[i*k:(i+1)*k], w.s[i*k:(i+1)*k]
	w.sort(h)
	next := 0 // the features of order before next are clipped
	for p := 0; p < len(w.points); {
		from := next
		for next < len(w.order) && featureOf(w.order[next]).m > w.points[p] {
			next++
		}
		w.clip(a, s, w.order[from:next], h)
		last := 0 // the lowest threshold at which the logits are on this line
		if next < len(w.order) {
			last = featureOf(w.order[next]).m
		}
		c := clipValue(w.points[p])
		hit, until := w.line(a, s, c, y, search.predicted[row])
		for first := true; p < len(w.points) && (first || w.points[p] >= last && clipValue(w.points[p]) > until); first = false {
			w.scores[p*clipScores+1] += hit
			p++
		}
	}
}

// line returns 1 if the prediction at threshold c is y, else 0, and the threshold down to which
// that holds as long as the logits are A + c S.
func (w *clipWorker) line(a, s []float64, c float64, y int, predicted int32) (hit, until float64) {
	top := linear.Line(w.z, a, s, c)
	if float32(w.z[predicted]-w.z[top]) == 0 { // as in evaluate
		top = int(predicted)
	}
	gap, rate, most := math.Inf(1), 0.0, 0.0 // to y or from y: the least, by how much it falls at most, and of the slopes
	for j, z := range w.z {
		if j != y {
			gap = min(gap, w.z[y]-z)
			rate = max(rate, s[y]-s[j])
		}
		most = max(most, math.Abs(s[j]))
	}
	if top == y {
		hit = 1
	} else {
		gap, rate = w.z[top]-w.z[y], s[top]-s[y]
	}
	// Rounding may decide where the gap is this small.
	gap -= 1e-9 * (1 + math.Abs(w.z[top]) + math.Abs(w.z[y]) + float64(c*most))
	switch {
	case !(gap > 0):
		return hit, c
	case !(rate > 0):
		return hit, 0
	}
	return hit, c - gap/rate
}

// count adds the row at the current threshold to the sums of a point.
func (w *clipWorker) count(p, y int) {
	hit := 0.0
	if w.now.top == y {
		hit = 1
	}
	sums := w.scores[p*clipScores:][:clipScores]
	sums[0] += w.now.nll
	sums[1] += hit
	if w.search.byECE {
		sums[2+softmax.Bin(w.now.conf, clipBins)] += hit - w.now.conf
	}
}

// clippedFeature is feature j with the grid value of its a_j.
type clippedFeature struct{ m, j int }

func featureOf(key uint64) clippedFeature {
	return clippedFeature{clipPoints + 1 - int(key>>32), int(uint32(key))}
}

// sort lists the features that are clipped at the last point but not at the first, by the
// falling grid value of a_j, then by j, and reports whether any are clipped at the first.
func (w *clipWorker) sort(h []float32) (clipped bool) {
	first, last := w.points[0], w.points[len(w.points)-1]
	w.order = w.order[:0]
	for j, v := range h {
		a, _ := w.search.reach(v)
		switch m := clipIndex(a); {
		case m > first:
			clipped = true
		case m > last:
			w.order = append(w.order, uint64(clipPoints+1-m)<<32|uint64(j))
		}
	}
	slices.Sort(w.order)
	return clipped
}

// clip moves features from the constant A to the slope S of the logits.
func (w *clipWorker) clip(a, s []float64, keys []uint64, h []float32) {
	which := w.which[:0]
	out, in := w.factors[0][:0], w.factors[1][:0]
	for _, key := range keys {
		j := featureOf(key).j
		_, sign := w.search.reach(h[j])
		which, out, in = append(which, j), append(out, -float64(h[j])), append(in, sign)
	}
	w.which, w.factors = which, [2][]float64{out, in}
	columns := linear.Rows{Data: w.search.columns, Width: len(w.z), Which: which}
	linear.Add(a, out, columns)
	linear.Add(s, in, columns)
}

// evaluate computes a row at threshold c. If clipping makes classes equal and the
// prediction without clipping is one of them, it stays the prediction, as in the
// metrics. The first call for a row, at the top, sets that prediction.
func (w *clipWorker) evaluate(a, s, residual []float64, c float64, y int, predicted *int32) {
	top := linear.Line(w.z, a, s, c)
	linear.Gaps(w.gap32, w.z, w.z[top])
	switch {
	case *predicted < 0:
		*predicted = int32(top)
	case w.gap32[*predicted] == 0:
		top = int(*predicted)
	}
	softmax.Probs(residual, w.gap32, 1)
	w.now = clipRow{
		nll:  w.z[top] - w.z[y] - softmax.Log(residual[top]),
		conf: residual[top],
		top:  top,
	}
	residual[y]--
}
