package metrics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/metrics/scoring"
)

// ErrNoCrossFit is the error of a metric that recalibrates whole probability vectors,
// if the samples have only sums of them; see Samples.CrossFit.
var ErrNoCrossFit = errors.New("undefined: the probabilities of all classes were not kept for a cross-validated recalibration")

// CrossFit returns the same samples with the scores of their rows after a recalibration in
// cross-validation, for the metrics decomposition_ts and lp_variational. probs are the n x
// k probabilities that the samples were made of, and the seed is the identity of the test
// set, the same for every method. It is ErrNoSamples without samples, ErrNoVector for
// samples FromConfidences, the error of a context that is done, and another error if the
// shapes disagree.
func (s *Samples) CrossFit(ctx context.Context, probs data.Probs, seed uint64) (*Samples, error) {
	scores, err := s.vectors()
	if err != nil {
		return nil, err
	}
	with, both := *scores, *s
	if with.Vectors, err = CrossFitGroups(ctx, probs, scores.Label, scores.Group, seed); err != nil {
		return nil, err
	}
	both.scores = &with
	return &both, nil
}

// crossFitted returns the scores of recalibrated rows.
func (s *Samples) crossFitted() (*scoring.SampleScores, error) {
	scores, err := s.vectors()
	if err == nil && scores.Vectors == nil {
		err = ErrNoCrossFit
	}
	return scores, err
}

// leastLog is the logarithm of the smallest normal float32, the least ln p that
// probmetrics uses.
const leastLog = -87.33654475055310

// CrossFit recalibrates n x k probabilities p with their labels y in five-fold
// cross-validation, with the folds of Decompose, and returns numbers of each row:
//
//   - NLL and Brier score after temperature scaling. The map softmax(s ln p) has the s
//     in [e^-16, e^16] that has the least NLL on the other folds; ln p is at least
//     -87.3.
//   - terms of the variational Lp calibration errors. The term of a row is
//     <d, 1[y] - p>, where d is a subgradient of the p-norm at g - p, and 0 where
//     g = p. Of equal components of the maximum norm the lowest class counts. g is
//     the row after temperature scaling, or after isotonic regression of each class
//     against the others on the other folds, divided by its sum.
//
// Both recalibrations are mixed with the uniform distribution in the proportion m to 1,
// where m rows were fitted, so that no class gets probability 0. These are the
// estimators ts-mix and isotonic-mix, cv-5, of probmetrics. A row whose fold holds all
// rows keeps its probabilities.
//
// Departures: folds are hashes of seed and row, where probmetrics draws stratified
// folds at random. A class without rows in the other folds gets the value 0 before the
// division; probmetrics removes it first.
//
// It is an error if the shapes disagree, a label is no class or a number is no probability,
// and when the context is done.
func CrossFit(ctx context.Context, probs data.Probs, labels []int32, seed uint64) (*scoring.VectorScores, error) {
	return CrossFitGroups(ctx, probs, labels, nil, seed)
}

// CrossFitGroups is CrossFit with folds of groups of rows; groups may be nil.
func CrossFitGroups(ctx context.Context, probs data.Probs, labels, groups []int32, seed uint64) (*scoring.VectorScores, error) {
	n, k := probs.Rows, probs.Cols
	if len(labels) != n || !rectangular(n, k, len(probs.Data)) {
		return nil, fmt.Errorf("cross-validation: %d x %d probabilities with %d numbers, but %d labels", n, k, len(probs.Data), len(labels))
	}
	for i, y := range labels {
		if y < 0 || int(y) >= k {
			return nil, fmt.Errorf("cross-validation: row %d: label %d, but the classes are 0 to %d", i, y, k-1)
		}
	}
	for i, p := range probs.Data {
		if !(p >= 0 && p <= math.MaxFloat64) {
			return nil, fmt.Errorf("cross-validation: row %d, class %d: %v is no probability", i/k, i%k, p)
		}
	}
	c := crossFit{probs: probs, labels: labels, part: make([]uint8, n), recalibrated: data.NewProbs(n, k)}
	start := stream(seed, forFolds, 0)
	whole := Samples{scores: &scoring.SampleScores{Group: groups}}
	for i := range n {
		f := whole.fold(start, int32(i))
		c.part[i] = uint8(f)
		c.held[f]++
	}
	v := scoring.NewVectorScores(n)
	c.temperatures(ctx)
	for i := range n {
		c.score(i, &v.Temperature)
		v.NLL[i], v.Brier[i] = properScores(c.recalibrated.Row(i), int(labels[i]))
	}
	c.isotonic(ctx)
	for i := range n {
		c.score(i, &v.Isotonic)
	}
	return v, ctx.Err()
}

// properScores returns the NLL and the Brier score of a row with label y.
func properScores(p []float64, y int) (nll, brier float64) {
	rest := 0.0 // of the other classes in a sum of their own: they may be many and tiny
	for j, q := range p {
		if j != y {
			rest += float64(q * q)
		}
	}
	return logLoss(p[y]), rest + float64((1-p[y])*(1-p[y]))
}

// score mixes recalibrated row i with the uniform distribution, and keeps its terms.
func (c *crossFit) score(i int, t *scoring.VectorTerms) {
	c.mix(i)
	t.L1[i], t.L2[i], t.LInf[i] = variationalTerms(c.recalibrated.Row(i), c.probs.Row(i), int(c.labels[i]))
}

// crossFit is the state of CrossFit.
type crossFit struct {
	probs        data.Probs
	labels       []int32
	part         []uint8    // fold of each row
	held         [folds]int // rows of each fold
	recalibrated data.Probs // recalibrated
}

// mix mixes a recalibrated row with the uniform distribution.
func (c *crossFit) mix(i int) {
	row := c.recalibrated.Row(i)
	m := float64(len(c.part) - c.held[c.part[i]])
	if m == 0 {
		copy(row, c.probs.Row(i))
		return
	}
	share := 1 / (m + 1)
	for j := range row {
		row[j] = float64((1-share)*row[j]) + share/float64(len(row))
	}
}

// temperatures fills the recalibrated matrix with the probabilities scaled by a temperature.
func (c *crossFit) temperatures(ctx context.Context) {
	logs := c.recalibrated
	softmax.Logs(logs.Data, c.probs.Data)
	for i := range logs.Rows {
		row := logs.Row(i)
		for j, l := range row {
			row[j] = max(l, leastLog)
		}
		most := slices.Max(row)
		for j := range row {
			row[j] -= most
		}
	}
	var scale [folds]float64
	s := 1.0
	for f := range scale {
		switch {
		case c.held[f] == logs.Rows: // mix keeps its rows
		case c.allRight(uint8(f)):
			scale[f] = mostScale
		default:
			s = c.scale(ctx, uint8(f), s)
			scale[f] = s
		}
		if ctx.Err() != nil {
			return
		}
	}
	for i := range logs.Rows {
		row := logs.Row(i)
		for j := range row {
			row[j] *= scale[c.part[i]]
		}
		softmax.Exps(row, row)
		softmax.Normalise(row)
	}
}

// The smallest and the largest inverse temperature, as in probmetrics.
var leastScale, mostScale = math.Exp(-16), math.Exp(16)

// allRight reports whether no row outside fold f has a more probable class than its label.
// Then the NLL falls as s grows, and the largest s is the best one. The other matrix holds
// l <= 0, which is 0 for the most probable class.
func (c *crossFit) allRight(f uint8) bool {
	for i, y := range c.labels {
		if c.part[i] != f && c.recalibrated.Row(i)[y] < 0 {
			return false
		}
	}
	return true
}

// scale returns the s that minimises the mean NLL of softmax(s l) over the rows that
// are not in fold f, where the recalibrated matrix holds l, by Newton's method within a
// bracket from a start. It ends early when ctx is done.
func (c *crossFit) scale(ctx context.Context, f uint8, s float64) float64 {
	const near = 1e-13 // relative
	lo, hi := leastScale, mostScale
	for range 200 {
		if ctx.Err() != nil {
			break
		}
		slope, curvature := c.slope(f, s)
		if slope > 0 {
			hi = s
		} else {
			lo = s
		}
		step := slope / curvature
		next := s - step
		switch {
		case slope == 0 || hi <= lo*(1+near):
			return s
		case curvature > 0 && math.Abs(step) <= near*s:
			return min(max(next, leastScale), mostScale)
		case !(curvature > 0 && next > lo && next < hi):
			next = math.Sqrt(lo * hi)
		}
		s = next
	}
	return s
}

// slope returns the derivatives of the sum of the NLL in s.
func (c *crossFit) slope(f uint8, s float64) (slope, curvature float64) {
	k := c.recalibrated.Cols
	e := make([]float64, k)
	for i := range c.recalibrated.Rows {
		if c.part[i] == f {
			continue
		}
		row := c.recalibrated.Row(i)
		for j, l := range row {
			e[j] = s * l
		}
		softmax.Exps(e, e)
		var s0, s1, s2 float64
		for j, l := range row {
			s0 += e[j]
			t := float64(e[j] * l)
			s1 += t
			s2 += float64(t * l)
		}
		mean := s1 / s0
		slope += mean - row[c.labels[i]]
		curvature += s2/s0 - float64(mean*mean)
	}
	return slope, curvature
}

// isotonic fills the recalibrated matrix with the probabilities of isotonic regression, divided by
// their sum.
func (c *crossFit) isotonic(ctx context.Context) {
	n, k := c.probs.Rows, c.probs.Cols
	rests := restsOfLargest(c.probs) // only the largest is near 1
	s := &Samples{sorted: make([]sample, n), scores: &scoring.SampleScores{Rest: rests}}
	part := make([]uint8, n) // in the order of the class's probabilities
	var pools []pool
	for j := range k {
		if ctx.Err() != nil {
			return
		}
		for i := range n {
			s.sorted[i] = ofRow(c.probs.Data[i*k+j], rests[i], i, int(c.labels[i]) == j)
		}
		slices.SortFunc(s.sorted, byConfidence(rests))
		for i, x := range s.sorted {
			part[i] = c.part[x.row]
		}
		points := s.points(equal)
		for f := range uint8(folds) {
			pools, _ = s.isotonic(pools[:0], points, part, f)
			apply(pools, points, func(lo, hi int, g float64) {
				for i := lo; i < hi; i++ {
					if part[i] == f {
						c.recalibrated.Data[int(s.sorted[i].row)*k+j] = g
					}
				}
			})
		}
	}
	for i := range n {
		softmax.Normalise(c.recalibrated.Row(i))
	}
}

// restsOfLargest returns, for each row, the sum of the probabilities but the largest.
func restsOfLargest(probs data.Probs) []float64 {
	rests := make([]float64, probs.Rows)
	for i := range rests {
		most := 0.0
		for _, p := range probs.Row(i) {
			if p > most {
				p, most = most, p
			}
			rests[i] += p
		}
	}
	return rests
}

// variationalTerms returns <d, 1[y] - p> for subgradients d of the norms with p = 1, 2
// and infinity at g - p.
func variationalTerms(g, p []float64, y int) (l1, l2, lInf float64) {
	var norm, dot, most float64
	for j := range p {
		residual := -p[j]
		if j == y {
			residual = 1 - p[j]
		}
		d := g[j] - p[j]
		norm += float64(d * d)
		dot += float64(d * residual)
		switch {
		case d > 0:
			l1 += residual
		case d < 0:
			l1 -= residual
		}
		if size := math.Abs(d); size > most {
			most, lInf = size, math.Copysign(1, d)*residual
		}
	}
	if norm > 0 {
		l2 = dot / math.Sqrt(norm)
	}
	return l1, l2, lInf
}
