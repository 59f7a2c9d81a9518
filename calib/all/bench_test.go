package all

import (
	"fmt"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
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

// entry returns the entry of the method of the given name.
func entry(name string) calib.Entry {
	e, ok := Lookup(name)
	if !ok {
		panic("no method " + name)
	}
	return e
}
