package calib

import (
	"context"
	"fmt"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

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
				m := method(b, name)
				var f *Fitted
				for b.Loop() {
					var err error
					if f, err = m.Fit(context.Background(), Input{Cal: set.View(m.Contract().Cal), Seed: 1}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(f.Report.Passes, "passes")
			})
		}
	}
}

// method returns a registered method with the defaults of its options.
func method(t testing.TB, name string) Method {
	t.Helper()
	e, ok := lookup(name)
	if !ok {
		t.Fatalf("no method %s", name)
	}
	return e.Method
}

// On real networks, the NLL of gc is below that of ts on the calibration set, and gc
// keeps the predictions. The threshold of featclip, on some rows, is that of the
// original's search.
func TestRealGCIsBelowTSAndFeatClipIsExhaustive(t *testing.T) {
	if testing.Short() {
		t.Skip("an exhaustive search on real networks; the tests on drawn sets do the same")
	}
	for _, name := range []string{"pneumoniamnist-28/densenet16-k12-s2", "pneumoniamnist-28/resnet18-w16-s2", "cifar10-jpeg/resnet18-w16-s2"} {
		cal := testset.Real(t, name, data.Cal, testset.Labelled|data.Features|data.Head)
		test := testset.Real(t, name, data.Test, testset.Labelled|data.Features)
		flat, err := TemperatureScaling{}.Fit(context.Background(), Input{Cal: cal})
		if err != nil {
			t.Fatal(err)
		}
		groups, err := GroupCalibrationOneSet{Partitions: 2}.Fit(context.Background(), Input{Cal: cal, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !(groups.Report.NLL < flat.Report.NLL) {
			t.Errorf("%s: NLL %v of gc, %v of ts", name, groups.Report.NLL, flat.Report.NLL)
		}
		q := data.NewProbs(test.Logits.Rows, test.Logits.Cols)
		Apply(groups.Map, q, test)
		for i := range q.Rows {
			top := 0
			for j, p := range q.Row(i) {
				if p > q.Row(i)[top] {
					top = j
				}
			}
			if top != fit.TopClass(test.Logits.Row(i)) {
				t.Fatalf("%s: gc changes the prediction of row %d", name, i)
			}
		}
		some := cal.Rows(0, 200)
		clipped, err := method(t, "featclip").Fit(context.Background(), Input{Cal: some})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := exhaustive(gridScores(some, 2), FeatureClipping{Sides: 2, Guard: new(0.99)})
		if got := clipped.Map.(featClipMap).C; got != want {
			t.Errorf("%s: c = %v, exhaustive %v", name, got, want)
		}
	}
}
