package metrics

import "math/bits"

// folds is the number of parts of a cross-validation, as in probmetrics.
const folds = 5

// fold returns the part, 0 to folds-1, that a row of the test set belongs to: a
// hash of the seed and the row. So a row is in one part for every method, and all
// copies of a row that a resample draws are in one part too.
func (s *Samples) fold(start uint64, row int32) int {
	if s.origin != nil {
		row = s.origin[row]
	}
	part, _ := bits.Mul64(mix(start+uint64(row)*golden), folds)
	return int(part)
}

// recalibrated returns, for each sorted sample, the confidence that isotonic
// regression of 1[correct] on confidence gives it in cross-validation: the estimator
// isotonic-mix, cv-5, of probmetrics. The map g of a sample is fitted on the m
// samples of the other folds, so it knows nothing of the sample, and is mixed with
// 1/2 in the proportion m to 1,
//
//	(m g + 1/2) / (m + 1)
//
// so that no outcome gets probability 0. With m = 0 a sample keeps its confidence.
// Folds are hashes of the seed and the row, where probmetrics draws stratified folds
// at random.
func (s *Samples) recalibrated(seed uint64) []float64 {
	conf, part, start := make([]float64, s.Len()), make([]uint8, s.Len()), stream(seed, forFolds, 0)
	for j, x := range s.sorted {
		part[j] = uint8(s.fold(start, x.row))
	}
	for f := range uint8(folds) {
		m := s.isotonic(conf, func(j int) bool { return part[j] != f }, func(j int) bool { return part[j] == f })
		for j := range conf {
			switch {
			case part[j] != f:
			case m == 0:
				conf[j] = s.sorted[j].conf
			default:
				conf[j] = (float64(float64(m)*conf[j]) + .5) / float64(m+1)
			}
		}
	}
	return conf
}

// pool is a run of points with one fitted value, the share of its rows that are
// correct.
type pool struct {
	lo, hi     float64 // the confidences of its first and last point
	hits, rows int
}

func (p pool) value() float64 { return float64(p.hits) / float64(p.rows) }

// isotonic fits the samples of which train is true by isotonic regression, the best
// nondecreasing map of confidences, and sets conf of those of which apply is true.
// It returns the number of samples fitted; of none, it sets nothing.
//
// The map is that of scikit-learn (IsotonicRegression with out_of_bounds="clip",
// which probmetrics uses): pools of adjacent violators have the share of correct
// samples, confidences between two pools are interpolated, and those outside get
// the value of the outermost pool. Confidences within 1e-9 of their neighbour are
// one point, at their mean. Pools are compared as fractions of whole numbers, so
// no rounding decides.
func (s *Samples) isotonic(conf []float64, train, apply func(j int) bool) (rows int) {
	var pools []pool
	s.points(func(at float64, lo, hi int) {
		next := pool{lo: at, hi: at}
		for j := lo; j < hi; j++ {
			if !train(j) {
				continue
			}
			next.rows++
			if s.sorted[j].correct {
				next.hits++
			}
		}
		if next.rows == 0 {
			return
		}
		rows += next.rows
		for i := len(pools) - 1; i >= 0 && pools[i].hits*next.rows >= next.hits*pools[i].rows; i-- {
			next = pool{pools[i].lo, next.hi, pools[i].hits + next.hits, pools[i].rows + next.rows}
			pools = pools[:i]
		}
		pools = append(pools, next)
	})
	if rows == 0 {
		return 0
	}
	i := 0 // the last pool that starts at or before the point, or the first
	s.points(func(at float64, lo, hi int) {
		for i+1 < len(pools) && pools[i+1].lo <= at {
			i++
		}
		for j := lo; j < hi; j++ {
			if apply(j) {
				conf[j] = interpolated(pools, i, at)
			}
		}
	})
	return rows
}

// interpolated returns the fitted value at a confidence; i is the last pool that
// starts at or before it, or the first.
func interpolated(pools []pool, i int, at float64) float64 {
	p := pools[i]
	if at <= p.hi || i+1 == len(pools) {
		return p.value()
	}
	next := pools[i+1]
	share := (at - p.hi) / (next.lo - p.hi)
	return p.value() + float64(share*(next.value()-p.value()))
}

// points calls f for each run lo to hi-1 of tied samples, with the mean of their
// confidences.
func (s *Samples) points(f func(at float64, lo, hi int)) {
	n := s.Len()
	for lo := 0; lo < n; {
		at, hi := s.sorted[lo].conf, lo+1
		for ; hi < n && s.sorted[hi].conf-s.sorted[hi-1].conf <= tie; hi++ {
		}
		if s.sorted[hi-1].conf > at {
			sum, _ := sums(s.sorted[lo:hi])
			at = sum / float64(hi-lo)
		}
		f(at, lo, hi)
		lo = hi
	}
}
