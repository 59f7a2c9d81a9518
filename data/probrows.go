package data

import (
	"fmt"
	"math"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
)

// Rows of probabilities that were rounded do not sum to 1. Of k numbers that were rounded to the step
// u, the sum is off by at most k u / 2. A row is divided by its sum if that is within
//
//	max(0.01, k u / 2), at most 0.1
//
// of 1, where u is the step of the decimals of the whole array; 0 for an array that has none.

const (
	// mostSum bounds the distance of a sum from 1, whatever the decimals are.
	mostSum = 0.1

	// sumSlack is for sums such as .51 + .5, which are at the limit and beyond it by rounding.
	sumSlack = 1e-9

	// beyondOne is how far a probability that stands alone may be above 1: by rounding to float32, or
	// to five decimals.
	beyondOne = 0x1p-16

	// mostDecimals is the number of decimals up to which a step is looked for.
	mostDecimals = 6
)

// sumLimit returns the limit of the sums of the rows of a, which it reads all.
func sumLimit(a *npy.Array) (float64, error) {
	decimals := 1
	err := a.Each(func(_ int, row []float64) bool {
		for _, v := range row {
			for decimals <= mostDecimals && !hasDecimals(v, decimals) {
				decimals++
			}
		}
		return decimals <= mostDecimals
	})
	if err != nil || decimals > mostDecimals {
		return looseSum, err
	}
	return min(mostSum, max(looseSum, float64(a.Cols())*math.Pow10(-decimals)/2)), nil
}

// CutOnes writes 1 over the numbers of a row that are above 1 by rounding, at most 1 + 2^-16.
func CutOnes(row []float64) {
	for j, p := range row {
		if p > 1 && p <= 1+beyondOne {
			row[j] = 1
		}
	}
}

// hasDecimals reports whether a number has at most so many decimals, also if it was rounded to float32
// after that.
func hasDecimals(v float64, decimals int) bool {
	x := v * math.Pow10(decimals)
	return math.Abs(x-math.Round(x)) <= math.Pow10(decimals)*0x1p-23
}

// probRows checks rows of probabilities of an array. Its limit is that of sumLimit, which is found
// when a row first needs it.
type probRows struct {
	a     *npy.Array
	exact float64 // a sum this near to 1 is 1
	limit float64
	found bool

	divided int // rows that sum to 1 only within the limit
	zeros   int // numbers that are exactly 0
}

// check returns the sum of row i, whose numbers are in [0, 1], or a little beyond 1 by rounding. It
// counts the row if it is to be divided by its sum, and its zeros.
func (p *probRows) check(i int, row []float64) (sum float64, err error) {
	sum, zeros, class := sumOfProbs(row)
	if class >= 0 {
		return 0, notProbs(p.a.Name()+": "+p.a.Place(i, class), row[class], row)
	}
	off := math.Abs(sum - 1)
	limit := looseSum
	if off > looseSum {
		if !p.found {
			if p.limit, err = sumLimit(p.a); err != nil {
				return 0, err
			}
			p.found = true
		}
		limit = p.limit
	}
	if !(off <= limit+sumSlack) {
		return 0, &problem.Problem{Place: fmt.Sprintf("%s: row %d", p.a.Name(), p.a.FileRow(i)), Cause: fmt.Sprintf("probabilities sum to %.9g, which is not 1 within %.3g", sum, limit)}
	}
	if off > p.exact {
		p.divided++
	}
	p.zeros += zeros
	return sum, nil
}

// notes says how many rows are divided by their sum, and how many numbers are exactly 0. It warns
// where the limit is that of decimals.
func (p *probRows) notes() (list []Note) {
	if p.divided > 0 {
		list = append(list, p.sumNote())
	}
	if p.zeros > 0 {
		list = append(list, ZeroNote(p.zeros))
	}
	return list
}

// sumNote says how many rows are divided by their sum.
func (p *probRows) sumNote() Note {
	limit, why := looseSum, ""
	if p.found && p.limit > looseSum {
		limit, why = p.limit, ", as rounded decimals do,"
	}
	return Note{Warning: limit > looseSum, Text: fmt.Sprintf("{count} of {of} rows of probabilities sum to 1 only within %.3g%s and are divided by their sum", limit, why), Count: p.divided, Of: p.a.Rows()}
}

// ProbReader reads rows of probabilities in float64, as they are in the file. Rows that do not sum to
// 1 are divided by their sum, and so are those with a number above 1. A probability of exactly 0 is
// ZeroProb. One column, or one axis, holds the probability of class 1.
type ProbReader struct{ rows probRows }

// NewProbReader returns a reader of an array n x k, n x 1 or n.
func NewProbReader(a *npy.Array) (*ProbReader, error) {
	if s := a.Shape(); len(s) != 1 && len(s) != 2 || a.Cols() < 1 {
		return nil, &problem.Problem{Place: a.Name(), Cause: "shape " + npy.Tuple(s), Fix: "probabilities are n x k, or n for the probability of class 1 of two"}
	}
	exact := exactSum + float64(a.Cols())*0x1p-24 // the rounding errors of a softmax in float32
	return &ProbReader{probRows{a: a, exact: exact}}, nil
}

// Classes returns k, which is 2 for one column.
func (r *ProbReader) Classes() int { return max(2, r.rows.a.Cols()) }

// Read reads rows lo..hi-1 into dst, (hi-lo) x k.
func (r *ProbReader) Read(dst []float64, lo, hi int) error {
	a, k := r.rows.a, r.Classes()
	if a.Cols() > 1 {
		if err := a.ReadFloat64(dst, lo, hi); err != nil {
			return err
		}
		for i := lo; i < hi; i++ {
			row := dst[(i-lo)*k:][:k]
			sum, err := r.rows.check(i, row)
			if err != nil {
				return err
			}
			above := false
			for _, v := range row {
				above = above || v > 1
			}
			if math.Abs(sum-1) > r.rows.exact || above {
				for j := range row {
					row[j] /= sum
				}
			}
			RaiseZeros(row)
		}
		return nil
	}
	ones := make([]float64, hi-lo)
	if err := a.ReadFloat64(ones, lo, hi); err != nil {
		return err
	}
	for i, v := range ones {
		if !(v >= 0 && v <= 1+beyondOne) {
			return notProbs(fmt.Sprintf("%s: row %d", a.Name(), a.FileRow(lo+i)), v, ones[i:i+1])
		}
		v = min(v, 1)
		row := dst[2*i:][:2]
		row[0], row[1] = 1-v, v
		r.rows.zeros += RaiseZeros(row)
	}
	return nil
}

// Notes says how many of the rows that were read are divided by their sum, and how many of their
// numbers are exactly 0.
func (r *ProbReader) Notes() []Note { return r.rows.notes() }
