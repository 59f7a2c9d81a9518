package metrics

import (
	"fmt"
	"math"
	"testing"

	"github.com/qats-bench/qats/internal/splitmix"
)

// TestDrawsAreAsManyAsRowsAndEquallyLikely, for even and odd numbers of rows.
func TestDrawsAreAsManyAsRowsAndEquallyLikely(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 10} {
		const resamples = 20000
		count := make([]float64, n)
		for r := range resamples {
			drawn := make([]times, n)
			drawLane(drawn, 0, splitmix.Mix(uint64(r)))
			total := 0
			for i := range drawn {
				total += int(drawn[i][0])
				count[i] += float64(drawn[i][0])
			}
			if total != n {
				t.Fatalf("%d rows: %d draws", n, total)
			}
		}
		// A count has the variance resamples (1 - 1/n): five standard deviations.
		tol := 5 * math.Sqrt(resamples)
		for i, c := range count {
			near(t, fmt.Sprintf("row %d of %d", i, n), c, resamples, tol)
		}
	}
}

// TestShareOfResamplesBelowStaysInsideOfZeroAndOne: where all resamples lie on one
// side of the observed value, the corrected interval is finite and ordered.
func TestShareOfResamplesBelowStaysInsideOfZeroAndOne(t *testing.T) {
	sorted := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for _, observed := range []float64{0, 11} {
		lo, hi := biasCorrected(sorted, observed, .95)
		if !(1 <= lo && lo <= hi && hi <= 10) {
			t.Errorf("observed %v: [%v, %v]", observed, lo, hi)
		}
	}
	for observed, want := range map[float64]bool{1: true, 5.5: false, 10.5: true, 1.5: false} {
		if got := shifted(sorted, observed, .8); got != want { // within .1 of an end
			t.Errorf("observed %v: shifted %t", observed, got)
		}
	}
	if shifted([]float64{1, 2, 3, 4}, 1.5, .5) { // at .25, exactly the end
		t.Error("an observed value at the end of the interval counts as shifted")
	}
}

// TestBinsOfOneSampleCountNothing in the debiased ECE, and hide no bin after them.
func TestBinsOfOneSampleCountNothing(t *testing.T) {
	one := Bin{N: 1, Conf: .9, Acc: 0}
	ten := Bin{N: 10, Conf: .9, Acc: .5}
	want := math.Sqrt(10. / 12 * (.16 - .25/9))
	for _, bins := range [][]Bin{{one, ten, one}, {ten, one, one}, {one, one, ten}} {
		near(t, "debiased", debiased(bins), want, 1e-12)
	}
}
