package isotonic

import (
	"context"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// OneVsRest is isotonic regression of each class against all others. The prediction may
// change.
//
//   - Formula: q_j = (g_j(p_j) + 1e-9 p_j) / sum of the same, g_j nondecreasing, fitted
//     to the n pairs (p_ij, 1[y_i = j])
//   - Reference: Zadrozny and Elkan 2002; Zhang, Kailkhura and Han 2020
//   - Compared with: scikit-learn's IsotonicRegression, as
//     zhang64-llnl/Mix-n-Match-Calibration uses it
//   - Agreement: NLL and mean confidence to 1e-12 on a network of data/bundle; networks of
//     others: docs/evidence.md; both without the mass
//   - Departures: Ties are as in ir. The term 1e-9 p is not in the paper of 2002. It is
//     that of Zhang, Kailkhura and Han (2020), whose code others copied. Without it, a
//     class without calibration rows, or a row on the zero plateaus of all classes, would
//     have probability 0. The term is lost beside a probability of 1, so a g_j of 0 or 1
//     has a mass too (calib.Mass).
type OneVsRest struct{}

// IROVAEntry is the entry of OneVsRest.
var IROVAEntry = calib.NewEntry[OneVsRest, irOVAMap](calib.Entry{
	Name:    "irova",
	Label:   "IR-OvA",
	Version: 6,
	Since:   5,
	Summary: "isotonic regression of each class against all others, rows normalised",
	Aliases: []string{"isotonic-ova", "isotonic-one-vs-all"},
})

// String returns the name of the method.
func (OneVsRest) String() string { return IROVAEntry.Name }

// Contract needs logits and labels. The prediction may change.
func (OneVsRest) Contract() calib.Contract {
	c := method.OfRanks(method.Sized(method.VectorContract()))
	c.Masked = true // rows with a probability of 0 and another label change no other level
	return c
}

// Fit returns the functions. As in Regression it keeps n of the n k pairs. From the
// other pairs it needs only those that can matter to a class. A probability below the least
// positive one is in the block of value 0, and only the largest such probability
// matters, as the right end of the block. So an element below the largest one so far is
// skipped by its logit, without an exponential.
func (OneVsRest) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	set := in.Cal
	rows, err := likelyRows(ctx, set)
	if err != nil {
		return nil, err
	}
	for _, window := range windows() {
		classes, ok, err := classIsotonics(ctx, set, rows, window)
		if err != nil {
			return nil, err
		}
		if ok {
			return fittedClasses(ctx, set, rows, classes)
		}
	}
	panic("calib: the infinite window was not wide enough")
}

// fittedClasses returns the map with the functions of the classes and the mass, and its report. A class that is masked in every
// row is as good as absent, and so its function, which is 0, asks for no mass.
func fittedClasses(ctx context.Context, set *data.Set, rows []likelyRow, classes []Function) (*calib.Fitted, error) {
	m := newIROVAMap(classes)
	var some irOVAMap
	for j, open := range method.OpenSomewhere(set.Logits) {
		if open {
			some.Classes = append(some.Classes, classes[j])
		}
	}
	mass := calib.MassOf(some, set.Logits.Rows)
	nll, err := m.nll(ctx, mass, set, rows)
	if err != nil {
		return nil, err
	}
	return &calib.Fitted{Map: mass.Map(m), Report: calib.Report{NLL: nll, Passes: 1}}, nil
}

// classIsotonics returns the isotonic regression of each class, and whether the
// window was wide enough for all.
func classIsotonics(ctx context.Context, set *data.Set, rows []likelyRow, window float64) ([]Function, bool, error) {
	k := set.Logits.Cols
	positives := make([][]float64, k)
	for i, y := range set.Labels {
		positives[y] = append(positives[y], rows[i].Stretched(set.Logits.Row(i)[y]))
	}
	pairs, limit := make([]*tally, k), make([]float32, k)
	for j := range pairs {
		pairs[j] = newTally(positives[j], window)
		limit[j] = float32(math.Inf(-1))
		if len(positives[j]) == 0 {
			limit[j] = float32(math.Inf(1))
		}
	}
	for i := range rows {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		r, row, y := &rows[i], set.Logits.Row(i), int(set.Labels[i])
		for j := r.Next(row, limit, 0); j < k; j = r.Next(row, limit, j+1) {
			switch x := r.Stretched(row[j]); {
			case j == y:
			case x >= pairs[j].Least():
				pairs[j].AddZero(x)
			case pairs[j].AddUnlikelyZero(x):
				limit[j] = likelyLimit(x)
			}
		}
	}
	classes := make([]Function, k)
	for j := range pairs {
		var ok bool
		if classes[j], ok = pairs[j].Regress(); !ok {
			return nil, false, nil
		}
	}
	return classes, true, nil
}

// irOVAMap holds one function for each of the k classes. It serves sets of k
// classes only.
type irOVAMap struct {
	onevsrest.PerClass[Function]
	limit []float32 // k: likelyLimit of the right end of the zeros of each class
}

// Certain reports whether the function of a class is 0 or 1 somewhere; see calib.Certain. The term 1e-9 p keeps a
// class there above 0, and that is nearly nothing.
func (m irOVAMap) Certain() bool { return slices.ContainsFunc(m.Classes, Function.certain) }

// Prepared returns m with its limits.
func (m irOVAMap) Prepared() calib.Map { return newIROVAMap(m.Classes) }

func newIROVAMap(classes []Function) irOVAMap {
	m := irOVAMap{onevsrest.PerClass[Function]{Classes: classes}, make([]float32, len(classes))}
	for j, g := range classes {
		m.limit[j] = float32(math.Inf(-1))
		for i := 0; i < len(g.Y) && g.Y[i] == 0; i++ {
			m.limit[j] = likelyLimit(g.X[i])
		}
		if len(g.Y) == 0 || g.Y[len(g.Y)-1] == 0 {
			m.limit[j] = float32(math.Inf(1))
		}
	}
	return m
}

// Apply writes the n x k probabilities.
func (m irOVAMap) Apply(dst data.Probs, set *data.Set) {
	for lo := 0; lo < set.Logits.Rows; lo += fit.BlockRows {
		part := set.Logits.Slice(lo, min(lo+fit.BlockRows, set.Logits.Rows))
		for i, moments := range fit.Moments(part) {
			r, row, q := newLikelyRow(&moments), part.Row(i), dst.Row(lo+i)
			softmax.Probs(q, row, 1)
			sum := plateauSlope
			for j, p := range q {
				q[j] = plateauSlope * p
			}
			for j := r.Next(row, m.limit, 0); j < len(row); j = r.Next(row, m.limit, j+1) {
				g := m.Classes[j].At(r.Stretched(row[j]))
				q[j] += g
				sum += g
			}
			for j := range q {
				q[j] /= sum
			}
		}
	}
}

// nll returns the mean NLL of a set, given the mass that is mixed in and its rows, with the floor of the function
// reported.
func (m irOVAMap) nll(ctx context.Context, mass calib.Mass, set *data.Set, rows []likelyRow) (float64, error) {
	total := 0.0
	for i := range rows {
		if i%256 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		r, row, y := &rows[i], set.Logits.Row(i), int(set.Labels[i])
		own, sum := plateauSlope*r.Prob(row[y]), plateauSlope
		for j := r.Next(row, m.limit, 0); j < len(row); j = r.Next(row, m.limit, j+1) {
			g := m.Classes[j].At(r.Stretched(row[j]))
			sum += g
			if j == y {
				own += g
			}
		}
		total -= softmax.Log(max(mass.Mix(own/sum, fit.Open(row)), fit.LeastProb))
	}
	return total / float64(len(rows)), nil
}
