package calib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// ClassTemperatureScaling is class-based temperature scaling (Frenkel and Goldberger 2021):
// every class has a temperature of its own, by which its logit is divided,
//
//	p_j = exp(l_j / T_j) / sum over c of exp(l_c / T_c).
//
// Only the abstract is public to us. Of the readings in circulation this is
// that of code of the same group and of later benchmarks: all T_j begin at the
// temperature of ts, held within [0.5, 5]; then the classes take turns, and
// each moves to the temperature of 0.5, 0.6, ..., 5 with the least ECE-15 on
// the calibration set, among those that do not lower its accuracy, until a
// round of turns changes nothing or after 5. (Another reading fits the T_j by
// NLL, which is vector scaling without its offsets; a third lets the predicted
// class choose one temperature for the row.)
//
// Classes take turns from the most frequent to the rarest on the calibration
// set, of equally frequent ones that with the larger mean logit first, so
// that no numbering of the classes matters; theirs go by number, and what they
// find depends on it: on one network a mean ECE of 1.07 against our .94 per
// cent. A class without calibration rows stays as it is. A gain below 1e-9 is
// none.
//
// The prediction may change, and since l_j/T_j is not relative to the other
// logits, the offset of a row matters.
type ClassTemperatureScaling struct{}

func ctsEntry() Entry {
	return NewEntry[ClassTemperatureScaling, ctsMap](Entry{
		Name:      "cts",
		Label:     "CTS",
		Version:   1,
		Summary:   "a temperature for the logit of each class, by turns on a grid for the least ECE-15",
		Reference: "Frenkel and Goldberger 2021",
	})
}

const (
	ctsPoints = 46 // of the grid
	ctsBins   = 15
	ctsRounds = 5
)

// ctsGrid returns point g of the grid.
func ctsGrid(g int) float64 { return float64(5+g) / 10 }

func (ClassTemperatureScaling) Contract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits, TrueLogits: true}
}

// Fit reports as iterations how often a temperature changed, and no gradient:
// the ECE has none. Its passes are those of ts, the last, and one for each
// round; a turn reads a column of the logits and the rows that its class leads.
func (ClassTemperatureScaling) Fit(ctx context.Context, in Input) (*Fitted, error) {
	o, err := in.objective()
	if err != nil {
		return nil, err
	}
	t, flat, err := fit.Temperature(ctx, o)
	if err != nil {
		return nil, err
	}
	s := newCTSSearch(in.Cal, min(max(t, ctsGrid(0)), ctsGrid(ctsPoints-1)))
	changes, rounds := 0, 0
	for changed := 1; changed > 0 && rounds < ctsRounds; rounds++ {
		if changed, err = s.round(ctx); err != nil {
			return nil, err
		}
		changes += changed
	}
	f, err := reported(ctx, ctsMap{s.t}, in.Cal, flat.Passes+float64(rounds))
	if err != nil {
		return nil, err
	}
	f.Report.Iterations = flat.Iterations + changes
	return f, nil
}

// ctsSearch is the state of the search.
type ctsSearch struct {
	set   *data.Set
	t     []float64 // k
	turns []int     // classes in the order of their turns

	// Of every row at these temperatures: the largest l_j/T_j, its class, and
	// the sum of exp(l_j/T_j - largest).
	most []float64
	top  []int32
	sum  []float64

	score  ctsScore
	blocks []ctsTally // scratch
}

// ctsScore is what candidates are judged by.
type ctsScore struct {
	ece  float64
	hits int
}

func newCTSSearch(set *data.Set, t float64) *ctsSearch {
	n, k := set.Logits.Rows, set.Logits.Cols
	s := &ctsSearch{
		set: set, t: make([]float64, k),
		most: make([]float64, n), top: make([]int32, n), sum: make([]float64, n),
		blocks: make([]ctsTally, fit.NumBlocks(n)),
	}
	count, mass := make([]int, k), make([]float64, k)
	for i, y := range set.Labels {
		count[y]++
		for j, l := range set.Logits.Row(i) {
			mass[j] += float64(l)
		}
	}
	for j := range k {
		s.t[j] = t
		if count[j] > 0 {
			s.turns = append(s.turns, j)
		}
	}
	slices.SortStableFunc(s.turns, func(a, b int) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(mass[b], mass[a]))
	})
	return s
}

// round lets every class take its turn and returns how many temperatures
// changed. It begins with sums that are free of what updates have rounded.
func (s *ctsSearch) round(ctx context.Context) (int, error) {
	n := s.set.Logits.Rows
	err := fit.EachBlock(ctx, n, func(block, lo, hi int) {
		t := &s.blocks[block]
		*t = ctsTally{}
		for i := lo; i < hi; i++ {
			s.most[i], s.top[i], s.sum[i] = s.without(s.set.Logits.Row(i), -1)
			t.all.add(1/s.sum[i], s.top[i] == s.set.Labels[i])
		}
	})
	if err != nil {
		return 0, err
	}
	s.score = s.total(0)
	changes := 0
	for _, class := range s.turns {
		changed, err := s.turn(ctx, class)
		if err != nil {
			return changes, err
		}
		if changed {
			changes++
		}
	}
	return changes, nil
}

// without returns the largest l_j/T_j of a row, its class and the sum of
// exp(l_j/T_j - largest), one class left out. With no class left the sum is 0.
func (s *ctsSearch) without(row []float32, class int) (most float64, top int32, sum float64) {
	most, top = math.Inf(-1), -1
	for j, l := range row {
		if x := float64(l) / s.t[j]; j != class && x > most {
			most, top = x, int32(j)
		}
	}
	for j, l := range row {
		if j != class {
			sum += softmax.Exp(float64(l)/s.t[j] - most)
		}
	}
	return most, top, sum
}

// ctsSums is what ECE and accuracy are made of.
type ctsSums struct {
	gap  [ctsBins]float64 // hits less confidences
	hits int
}

func (s *ctsSums) add(conf float64, hit bool) {
	gap := -conf
	if hit {
		s.hits++
		gap++
	}
	s.gap[softmax.Bin(min(conf, 1), ctsBins)] += gap
}

// ctsTally is the sums of one block of rows: of those that no point of the
// grid changes, and of the others at every point.
type ctsTally struct {
	all ctsSums
	at  [ctsPoints]ctsSums
}

// total returns the score at point g, of all blocks in their order.
func (s *ctsSearch) total(g int) ctsScore {
	var gap [ctsBins]float64
	var c ctsScore
	for b := range s.blocks {
		t := &s.blocks[b]
		c.hits += t.all.hits + t.at[g].hits
		for bin := range gap {
			gap[bin] += t.all.gap[bin] + t.at[g].gap[bin]
		}
	}
	for _, v := range gap {
		c.ece += math.Abs(v) / float64(s.set.Logits.Rows)
	}
	return c
}

// turn moves class to the best point of the grid, if it is better. Points that
// lower the accuracy are found first, by comparisons; exponentials are for the
// others.
func (s *ctsSearch) turn(ctx context.Context, class int) (bool, error) {
	n := s.set.Logits.Rows
	err := fit.EachBlock(ctx, n, func(block, lo, hi int) {
		t := &s.blocks[block]
		*t = ctsTally{}
		for i := lo; i < hi; i++ {
			s.count(t, i, class)
		}
	})
	if err != nil {
		return false, err
	}
	var points []int // of the grid, that lose no hits
	for g := range ctsPoints {
		if s.total(g).hits >= s.score.hits {
			points = append(points, g)
		}
	}
	if len(points) == 0 {
		return false, nil
	}
	err = fit.EachBlock(ctx, n, func(block, lo, hi int) {
		t := &s.blocks[block]
		*t = ctsTally{}
		for i := lo; i < hi; i++ {
			s.tally(t, i, class, points)
		}
	})
	if err != nil {
		return false, err
	}
	best, at := s.score, -1
	for _, g := range points {
		if c := s.total(g); c.ece < best.ece-1e-9 {
			best, at = c, g
		}
	}
	if at < 0 {
		return false, nil
	}
	before := s.t[class]
	s.t[class], s.score = ctsGrid(at), best
	return true, fit.EachBlock(ctx, n, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			s.update(i, class, before)
		}
	})
}

// update brings row i up to date after the temperature of class has changed.
func (s *ctsSearch) update(i, class int, before float64) {
	row := s.set.Logits.Row(i)
	l := float64(row[class])
	if int(s.top[i]) == class || l/s.t[class] >= s.most[i] {
		s.most[i], s.top[i], s.sum[i] = s.without(row, -1)
		return
	}
	s.sum[i] += softmax.Exp(l/s.t[class]-s.most[i]) - softmax.Exp(l/before-s.most[i])
}

// rivals returns the largest l_j/T_j of the other classes of row i, and which.
func (s *ctsSearch) rivals(i, class int) (most float64, top int32) {
	if int(s.top[i]) != class {
		return s.most[i], s.top[i]
	}
	most, top = math.Inf(-1), -1
	for j, l := range s.set.Logits.Row(i) {
		if x := float64(l) / s.t[j]; j != class && x > most {
			most, top = x, int32(j)
		}
	}
	return most, top
}

// beats reports whether class with l/T = x is the prediction.
func beats(x, most float64, class int, top int32) bool {
	return x > most || (x == most && class < int(top))
}

// count adds the hit of row i at every point of the grid for class.
func (s *ctsSearch) count(sums *ctsTally, i, class int) {
	most, top := s.rivals(i, class)
	label := s.set.Labels[i]
	l := float64(s.set.Logits.Row(i)[class])
	switch {
	case int32(class) != label && top != label:
		return
	case max(l/ctsGrid(0), l/ctsGrid(ctsPoints-1)) < most:
		if top == label {
			sums.all.hits++
		}
		return
	}
	for g := range ctsPoints {
		if beats(l/ctsGrid(g), most, class, top) == (int32(class) == label) {
			sums.at[g].hits++
		}
	}
}

// tally adds row i at the given points of the grid, which ascend, for class.
func (s *ctsSearch) tally(sums *ctsTally, i, class int, points []int) {
	row, label := s.set.Logits.Row(i), s.set.Labels[i]
	most, top, rest := s.most[i], s.top[i], s.sum[i] // of the other classes
	l := float64(row[class])
	if int(top) == class {
		most, top, rest = s.without(row, class)
	} else {
		rest -= softmax.Exp(l/s.t[class] - most) // at least 1, of the top class
	}
	// What is 40 below the others at all points changes no digit.
	if max(l/ctsGrid(points[0]), l/ctsGrid(points[len(points)-1])) < most-40 {
		sums.all.add(1/rest, top == label)
		return
	}
	for _, g := range points {
		if x := l / ctsGrid(g); beats(x, most, class, top) {
			sums.at[g].add(1/(1+float64(rest*softmax.Exp(most-x))), int32(class) == label)
		} else {
			sums.at[g].add(1/(rest+softmax.Exp(x-most)), top == label)
		}
	}
}

// ctsMap holds the temperatures of k classes. It serves sets of k classes only.
type ctsMap struct {
	T []float64
}

// Apply writes the n x k probabilities.
func (m ctsMap) Apply(dst data.Probs, set *data.Set) {
	for i := range set.Logits.Rows {
		q := dst.Row(i)
		for j, l := range set.Logits.Row(i) {
			q[j] = float64(l) / m.T[j]
		}
		fit.ToSoftmax(q)
	}
}

// NumClasses returns k.
func (m ctsMap) NumClasses() int { return len(m.T) }

func (m ctsMap) Check() error {
	if len(m.T) == 0 {
		return errors.New("no classes")
	}
	for j, t := range m.T {
		if !usable(t) {
			return fmt.Errorf("class %d: temperature T = %v: want one in [1e-6, 1e8]", j, t)
		}
	}
	return nil
}
