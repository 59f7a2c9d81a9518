package calib

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/isotonic"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
)

// The oracle of this file has 300 decimals, in which probabilities from e^-600 to
// 1 - e^-600 are apart. It follows the definitions: of package stretch for ties, and of
// the methods by brute force.

const bits = 1000

func decimal(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

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

// twoGaps has two classes: rows whose logits are 15.5 apart, half of them right, and rows
// 36 apart, all right.
func twoGaps(n int) *data.Set {
	set := &data.Set{Logits: data.NewMatrix(2*n, 2), Labels: make([]int32, 2*n)}
	for i := range n {
		set.Logits.Row(i)[0], set.Logits.Row(n + i)[0] = 15.5, 36
		set.Labels[i] = int32(i % 2)
	}
	return set
}

// Probabilities near 1 that are far apart in their complements are not tied: not at gaps of
// 15.5 and 36, and not where the larger one rounds to 1.
func TestSaturatedRowsStayApart(t *testing.T) {
	for _, gap := range []float32{36, 40, 600} {
		set := twoGaps(100)
		for i := 100; i < 200; i++ {
			set.Logits.Row(i)[0] = gap
		}
		test := &data.Set{Logits: testset.Rows([][]float32{{15.5, 0}, {gap, 0}, {0, 15.5}, {0, gap}})}
		rows, testRows := exactRows(set), exactRows(test)
		for _, name := range append(exactMethods, "ir-top", "hb-mass") {
			q := applied(fitMethod(t, name, set, nil).Map, test.Logits)
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
	for _, name := range []string{"cvap", "spline", "scaling-binning", "scaling-binning-top"} {
		set := twoGaps(100)
		q := applied(fitMethod(t, name, set, nil).Map, set.Logits)
		if low, high := q.Row(0)[0], q.Row(150)[0]; !(low < .7 && high > .9) {
			t.Errorf("%s: %v for rows that are half right, %v for right ones", name, low, high)
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
			q, want := applied(fitMethod(t, name, cal, nil).Map, test.Logits), exactly(t, name, rows, cal.Labels, testRows)
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
		cal, test := realSet(t, name, data.Cal, labelled), realSet(t, name, data.Test, labelled)
		part := test.Rows(0, 60)
		rows, testRows := exactRows(cal), exactRows(part)
		for _, method := range []string{"irova", "cir", "ivap"} {
			q, want := applied(fitMethod(t, method, cal, nil).Map, part.Logits), exactly(t, method, rows, cal.Labels, testRows)
			for i := range q.Rows {
				if !testset.Near(q.Row(i), want.Row(i), 1e-12) {
					t.Errorf("%s, %s, row %d: %v, want %v", name, method, i, q.Row(i), want.Row(i))
					break
				}
			}
		}
	}
}

// roundingCopies returns rows and copies of them whose probabilities differ by rounding
// alone: with a constant added, with the other classes in another order, and with logits
// that are logarithms of probabilities, of which the second has rounded them to float32.
func roundingCopies(rng *rand.Rand, k int) (rows, copies data.Matrix) {
	const n = 30
	rows, copies = data.NewMatrix(n, k), data.NewMatrix(n, k)
	for i := range n {
		a, b := rows.Row(i), copies.Row(i)
		for j := range a {
			a[j] = float32(math.Round(rng.NormFloat64()*float64(1+i)*1024)) / 1024
		}
		switch i % 3 {
		case 0:
			for j := range b {
				b[j] = a[j] - 512
			}
		case 1:
			b[0] = a[0]
			for to, from := range rng.Perm(k - 1) {
				b[to+1] = a[from+1]
			}
		case 2: // logarithms above -2 have errors of 2^-24
			p := make([]float64, k)
			for j := range p {
				p[j] = .2 + rng.Float64()
			}
			softmax.Normalise(p)
			for j := range p {
				a[j], b[j] = float32(math.Log(p[j])), float32(math.Log(float64(float32(p[j]))))
			}
		}
	}
	return rows, copies
}

// A row that differs from a calibration row by rounding alone has its score: in functions
// and bins of its class, and in Venn-Abers predictors.
func TestRoundingCopiesHaveTheSameValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, k := range []int{3, 4} {
		for trial := range 20 {
			rows, copies := roundingCopies(rng, k)
			cal := &data.Set{Logits: rows, Labels: make([]int32, rows.Rows)}
			for i := range cal.Labels {
				cal.Labels[i] = rng.Int32N(int32(k))
			}
			ir := fitMethod(t, "ir", cal, nil).Map.(irMap)
			values := map[string]func(x float64) float64{
				"ir":    ir.At,
				"irova": fitMethod(t, "irova", cal, nil).Map.(irOVAMap).Classes[0].At,
				"ivap":  func(x float64) float64 { m := fitMethod(t, "ivap", cal, nil).Map.(vennAbersMap); return m.odds(0, x) },
				"hb-mass": func(x float64) float64 {
					return fitMethod(t, "hb-mass", cal, map[string]int{"bins": 7}).Map.(hbMassMap).at(0, x)
				},
			}
			of := func(m data.Matrix, i int) float64 {
				p := make([]float64, k)
				tail := softmax.ProbsAndTail(p, m.Row(i), 1)
				return isotonic.Stretched(p[0], tail)
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

// The confidence of a top-label method is the same for rows that differ by rounding alone.
func TestRoundingCopiesHaveTheSameConfidence(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 20 {
		rows, copies := roundingCopies(rng, 4)
		cal := &data.Set{Logits: rows, Labels: make([]int32, rows.Rows)}
		for i := range cal.Labels {
			cal.Labels[i] = int32(fit.TopClass(rows.Row(i)))
			if rng.IntN(3) == 0 {
				cal.Labels[i] = rng.Int32N(4)
			}
		}
		for _, name := range []string{"ir-top", "spline", "hb-top"} {
			m := fitMethod(t, name, cal, nil).Map.(TopLabel)
			_, a := TopLabels(m, &data.Set{Logits: rows})
			_, b := TopLabels(m, &data.Set{Logits: copies})
			for i := range a {
				if a[i] != b[i] {
					t.Errorf("%s, row %d: %v, and %v for a copy", name, i, a[i], b[i])
				}
			}
		}
	}
}

// Edges of bins part no ties: at every number of bins, all rows of a group are in one bin,
// and rows in different bins are not tied.
func TestEdgesPartNoTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for bins := 2; bins < 40; bins++ {
		g := make([]float64, 100)
		for i := range g {
			x := math.Exp(float64(rng.IntN(12)*6 - 36)) // groups from e^-36 to e^30, of about eight rows
			g[i] = x * (1 + float64(rng.IntN(3))*0x1p-24)
		}
		edges, rows := equalEdges(slices.Clone(g), bins)
		counts := make([]int, len(rows))
		bin := map[string]int{}
		for _, x := range g {
			b := edgesBelow(edges, x)
			counts[b]++
			group := fmt.Sprint(math.Round(math.Log(x)))
			if other, ok := bin[group]; ok && other != b {
				t.Errorf("%d bins: scores near e^%s are in bins %d and %d", bins, group, other, b)
			}
			bin[group] = b
		}
		if !slices.Equal(counts, rows) {
			t.Errorf("%d bins have %v rows, said to be %v", bins, counts, rows)
		}
	}
}
