package temperature

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// ClassTemperatureScaling is class-based temperature scaling: every class has its own
// temperature, which divides its logit. The prediction may change. l_j/T_j is not
// relative to the other logits, so the offset of a row matters.
//
// Several readings of the paper exist. Ours follows code of the same group and of
// later benchmarks. All T_j start at the temperature of ts, limited to [0.5, 5]. Then
// the classes take turns. Each moves to the temperature of the grid with the least
// ECE-15 on the calibration set, among those that do not lower its accuracy. The search
// ends when a round of turns changes nothing, or after 5 rounds. (Another reading fits
// the T_j by NLL, which is vector scaling without offsets. In a third, the predicted
// class selects one temperature for the row.)
//
//   - Formula: p_j = exp(l_j/T_j) / sum over c of exp(l_c/T_c), T_j of 0.5, 0.6, ..., 5
//     found class by class for the least ECE-15
//   - Reference: Frenkel and Goldberger 2021
//   - Compared with: calibench (others'); numpy
//   - Agreement: T exactly on drawn rows, with a search in numpy in our order of classes
//   - Departures: Only the abstract of the paper is known to us. Classes take turns from
//     the most frequent to the rarest on the calibration set; of equally frequent classes
//     the one with the larger mean logit is first. In calibench they go by number, and the
//     result depends on it. A class without calibration rows keeps its temperature. A
//     decrease of the ECE by 1e-9 or less does not count.
type ClassTemperatureScaling struct{}

// CTSEntry is the entry of ClassTemperatureScaling.
var CTSEntry = calib.NewEntry[ClassTemperatureScaling, ctsMap](calib.Entry{
	Name:    "cts",
	Label:   "CTS",
	Version: 3,
	Summary: "a temperature for the logit of each class, found on a grid for the least ECE-15",
	Aliases: []string{"class-temperature-scaling", "classwise-temperature-scaling"},
	Cost:    135,
	Cost100: 490,
})

// String returns the name of the method.
func (ClassTemperatureScaling) String() string { return CTSEntry.Name }

const (
	ctsPoints = 46 // points of the grid
	ctsBins   = 15
	ctsRounds = 5
)

// ctsGrid returns point g of the grid.
func ctsGrid(g int) float64 { return float64(5+g) / 10 }

// Contract needs labels and logits that are not log-probabilities.
func (ClassTemperatureScaling) Contract() calib.Contract {
	return calib.Contract{Cal: data.Logits | data.Labels, Test: data.Logits, TrueLogits: true, Masked: true, LogitSize: calib.SizeOfValues}
}

// Fit returns the temperatures. The report counts the iterations of ts and each change
// of a temperature as iterations; the ECE has no gradient. It counts as passes the
// passes of ts, one for each round, and one for the final NLL. A turn reads one column
// of the logits and the rows in which its class has the largest l_j/T_j.
func (ClassTemperatureScaling) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	_, t, flat, err := method.Temperature(ctx, in)
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
	return method.Reported(ctx, ctsMap{s.t}, in.Cal, calib.Report{
		Iterations: flat.Iterations + changes, Passes: flat.Passes + float64(rounds),
	})
}

// ctsSearch is the state of the search.
type ctsSearch struct {
	set   *data.Set
	t     []float64 // k
	turns []int     // classes in the order of their turns

	// For every row at these temperatures: the largest l_j/T_j, its class, and
	// the sum of exp(l_j/T_j - largest).
	most []float64
	top  []int32
	sum  []float64

	score  ctsScore
	blocks []ctsTally // scratch
}

// ctsScore is the criterion and the constraint.
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

// round lets every class take its turn and returns the number of temperatures that
// changed. It computes the sums of all rows again, since updates accumulate rounding
// errors.
func (s *ctsSearch) round(ctx context.Context) (int, error) {
	err := s.each(ctx, func(t *ctsTally, i int) {
		s.most[i], s.top[i], s.sum[i] = s.without(s.set.Logits.Row(i), -1)
		t.all.add(1/s.sum[i], s.top[i] == s.set.Labels[i])
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

// each calls do for every row, with the tally of its block.
func (s *ctsSearch) each(ctx context.Context, do func(t *ctsTally, i int)) error {
	return fit.EachBlock(ctx, s.set.Logits.Rows, func(block, lo, hi int) {
		t := &s.blocks[block]
		*t = ctsTally{}
		for i := lo; i < hi; i++ {
			do(t, i)
		}
	})
}

// largest returns the largest l_j/T_j of a row and its class, with one class left out.
func (s *ctsSearch) largest(row []float32, class int) (most float64, top int32) {
	most, top = math.Inf(-1), -1
	for j, l := range row {
		if x := float64(l) / s.t[j]; j != class && x > most {
			most, top = x, int32(j)
		}
	}
	return most, top
}

// without returns the largest l_j/T_j of a row, its class and the sum of
// exp(l_j/T_j - largest), with one class left out. If no class is left, the sum is 0.
func (s *ctsSearch) without(row []float32, class int) (most float64, top int32, sum float64) {
	most, top = s.largest(row, class)
	for j, l := range row {
		if j != class {
			sum += softmax.Exp(float64(l)/s.t[j] - most)
		}
	}
	return most, top, sum
}

// ctsSums are the sums over rows from which ECE and accuracy follow.
type ctsSums struct {
	gap  [ctsBins]float64 // hits minus confidences
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

// ctsTally holds the sums of one block of rows: of the rows that no point of the
// grid changes, and of the others at every point.
type ctsTally struct {
	all ctsSums
	at  [ctsPoints]ctsSums
}

// total returns the score at point g. It adds the blocks in their order.
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
// lower the accuracy are found first, by comparisons, so that they cost no
// exponentials.
func (s *ctsSearch) turn(ctx context.Context, class int) (bool, error) {
	if err := s.each(ctx, func(t *ctsTally, i int) { s.count(t, i, class) }); err != nil {
		return false, err
	}
	var points []int // of the grid, without a loss of hits
	for g := range ctsPoints {
		if s.total(g).hits >= s.score.hits {
			points = append(points, g)
		}
	}
	if len(points) == 0 {
		return false, nil
	}
	if err := s.each(ctx, func(t *ctsTally, i int) { s.tally(t, i, class, points) }); err != nil {
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
	return true, s.each(ctx, func(_ *ctsTally, i int) { s.update(i, class, before) })
}

// update updates row i after the temperature of class has changed.
func (s *ctsSearch) update(i, class int, before float64) {
	row := s.set.Logits.Row(i)
	l := float64(row[class])
	if int(s.top[i]) == class || l/s.t[class] >= s.most[i] {
		s.most[i], s.top[i], s.sum[i] = s.without(row, -1)
		return
	}
	s.sum[i] += softmax.Exp(l/s.t[class]-s.most[i]) - softmax.Exp(l/before-s.most[i])
}

// beats reports whether class with l/T = x is the prediction.
func beats(x, most float64, class int, top int32) bool {
	return x > most || (x == most && class < int(top))
}

// count adds the hit of row i at every point of the grid for class.
func (s *ctsSearch) count(sums *ctsTally, i, class int) {
	most, top := s.most[i], s.top[i] // of the other classes
	if int(top) == class {
		most, top = s.largest(s.set.Logits.Row(i), class)
	}
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

// tally adds row i at the given points of the grid, in ascending order, for class.
func (s *ctsSearch) tally(sums *ctsTally, i, class int, points []int) {
	row, label := s.set.Logits.Row(i), s.set.Labels[i]
	most, top, rest := s.most[i], s.top[i], s.sum[i] // of the other classes
	l := float64(row[class])
	if int(top) == class {
		most, top, rest = s.without(row, class)
	} else {
		rest -= softmax.Exp(l/s.t[class] - most) // at least 1, of the top class
	}
	// A logit that is 40 below the others at all points changes no digit.
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

// ctsMap holds the temperatures of k classes.
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
		if err := fit.CheckTemperature("T", t); err != nil {
			return fmt.Errorf("class %d: %w", j, err)
		}
	}
	return nil
}
