package features

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
)

// clipSearch finds the best threshold of feature clipping on the grid
// c_m = m/100, m = 1..2000, from the scores at few of them.
//
// Rows. Let a_j = |h_j|, or h_j if one side is clipped, and s_j its sign. Clipping at c
// changes a row only if its largest a_j is above c. The rows are in falling order of it,
// so a threshold is computed for the first blocks of rows, and the others keep their sums
// without clipping. At the best thresholds these are most of the rows.
//
// Bounds. The NLL f of a row is convex in its logits, and so in its clipped
// features: with the gradient r = p - 1[y] at threshold e,
//
//	f(c) >= f(e) + sum_j g_j (min(a_j, c) - min(a_j, e)),  g_j = s_j W_j r,
//
// for every c. The g_j of a block of rows are one product with W'. Sums over the rows of g_j
// and g_j a_j, in buckets by the grid value above a_j, give a lower bound of the NLL at
// every c. It is exact at e, and its error is of the order of the square of the distance.
// A c is excluded if its bound is above the best admissible NLL by more than clipMargin.
//
// Steps. A step computes one threshold with its bounds. It costs as much as some
// thresholds of a sweep. Once clipPatience steps have excluded fewer, or fewer are
// left, one sweep computes all that are left. So the result is the same as on the whole grid. The
// ECE has no bounds: one sweep computes it at every c.
//
// Hits. Bounds exclude nothing where the NLL is low, and the guard may reject all of that. So if
// many are left and the guard has rejected some c, the hits of all that are left are counted,
// which takes no softmax. The steps go on with those that the guard accepts.
type clipSearch struct {
	set      *data.Set
	sides    int     // 2 clips to [-c, c], 1 to at most c
	guard    float64 // least share of the original accuracy, which must be exceeded
	byECE    bool    // the criterion is the ECE-15, otherwise the NLL
	last     clipLayer
	columns  []float32      // d x k, W transposed
	gradient *linear.Packed // the same, for products with residuals; nil if the criterion is the ECE
	top      int            // first grid value at or above every a_j; clipPoints+1 if there is none

	rows      []int     // in falling order of the grid value of the largest a_j, then in rising order
	reaches   []int     // that grid value, by block of rows
	predicted []int32   // by row, without clipping; -1 before the top is computed
	unclipped []float64 // sums of each block at the top; nil before it is computed

	score []clipScore // by grid value
	bound []float64   // lower bounds of the NLL, by grid value; the NLL itself if it is computed

	Passes   float64 // shares of the rows that were computed, over all sweeps
	Computed int     // thresholds computed so far
}

const (
	// clipPoints is the number of points of the grid.
	clipPoints = 2000
	// clipMargin is more than the rounding error of a bound. Most of that error
	// comes from the differences of logits in float32, by which an NLL changes by
	// less than 2^-24 ln k.
	clipMargin = 1e-6
	// clipPatience is the number of steps that may exclude less than they cost.
	clipPatience = 3
)

// clipScore holds the results for the calibration set at one threshold.
type clipScore struct {
	computed bool
	counted  bool    // the hits are known
	nll      float64 // mean
	hits     int     // rows whose prediction is their label
	ece      float64 // ECE-15, if it is the criterion
}

// clipValue returns the grid value c_m.
func clipValue(m int) float64 { return float64(m) / 100 }

// clipIndex returns the least m with c_m >= a, or clipPoints+1 if there is none.
func clipIndex(a float64) int {
	if !(a <= clipValue(clipPoints)) {
		return clipPoints + 1
	}
	m := int(a * 100)
	if clipValue(m) < a {
		m++
	}
	return m
}

// newClipSearch returns the search on a set with features and last layer.
func newClipSearch(set *data.Set, sides int, guard float64, byECE bool) *clipSearch {
	w, n := set.Head.W, set.Features.Rows
	s := &clipSearch{set: set, sides: sides, guard: guard, byECE: byECE, last: newClipLayer(set.Head), columns: make([]float32, len(w.Data))}
	for c := range w.Rows {
		for j, v := range w.Row(c) {
			s.columns[j*w.Rows+c] = v
		}
	}
	if !byECE {
		s.gradient = linear.Pack(s.columns, w.Cols, w.Rows)
	}
	most := make([]int, n)
	s.predicted = make([]int32, n)
	for i := range n {
		for _, v := range set.Features.Row(i) {
			a, _ := s.reach(v)
			most[i] = max(most[i], clipIndex(a))
		}
		s.rows, s.predicted[i] = append(s.rows, i), -1
	}
	slices.SortStableFunc(s.rows, func(a, b int) int { return cmp.Compare(most[b], most[a]) })
	for first := 0; first < n; first += fit.BlockRows {
		s.reaches = append(s.reaches, most[s.rows[first]])
	}
	s.top = max(1, s.reaches[0])
	s.score = make([]clipScore, s.top+1)
	s.bound = make([]float64, s.top+1)
	for m := range s.bound {
		s.bound[m] = math.Inf(-1)
	}
	return s
}

// reach returns a_j and s_j of a feature. A feature that is never clipped has a_j 0.
func (s *clipSearch) reach(h float32) (a, sign float64) {
	switch {
	case h > 0:
		return float64(h), 1
	case s.sides == 2:
		return -float64(h), -1
	}
	return 0, 0
}

// Run returns the best grid value, or 0 if none is admissible.
func (s *clipSearch) Run(ctx context.Context) (int, error) {
	if err := s.sweep(ctx, []int{s.top}); err != nil {
		return 0, err
	}
	if !s.byECE {
		if err := s.steps(ctx); err != nil {
			return 0, err
		}
		if left := s.left(); len(left) > s.set.Features.Cols && s.rejects() {
			if err := s.count(ctx, left); err != nil {
				return 0, err
			}
			if err := s.steps(ctx); err != nil {
				return 0, err
			}
		}
	}
	if len(s.left()) > 0 {
		if err := s.sweep(ctx, s.candidates()); err != nil {
			return 0, err
		}
	}
	return s.best(), nil
}

// steps takes steps until clipPatience of them have excluded little, or little is left.
func (s *clipSearch) steps(ctx context.Context) error {
	left := s.left()
	for poor := 0; poor < clipPatience && len(left) > s.worth(); {
		next := s.next(left, poor > 0)
		if next == 0 {
			break
		}
		if err := s.sweep(ctx, []int{next}); err != nil {
			return err
		}
		before := len(left)
		if left = s.left(); before-len(left) < s.worth() {
			poor++
		}
	}
	return nil
}

// worth returns the number of thresholds of a sweep that take about as long as a step.
func (s *clipSearch) worth() int { return 2 + s.set.Features.Cols/16 }

// candidates returns the grid values that may be the best one, in falling order.
func (s *clipSearch) candidates() []int {
	most := math.Inf(1)
	if best := s.best(); best > 0 && !s.byECE {
		most = s.score[best].nll + clipMargin
	}
	var some []int
	for m := min(s.top, clipPoints); m >= 1; m-- {
		if !(s.bound[m] > most) && !s.rejected(m) {
			some = append(some, m)
		}
	}
	return some
}

// rejected reports whether the guard is known to reject a grid value.
func (s *clipSearch) rejected(m int) bool {
	return s.score[m].counted && !s.admissible(s.score[m].hits)
}

// rejects reports whether the guard has rejected some grid value.
func (s *clipSearch) rejects() bool {
	for m := range s.score {
		if s.rejected(m) {
			return true
		}
	}
	return false
}

// left returns the candidates that are not computed yet, in falling order.
func (s *clipSearch) left() []int {
	return slices.DeleteFunc(s.candidates(), func(m int) bool { return s.score[m].computed })
}

// next returns the threshold of the next step, or 0 if a step is not worth it. Mostly it is
// the one with the least bound. Below the lowest computed threshold bounds are poor, so half
// of that one is first. The guard rejects low thresholds, and the least NLL may be among
// them: then steps halve what is left above them.
func (s *clipSearch) next(left []int, poor bool) int {
	lowest, rejected := s.top, 0
	for m := s.top; m >= 1; m-- {
		if s.score[m].computed {
			lowest = m
			if rejected == 0 && m < s.top && !s.admissible(s.score[m].hits) {
				rejected = m
			}
		}
	}
	above := left
	if i := slices.IndexFunc(left, func(m int) bool { return m < rejected }); i >= 0 {
		above = left[:i]
	}
	if s.best() == 0 {
		if len(above) == 0 {
			return 0
		}
		return above[len(above)/2]
	}
	if i := slices.IndexFunc(left, func(m int) bool { return m < lowest }); i >= 0 {
		if half := lowest / 2; slices.Contains(left, half) {
			return half
		}
		return left[(i+len(left))/2]
	}
	next := left[0]
	for _, m := range left {
		if s.bound[m] < s.bound[next] {
			next = m
		}
	}
	if poor && next < rejected && len(above) > 0 {
		return above[len(above)/2]
	}
	return next
}

// best returns the computed and admissible grid value with the least criterion: the
// lowest one on ties, 0 if there is none.
func (s *clipSearch) best() int {
	best, least := 0, math.Inf(1)
	for m := 1; m <= min(s.top, clipPoints); m++ {
		v := s.score[m].nll
		if s.byECE {
			v = s.score[m].ece
		}
		if s.score[m].computed && s.admissible(s.score[m].hits) && v < least {
			best, least = m, v
		}
	}
	return best
}

// admissible reports whether the guard accepts a threshold with the given hits.
func (s *clipSearch) admissible(hits int) bool {
	return float64(hits) > s.guard*float64(s.score[s.top].hits)
}

// sweep computes the scores of points, which are in falling order. The first sweep has the
// top alone. If there is one point, and the criterion is the NLL, it raises the bounds too.
func (s *clipSearch) sweep(ctx context.Context, points []int) error {
	shape := clipShape{points: len(points)}
	if len(points) == 1 && !s.byECE {
		shape.buckets = s.top + 1
	}
	total, err := s.sums(ctx, points, shape, (*clipWorker).row)
	if err != nil {
		return err
	}
	for p, m := range points {
		if !s.score[m].computed {
			s.Computed++
		}
		s.score[m] = total.score(p, len(s.rows))
		s.bound[m] = s.score[m].nll
	}
	if shape.buckets > 0 {
		s.raise(points[0], total)
	}
	return nil
}

// count counts the hits of points, which are in falling order and not computed yet.
func (s *clipSearch) count(ctx context.Context, points []int) error {
	total, err := s.sums(ctx, points, clipShape{points: len(points)}, (*clipWorker).hits)
	if err != nil {
		return err
	}
	for p, m := range points {
		s.score[m].counted, s.score[m].hits = true, total.score(p, len(s.rows)).hits
	}
	return nil
}

// sums returns the sums over all rows. add adds one row.
func (s *clipSearch) sums(ctx context.Context, points []int, shape clipShape, add func(w *clipWorker, i, row int)) (clipSums, error) {
	n, lowest := len(s.rows), points[len(points)-1]
	width := shape.width()
	parts := make([]float64, fit.NumBlocks(n)*width)
	err := fit.EachBlock(ctx, n, func(block, lo, hi int) {
		sums := shape.sums(parts[block*width : (block+1)*width])
		if s.unclipped != nil && s.reaches[block] <= lowest {
			kept := len(s.unclipped) / fit.NumBlocks(n)
			sums.repeat(s.unclipped[block*kept : (block+1)*kept])
			return
		}
		w := s.worker(sums, points)
		for rows := range slices.Chunk(s.rows[lo:hi], clipLayerRows) {
			w.block(rows, add)
		}
	})
	if err != nil {
		return clipSums{}, err
	}
	if s.unclipped == nil {
		s.unclipped = parts
	}
	total := shape.sums(make([]float64, width))
	for block, part := range slices.Collect(slices.Chunk(parts, width)) {
		fit.AddTo(total.all, 1, part)
		if s.reaches[block] > lowest || lowest == s.top {
			s.Passes += float64(min((block+1)*fit.BlockRows, n)-block*fit.BlockRows) / float64(n)
		}
	}
	return total, nil
}

// raise raises the bounds by the gradients at grid value e.
func (s *clipSearch) raise(e int, sums clipSums) {
	g, ga := 0.0, 0.0 // of the features with a_j > c_m, and of the others
	for _, v := range sums.g[1:] {
		g += v
	}
	change := make([]float64, s.top+1)
	for m := 1; m <= s.top; m++ {
		g -= sums.g[m]
		ga += sums.ga[m]
		change[m] = ga + float64(clipValue(m)*g)
	}
	change[s.top] = ga // nothing is clipped
	for m := 1; m <= s.top; m++ {
		if !s.score[m].computed {
			s.bound[m] = max(s.bound[m], s.score[e].nll+(change[m]-change[e])/float64(len(s.rows)))
		}
	}
}
