package isotonic

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// InductiveVennAbers is the inductive Venn-Abers predictor. For a binary problem and a
// score s it has two probabilities: p0 and p1 are the values at s of the isotonic
// regressions of the calibration rows and of one more row, with score s and outcome 0
// or 1. If the rows are exchangeable, one of the two is calibrated. Merged into p they
// minimise the largest regret of the logarithmic loss. p is never 0 or 1.
//
// Several classes are coupled in one of two ways.
//
//   - one-vs-rest: for each class the score is its softmax probability. The score of a
//     row that is tied with a calibration score is equal to it.
//   - one-vs-one: for each pair of classes the rows of these two classes are used. The
//     score is the difference of the two logits, so only equal differences tie. The
//     pairs r_ij = p(i rather than j) are coupled as in Price et al. (1994) and
//     Manokhin (2017), and divided by the sum of the row. At most 100 classes.
//
// A class without calibration rows takes part like the others: with one class against
// the rest, p0 = 0 and p1 falls with the number of rows of larger scores; a pair
// without rows has p = 1/2. The prediction may change.
//
// The map keeps every calibration score, n k or n (k-1) of them, because p1 rises at
// every row. So n k is at most 10 million.
//
//   - Formula: q_j = p / sum of the same, p = p1/(1-p0+p1), where p0 and p1 are the
//     isotonic regressions at p_j of the n pairs (p_ij, 1[y_i = j]) and one more pair
//     of outcome 0 or 1; or pairs of classes, coupled by q_i = 1 / (sum over j != i of
//     1/r_ij - (k-2))
//   - Reference: Vovk, Petej and Fedorova 2015; Manokhin 2017
//   - Compared with: ip200/venn-abers 1.5.3, package of the authors
//   - Agreement: one-vs-rest on networks of others, on rows without a score above the
//     largest calibration score: docs/evidence.md; they differ where scores are tied, and
//     where probabilities saturate
//   - Departures: Ties are as in ir. For a score above the largest one, p0 and p1 are
//     those of the definition, where the package takes those of its last point. The
//     package leaves classes without calibration rows out of its output.
type InductiveVennAbers struct {
	Coupling string // "one-vs-rest" or "one-vs-one"; empty means "one-vs-rest"
}

// CrossVennAbers is the cross Venn-Abers predictor: the calibration rows are split at
// random into folds, each fold has an inductive predictor, and their probabilities are
// merged. Folds are not stratified by class. Coupling is as in InductiveVennAbers.
//
//   - Formula: q_j = p / sum of the same, p = GM(p1)/(GM(1-p0) + GM(p1)), geometric
//     means over the ivap of disjoint folds
//   - Reference: Vovk, Petej and Fedorova 2015; Manokhin 2017
//   - Compared with: ip200/venn-abers 1.5.3, package of the authors
//   - Agreement: it differs on networks of others where ivap does, with the same folds
//   - Departures: Ties and scores above the largest one are as in ivap. In the paper the
//     scoring classifier is trained again for each fold, on the rows of the other folds.
//     Here the folds share the scores of one trained network.
type CrossVennAbers struct {
	Coupling string // "one-vs-rest" or "one-vs-one"; empty means "one-vs-rest"
	Folds    int    // 2 to 100, at most the number of rows; 0 means 5
}

// IVAPEntry is the entry of InductiveVennAbers.
var IVAPEntry = calib.NewEntry[InductiveVennAbers, vennAbersMap](calib.Entry{
	Name:    "ivap",
	Label:   "IVAP",
	Version: 3,
	Summary: "inductive Venn-Abers predictor of each class against all others, or of each pair of classes",
	Cost:    200,
	Cost100: 500,
})

// String returns the name of the method.
func (InductiveVennAbers) String() string { return IVAPEntry.Name }

// CVAPEntry is the entry of CrossVennAbers.
var CVAPEntry = calib.NewEntry[CrossVennAbers, vennAbersMap](calib.Entry{
	Name:    "cvap",
	Label:   "CVAP",
	Version: 3,
	Summary: "cross Venn-Abers predictor: inductive ones of disjoint folds, merged by geometric means",
	Cost:    330,
	Cost100: 1000,
})

// String returns the name of the method.
func (CrossVennAbers) String() string { return CVAPEntry.Name }

const (
	oneVsRest = "one-vs-rest"
	oneVsOne  = "one-vs-one"

	// mostPairedClasses limits the quadratic number of pairs of one-vs-one.
	mostPairedClasses = 100

	// mostVennAbersScores is the largest n k. A score takes 24 bytes in memory and
	// some 15 in a model.
	mostVennAbersScores = 10_000_000
)

func couplingOption(field *string) calib.Option {
	return calib.ChoiceOption("coupling", field, []string{oneVsRest, oneVsOne}, "how several classes are made binary problems")
}

// Options returns the option coupling.
func (m *InductiveVennAbers) Options() []calib.Option {
	return []calib.Option{couplingOption(&m.Coupling)}
}

// Options returns the options coupling and folds.
func (m *CrossVennAbers) Options() []calib.Option {
	return []calib.Option{
		couplingOption(&m.Coupling),
		calib.IntOption("folds", &m.Folds, 5, 2, 100, "number of folds"),
	}
}

// Contract needs logits and labels. The prediction may change.
func (InductiveVennAbers) Contract() calib.Contract {
	return method.OfRanks(method.Sized(method.VectorContract()))
}

// Contract needs logits and labels. The prediction may change.
func (CrossVennAbers) Contract() calib.Contract {
	return method.OfRanks(method.Sized(method.VectorContract()))
}

// Fit returns the grouped calibration scores of each binary problem.
func (m InductiveVennAbers) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	return fitVennAbers(ctx, in, m.Coupling == oneVsOne, 1)
}

// Fit returns the grouped calibration scores of each fold and binary problem.
func (m CrossVennAbers) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	return fitVennAbers(ctx, in, m.Coupling == oneVsOne, m.Folds)
}

// checkVennAbersSize rejects sets of n rows and k classes that are too large.
func checkVennAbersSize(n, k int, pairs bool) error {
	switch {
	case pairs && k > mostPairedClasses:
		return fmt.Errorf("one-vs-one has %d pairs of %d classes: at most %d classes; one-vs-rest takes more", k*(k-1)/2, k, mostPairedClasses)
	case n > mostVennAbersScores/k:
		return fmt.Errorf("the map would keep %d x %d scores: at most %d; cir and irova take more", n, k, mostVennAbersScores)
	}
	return nil
}

func fitVennAbers(ctx context.Context, in calib.Input, pairs bool, folds int) (*calib.Fitted, error) {
	set := in.Cal
	if err := fit.CheckLabelled(set); err != nil {
		return nil, err
	}
	n, k := set.Logits.Rows, set.Logits.Cols
	if err := checkVennAbersSize(n, k, pairs); err != nil {
		return nil, err
	}
	folds = min(folds, n)
	part := make([]int, n)
	if folds > 1 {
		part = fit.Folds(set, folds, in.Seed)
	}
	rows, err := likelyRows(ctx, set)
	if err != nil {
		return nil, err
	}
	m := vennAbersMap{Classes: k, Pairs: pairs, Folds: make([][]vennOutcomes, folds)}
	for f := range m.Folds {
		m.Folds[f] = make([]vennOutcomes, m.problems())
	}
	ofClass := make([][]int, k)
	for i, y := range set.Labels {
		ofClass[y] = append(ofClass[y], i)
	}
	err = fit.EachBlock(ctx, k*fit.BlockRows, func(a, _, _ int) { // one class a call
		points := make([][]vennPoint, folds)
		if !pairs {
			for i := range rows {
				p := vennPoint{X: rows[i].Stretched(set.Logits.Row(i)[a]), Hit: int(set.Labels[i]) == a}
				points[part[i]] = append(points[part[i]], p)
			}
			for f := range folds {
				m.Folds[f][a] = groupOutcomes(points[f], true)
			}
			return
		}
		for b := a + 1; b < k; b++ {
			for f := range points {
				points[f] = points[f][:0]
			}
			for _, y := range []int{a, b} {
				for _, i := range ofClass[y] {
					points[part[i]] = append(points[part[i]], vennPoint{X: difference32(set.Logits.Row(i), a, b), Hit: y == b})
				}
			}
			for f := range folds {
				m.Folds[f][pairIndex(a, b, k)] = groupOutcomes(points[f], false)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return method.Reported(ctx, m.Prepared(), set, calib.Report{Passes: 1})
}

// difference32 returns l_b - l_a, exact in float64.
func difference32(row []float32, a, b int) float64 { return float64(row[b]) - float64(row[a]) }

// pairIndex numbers the pairs a < b of k classes: (0,1), (0,2), ..., (1,2), ...
func pairIndex(a, b, k int) int { return a*(2*k-a-1)/2 + b - a - 1 }

// vennAbersMap keeps the calibration scores of each fold and binary problem: of class
// 0 to k-1 against the rest, or of the pairs in the order of pairIndex, where the
// second class is the positive one.
type vennAbersMap struct {
	Classes int              `json:"classes"`
	Pairs   bool             `json:"pairs"`
	Folds   [][]vennOutcomes `json:"folds"`

	predictors [][]vennAbers // as Folds
}

func (m vennAbersMap) problems() int {
	if m.Pairs {
		return m.Classes * (m.Classes - 1) / 2
	}
	return m.Classes
}

// Prepared returns m with its predictors.
func (m vennAbersMap) Prepared() calib.Map {
	m.predictors = make([][]vennAbers, len(m.Folds))
	for f, problems := range m.Folds {
		for _, o := range problems {
			m.predictors[f] = append(m.predictors[f], newVennAbers(o, !m.Pairs))
		}
	}
	return m
}

// NumClasses returns k.
func (m vennAbersMap) NumClasses() int { return m.Classes }

func (m vennAbersMap) Check() error {
	switch {
	case m.Classes < 1:
		return errors.New("no classes")
	case m.Pairs && m.Classes > mostPairedClasses:
		return fmt.Errorf("pairs of %d classes: at most %d", m.Classes, mostPairedClasses)
	case len(m.Folds) == 0:
		return errors.New("no folds")
	}
	for f, problems := range m.Folds {
		if len(problems) != m.problems() {
			return fmt.Errorf("fold %d: %d problems, want %d", f, len(problems), m.problems())
		}
		for j, o := range problems {
			if err := o.Check(); err != nil {
				return fmt.Errorf("fold %d: problem %d: %w", f, j, err)
			}
		}
	}
	return nil
}

// odds returns the logarithm of GM(1-p0)/GM(p1) of a problem at a score.
func (m *vennAbersMap) odds(problem int, score float64) float64 {
	sum := 0.0
	for f := range m.predictors {
		sum += m.predictors[f][problem].Odds(score)
	}
	return sum / float64(len(m.predictors))
}

// Apply writes the n x k probabilities.
func (m vennAbersMap) Apply(dst data.Probs, set *data.Set) {
	for lo := 0; lo < set.Logits.Rows; lo += fit.BlockRows {
		part := set.Logits.Slice(lo, min(lo+fit.BlockRows, set.Logits.Rows))
		for i, moments := range fit.Moments(part) {
			r, row, q := newLikelyRow(&moments), part.Row(i), dst.Row(lo+i)
			if m.Pairs {
				m.couple(q, row)
			} else {
				for j, l := range row {
					q[j] = fit.Sigmoid(-m.odds(j, r.Stretched(l)))
				}
			}
			softmax.Normalise(q)
		}
	}
}

// couple writes the probabilities of the pairs of a row, coupled and not yet divided
// by their sum.
func (m *vennAbersMap) couple(q []float64, row []float32) {
	k := len(row)
	for j := range q {
		q[j] = 1 // sum over the other classes of 1/r - (k-2), where 1/r = 1 + odds against
	}
	for a := range k {
		for b := a + 1; b < k; b++ {
			odds := softmax.Exp(m.odds(pairIndex(a, b, k), difference32(row, a, b)))
			q[b] += odds
			q[a] += 1 / odds
		}
	}
	for j := range q {
		q[j] = 1 / min(q[j], math.MaxFloat64)
	}
}
