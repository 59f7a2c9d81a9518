package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/splitmix"
)

// Counts says how often each row stands in a set by its weight.
//
// Weights that are whole numbers are the counts. Other weights are multiplied by the least Unit up to mostUnit with
// which all of them are whole numbers and the rows at most fewestCounted or 20 times those of the files. Where there is none, Unit is that of the
// larger of these numbers of rows, and counts are rounded: rows of equal weight together have their sum within one
// row, and which of them have one more is drawn by the number of the row. So a mean changes by the noise of rows that count 20 times on
// average and are off by less than one.
type Counts struct {
	Rows  []int   // of each row, in the order of the files; 0 leaves it out
	Unit  float64 // rows that stand for a weight of 1
	Exact bool    // each count is Unit times the weight

	Weighted int     // rows with a weight above 0
	Total    int     // sum of Rows
	Kish     float64 // (sum of w)^2 / sum of w^2
}

// The limits of Counts.
const (
	mostUnit      = 1000
	fewestCounted = 100_000
	copiesOfARow  = 20
	mostCounted   = 1 << 28
)

// CountsOf returns the counts of rows by their weights; with normalise the weights are first divided by their mean.
// name names them in errors: a weight that is negative or no finite number, weights that are all 0, and whole numbers whose
// sum is above 2^28.
func CountsOf(weights []float64, normalise bool, name string) (*Counts, error) {
	c := &Counts{Rows: make([]int, len(weights)), Unit: 1, Exact: true}
	sum, squares, largest, whole := 0.0, 0.0, 0.0, true
	for i, w := range weights {
		if err := badWeight(name, i, w); err != nil {
			return nil, err
		}
		largest = max(largest, w)
	}
	if largest == 0 {
		return nil, &problem.Problem{Place: name, Cause: "all weights are 0: no row is left", Fix: "give at least one row a weight above 0"}
	}
	for _, w := range weights {
		if w > 0 {
			c.Weighted++
		}
		sum += w / largest // the sum of weights need not be a number
		squares += float64(w / largest * (w / largest))
		whole = whole && w == math.Trunc(w)
	}
	c.Kish = sum * sum / squares
	of := weights
	if normalise {
		mean := sum * largest / float64(len(weights))
		of = make([]float64, len(weights))
		whole = true
		for i, w := range weights {
			of[i] = w / mean
			if r := math.Round(of[i]); math.Abs(of[i]-r) <= wholeWithin*r {
				of[i] = r
			}
			whole = whole && of[i] == math.Trunc(of[i])
		}
		sum, largest = float64(len(weights)), 1
	}
	if whole {
		if sum*largest > mostCounted {
			return nil, &problem.Problem{Place: name, Cause: fmt.Sprintf("the weights sum to %.4g rows, and a set has at most %d", sum*largest, mostCounted),
				Fix: "--normalise-weights scales them to the number of rows; in Python, divide them by their mean"}
		}
		for i, w := range of {
			c.Rows[i] = int(w)
			c.Total += c.Rows[i]
		}
		return c, nil
	}
	c.scale(of, sum*largest)
	return c, nil
}

// wholeWithin is how far, relative to it, a number may be from a whole one by rounding, also to float32.
const wholeWithin = 1e-6

// scale sets the counts of weights that are no whole numbers, with their sum.
func (c *Counts) scale(weights []float64, sum float64) {
	most := float64(max(fewestCounted, copiesOfARow*c.Weighted))
	least := math.Inf(1)
	for _, w := range weights {
		if w > 0 {
			least = min(least, w)
		}
	}
	fits := func(unit float64) bool {
		return unit*sum <= most && !slices.ContainsFunc(weights, func(w float64) bool {
			x := unit * w
			return math.Abs(x-math.Round(x)) > wholeWithin*x
		})
	}
	for k := 1; k <= mostUnit; k++ {
		for _, unit := range []float64{float64(k), float64(k) / least} { // decimals; shares such as those of class weights
			if fits(unit) {
				c.Unit = unit
				for i, w := range weights {
					c.Rows[i] = int(math.Round(unit * w))
					c.Total += c.Rows[i]
				}
				return
			}
		}
	}
	c.Unit, c.Exact = most/sum, false
	order := make([]int, len(weights))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(weights[i], weights[j]), cmp.Compare(splitmix.Mix(uint64(i+1)*splitmix.Golden), splitmix.Mix(uint64(j+1)*splitmix.Golden)))
	})
	before, last := 0.0, 0
	for _, i := range order {
		before += float64(c.Unit * weights[i])
		next := int(math.Round(before))
		c.Rows[i], last = next-last, next
	}
	c.Total = last
}

// Note says how the rows are counted.
func (c *Counts) Note() Note {
	text := "{count} rows by weights, as {of} rows that are repeated"
	switch {
	case c.Unit != 1 && c.Exact:
		text = fmt.Sprintf("{count} rows by weights that are no whole numbers: a weight of 1 is %.6g rows, and {of} rows stand for all", c.Unit)
	case c.Unit != 1:
		text = fmt.Sprintf("{count} rows by weights that are no whole numbers: a weight of 1 is %.6g rows on average, rounded to whole rows, and {of} rows stand for all", c.Unit)
	}
	kind := ""
	if c.Exact {
		kind = "weights" // what was asked for, and no surprise
	}
	return Note{Kind: kind, Count: c.Weighted, Of: c.Total, Text: text + fmt.Sprintf("; copies of a row are one group, so that intervals are those of %.0f equal rows (Kish)", c.Kish)}
}

// Counted returns the set without weights: each row as often as CountsOf says, and copies of a row in one group. Without
// weights it is s itself.
func (s *Set) Counted(normalise bool) (*Set, error) {
	if s.Weights == nil {
		return s, nil
	}
	c, err := CountsOf(s.Weights, normalise, "weights")
	if err != nil {
		return nil, err
	}
	plain := *s
	plain.Weights = nil
	if plain.Groups == nil {
		plain.Groups = make([]int32, s.Len())
		for i := range plain.Groups {
			plain.Groups[i] = int32(i)
		}
	}
	rows := make([]int, 0, c.Total)
	for i, n := range c.Rows {
		for range n {
			rows = append(rows, i)
		}
	}
	counted := Gather(rows, &plain)
	counted.Groups, _ = NumberGroups(counted.Groups)
	if c.Unit != 1 {
		counted.Unit = c.Unit
	}
	return counted, nil
}

// count makes each row of the set as frequent as its weight says, also where the labels are not among the parts: all
// parts of a set have the same rows.
func (r *setReader) count(files Files, parts Parts, open func(ArrayFile) (*npy.Array, error)) error {
	if parts&ByRow == 0 || files.Weights == "" {
		return nil
	}
	weights := r.weights
	if weights == nil {
		var err error
		if weights, err = open(ArrayFile{Labels, "weights", files.Weights}); err != nil {
			return err
		}
		r.others = append(r.others, weights)
		if n := r.kept.FileRows(r.n); weights.FileRows() != n || weights.Cols() != 1 && len(weights.Shape()) != 1 {
			return &problem.Problem{Place: weights.Name(), Cause: fmt.Sprintf("shape %s; the other arrays have %d rows", npy.Tuple(weights.Shape()), n)}
		}
	}
	all := make([]float64, weights.FileRows())
	if err := npy.Floats(weights, all, new([]byte), 0, len(all)); err != nil {
		return err
	}
	if r.kept != nil { // rows without a class have no weight
		has := make([]bool, len(all))
		for i := range r.n {
			has[r.kept.FileRow(i)] = true
		}
		for i, ok := range has {
			if !ok {
				all[i] = 0
			}
		}
	}
	c, err := CountsOf(all, files.Normalise, weights.Name())
	if err != nil {
		return err
	}
	kept := npy.NewKept(len(all))
	for i, n := range c.Rows {
		for range n {
			kept.Add(i)
		}
	}
	r.counts = c
	r.keep(kept)
	return nil
}

// readRows reads the groups and the folds of rows lo..hi-1.
func (r *setReader) readRows(s *Set, buf *[]byte, lo, hi int) error {
	s.Weights, s.Groups, s.Folds, s.Unit = nil, nil, nil, 0
	if r.labels == nil {
		return nil
	}
	if r.counts != nil && r.counts.Unit != 1 {
		s.Unit = r.counts.Unit
	}
	r.grouped.Do(func() { r.group, r.groupErr = r.numberGroups() })
	if r.groupErr != nil {
		return r.groupErr
	}
	if r.group != nil {
		s.Groups = r.group[lo:hi]
	}
	if r.folds == nil {
		return nil
	}
	folds := make([]float64, hi-lo)
	if err := npy.Floats(r.folds, folds, buf, lo, hi); err != nil {
		return err
	}
	s.Folds = make([]int32, hi-lo)
	for i, v := range folds {
		if err := badFold(r.folds.Name(), r.folds.FileRow(lo+i), v); err != nil {
			return err
		}
		s.Folds[i] = int32(v)
	}
	return nil
}

// numberGroups returns the group of each row; nil if each row is its own.
func (r *setReader) numberGroups() ([]int32, error) {
	switch {
	case r.groups != nil && !r.groups.DType().Integer():
		var buf []byte
		names := make([]float64, r.n)
		if err := npy.Floats(r.groups, names, &buf, 0, r.n); err != nil {
			return nil, err
		}
		numbers, _ := NumberGroups(names)
		return numbers, nil
	case r.groups != nil:
		var buf []byte
		names := make([]int64, r.n)
		if err := r.groups.WideIntegers(names, &buf, 0, r.n); err != nil {
			return nil, err
		}
		numbers, _ := NumberGroups(names)
		return numbers, nil
	case r.counts != nil:
		rows := make([]int, r.n)
		for i := range rows {
			rows[i] = r.kept.FileRow(i)
		}
		numbers, _ := NumberGroups(rows)
		return numbers, nil
	}
	return nil, nil
}
