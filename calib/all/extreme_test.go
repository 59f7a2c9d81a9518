package all

import (
	"fmt"
	"math"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// Finite logits and features of any size end the fits by LBFGS: gonum bounds its steps, and
// not the evaluations of a line search.
func TestFitsByLBFGSEndOnExtremeSets(t *testing.T) {
	for _, k := range []int{2, 5} {
		for seed := range uint64(2) {
			for _, factor := range []float64{1e20, 1e30, 1e33, 1e37, math.MaxFloat64} {
				set := testset.Drawn(40, k, 2, seed)
				set.Features = data.NewMatrix(40, 4)
				for i := range set.Features.Data {
					set.Features.Data[i] = set.Logits.Data[i*k/4]
				}
				for _, m := range []data.Matrix{set.Logits, set.Features} {
					for i, v := range m.Data {
						m.Data[i] = float32(min(max(float64(v)*factor, -math.MaxFloat32), math.MaxFloat32))
					}
				}
				for _, name := range []string{"vs", "svs", "sms", "dirichlet", "ms-odir", "label-shift", "gc", "gc-split"} {
					e, _ := Lookup(name)
					c := e.Method.Contract()
					_, err := calib.FitInput(t.Context(), e.Method, calib.Input{Cal: set.View(c.Cal), Target: set.View(c.Target), Seed: seed})
					if err != nil && err.Error() != "the fit overflows: logits or features are too large for this method" {
						t.Error(fmt.Sprintf("%s, %d classes, x %g: ", name, k, factor), err)
					}
				}
			}
		}
	}
}
