package isotonic

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/binning"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
)

// The oracle of this file has 300 decimals, in which probabilities from e^-600 to
// 1 - e^-600 are apart. It follows the definitions: of package stretch for ties, and of
// the methods by brute force.

const precision = 1000

func decimal(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func sumOf(list ...*big.Float) *big.Float {
	sum := decimal(0)
	for _, x := range list {
		sum.Add(sum, x)
	}
	return sum
}

func times(a, b *big.Float) *big.Float { return decimal(0).Mul(a, b) }
func over(a, b *big.Float) *big.Float  { return decimal(0).Quo(a, b) }
func minus(a, b *big.Float) *big.Float { return decimal(0).Sub(a, b) }

// exponential returns e^x by its series at x 2^-40, squared 40 times.
func exponential(x *big.Float) *big.Float {
	const halvings = 40
	t := decimal(0).SetMantExp(x, -halvings)
	sum, term := decimal(1), decimal(1)
	for i := 1.0; i < 36; i++ {
		term = over(times(term, t), decimal(i))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// exactProb is a probability with its complement.
type exactProb struct{ p, rest *big.Float }

// exactSoftmax returns the probabilities of a row.
func exactSoftmax(row []float32) []exactProb {
	e := make([]*big.Float, len(row))
	for j, l := range row {
		e[j] = exponential(minus(decimal(float64(l)), decimal(float64(slices.Max(row)))))
	}
	list := make([]exactProb, len(row))
	for j := range row {
		others := sumOf(slices.Delete(slices.Clone(e), j, j+1)...)
		all := sumOf(e[j], others)
		list[j] = exactProb{over(e[j], all), over(others, all)}
	}
	return list
}

// tied reports whether b >= a agrees with a to 2^-22 of p up to one half, and of 1-p from
// there on.
func (a exactProb) tied(b exactProb) bool {
	half, share := decimal(.5), decimal(1+0x1p-22)
	x := func(q exactProb) *big.Float {
		if q.p.Cmp(half) <= 0 {
			return q.p
		}
		return over(decimal(.25), q.rest)
	}
	return x(b).Cmp(times(x(a), share)) <= 0
}

// cmpProbs compares two probabilities by p up to one half, and by 1-p from there on.
func cmpProbs(a, b exactProb) int {
	if a.p.Cmp(decimal(.5)) > 0 && b.p.Cmp(decimal(.5)) > 0 {
		return b.rest.Cmp(a.rest)
	}
	return a.p.Cmp(b.p)
}

// exactPoint is a row of a binary problem, or a group of tied ones.
type exactPoint struct {
	lo, hi     exactProb // the least and the largest
	rows, hits int64
	all        []exactProb
}

// exactGroups returns the rows sorted and grouped.
func exactGroups(rows []exactPoint) (groups []exactPoint) {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b exactPoint) int { return cmpProbs(a.lo, b.lo) })
	for _, r := range rows {
		r.all = []exactProb{r.lo}
		if last := len(groups) - 1; last >= 0 && groups[last].lo.tied(r.lo) {
			g := &groups[last]
			g.hi, g.rows, g.hits, g.all = r.hi, g.rows+r.rows, g.hits+r.hits, append(g.all, r.lo)
			continue
		}
		groups = append(groups, r)
	}
	return groups
}

// pooled returns the blocks of the isotonic regression of groups.
func pooled(groups []exactPoint) (blocks []exactPoint) {
	for _, b := range groups {
		b.all = slices.Clone(b.all)
		for i := len(blocks) - 1; i >= 0 && blocks[i].hits*b.rows >= b.hits*blocks[i].rows; i-- {
			a := blocks[i]
			b = exactPoint{a.lo, b.hi, a.rows + b.rows, a.hits + b.hits, append(slices.Clone(a.all), b.all...)}
			blocks = blocks[:i]
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func (b exactPoint) value() *big.Float {
	return over(decimal(float64(b.hits)), decimal(float64(b.rows)))
}

// exactKnot is a point of a piecewise linear function.
type exactKnot struct {
	at exactProb
	y  *big.Float
}

// exactLine is linear in p between its knots, constant outside, 0 without knots; near a
// knot it has its value.
type exactLine []exactKnot

func (f exactLine) at(x exactProb) *big.Float {
	i := 0
	for i < len(f) && cmpProbs(f[i].at, x) <= 0 {
		i++
	}
	switch {
	case len(f) == 0:
		return decimal(0)
	case i > 0 && (i == len(f) || f[i-1].at.tied(x)):
		return f[i-1].y
	case i == 0 || x.tied(f[i].at):
		return f[i].y
	}
	a, b := f[i-1], f[i]
	share := over(minus(x.p, a.at.p), minus(b.at.p, a.at.p))
	return sumOf(a.y, times(share, minus(b.y, a.y)))
}

// exactIsotonic returns the isotonic regression of rows, the function 0 without hits.
func exactIsotonic(rows []exactPoint) (f exactLine) {
	for _, b := range pooled(exactGroups(rows)) {
		f = append(f, exactKnot{b.lo, b.value()}, exactKnot{b.hi, b.value()})
	}
	if !slices.ContainsFunc(rows, func(r exactPoint) bool { return r.hits > 0 }) {
		return nil
	}
	return f
}

// exactCentred returns the centred isotonic regression of rows.
func exactCentred(rows []exactPoint) (f exactLine) {
	if !slices.ContainsFunc(rows, func(r exactPoint) bool { return r.hits > 0 }) {
		return nil
	}
	groups := exactGroups(rows)
	for i := range groups { // a group is at its least member
		groups[i].hi = groups[i].lo
		for j := range groups[i].all {
			groups[i].all[j] = groups[i].lo
		}
	}
	blocks := pooled(groups)
	for i, b := range blocks {
		n := decimal(float64(len(b.all)))
		mean := exactProb{decimal(0), decimal(0)}
		for _, q := range b.all {
			mean = exactProb{sumOf(mean.p, over(q.p, n)), sumOf(mean.rest, over(q.rest, n))}
		}
		switch flat := b.hits == 0 || b.hits == b.rows; {
		case flat:
			f = append(f, exactKnot{b.lo, b.value()}, exactKnot{b.hi, b.value()})
		case len(blocks) == 1:
			f = append(f, exactKnot{mean, b.value()})
		case i == 0:
			f = append(f, exactKnot{b.lo, b.value()}, exactKnot{mean, b.value()})
		case i == len(blocks)-1:
			f = append(f, exactKnot{mean, b.value()}, exactKnot{b.hi, b.value()})
		default:
			f = append(f, exactKnot{mean, b.value()})
		}
	}
	return f
}

// exactVennAbers returns the merged probability of a score: two isotonic regressions of
// the rows and one more, which belongs to a group that it is tied with.
func exactVennAbers(rows []exactPoint) func(x exactProb) *big.Float {
	groups := exactGroups(rows)
	return func(x exactProb) *big.Float {
		at := slices.IndexFunc(groups, func(g exactPoint) bool {
			return cmpProbs(g.lo, x) <= 0 && g.lo.tied(x) || cmpProbs(g.lo, x) > 0 && x.tied(g.lo)
		})
		var p [2]*big.Float
		for outcome := range int64(2) {
			all := slices.Clone(groups)
			i := at
			if i < 0 {
				for i = 0; i < len(all) && cmpProbs(all[i].lo, x) <= 0; i++ {
				}
				all = slices.Insert(all, i, exactPoint{lo: x, hi: x})
			}
			all[i].rows, all[i].hits = all[i].rows+1, all[i].hits+outcome
			for _, b := range pooled(all) {
				if cmpProbs(b.lo, all[i].lo) <= 0 && cmpProbs(b.hi, all[i].lo) >= 0 {
					p[outcome] = b.value()
				}
			}
		}
		return over(p[1], sumOf(decimal(1), p[1], minus(decimal(0), p[0])))
	}
}

// exactRows returns the probabilities of the rows of a set.
func exactRows(set *data.Set) [][]exactProb {
	rows := make([][]exactProb, set.Logits.Rows)
	for i := range rows {
		rows[i] = exactSoftmax(set.Logits.Row(i))
	}
	return rows
}

// exactly returns the new probabilities of the test rows: each class has a function, and
// slope times p is added before rows are divided by their sum.
func exactly(t *testing.T, method string, rows [][]exactProb, labels []int32, test [][]exactProb) data.Probs {
	t.Helper()
	k := len(rows[0])
	ofClass := make([][]exactPoint, k)
	var all []exactPoint
	for i, y := range labels {
		for j, p := range rows[i] {
			r := exactPoint{lo: p, hi: p, rows: 1}
			if int(y) == j {
				r.hits = 1
			}
			ofClass[j], all = append(ofClass[j], r), append(all, r)
		}
	}
	value, slope := make([]func(exactProb) *big.Float, k), decimal(1e-9)
	for j := range value {
		switch method {
		case "ir":
			if value[j] = exactIsotonic(all).at; j > 0 {
				value[j] = value[0]
			}
		case "irova":
			value[j] = exactIsotonic(ofClass[j]).at
		case "cir":
			value[j] = exactCentred(ofClass[j]).at
		case "ivap":
			value[j], slope = exactVennAbers(ofClass[j]), decimal(0)
		default:
			t.Fatal(method)
		}
	}
	q := data.NewProbs(len(test), k)
	for i := range q.Rows {
		list := make([]*big.Float, k)
		for j, p := range test[i] {
			list[j] = sumOf(value[j](p), times(slope, p.p))
		}
		for j := range list {
			q.Row(i)[j], _ = over(list[j], sumOf(list...)).Float64()
		}
	}
	return q
}

// exactMethods are the methods with an oracle.
var exactMethods = []string{"ir", "irova", "cir", "ivap"}

// Probabilities near 1 that are far apart in their complements are not tied: not at gaps of
// 15.5 and 36, and not where the larger one rounds to 1.
func TestSaturatedRowsStayApart(t *testing.T) {
	for _, gap := range []float32{36, 40, 600} {
		set := testset.TwoGaps(100)
		for i := 100; i < 200; i++ {
			set.Logits.Row(i)[0] = gap
		}
		test := &data.Set{Logits: testset.Rows([][]float32{{15.5, 0}, {gap, 0}, {0, 15.5}, {0, gap}})}
		rows, testRows := exactRows(set), exactRows(test)
		for _, name := range append(exactMethods, "ir-top", "hb-mass") {
			q := calibtest.Apply(calib.Unmixed(calibtest.Fit(t, entry(name), set, nil).Map), test.Logits)
			if slices.Contains(exactMethods, name) {
				if want := exactly(t, name, rows, set.Labels, testRows); !testset.Near(q.Data, want.Data, 1e-13) {
					t.Errorf("%s, gap %v: %v, want %v", name, gap, q.Data, want.Data)
				}
			}
			if tol := map[bool]float64{false: 1e-8, true: .02}[name == "ivap"]; !testset.Near(q.Data[:4], []float64{.5, .5, 1, 0}, tol) {
				t.Errorf("%s, gap %v: %v for rows that are half right and all right", name, gap, q.Data[:4])
			}
		}
	}
}

// saturated returns rows whose logits are up to 300 apart. Some rows are copies of others
// with another order of the classes, or with a constant added. Some are logarithms of
// probabilities, rounded once and twice to float32.
func saturated(n, k int, seed uint64) *data.Set {
	set := testset.Drawn(n, k, 1, seed)
	rng := rand.New(rand.NewPCG(seed, 7))
	for i := range n {
		row := set.Logits.Row(i)
		for j, size := 0, []float32{1, 3, 20}[rng.IntN(3)]; j < k; j++ {
			row[j] = float32(math.Round(float64(size*row[j])*1024)) / 1024
		}
		if i == 0 {
			continue
		}
		other := set.Logits.Row(rng.IntN(i))
		switch rng.IntN(6) {
		case 0:
			for to, from := range rng.Perm(k) {
				row[to] = other[from]
			}
		case 1:
			for j := range row {
				row[j] = other[j] + 64
			}
		case 2:
			p := softmax.Probs(make([]float64, k), other, 1)
			for j := range row {
				row[j] = float32(math.Log(max(p[j], 1e-37)))
			}
		case 3:
			p := softmax.Probs(make([]float64, k), other, 1)
			for j := range row {
				row[j] = float32(math.Log(max(float64(float32(p[j])), 1e-37)))
			}
		}
	}
	return set
}

// On rows with ties of every kind and probabilities near both ends, fitted and unseen, the
// methods agree with exact arithmetic.
func TestTiesAreThoseOfExactArithmetic(t *testing.T) {
	for seed, k := range map[uint64]int{1: 2, 2: 3, 3: 7} {
		cal, test := saturated(60, k, seed), saturated(40, k, seed+10)
		for i := range 20 { // copies of calibration rows
			copy(test.Logits.Row(i), cal.Logits.Row(i))
		}
		rows, testRows := exactRows(cal), exactRows(test)
		for _, name := range exactMethods {
			q, want := calibtest.Apply(calib.Unmixed(calibtest.Fit(t, entry(name), cal, nil).Map), test.Logits), exactly(t, name, rows, cal.Labels, testRows)
			for i := range q.Rows {
				if !testset.Near(q.Row(i), want.Row(i), 1e-12) {
					t.Errorf("%s, %d classes, row %d: %v, want %v", name, k, i, q.Row(i), want.Row(i))
				}
			}
		}
	}
}

// Of the first two networks half of the rows have a probability above 1 - 1e-7, of the
// third some have logits 200 apart.
func TestRealTiesAreThoseOfExactArithmetic(t *testing.T) {
	for _, name := range []string{"resnet18-w64", "densenet121-k32", "resnet50-w8-s2"} {
		name = "pneumoniamnist-28/" + name
		cal, test := testset.Real(t, name, data.Cal, testset.Labelled), testset.Real(t, name, data.Test, testset.Labelled)
		part := test.Rows(0, 60)
		rows, testRows := exactRows(cal), exactRows(part)
		for _, method := range []string{"irova", "cir", "ivap"} {
			q, want := calibtest.Apply(calib.Unmixed(calibtest.Fit(t, entry(method), cal, nil).Map), part.Logits), exactly(t, method, rows, cal.Labels, testRows)
			for i := range q.Rows {
				if !testset.Near(q.Row(i), want.Row(i), 1e-12) {
					t.Errorf("%s, %s, row %d: %v, want %v", name, method, i, q.Row(i), want.Row(i))
					break
				}
			}
		}
	}
}

// A row that differs from a calibration row by rounding alone has its score: in functions
// of its class and in Venn-Abers predictors.
func TestRoundingCopiesHaveTheSameValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, k := range []int{3, 4} {
		for trial := range 20 {
			rows, copies := testset.RoundingCopies(rng, k)
			cal := &data.Set{Logits: rows, Labels: make([]int32, rows.Rows)}
			for i := range cal.Labels {
				cal.Labels[i] = rng.Int32N(int32(k))
			}
			ir := calibtest.Fit(t, IREntry, cal, nil).Map.(Map)
			values := map[string]func(x float64) float64{
				"ir":    ir.At,
				"irova": calib.Unmixed(calibtest.Fit(t, IROVAEntry, cal, nil).Map).(irOVAMap).Classes[0].At,
				"ivap": func(x float64) float64 {
					m := calibtest.Fit(t, IVAPEntry, cal, nil).Map.(vennAbersMap)
					return m.odds(0, x)
				},
			}
			of := func(m data.Matrix, i int) float64 {
				p := make([]float64, k)
				tail := softmax.ProbsAndTail(p, m.Row(i), 1)
				return stretch.OfTail(p[0], tail)
			}
			for i := range rows.Rows {
				a, b := of(rows, i), of(copies, i)
				if max(a, b) > stretch.Logits.End(min(a, b)) {
					t.Fatalf("row %d: scores %v and %v are not tied", i, a, b)
				}
				for name, at := range values {
					if u, v := at(a), at(b); u != v {
						t.Errorf("%s, trial %d, row %d: %v, and %v for a copy", name, trial, i, u, v)
					}
				}
			}
		}
	}
}

// entry returns the entry of the method of the given name.
func entry(name string) calib.Entry {
	for _, e := range []calib.Entry{IREntry, IRTopEntry, IROVAEntry, CIREntry, IVAPEntry, binning.HBMassEntry} {
		if e.Name == name {
			return e
		}
	}
	panic("no method " + name)
}
