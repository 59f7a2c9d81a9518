package metrics

import (
	"math/bits"

	"github.com/qats-bench/qats/internal/splitmix"
	"github.com/qats-bench/qats/internal/stretch"
)

// folds is the number of parts of a cross-validation, as in probmetrics.
const folds = 5

// fold returns the part, 0 to folds-1, that a row of the test set belongs to: a
// hash of the seed and the row. So a row is in one part for every method, and all
// copies of a row that a resample draws are in one part too.
func (s *Samples) fold(start uint64, row int32) int {
	switch group := s.groups(); {
	case group != nil:
		row = group[row]
	case s.origin != nil:
		row = s.origin[row]
	}
	part, _ := bits.Mul64(splitmix.Mix(start+uint64(row)*splitmix.Golden), folds)
	return int(part)
}

// recalibrated returns, for each sorted sample, the confidence that isotonic regression of
// 1[correct] on confidence gives it in cross-validation: the estimator isotonic-mix, cv-5,
// of probmetrics. The map g of a sample is fitted on the m samples of the other folds, and
// is mixed with 1/2 in the proportion m to 1,
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
	points := s.points(alike)
	var pools []pool
	for f := range uint8(folds) {
		var m int
		pools, m = s.isotonic(pools[:0], points, part, f)
		apply(pools, points, func(lo, hi int, g float64) {
			mixed := (float64(float64(m)*g) + .5) / float64(m+1)
			for j := lo; j < hi; j++ {
				switch {
				case part[j] != f:
				case m == 0:
					conf[j] = s.sorted[j].conf
				default:
					conf[j] = mixed
				}
			}
		})
	}
	return conf
}

// pool is a run of points with one fitted value, the share of its rows that are
// correct.
type pool struct {
	lo, hi     float64 // its first and last point
	hits, rows int
}

func (p pool) value() float64 { return float64(p.hits) / float64(p.rows) }

// isotonic fits the samples that are not in part held by isotonic regression, the
// best nondecreasing map of confidences; with part nil it fits all. It appends the
// pools of the map, in order, and returns the number of samples fitted.
//
// The map is that of scikit-learn (IsotonicRegression with out_of_bounds="clip",
// which probmetrics uses): pools of adjacent violators have the share of correct
// samples, confidences between two pools are interpolated, and those outside get
// the value of the outermost pool. Tied confidences are one point. Pools are compared as
// fractions of whole numbers, so no rounding decides.
func (s *Samples) isotonic(pools []pool, points []point, part []uint8, held uint8) (_ []pool, rows int) {
	for _, p := range points {
		next := pool{lo: p.at, hi: p.at}
		for j := p.lo; j < p.hi; j++ {
			one, hit := 1, 0 // branch-free
			if part != nil && part[j] == held {
				one = 0
			}
			if s.sorted[j].correct {
				hit = one
			}
			next.rows += one
			next.hits += hit
		}
		if next.rows == 0 {
			continue
		}
		rows += next.rows
		for i := len(pools) - 1; i >= 0 && pools[i].hits*next.rows >= next.hits*pools[i].rows; i-- {
			next = pool{pools[i].lo, next.hi, pools[i].hits + next.hits, pools[i].rows + next.rows}
			pools = pools[:i]
		}
		pools = append(pools, next)
	}
	return pools, rows
}

// apply calls f for each point with the value of the map there: 0 of no pools.
func apply(pools []pool, points []point, f func(lo, hi int, value float64)) {
	i := 0 // the last pool that starts at or before the point, or the first
	for _, p := range points {
		for i+1 < len(pools) && pools[i+1].lo <= p.at {
			i++
		}
		switch {
		case len(pools) == 0:
			f(p.lo, p.hi, 0)
		case p.at <= pools[i].hi || i+1 == len(pools):
			f(p.lo, p.hi, pools[i].value())
		default:
			here, next := pools[i], pools[i+1]
			share := stretch.Between(p.at, here.hi, next.lo)
			f(p.lo, p.hi, here.value()+float64(share*(next.value()-here.value())))
		}
	}
}

// point is the sorted samples lo to hi-1, which are tied.
type point struct {
	at     float64 // the least of their confidences, stretched
	lo, hi int
}

// points returns the points of the samples in order.
func (s *Samples) points(within stretch.Share) []point {
	list := make([]point, 0, s.Len())
	for lo, hi := range s.ties(within) {
		list = append(list, point{s.stretched(lo), lo, hi})
	}
	return list
}
