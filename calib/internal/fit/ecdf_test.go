package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// ranksOf returns the ranks of the rows of test among the rows of cal.
func ranksOf(t *testing.T, cal, test data.Matrix) []float64 {
	t.Helper()
	ctx := context.Background()
	c, err := Tails(ctx, cal)
	if err != nil {
		t.Fatal(err)
	}
	q, err := Tails(ctx, test)
	if err != nil {
		t.Fatal(err)
	}
	e := NewECDF(c)
	for i := range q {
		q[i] = e.Rank(q[i])
	}
	return q
}

func equal(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: ranks %v, want %v", what, got, want)
			return
		}
	}
}

func TestRanksOfKnownRows(t *testing.T) {
	cal := testset.Rows([][]float32{
		{0, 1, 0}, // least confident
		{5, 1, 0},
		{1, 0, 5}, // the same numbers as the row before
		{0, 50, 1},
		{0, 51, 1}, // conf is 1 in float32 and float64 for both of these
	})
	equal(t, "among themselves", ranksOf(t, cal, cal), []float64{.2, .6, .6, .8, 1})
	test := testset.Rows([][]float32{
		{0, 0, 0},          // less confident than all
		{1, 0, 0},          // the first row
		{0, 2, 0},          // between
		{0, 5, 1},          // the tied rows in another order
		{1024, 1074, 1025}, // the fourth row, shifted
		{0, 0, 900},        // beyond all
	})
	equal(t, "other rows", ranksOf(t, cal, test), []float64{0, .2, .2, .6, .8, 1})
}

// Ranks agree with a count of pairs, on rows with many ties and with shuffled classes.
// The count compares sorted rows, not sums.
func TestRanksFollowTheirDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n, k = 300, 40
	pool := data.NewMatrix(60, k)
	for i := range pool.Data {
		pool.Data[i] = float32(3 * rng.NormFloat64())
	}
	draw := func() (data.Matrix, []int) {
		m, from := data.NewMatrix(n, k), make([]int, n)
		for i := range n {
			from[i] = rng.IntN(pool.Rows)
			copy(m.Row(i), pool.Row(from[i]))
			rng.Shuffle(k, func(a, b int) { r := m.Row(i); r[a], r[b] = r[b], r[a] })
		}
		return m, from
	}
	cal, calFrom := draw()
	test, testFrom := draw()
	conf := make([]float64, pool.Rows) // the confidences of distinct rows differ clearly in float64
	for i := range conf {
		var sum, most float64
		most = float64(pool.Row(i)[0])
		for _, l := range pool.Row(i) {
			most = max(most, float64(l))
		}
		for _, l := range pool.Row(i) {
			sum += math.Exp(float64(l) - most)
		}
		conf[i] = 1 / sum
	}
	want := make([]float64, n)
	for i := range n {
		for j := range n {
			if calFrom[j] == testFrom[i] || conf[calFrom[j]] < conf[testFrom[i]] {
				want[i]++
			}
		}
		want[i] /= n
	}
	equal(t, "shuffled classes", ranksOf(t, cal, test), want)
}

// The bucket sort and its ranks are those of a comparison sort, for rows of the set
// and for others.
func TestRankingIsThatOfASort(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for name, draw := range map[string]func() float64{
		"equal":         func() float64 { return 0.25 },
		"zero":          func() float64 { return 0 },
		"few values":    func() float64 { return float64(rng.IntN(5)) / 3 },
		"uniform":       rng.Float64,
		"all sizes":     func() float64 { return math.Exp(-700 * rng.Float64()) },
		"a cluster":     func() float64 { return 1 + 1e-13*rng.Float64() },
		"zeros and one": func() float64 { return float64(rng.IntN(2)) },
		"subnormal":     func() float64 { return float64(rng.IntN(100)) * 5e-324 },
	} {
		for _, n := range []int{1, 2, 3, 7, 100, 5000} {
			tails := make([]float64, n)
			for i := range tails {
				tails[i] = draw()
			}
			r := newRanking(tails)
			want := slices.Sorted(slices.Values(tails))
			if !slices.Equal(r.ECDF, want) {
				t.Fatalf("%s: %d tails are not sorted", name, n)
			}
			indexed := ECDF(want).ranking()
			var others []float64
			for _, tail := range tails {
				others = append(others, tail, math.Nextafter(tail, 0), math.Nextafter(tail, 9), tail/3, tail*3, draw())
			}
			a, b := slices.Clone(others), slices.Clone(others)
			r.ranks(a)
			indexed.ranks(b)
			for i, tail := range others {
				if want := ECDF(want).Rank(tail); a[i] != want || b[i] != want {
					t.Fatalf("%s: n = %d: rank of %g is %g, and %g with an index, want %g", name, n, tail, a[i], b[i], want)
				}
			}
		}
	}
}

// An index has between n/8 and n/2 buckets, if the tails differ: few steps a row, and
// little memory.
func TestRankingHasAboutAQuarterAsManyBucketsAsRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for _, n := range []int{100, 1000, 54321} {
		tails := make([]float64, n)
		for i := range tails {
			tails[i] = rng.Float64()
		}
		if buckets := len(newRanking(tails).start) - 1; buckets < n/8 || buckets > n/2+1 {
			t.Errorf("%d rows: %d buckets", n, buckets)
		}
	}
}

// BenchmarkRanks ranks as many other rows as are in the set.
func BenchmarkRanks(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		rng := rand.New(rand.NewPCG(1, 1))
		tails := func() []float64 {
			t := make([]float64, n)
			for i := range t {
				t[i] = math.Exp(-8 * rng.ExpFloat64())
			}
			return t
		}
		e, at, dst := NewECDF(tails()), tails(), make([]float64, n)
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			for b.Loop() {
				e.Scales(dst, at, func(q float64) float64 { return q + 1 })
			}
		})
	}
}

// Tails of 0, of certain rows, and equal tails are as good as others.
func TestCheckOfTails(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		tails ECDF
		ok    bool
	}{
		{ECDF{0}, true}, {ECDF{0, 0, 1, 1, 2}, true}, {ECDF{}, false}, {ECDF{1, 2, 1.5}, false},
		{ECDF{-1, 2}, false}, {ECDF{math.Copysign(0, -1)}, false}, {ECDF{1, inf}, false}, {ECDF{math.NaN()}, false},
	} {
		if err := c.tails.Check(); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.tails, err)
		}
	}
}

// The search returns what one of the standard library does, in lists of any length and for x at, between and
// beyond the elements, NaN too.
func TestUpToCountsElementsAtOrBelow(t *testing.T) {
	for n := range 40 {
		list := make([]float64, n)
		for i := range list {
			list[i] = float64(2 * i)
		}
		if n > 10 {
			list[n-1], list[4] = math.Inf(1), list[3] // equal ones, too
		}
		for x := -1.0; x <= float64(2*n+1); x++ {
			for _, x := range []float64{x, math.Nextafter(x, -1), math.Inf(1), math.NaN()} {
				want := sort.Search(n, func(i int) bool { return list[i] > x })
				if got := UpTo(list, x); got != want {
					t.Errorf("%v of %d elements: %d, want %d", x, n, got, want)
				}
			}
		}
	}
}
