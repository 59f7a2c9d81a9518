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
// regression of 1[correct] on confidence gives it: the best nondecreasing map of
// the top label. If crossed, the map of a sample is fitted on the samples of the
// other folds, so it knows nothing of the sample; trained is the number of these
// samples. If not, one map is fitted on all.
//
// The maps are those of scikit-learn (IsotonicRegression with out_of_bounds="clip",
// which probmetrics uses): pools of adjacent violators have the share of correct
// samples, confidences between two pools are interpolated, and those outside get
// the value of the outermost pool. Confidences within 1e-9 of their neighbour are
// one point, at their mean. Pools are compared as fractions of whole numbers, so
// no rounding decides. A sample without training samples keeps its confidence.
func (s *Samples) recalibrated(seed uint64, crossed bool) (conf []float64, trained []int) {
	n := s.Len()
	conf, trained = make([]float64, n), make([]int, n)
	if !crossed {
		s.isotonic(conf, trained, nil, 0)
		return conf, trained
	}
	part, start := make([]uint8, n), stream(seed, forFolds, 0)
	for j, x := range s.sorted {
		part[j] = uint8(s.fold(start, x.row))
	}
	for f := range folds {
		s.isotonic(conf, trained, part, uint8(f))
	}
	return conf, trained
}

// pool is a run of points with one fitted value, the share of its rows that are
// correct.
type pool struct {
	lo, hi     float64 // the confidences of its first and last point
	hits, rows int
}

func (p pool) value() float64 { return float64(p.hits) / float64(p.rows) }

// isotonic fits the samples outside a part and sets conf and trained of those in
// it. If part is nil, it fits all samples and sets all.
func (s *Samples) isotonic(conf []float64, trained []int, part []uint8, held uint8) {
	var pools []pool
	rows := 0
	s.points(func(at float64, lo, hi int) {
		next := pool{lo: at, hi: at}
		for j := lo; j < hi; j++ {
			if part != nil && part[j] == held {
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
	i := 0 // the last pool that starts at or before the point, or the first
	s.points(func(at float64, lo, hi int) {
		for i+1 < len(pools) && pools[i+1].lo <= at {
			i++
		}
		for j := lo; j < hi; j++ {
			if part != nil && part[j] != held {
				continue
			}
			trained[j] = rows
			if rows == 0 {
				conf[j] = s.sorted[j].conf
			} else {
				conf[j] = interpolated(pools, i, at)
			}
		}
	})
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
