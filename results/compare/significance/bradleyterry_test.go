package significance

import (
	"math"
	"testing"
)

// TestBradleyTerryOfTwo has a closed form: the log odds of the wins with the tie.
func TestBradleyTerryOfTwo(t *testing.T) {
	s := BradleyTerry([][]float64{{0, 7}, {2, 0}}, nil)
	want := math.Log(7.5/2.5) / 2
	if !(math.Abs(s[0]-want) <= 1e-12) || !(math.Abs(s[1]+want) <= 1e-12) {
		t.Errorf("%v, want %v and %v", s, want, -want)
	}
}

// TestBradleyTerryFitsItsMargins: at the maximum of the likelihood each method is
// expected to win as often as it did. Start and scale of the steps do not matter.
func TestBradleyTerryFitsItsMargins(t *testing.T) {
	wins := [][]float64{{0, 5, 3.5, 9}, {4, 0, 6, 9}, {5.5, 3, 0, 9}, {0, 0, 0, 0}}
	s := BradleyTerry(wins, nil)
	sum := 0.0
	for i := range wins {
		sum += s[i]
		won, expected := 0.0, 0.0
		for j := range wins {
			if j != i {
				won += wins[i][j] + .5
				expected += (wins[i][j] + wins[j][i] + 1) / (1 + math.Exp(s[j]-s[i]))
			}
		}
		if !(math.Abs(won-expected) <= 1e-9) {
			t.Errorf("method %d won %v, expected %v", i, won, expected)
		}
	}
	if !(math.Abs(sum) <= 1e-9) || s[3] > -2 || math.IsInf(s[3], 0) {
		t.Errorf("strengths %v", s)
	}
	again := BradleyTerry(wins, []float64{3, -1, 2, 0})
	for i := range s {
		if !(math.Abs(again[i]-s[i]) <= 1e-9) {
			t.Errorf("from another start: %v, want %v", again, s)
		}
	}
	if one := BradleyTerry([][]float64{{0}}, nil); one[0] != 0 {
		t.Errorf("one method: %v", one)
	}
}

// TestBradleyTerryOfDecidedPairs: where the better of two methods wins 162 times of 162,
// the largest of 60 strengths is that of numpy with Newton's method.
func TestBradleyTerryOfDecidedPairs(t *testing.T) {
	wins := make([][]float64, 60)
	for i := range wins {
		wins[i] = make([]float64, len(wins))
		for j := i + 1; j < len(wins); j++ {
			wins[i][j] = 162
		}
	}
	if s := BradleyTerry(wins, nil); !(math.Abs(s[0]-21.92809168) <= 1e-7) || !(math.Abs(s[59]+21.92809168) <= 1e-7) {
		t.Errorf("strengths %v to %v", s[0], s[59])
	}
}

// Values of scipy.stats.kendalltau (1.14).
func TestKendall(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}, 1},
		{[]float64{1, 2, 3, 4}, []float64{9, 7, 5, 3}, -1},
		{[]float64{12, 2, 1, 12, 2}, []float64{1, 4, 7, 1, 0}, -0.47140452079103173},
	} {
		if got, ok := Kendall(c.a, c.b); !ok || !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%v %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	if _, ok := Kendall([]float64{1, 1}, []float64{1, 2}); ok {
		t.Error("a list of ties has a correlation")
	}
}
