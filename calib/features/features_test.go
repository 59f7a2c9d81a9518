package features

import (
	"context"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

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
		flat, err := calib.TemperatureScaling{}.Fit(context.Background(), calib.Input{Cal: cal})
		if err != nil {
			t.Fatal(err)
		}
		groups, err := calib.FitInput(context.Background(), GroupCalibrationOneSet{Partitions: 2}, calib.Input{Cal: cal, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !(groups.Report.NLL < flat.Report.NLL) {
			t.Errorf("%s: NLL %v of gc, %v of ts", name, groups.Report.NLL, flat.Report.NLL)
		}
		q := data.NewProbs(test.Logits.Rows, test.Logits.Cols)
		calib.Apply(groups.Map, q, test)
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
		clipped, err := calib.FitInput(context.Background(), FeatClipEntry.Method, calib.Input{Cal: some})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := exhaustive(gridScores(some, 2), FeatureClipping{Sides: 2, Guard: new(0.99)})
		if got := clipped.Map.(featClipMap).C; got != want {
			t.Errorf("%s: c = %v, exhaustive %v", name, got, want)
		}
	}
}
