package splines

import (
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// smoothSpline is a natural cubic spline of log odds, which it limits to [-Limit, Limit]. Its
// value is a score; the probability is the sigmoid of it.
type smoothSpline struct {
	Limit        float64   `json:"limit"`
	Lambda       float64   `json:"lambda"`       // weight of the penalty
	Knots        []float64 `json:"knots"`        // increasing, K
	Coefficients []float64 `json:"coefficients"` // of the functions of the basis, K

	pieces []smoothPiece
	cubics [][4]float64
}

const (
	dataKnots = 30   // at most, from the scores
	knotGap   = 1e-9 // of two knots, at least

	// The prior is pseudo-rows of this total weight on the line y = x.
	priorWeight = 20

	// mostLoss is the largest loss of a validation row, -log 1e-16.
	mostLoss = 36.841361487904734

	// smoothRoughly is the decrement after which a fit to a part of the rows takes its last
	// step. The error of the loss is then about 1e-14.
	smoothRoughly = 1e-7
)

// fitSmooth fits a spline to the log odds x of n rows and their outcomes. For each
// weight of the penalty, 10^(-4), 10^(-3.5), ..., 10^4, it first fits the rows outside
// validation. The weight with the least mean loss on the rows of validation, rounded to
// 4 decimals, is taken; of equal ones the least. Then the spline is fitted to all rows.
// Pseudo-rows take part in every fit (prior). The solution has the steps over all
// weights, and as gradient the last decrement of the fit to all rows.
func fitSmooth(x []float64, positive, validation []bool) (smoothSpline, calib.Minimum) {
	var s smoothSpline
	s.Limit = smoothLimit(slices.Min(x))
	samples := make([]smoothSample, len(x))
	sorted := make([]float64, len(x))
	for i, v := range x {
		samples[i] = smoothSample{x: min(max(v, -s.Limit), s.Limit), weight: 1}
		if positive[i] {
			samples[i].target = 1
		}
		sorted[i] = samples[i].x
	}
	slices.Sort(sorted)
	s.Knots = smoothKnots(sorted)
	pieces := newSmoothBasis(s.Knots)
	pseudo := smoothPrior(s.Limit)
	var others, tests []smoothSample
	for i, one := range samples {
		if validation[i] {
			tests = append(tests, one)
		} else {
			others = append(others, one)
		}
	}
	train, test := newSmoothDesign(pieces, s.Knots, append(others, pseudo...)), newSmoothDesign(pieces, s.Knots, tests)
	var end calib.Minimum
	best := math.Inf(1)
	s.Coefficients = make([]float64, len(s.Knots))
	start := make([]float64, len(s.Knots))
	for half := 8; half >= -8; half-- { // the largest first, since it is the easiest
		lambda := math.Pow10(half >> 1)
		if half&1 == 1 {
			lambda *= math.Sqrt(10)
		}
		steps, _ := train.minimise(start, lambda, smoothRoughly)
		end.Steps += steps
		test.evaluate(start)
		mean := math.RoundToEven(1e4 * test.loss(mostLoss) / max(1, float64(len(tests))))
		if mean <= best {
			best, s.Lambda = mean, lambda
			copy(s.Coefficients, start)
		}
	}
	steps, decrement := newSmoothDesign(pieces, s.Knots, append(samples, pseudo...)).minimise(s.Coefficients, s.Lambda, report.GradTol)
	end.Steps += steps
	end.Gradient = decrement
	return s.Prepared(), end
}

// smoothLimit returns the largest absolute log odds, log((1-eps)/eps), given those of the
// least probability p: eps is 2^(r-1) with r = log2 of the smaller of p and 1e-8,
// rounded to a whole number, and at least 1e-16.
func smoothLimit(x float64) float64 {
	log := min(-fit.Softplus(-x), -8*math.Ln10)
	eps := max(math.Ldexp(1, int(math.RoundToEven(max(log, -mostLoss)/math.Ln2))-1), 1e-16)
	return softmax.Log(1-eps) - softmax.Log(eps)
}

// smoothPrior returns pseudo-rows whose outcome is their probability p: p = 10^(-8),
// 10^(-7 2/3), ..., 10^(-2 1/3) and 1 minus these, with 1/18 of the weight of each of p
// = 0.01, 0.02, ..., 0.99. The weights sum to priorWeight.
func smoothPrior(limit float64) []smoothSample {
	const unit = priorWeight / 101.0
	var all []smoothSample
	add := func(p, weight float64) {
		x := softmax.Log(p) - softmax.Log(1-p)
		all = append(all, smoothSample{max(x, -limit), p, weight}, smoothSample{min(-x, limit), 1 - p, weight})
	}
	for i := range 18 {
		add(softmax.Exp((float64(i)/3-8)*math.Ln10), unit/18)
	}
	for i := 1; i < 50; i++ {
		add(float64(i)/100, unit)
	}
	return append(all, smoothSample{0, 0.5, unit})
}

// smoothKnots returns the log odds of 0.1, 0.2, ..., 0.9 and up to 30 distinct ones of the
// sorted numbers, at equal distances in rank, from the least to the largest. Only one of several numbers
// closer than knotGap is a knot, so the last knot may be that close to the largest number.
func smoothKnots(sorted []float64) []float64 {
	distinct := smoothSpaced(sorted)
	m := len(distinct)
	var all []float64
	for i := range min(m, dataKnots) {
		at := i
		if m > dataKnots {
			at = (2*i*(m-1) + dataKnots - 1) / (2 * (dataKnots - 1))
		}
		all = append(all, distinct[at])
	}
	for i := 1; i < 10; i++ {
		all = append(all, softmax.Log(float64(i)/float64(10-i)))
	}
	slices.Sort(all)
	return smoothSpaced(all)
}

// smoothSpaced returns the sorted numbers without those closer than knotGap to the one before.
func smoothSpaced(sorted []float64) []float64 {
	var kept []float64
	for _, v := range sorted {
		if len(kept) == 0 || v-kept[len(kept)-1] >= knotGap {
			kept = append(kept, v)
		}
	}
	return kept
}

// Prepared returns s, read from a file and checked, ready for At.
func (s smoothSpline) Prepared() smoothSpline {
	s.pieces = newSmoothBasis(s.Knots)
	s.cubics = make([][4]float64, len(s.pieces))
	for i := range s.pieces {
		s.cubics[i] = s.pieces[i].cubic(s.Coefficients)
	}
	return s
}

// ClassScore is the log odds.
func (smoothSpline) ClassScore() string { return onevsrest.ScoreLogOdds }

// At returns the probability that belongs to the log odds x.
func (s smoothSpline) At(x float64) float64 { return fit.Sigmoid(s.logOdds(x)) }

// logOdds returns the score at log odds x.
func (s *smoothSpline) logOdds(x float64) float64 {
	x = min(max(x, -s.Limit), s.Limit)
	i, _ := slices.BinarySearch(s.Knots, x) // a knot belongs to the piece on its left
	return horner(&s.cubics[i], (x-s.pieces[i].origin)/s.pieces[i].width)
}

// Check rejects splines that Fit does not return.
func (s smoothSpline) Check() error {
	switch {
	case !(s.Limit >= 1 && s.Limit <= 40):
		return fmt.Errorf("limit = %v is outside [1, 40]", s.Limit)
	case !(s.Lambda >= 0.99e-4 && s.Lambda <= 1.01e4):
		return fmt.Errorf("lambda = %v is outside [1e-4, 1e4]", s.Lambda)
	case len(s.Knots) < 2 || len(s.Coefficients) != len(s.Knots):
		return fmt.Errorf("%d knots and %d coefficients: want as many, at least two", len(s.Knots), len(s.Coefficients))
	}
	for i, t := range s.Knots {
		if !(math.Abs(t) <= 40) || i > 0 && !(t-s.Knots[i-1] >= knotGap/2) {
			return fmt.Errorf("knots[%d] = %v: want increasing numbers in [-40, 40]", i, t)
		}
	}
	for i, c := range s.Coefficients {
		if !(math.Abs(c) <= 1e12) {
			return fmt.Errorf("coefficients[%d] = %v: want one in [-1e12, 1e12]", i, c)
		}
	}
	return nil
}
