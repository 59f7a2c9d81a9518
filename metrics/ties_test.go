package metrics

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/data"
)

// keyed is a sample whose confidence rises with an exact key.
type keyed struct {
	key *big.Rat
	hit bool
}

// grouped returns the numbers of rows and hits of each key, in rising order.
func grouped(list []keyed) (rows, hits []int) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b keyed) int { return a.key.Cmp(b.key) })
	for i, x := range list {
		if i == 0 || list[i-1].key.Cmp(x.key) != 0 {
			rows, hits = append(rows, 0), append(hits, 0)
		}
		rows[len(rows)-1]++
		if x.hit {
			hits[len(hits)-1]++
		}
	}
	return rows, hits
}

// ranked returns AUROC, AURC and AUGRC by their definitions, from the numbers of rows and
// hits at each confidence.
func ranked(rows, hits []int) (auroc, aurc, augrc float64) {
	n, h, wrongs, accepted := 0.0, 0.0, 0.0, 0.0
	for g := range rows {
		n, h = n+float64(rows[g]), h+float64(hits[g])
	}
	for g := range rows {
		below := float64(rows[g]-hits[g]) / 2
		for f := range g {
			below += float64(rows[f] - hits[f])
		}
		auroc += float64(hits[g]) * below / (h * (n - h))
	}
	for g := len(rows) - 1; g >= 0; g-- {
		w := float64(rows[g]-hits[g]) / float64(rows[g])
		for range rows[g] {
			before := wrongs
			accepted, wrongs = accepted+1, wrongs+w
			aurc += wrongs / accepted / n
			augrc += (before + wrongs) / 2 / n / n
		}
	}
	return auroc, aurc, augrc
}

// isotonicScore returns the mean of (g - hit)^2 of the isotonic regression g of the groups,
// by the formula of maxima and minima.
func isotonicScore(rows, hits []int) float64 {
	sum, n := 0.0, 0.0
	for i := range rows {
		g := 0.0
		for a := range i + 1 {
			least, r, h := 1.0, 0.0, 0.0
			for b := a; b < len(rows); b++ {
				r, h = r+float64(rows[b]), h+float64(hits[b])
				if b >= i {
					least = min(least, h/r)
				}
			}
			g = max(g, least)
		}
		h, m := float64(hits[i]), float64(rows[i])
		sum += h*(1-g)*(1-g) + (m-h)*g*g
		n += m
	}
	return sum / n
}

// checkRanked compares the metrics that sort samples with their definitions.
func checkRanked(t *testing.T, s *Samples, list []keyed) {
	t.Helper()
	rows, hits := grouped(list)
	auroc, aurc, augrc := ranked(rows, hits)
	got, err := AUROC(s)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "AUROC", got, auroc, 1e-12)
	near(t, "AURC", AURC(s), aurc, 1e-12)
	if got, err = AUGRC(s); err != nil {
		t.Fatal(err)
	}
	near(t, "AUGRC", got, augrc, 1e-12)
	c := CORP(s)
	after := isotonicScore(rows, hits)
	near(t, "DSC", c.Discrimination, c.Uncertainty-after, 1e-12)
	near(t, "MCB", c.Miscalibration, TopBrier(s)-after, 1e-12)
}

// Confidences near 1 are compared by the sum of the other probabilities: rows of two
// classes whose logits are up to 650 apart, given as logits and as probabilities. The key
// is the gap.
func TestSaturatedConfidencesAreApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(60, 1))
	for trial := range 40 {
		const n = 150
		set, probs := &data.Set{Logits: data.NewMatrix(n, 2), Labels: make([]int32, n)}, data.NewProbs(n, 2)
		var list []keyed
		for i := range n {
			gap := float32(math.Round(math.Exp(6.5*rng.Float64())*16) / 16)
			if trial == 0 {
				gap = []float32{22, 36}[i%2]
			}
			set.Logits.Row(i)[0] = gap
			hit := trial == 0 && i%2 == 1 || rng.IntN(3) > 0
			if !hit {
				set.Labels[i] = 1
			}
			e := math.Exp(-float64(gap))
			probs.Row(i)[0], probs.Row(i)[1] = 1/(1+e), e/(1+e)
			list = append(list, keyed{new(big.Rat).SetFloat64(float64(gap)), hit})
		}
		for _, given := range []func() (*Samples, error){
			func() (*Samples, error) { return FromLogits(set) },
			func() (*Samples, error) { return FromProbs(probs, set) },
		} {
			s, err := given()
			if err != nil {
				t.Fatal(err)
			}
			checkRanked(t, s, list)
			brier, nll, err := Decompose(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			want := 0.0 // conf and 1 - conf by the logistic function
			for _, x := range list {
				gap, _ := x.key.Float64()
				e := math.Exp(-gap)
				if x.hit {
					want += math.Log1p(e) / n
				} else {
					want += (gap + math.Log1p(e)) / n
				}
			}
			near(t, "parts of the NLL", nll.Calibration+nll.Refinement, want, 1e-11*want)
			if trial == 0 && !(brier.Refinement < .17) { // .25/2 + noise; without the gaps .1875
				t.Errorf("refinement %v of rows that are half right and all right", brier.Refinement)
			}
		}
	}
}

// drawnShares draws rows of k probabilities that are shares of whole numbers, as histogram
// binning gives them: v_j / sum of v. They are rounded as their sums in the order of the
// classes are, so equal ones differ by rounding.
func drawnShares(rng *rand.Rand, n, k int) (rounded data.Probs, truth [][]*big.Rat) {
	rounded = data.NewProbs(n, k)
	for i := range n {
		row, sum, all := rounded.Row(i), 0.0, int64(0)
		v := make([]int64, k)
		for j := range v {
			v[j] = 1 + rng.Int64N(5)
			all += v[j]
			row[j] = float64(v[j]) / 10
		}
		for _, p := range row {
			sum += p
		}
		exact := make([]*big.Rat, k)
		for j := range row {
			row[j] /= sum
			exact[j] = big.NewRat(v[j], all)
		}
		truth = append(truth, exact)
	}
	return rounded, truth
}

// Ties of sums in another order count as ties.
func TestRoundedSumsAreTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	for _, k := range []int{4, 9, 100} {
		const n = 200
		probs, truth := drawnShares(rng, n, k)
		set := &data.Set{Labels: make([]int32, n)}
		for i := range set.Labels {
			set.Labels[i] = rng.Int32N(int32(k))
			if rng.IntN(2) == 0 {
				set.Labels[i] = int32(slices.Index(probs.Row(i), slices.Max(probs.Row(i))))
			}
		}
		s, err := FromProbs(probs, set)
		if err != nil {
			t.Fatal(err)
		}
		list := make([]keyed, n)
		different := map[float64]bool{}
		for _, x := range s.sorted {
			conf := truth[x.row][0]
			for _, p := range truth[x.row] {
				if p.Cmp(conf) > 0 {
					conf = p
				}
			}
			list[x.row] = keyed{conf, x.correct}
			different[x.conf] = true
		}
		if rows, _ := grouped(list); len(rows) >= len(different) {
			t.Errorf("%d classes: no two equal confidences differ by rounding", k)
		}
		checkRanked(t, s, list)
	}
}

// exactLp returns the variational errors by isotonic regression in fractions.
func exactLp(p [][]*big.Rat, labels []int32, part []int) LpErrors {
	n, k := len(p), len(p[0])
	g := make([][]*big.Rat, n)
	for i := range g {
		g[i] = make([]*big.Rat, k)
	}
	for f := range folds {
		for j := range k {
			var list []keyed
			for i := range n {
				if part[i] != f {
					list = append(list, keyed{p[i][j], int(labels[i]) == j})
				}
			}
			for i := range n {
				if part[i] == f {
					g[i][j] = isotonicAt(list, p[i][j])
				}
			}
		}
	}
	var l1, l2, lInf float64
	for i := range n {
		m, sum := int64(0), new(big.Rat)
		for _, other := range part {
			if other != part[i] {
				m++
			}
		}
		for _, v := range g[i] {
			sum.Add(sum, v)
		}
		var norm, dot, most float64
		for j := range k {
			v := big.NewRat(1, int64(k)) // of a row of zeros, too
			if sum.Sign() > 0 {
				v.Mul(v, big.NewRat(1, m+1))
				v.Add(v, new(big.Rat).Mul(new(big.Rat).Quo(g[i][j], sum), big.NewRat(m, m+1)))
			}
			d, _ := v.Sub(v, p[i][j]).Float64()
			residual, _ := p[i][j].Float64()
			residual = -residual
			if int(labels[i]) == j {
				residual++
			}
			norm, dot = norm+d*d, dot+d*residual
			switch {
			case d > 0:
				l1 += residual / float64(n)
			case d < 0:
				l1 -= residual / float64(n)
			}
			if math.Abs(d) > most*(1+1e-12) {
				most = math.Abs(d)
			}
			g[i][j] = v
		}
		for j := range k { // the lowest class of the largest difference
			d, _ := g[i][j].Float64()
			if math.Abs(d) >= most*(1-1e-12) {
				residual, _ := p[i][j].Float64()
				residual = -residual
				if int(labels[i]) == j {
					residual++
				}
				lInf += math.Copysign(residual, residual*d) / float64(n)
				break
			}
		}
		l2 += dot / math.Sqrt(norm) / float64(n)
	}
	return LpErrors{l1, l2, lInf}
}

// isotonicAt returns the isotonic regression of a list at x: linear between pools,
// constant outside.
func isotonicAt(list []keyed, x *big.Rat) *big.Rat {
	type pool struct {
		lo, hi     *big.Rat
		rows, hits int64
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b keyed) int { return a.key.Cmp(b.key) })
	var pools []pool
	for i := 0; i < len(list); {
		b := pool{lo: list[i].key, hi: list[i].key}
		for ; i < len(list) && list[i].key.Cmp(b.lo) == 0; i++ {
			b.rows++
			if list[i].hit {
				b.hits++
			}
		}
		for last := len(pools) - 1; last >= 0 && pools[last].hits*b.rows >= b.hits*pools[last].rows; last-- {
			a := pools[last]
			b = pool{a.lo, b.hi, a.rows + b.rows, a.hits + b.hits}
			pools = pools[:last]
		}
		pools = append(pools, b)
	}
	value := func(b pool) *big.Rat { return big.NewRat(b.hits, b.rows) }
	for i, b := range pools {
		switch {
		case x.Cmp(b.hi) <= 0 && (x.Cmp(b.lo) >= 0 || i == 0):
			return value(b)
		case x.Cmp(b.lo) < 0: // between two pools
			a := pools[i-1]
			share := new(big.Rat).Quo(new(big.Rat).Sub(x, a.hi), new(big.Rat).Sub(b.lo, a.hi))
			rise := new(big.Rat).Sub(value(b), value(a))
			return rise.Add(value(a), rise.Mul(rise, share))
		}
	}
	return value(pools[len(pools)-1])
}

// The isotonic recalibration of each class takes probabilities that differ by rounding
// for equal, and one near 1 for what its complement says.
func TestVariationalLpIsThatOfFractions(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 1))
	for trial := range 8 {
		const n = 120
		k := 4 + trial
		probs, truth := drawnShares(rng, n, k)
		labels := make([]int32, n)
		for i := range labels {
			labels[i] = rng.Int32N(int32(k))
			if trial%2 == 0 && rng.IntN(3) > 0 { // class 0 has 1 - 2^-30, ..., or 1 - 2^-90
				most := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(30+10*rng.IntN(7))))
				rest := new(big.Rat).Sub(big.NewRat(1, 1), truth[i][0])
				truth[i][0] = new(big.Rat).Sub(big.NewRat(1, 1), most)
				for j := range k {
					if j > 0 {
						truth[i][j] = new(big.Rat).Mul(new(big.Rat).Quo(truth[i][j], rest), most)
					}
					probs.Row(i)[j], _ = truth[i][j].Float64()
				}
				if rng.IntN(2) == 0 {
					labels[i] = 0
				}
			}
		}
		s, err := FromProbs(probs, &data.Set{Labels: labels})
		if err != nil {
			t.Fatal(err)
		}
		if s, err = s.CrossFit(context.Background(), probs, 5); err != nil {
			t.Fatal(err)
		}
		got, _, err := VariationalLp(s)
		if err != nil {
			t.Fatal(err)
		}
		part := make([]int, n)
		for i := range part {
			part[i] = s.fold(stream(5, forFolds, 0), int32(i))
		}
		want := exactLp(truth, labels, part)
		near(t, "L1", got.L1, want.L1, 1e-11)
		near(t, "L2", got.L2, want.L2, 1e-11)
		near(t, "Linf", got.LInf, want.LInf, 1e-11)
	}
}
