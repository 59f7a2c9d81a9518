package quantile

import (
	"context"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
)

// On tiny sets qats-free is never worse than from its usual start alone. It warns if another
// start ends at a local minimum.
func TestTinySetsHaveSeveralStarts(t *testing.T) {
	ctx := context.Background()
	warned := 0
	for seed := range uint64(60) {
		set := testset.Energetic(10, 2+int(seed%7), seed*31+10)
		if seed%2 == 0 {
			set = testset.Drawn(10, 2+int(seed%7), 0.5+float64(seed%5)/2, seed*17+10)
		}
		o, err := fit.NewObjective(set)
		if err != nil {
			t.Fatal(err)
		}
		tailSums, err := fit.Tails(ctx, set.Logits)
		if err != nil {
			t.Fatal(err)
		}
		ranks, q := fit.NewECDF(tailSums), make([]float64, 10)
		for i := range q {
			q[i] = ranks.Rank(tailSums[i])
		}
		shape := fit.Curve{Segments: 1, Free: true}
		lo, hi := shape.Bounds()
		flat, _, err := fit.Temperature(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		one, err := fit.BoxNewton(func(x []float64) (calib.Local, error) { return shape.At(ctx, o, q, x) }, shape.Flat(flat), lo, hi, flat)
		if err != nil {
			t.Fatal(err)
		}
		f := calibtest.Fit(t, QaTSFreeEntry, set, nil)
		if f.Report.NLL > one.Value+1e-9 {
			t.Errorf("seed %d: qats-free has NLL %v, %v from one start", seed, f.Report.NLL, one.Value)
		}
		if strings.Contains(f.Report.Warnings.String(), "no unique fit") {
			warned++
		}
	}
	if warned == 0 {
		t.Error("no warning of local minima; the sets do not test it")
	}
}
