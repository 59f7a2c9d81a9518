package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Verdict says by how much two methods differ in the quantity that decides by a metric, and
// what the test rows show of it.
type Verdict struct {
	By         string  // name of the Basis
	Difference float64 // other minus base, in the unit of the basis
	Lo, Hi     float64 // interval of the difference in the population, at the level of the options
	P          float64 // 1 - the largest level at which the interval does not contain 0, in [0, 1]
}

// FewestRows is the number of wrong predictions, and of right ones, from which rows show
// anything about calibration. With fewer all intervals are too short.
const FewestRows = 10

var (
	errOneRow  = errors.New("one row does not vary")
	errNoWidth = errors.New("the difference is the same in all rows")
)

// enough returns why samples are too few for a verdict, or nil.
func enough(s *Samples) error {
	right := s.correct()
	if group := s.groups(); group != nil {
		right, wrong := groupsWith(group, s.scores.Correct)
		if min(wrong, right) < FewestRows {
			return fmt.Errorf("%d groups with right and %d with wrong predictions: verdicts and intervals take %d of each", right, wrong, FewestRows)
		}
		return nil
	}
	if wrong := s.Len() - right; min(wrong, right) < FewestRows {
		return fmt.Errorf("%d right and %d wrong predictions: verdicts and intervals take %d of each", right, wrong, FewestRows)
	}
	return nil
}

// enoughFor returns why samples are too few for a verdict or an interval of a metric, or nil.
func enoughFor(positive bool, s *Samples) error {
	if positive {
		return enoughLabels(s)
	}
	return enough(s)
}

// verdict compares the quantity of two methods on the same rows.
//
// With d_i the differences of influence of m rows (or groups of rows), s their standard
// deviation and g their skewness, the interval at level L is the union of two:
//
//	Difference +- t s / sqrt(m)                       t the quantile (1 + L)/2 of Student's t, m - 1 degrees of freedom
//	Difference - s / sqrt(m) h(z), z = z_(1+L)/2, -z_(1+L)/2    h the inverse of x + g (x^2/3 + 1/6)/sqrt(m) + g^2 x^3/(27 m)
//
// The second is that of Hall (1992), which follows a skewed mean: few rows with large
// errors make the first too short on their side. The second alone is too short where the
// skewness of few rows is off.
//
// Where every number of influence is 0 or 1, the difference is one of two shares of the
// rows, and the rows that count are those on which the methods differ. Two rows are added
// then, one in favour of each method (Bonett and Price 2012), to the standard deviation
// and the middle of the interval.
//
// It is an error if there is no interval: of one row, or where all d_i are equal and the
// difference is not 0. Methods whose rows all agree have the interval [0, 0] and P 1; where these are 0
// or 1, the two added rows give an interval around 0.
func verdict(base, other terms, level float64) (Verdict, error) {
	d := make([]float64, len(base.influence), len(base.influence)+2)
	floats.SubTo(d, other.influence, base.influence)
	v := Verdict{Difference: other.value - base.value}
	if len(d) < 2 {
		return v, errOneRow
	}
	middle := v.Difference
	if d = clustered(d, base.group); len(d) < 2 {
		return v, errOneRow
	}
	if shares(base.influence) && shares(other.influence) {
		middle *= float64(len(d)) / float64(len(d)+2)
		d = append(d, 1, -1)
	}
	r, p, err := spread(d, middle, level)
	v.Lo, v.Hi, v.P = r.Lo, r.Hi, p
	return v, err
}

// shares reports whether every number is 0 or 1.
func shares(rows []float64) bool {
	return !slices.ContainsFunc(rows, func(x float64) bool { return x != 0 && x != 1 })
}

// spread returns the interval of a number that varies as the mean of d does, and the P of its
// being 0, of two numbers or more; see verdict.
func spread(d []float64, middle, level float64) (Range, float64, error) {
	deviation, skewness := moments(d)
	if deviation == 0 {
		if middle != 0 {
			return Range{}, 0, errNoWidth
		}
		return Range{}, 1, nil
	}
	m := float64(len(d))
	scale := deviation / math.Sqrt(m)
	normal, student := distuv.UnitNormal, distuv.StudentsT{Mu: 0, Sigma: 1, Nu: m - 1}
	t, z := student.Quantile((1+level)/2), normal.Quantile((1+level)/2)
	r := Range{
		middle - float64(scale*max(t, hallInverse(z, skewness, m))),
		middle + float64(scale*max(t, -hallInverse(-z, skewness, m))),
	}
	x := middle / scale
	h := hall(x, skewness, m)
	return r, min(1, max(2*student.CDF(-math.Abs(x)), 2*min(normal.CDF(h), normal.CDF(-h)))), nil
}

// moments returns the standard deviation, with n-1, and the skewness, with n, of n >= 2
// numbers; of equal ones 0. Numbers that differ by rounding alone count as equal.
func moments(d []float64) (deviation, skewness float64) {
	n, mean, largest := float64(len(d)), 0.0, 0.0
	for _, x := range d {
		mean += x
		largest = max(largest, math.Abs(x))
	}
	if largest > 0 && largest < 0x1p-300 { // the cubes would be 0
		larger := make([]float64, len(d))
		for i, x := range d {
			larger[i] = x * 0x1p600
		}
		deviation, skewness = moments(larger)
		return deviation * 0x1p-600, skewness
	}
	mean /= n
	var squares, cubes float64
	for _, x := range d {
		x -= mean
		squares += float64(x * x)
		cubes += float64(float64(x*x) * x)
	}
	deviation = math.Sqrt(squares / (n - 1))
	if !(deviation > 1e-12*largest) {
		return 0, 0
	}
	return deviation, cubes / n / (deviation * deviation * deviation)
}

// hall makes the studentised mean x of n numbers of the given skewness nearly normal (Hall
// 1992). It grows with x.
func hall(x, skewness, n float64) float64 {
	a := skewness / 3 / math.Sqrt(n)
	return x + float64(a*x*x) + float64(a*a*x*x*x)/3 + a/2
}

// hallInverse is the inverse of hall.
func hallInverse(y, skewness, n float64) float64 {
	a := skewness / 3 / math.Sqrt(n)
	if math.Abs(a) < 1e-9 {
		return y
	}
	return (math.Cbrt(1+float64(3*a*(y-a/2))) - 1) / a
}

// decision is the verdict on a method, or why there is none.
type decision struct {
	verdict *Verdict
	err     error
}

// decide returns, for each of the others, the verdicts by name of the basis, of all bases
// that the metrics have. It holds the influence of rows on two methods at a time.
func decide(base *Samples, others []*Samples, opts PairOptions) []map[string]decision {
	decided := make([]map[string]decision, len(others))
	for m := range decided {
		decided[m] = map[string]decision{}
	}
	known := map[string]bool{}
	for _, e := range opts.Metrics {
		for i := range e.Outputs {
			basis, ok := e.measure(i)
			if !ok || known[basis.Name] {
				continue
			}
			known[basis.Name] = true
			before, err1 := basis.termsOf(base, opts.Seed)
			for m, other := range others {
				after, err2 := basis.termsOf(other, opts.Seed)
				if err := cmp.Or(err1, err2); err != nil {
					decided[m][basis.Name] = decision{nil, err}
					continue
				}
				v, err := verdict(before, after, opts.Level)
				if v.By = basis.Name; err != nil {
					decided[m][basis.Name] = decision{nil, err}
					continue
				}
				decided[m][basis.Name] = decision{&v, nil}
			}
		}
	}
	return decided
}

// termsOf returns the quantity of a method. It is an error if the rows are too few.
func (b Basis) termsOf(s *Samples, seed uint64) (terms, error) {
	if !b.fewRows {
		if err := enoughFor(b.positive, s); err != nil {
			return terms{}, err
		}
	}
	t, err := b.terms(s, seed)
	if group := s.groups(); group != nil && len(t.influence) == len(group) {
		t.group = group
	}
	return t, err
}
