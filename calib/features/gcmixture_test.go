package features

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// The table agrees with the NLL by its definition, at random temperatures, on rows of
// several kinds. The worst rows have 999 equal logits below the top one.
func TestTableIsTheNLL(t *testing.T) {
	const k = 1000
	rng := rand.New(rand.NewPCG(1, 2))
	set := &data.Set{Logits: data.NewMatrix(60, k), Labels: make([]int32, 60)}
	for i := range 60 {
		row := set.Logits.Row(i)
		for j := range row {
			switch i % 3 {
			case 0:
				row[j] = float32(3 * rng.NormFloat64())
			case 1: // one top, the others equal
				row[j] = -float32(i)
			case 2: // two logits far above the others
				row[j] = -50
			}
		}
		if i%3 > 0 {
			row[i] = 0
			row[i+1] += float32(i) / 2
		}
		set.Labels[i] = int32(rng.IntN(k))
	}
	o, err := fit.NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	table := newNLLTable(o)
	worst, mean := 0.0, 0.0
	const trials = 60
	for range trials {
		u := math.Log(20) * (2*rng.Float64() - 1)
		c, err := table.at(context.Background(), u)
		if err != nil {
			t.Fatal(err)
		}
		for i := range set.Labels {
			got, slope := nllRowOf(&c, i)
			want, wantSlope := testset.RowNLL(set.Logits.Row(i), int(set.Labels[i]), u)
			worst = max(worst, math.Abs(got-want))
			mean += math.Abs(got-want) / (60 * trials)
			if !(math.Abs(slope-wantSlope) <= 1e-6*max(1, math.Abs(wantSlope))) {
				t.Fatalf("row %d, u = %v: slope %v, want %v", i, u, slope, wantSlope)
			}
		}
	}
	t.Logf("error up to %.1e, %.1e on average", worst, mean)
	if worst > 2e-9 || mean > 1e-10 {
		t.Errorf("error up to %.1e, %.1e on average", worst, mean)
	}
}

// Beyond the bounds of the temperature the NLL is constant.
func TestTableIsConstantBeyondItsBounds(t *testing.T) {
	set := &data.Set{Logits: data.Matrix{Rows: 1, Cols: 2, Data: []float32{1, 0}}, Labels: []int32{1}}
	o, err := fit.NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	table := newNLLTable(o)
	for _, u := range []float64{math.Log(1000), 7, 1e9, math.Inf(1), -math.Log(1000), -8, math.Inf(-1)} {
		c, err := table.at(context.Background(), u)
		if err != nil {
			t.Fatal(err)
		}
		got, slope := nllRowOf(&c, 0)
		want, _ := testset.RowNLL([]float32{1, 0}, 1, math.Copysign(math.Log(1000), u))
		if !(math.Abs(got-want) <= 1e-9*max(1, want)) || slope != 0 {
			t.Errorf("u = %v: %v with slope %v, want %v with 0", u, got, slope, want)
		}
	}
}

// nllRowOf returns the NLL of one row and its derivative.
func nllRowOf(c *nllColumn, i int) (nll, slope float64) {
	var v [2]float64
	c.rows(v[:1], v[1:], i)
	return v[0], v[1]
}

// The value agrees with its definition, and the gradient with differences.
func TestMixtureFollowsItsDefinition(t *testing.T) {
	set := testset.TwoGroups(300, 4, 3, [2]float64{1, 3}, 4)
	for groups := 1; groups <= 4; groups++ {
		o, err := fit.NewObjective(set)
		if err != nil {
			t.Fatal(err)
		}
		m := newGCMixture(o, set.Features, groups, 0.1)
		rng := rand.New(rand.NewPCG(6, 6))
		x := m.Start(rng)
		for g := range groups {
			x[groups*3+g] += 0.7 * rng.NormFloat64()
		}
		p := gcPoint{x: x, gradient: make([]float64, len(x))}
		if err := m.At(context.Background(), []*gcPoint{&p}); err != nil {
			t.Fatal(err)
		}
		got, gradient := p.value, p.gradient
		if want := mixtureByDefinition(set, groups, x); !(math.Abs(got-want) <= 1e-10) {
			t.Errorf("%d groups: value %v, want %v", groups, got, want)
		}
		numeric := fd.Gradient(nil, func(x []float64) float64 {
			return mixtureByDefinition(set, groups, x)
		}, x, &fd.Settings{Formula: fd.Central})
		// The definition depends on all of W. The gradient is that of a W whose rows
		// sum to 0. They agree, since the mean does not change the softmax and is 0
		// here.
		for j := range x {
			if !(math.Abs(gradient[j]-numeric[j]) <= 1e-7) {
				t.Errorf("%d groups, parameter %d: derivative %v, differences %v", groups, j, gradient[j], numeric[j])
			}
		}
	}
}

// The value and the gradient at a point have the same bits alone and beside other points, over
// several blocks of rows. Minima found together are those found alone.
func TestPointsDoNotDependOnEachOther(t *testing.T) {
	set := testset.TwoGroups(2*fit.BlockRows+44, 4, 5, [2]float64{1, 3}, 4)
	for groups := 2; groups <= 4; groups++ {
		o, err := fit.NewObjective(set)
		if err != nil {
			t.Fatal(err)
		}
		m := newGCMixture(o, set.Features, groups, 0.1)
		start := func(u int) []float64 { return m.Start(rand.New(rand.NewPCG(8, uint64(u)))) }
		var points []*gcPoint
		var starts [][]float64
		for u := range 13 {
			points = append(points, &gcPoint{x: start(u), gradient: make([]float64, groups*6)})
			starts = append(starts, start(u))
		}
		if err := m.At(t.Context(), points); err != nil {
			t.Fatal(err)
		}
		stop := fit.Stop{Steps: 20, Evaluations: 200, Gradient: gcTolerance}
		ends, err := m.Descend(t.Context(), starts, stop)
		if err != nil {
			t.Fatal(err)
		}
		for u, p := range points {
			alone := &gcPoint{x: p.x, gradient: make([]float64, groups*6)}
			if err := m.At(t.Context(), []*gcPoint{alone}); err != nil || alone.value != p.value || !slices.Equal(alone.gradient, p.gradient) {
				t.Errorf("%d groups, point %d: %v with gradient %v beside others, %v with %v alone (%v)", groups, u, p.value, p.gradient, alone.value, alone.gradient, err)
			}
			x := start(u)
			end, err := m.Descend(t.Context(), [][]float64{x}, stop)
			if err != nil || end[0] != ends[u] || !slices.Equal(x, starts[u]) {
				t.Errorf("%d groups, start %d: %+v beside others, %+v alone (%v)", groups, u, ends[u], end, err)
			}
		}
	}
}

// The mixture of two groups by vector code has the bits of that of any number of groups.
func TestTwoGroupsHaveTheBitsOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for _, n := range []int{1, 4, 7, fit.BlockRows} {
		many, two := newGCRoom(2), newGCRoom(2)
		products, rates := make([]float64, n), make([]float64, n)
		nll, share := many.nll.first(n), many.share.first(n)
		for i := range n {
			products[i] = 6 * rng.NormFloat64()
			for g := range nll {
				nll[g][i] = 9 * rng.ExpFloat64()
			}
		}
		if n > 4 {
			products[2], nll[0][3], products[4] = 0, 2000, 900
		}
		many.mix(many.loss[:n], share, rates, products, nll)
		got := softmax.Mixture{Loss: two.loss[:n], First: two.share.first(n)[0], Second: two.share.first(n)[1], Rate: make([]float64, n)}
		softmax.Mixtures(&got, products, nll[0], nll[1])
		for k, of := range [][2][]float64{{got.Loss, many.loss[:n]}, {got.First, share[0]}, {got.Second, share[1]}, {got.Rate, rates}} {
			if !slices.Equal(of[0], of[1]) {
				t.Errorf("%d rows, number %d: %v, want %v", n, k, of[0], of[1])
			}
		}
	}
}

// A descent that is cancelled, or whose numbers overflow, ends with the error.
func TestDescendEndsWithItsError(t *testing.T) {
	set := testset.TwoGroups(40, 4, 3, [2]float64{1, 3}, 4)
	o, err := fit.NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	m := newGCMixture(o, set.Features, 2, 0.1)
	starts := [][]float64{m.Start(rand.New(rand.NewPCG(1, 1))), m.Start(rand.New(rand.NewPCG(1, 2)))}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Descend(ctx, starts, fit.Stop{Steps: 5, Evaluations: 50}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	starts[1][0] = math.Inf(1)
	if _, err := m.Descend(t.Context(), starts, fit.Stop{Steps: 5, Evaluations: 50}); err == nil || !strings.Contains(err.Error(), "overflows") {
		t.Errorf("infinite weight: %v", err)
	}
}

// A panic of an evaluation reaches the caller, after all descents have ended.
func TestDescendPanicsAsAnEvaluationDoes(t *testing.T) {
	set := testset.TwoGroups(40, 4, 3, [2]float64{1, 3}, 4)
	o, err := fit.NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	m := newGCMixture(o, set.Features, 2, 0.1)
	m.rooms.New = func() any { panic("no room") }
	var starts [][]float64
	for u := range 5 {
		starts = append(starts, m.Start(rand.New(rand.NewPCG(1, uint64(u)))))
	}
	defer func() {
		if p := recover(); p != "no room" {
			t.Errorf("got %v", p)
		}
	}()
	m.Descend(t.Context(), starts, fit.Stop{Steps: 5, Evaluations: 50})
	t.Error("no panic")
}

// BenchmarkGCMixture evaluates the 20 partitions of a fit at once: 2,560 rows of 128 features.
func BenchmarkGCMixture(b *testing.B) {
	set := testset.TwoGroups(10*fit.BlockRows, 10, 128, [2]float64{1, 3}, 4)
	o, err := fit.NewObjective(set)
	if err != nil {
		b.Fatal(err)
	}
	m := newGCMixture(o, set.Features, 2, 0.1)
	var points []*gcPoint
	for u := range 20 {
		x := m.Start(rand.New(rand.NewPCG(8, uint64(u))))
		points = append(points, &gcPoint{x: x, gradient: make([]float64, len(x))})
	}
	for b.Loop() {
		if err := m.At(b.Context(), points); err != nil {
			b.Fatal(err)
		}
	}
}

func mixtureByDefinition(set *data.Set, groups int, x []float64) float64 {
	n, d := set.Features.Rows, set.Features.Cols
	total := 0.0
	for i := range n {
		share, sum := make([]float64, groups), 0.0
		for g := range share {
			for j, v := range set.Features.Row(i) {
				share[g] += x[g*d+j] * float64(v)
			}
			share[g] = math.Exp(share[g])
			sum += share[g]
		}
		p := 0.0
		for g := range share {
			nll, _ := testset.RowNLL(set.Logits.Row(i), int(set.Labels[i]), x[groups*d+g])
			p += share[g] / sum * math.Exp(-nll)
		}
		total -= math.Log(p) / float64(n)
	}
	square := 0.0
	for _, w := range x[:groups*d] {
		square += w * w
	}
	return total + 0.1*square/float64(groups*d)
}

// W starts uniform in (-1, 1)/sqrt(d), minus its mean over the groups, and tau at 1.5.
func TestStartIsUniformAroundTheMeanOfTheGroups(t *testing.T) {
	const d, groups = 4000, 5
	m := &gcMixture{width: d, groups: groups}
	x := m.Start(rand.New(rand.NewPCG(3, 3)))
	reach := 1 / math.Sqrt(d)
	squares, most := 0.0, 0.0
	for j := range d {
		sum := 0.0
		for g := range groups {
			v := x[g*d+j]
			sum, squares, most = sum+v, squares+v*v, max(most, math.Abs(v))
		}
		if !(math.Abs(sum) <= 1e-15) {
			t.Fatalf("feature %d: the groups sum to %v", j, sum)
		}
	}
	// A uniform number has the variance reach^2/3; the mean takes one of five parts.
	if want := reach * reach / 3 * (1 - 1./groups); !(math.Abs(squares/(groups*d)/want-1) <= .05) || most > 2*reach {
		t.Errorf("variance %v, want %v; largest %v", squares/(groups*d), want, most)
	}
	for _, v := range x[groups*d:] {
		if !(math.Abs(math.Exp(-v)-1.5) <= 1e-12) {
			t.Errorf("tau = %v", math.Exp(-v))
		}
	}
}

// Row g of W is a view of its parameters.
func TestRowsAreViewsOfTheParameters(t *testing.T) {
	m := &gcMixture{width: 2, groups: 3}
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	w := m.Rows(x)
	w[2][1] = -6
	if want := [][]float64{{1, 2}, {3, 4}, {5, -6}}; !reflect.DeepEqual(w, want) || x[5] != -6 {
		t.Errorf("rows %v of %v, want %v", w, x, want)
	}
}
