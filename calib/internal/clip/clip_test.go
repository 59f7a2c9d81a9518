package clip

import (
	"context"
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
)

// Lower bounds are below the NLL everywhere, and near it next to a computed
// threshold. Excluding thresholds by them changes no bit of the result.
func TestBoundsAreBelowTheNLLAndChangeNoResult(t *testing.T) {
	saved, ruledOut := 0, 0
	for seed := range uint64(3) {
		for _, scale := range []float64{0.3, 1, 8} {
			set := testset.SignedHead(400, 6, 10, scale, seed)
			all := NewSearch(set, 2, 0.99, false)
			var points []int
			for m := all.top; m >= 1; m-- {
				points = append(points, m)
			}
			if err := all.sweep(context.Background(), points, make([]bool, len(points))); err != nil {
				t.Fatal(err)
			}

			some := NewSearch(set, 2, 0.99, false)
			best, err := some.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if best != all.best() {
				t.Errorf("seed %d, scale %g: %d with bounds, %d without", seed, scale, best, all.best())
			}
			for m := range some.score {
				if some.score[m].computed {
					if some.score[m].nll != all.score[m].nll || some.score[m].hits != all.score[m].hits {
						t.Fatalf("seed %d, scale %g, grid value %d: the bits depend on the sweep", seed, scale, m)
					}
				} else if m > 0 && math.IsInf(some.bound[m], 1) {
					if all.admissible(all.score[m].hits) {
						t.Fatalf("seed %d, scale %g, grid value %d: ruled out with %d hits of %d", seed, scale, m, all.score[m].hits, all.score[all.top].hits)
					}
					ruledOut++
				} else if m > 0 && !(some.bound[m] <= all.score[m].nll+1e-8) {
					t.Fatalf("seed %d, scale %g, grid value %d: NLL %v is below its bound %v", seed, scale, m, all.score[m].nll, some.bound[m])
				}
				if m > 0 && !some.score[m].computed {
					saved++
				}
			}

			// One sweep with a point in the middle gives bounds at all others, which
			// are near the NLL next to the point.
			one := NewSearch(set, 2, 0.99, false)
			mid := one.top / 2
			if err := one.sweep(context.Background(), []int{one.top, mid}, []bool{true, true}); err != nil {
				t.Fatal(err)
			}
			for m := 1; m < one.top; m++ {
				if gap := all.score[m].nll - one.bound[m]; m != mid && !(gap >= -1e-8) || (m == mid-1 || m == mid+1) && gap > 0.02 {
					t.Fatalf("seed %d, scale %g, grid value %d of %d, next to %d: the bound is %v below the NLL", seed, scale, m, one.top, mid, gap)
				}
			}
		}
	}
	if saved == 0 || ruledOut == 0 {
		t.Errorf("%d thresholds spared, %d of them by the guard", saved, ruledOut)
	}
}

func TestClipIndexIsTheFirstGridValueAtOrAbove(t *testing.T) {
	for m := 0; m <= 2000; m++ {
		c := float64(m) / 100
		if got := clipIndex(c); got != m {
			t.Errorf("%v: %d, want %d", c, got, m)
		}
		if got := clipIndex(math.Nextafter(c, 100)); got != m+1 {
			t.Errorf("above %v: %d, want %d", c, got, m+1)
		}
	}
	if got := clipIndex(math.MaxFloat32); got != 2001 {
		t.Error(got)
	}
}
