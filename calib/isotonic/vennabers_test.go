package isotonic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The definition: isotonic regression of all rows and one more, by the closed form.
func TestVennAbersIsTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for trial := range 500 {
		n := rng.IntN(30)
		points := make([]vennPoint, n)
		for i := range points {
			points[i] = vennPoint{rng.Float64(), rng.Float64() < 0.5}
			if trial%2 == 0 {
				points[i].X = math.Round(6*points[i].X) / 6
			}
			if trial%3 == 0 {
				points[i].Hit = rng.Float64() < points[i].X
			}
		}
		all := slices.Clone(points)
		v := newVennAbers(groupOutcomes(points, trial%4 < 2), trial%4 < 2)
		for range 20 {
			s := rng.Float64()
			if n > 0 && rng.IntN(2) == 0 {
				s = all[rng.IntN(n)].X
			}
			var p [2]float64
			for outcome := range p {
				x, y, w := []float64{s}, []float64{float64(outcome)}, []float64{1}
				for _, point := range all {
					hit := 0.0
					if point.Hit {
						hit = 1
					}
					x, y, w = append(x, point.X), append(y, hit), append(w, 1)
				}
				at, g := minMax(x, y, w)
				i, _ := slices.BinarySearch(at, s)
				p[outcome] = g[i]
			}
			got, want := 1/(1+math.Exp(v.Odds(s))), p[1]/(1-p[0]+p[1])
			if !(math.Abs(got-want) <= 1e-13) {
				t.Fatalf("trial %d: p(%v) = %v, by the definition %v", trial, s, got, want)
			}
		}
	}
}

// Groups read from a file must be those that Group can return.
func TestOutcomesCheckRejectsOtherLists(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		o    vennOutcomes
		want string
	}{
		{vennOutcomes{}, "<nil>"},
		{vennOutcomes{[]float64{-1, 0, 3}, []int{1, 2, 1 << 30}, []int{0, 2, 1 << 30}}, "<nil>"},
		{vennOutcomes{[]float64{1}, nil, nil}, "1 scores but 0 rows and 0 hits"},
		{vennOutcomes{[]float64{1}, []int{1}, nil}, "1 scores but 1 rows and 0 hits"},
		{vennOutcomes{[]float64{1}, nil, []int{1}}, "1 scores but 0 rows and 1 hits"},
		{vennOutcomes{[]float64{1, 1}, []int{1, 1}, []int{1, 1}}, "x[1] = 1: want increasing numbers"},
		{vennOutcomes{[]float64{2, 1}, []int{1, 1}, []int{1, 1}}, "x[1] = 1: want increasing numbers"},
		{vennOutcomes{[]float64{math.NaN()}, []int{1}, []int{1}}, "x[0] = NaN: want increasing numbers"},
		{vennOutcomes{[]float64{inf}, []int{1}, []int{1}}, "x[0] = +Inf: want increasing numbers"},
		{vennOutcomes{[]float64{1}, []int{0}, []int{0}}, "0 hits in 0 rows at x[0]"},
		{vennOutcomes{[]float64{1}, []int{2}, []int{3}}, "3 hits in 2 rows at x[0]"},
		{vennOutcomes{[]float64{1}, []int{2}, []int{-1}}, "-1 hits in 2 rows at x[0]"},
		{vennOutcomes{[]float64{1}, []int{math.MaxInt32}, []int{1}}, "<nil>"},
		{vennOutcomes{[]float64{1, 2}, []int{math.MaxInt32, 1}, []int{1, 1}}, "2^31 rows or more"},
	} {
		if got := fmt.Sprint(c.o.Check()); got != c.want {
			t.Errorf("%v: %s, want %s", c.o, got, c.want)
		}
	}
}

// Scores that differ by rounding alone are one score, in the fit and later, on both sides
// of it.
func TestGroupJoinsTies(t *testing.T) {
	near := 0.5 * (1 + float64(tieShare)/2)
	o := groupOutcomes([]vennPoint{{near, true}, {0.5, false}, {0, true}, {0, false}, {1, true}}, true)
	if !slices.Equal(o.X, []float64{0, 0.5, 1}) || !slices.Equal(o.Rows, []int{2, 2, 1}) || !slices.Equal(o.Hits, []int{1, 1, 1}) {
		t.Errorf("%+v", o)
	}
	v := newVennAbers(o, true)
	for _, tied := range []float64{near, 0.5 * (1 - float64(tieShare)/2)} {
		if v.Odds(tied) != v.Odds(0.5) {
			t.Errorf("%v has another value than 0.5", tied)
		}
	}
	for _, other := range []float64{0.5 * (1 + 2*float64(tieShare)), 0.5 * (1 - 2*float64(tieShare))} {
		if v.Odds(other) == v.Odds(0.5) {
			t.Errorf("%v counts as a tie with 0.5", other)
		}
	}
	v = newVennAbers(groupOutcomes([]vennPoint{{0.5, false}, {near, true}}, false), false)
	if v.Odds(0.5) == v.Odds(near) {
		t.Error("different differences are tied")
	}
}
