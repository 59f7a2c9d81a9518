package all

import (
	"context"
	"fmt"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

func BenchmarkFitOneVsRest(b *testing.B) {
	for _, name := range []string{"ivap", "cvap", "cir", "platt", "platt-logits", "quadratic", "scaling-binning", "scaling-binning-top", "hb-mass"} {
		set := testset.Simulated(5000, 100, 5, 1.6, 1)
		b.Run(fmt.Sprintf("method=%s/n=5000/k=100", name), func(b *testing.B) {
			for b.Loop() {
				calibtest.Fit(b, entry(name), set, nil)
			}
		})
	}
}

// BenchmarkFitFeatures fits the methods that need more than some passes, on sets of
// the size of CIFAR-100, of ImageNet, and of a tenth of ImageNet with wide features.
func BenchmarkFitFeatures(b *testing.B) {
	for _, c := range []struct {
		n, k, d int
		methods []string
	}{
		{5000, 100, 128, []string{"gc", "featclip", "hfe"}},
		{5000, 100, 512, []string{"adats"}},
		{25000, 1000, 128, []string{"gc", "featclip", "hfe"}},
		{2500, 1000, 2048, []string{"gc", "featclip"}},
	} {
		var set *data.Set
		for _, name := range c.methods {
			b.Run(fmt.Sprintf("method=%s/n=%d/k=%d/d=%d", name, c.n, c.k, c.d), func(b *testing.B) {
				if set == nil {
					set = testset.WithHead(c.n, c.k, c.d, 1)
					set.OOD = testset.WithHead(c.n/10, c.k, c.d, 2).Logits
				}
				m := entry(name).Method
				var f *calib.Fitted
				for b.Loop() {
					var err error
					if f, err = calib.FitInput(context.Background(), m, calib.Input{Cal: set.View(m.Contract().Cal), Seed: 1}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(f.Report.Passes, "passes")
			})
		}
	}
}

// entry returns the entry of the method of the given name.
func entry(name string) calib.Entry {
	e, ok := Lookup(name)
	if !ok {
		panic("no method " + name)
	}
	return e
}
