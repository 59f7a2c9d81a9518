package metrics

import (
	"slices"

	"github.com/qats-bench/qats/internal/splitmix"
)

// CurvePoint is a point of a reliability curve, with a band.
type CurvePoint struct {
	Conf   float64 // confidence
	Acc    float64 // of rows of this confidence, estimated
	Lo, Hi float64 // 95 % consistency band: where Acc would be if the model were calibrated
}

// CORPCurve returns the reliability curve of Dimitriadis, Gneiting and Jordan (2021): the
// isotonic regression of 1[correct] on confidence, which chooses its own bins. It is
// linear between its points, which rise in confidence. They are the ends of the pools of
// the regression, and some 100 points in between for the band.
//
// The band holds at each point 95 % of the curves that a calibrated model with exactly
// these confidences has: in each of 200 draws sample i is correct with probability conf_i,
// as in ECEBand, and the regression is fitted again. A curve outside the band at a point
// shows miscalibration there. The band holds at each point by itself, not at all points at
// once: of the curves of calibrated models, more than 5 % leave it somewhere. The R package
// reliabilitydiag calls it a consistency region, draws confidences too by default, and has
// a level of 90 %.
//
// Confidences that agree to 2^-22, near 1 in their complements, are one point (package
// stretch). There is no curve of no samples.
func CORPCurve(s *Samples, seed uint64) []CurvePoint {
	points := s.points(alike)
	if len(points) == 0 {
		return nil
	}
	pools, _ := s.isotonic(nil, points, nil, 0)
	points = s.shown(points, pools)
	curve := make([]CurvePoint, len(points))
	for i, p := range points {
		curve[i].Conf = s.sorted[p.lo].conf
	}
	i := 0
	apply(pools, points, func(_, _ int, acc float64) {
		curve[i].Acc = acc
		i++
	})
	for i, values := range s.drawnCurves(points, seed) {
		slices.Sort(values)
		curve[i].Lo, curve[i].Hi = quantile(values, .025), quantile(values, .975)
	}
	return curve
}

// curvePoints is the number of points of a curve that are at equal shares of the rows.
const curvePoints = 100

// shown returns the points at the ends of pools, and those at equal shares of the rows.
func (s *Samples) shown(points []point, pools []pool) (list []point) {
	pool, next := 0, 0
	for i, p := range points {
		for pools[pool].hi < p.at {
			pool++
		}
		end := p.at == pools[pool].lo || p.at == pools[pool].hi || i == len(points)-1
		if p.hi > next || end {
			list = append(list, p)
		}
		for next < p.hi {
			next += max(1, s.Len()/curvePoints)
		}
	}
	return list
}

// drawnCurves returns, for each of the points, the values there of the regressions of
// labels that are drawn with the confidences as probabilities.
func (s *Samples) drawnCurves(points []point, seed uint64) [][]float64 {
	values := make([][]float64, len(points))
	drawn := *s
	drawn.sorted = slices.Clone(s.sorted)
	all := s.points(alike)
	var pools []pool
	for d := range bandDraws {
		start := stream(seed, forBand, d)
		for j, x := range s.sorted {
			u := splitmix.Mix(start+uint64(x.row)*splitmix.Golden) >> 1 // the uniform number of the row in ECEBand
			drawn.sorted[j].correct = u < uint64(x.conf*0x1p63)
		}
		pools, _ = drawn.isotonic(pools[:0], all, nil, 0)
		i := 0
		apply(pools, points, func(_, _ int, acc float64) {
			values[i] = append(values[i], acc)
			i++
		})
	}
	return values
}
