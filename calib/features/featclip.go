package features

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// FeatureClipping is feature clipping: the features, which are the input of the last
// layer, are clipped at one threshold c. If several c have the least criterion, the least c
// wins. The criterion is the mean NLL, as in the scripts of the original, or the
// ECE-15, its default on the command line. With one side, only features above c are
// clipped (an earlier version, without a guard). The prediction may change, for example
// among classes that clipping makes equal.
// There is no temperature, so the method does not follow the size of the logits.
//
// If no c is admissible, nothing is clipped; this is saved as c = 3.4e38, the largest
// float32.
//
//   - Formula: p = softmax(W clip(h, -c, c) + b), c of 0.01, 0.02, ..., 20 with the
//     least NLL that keeps 99 % of the accuracy
//   - Reference: Tao, Dong and Xu 2025
//   - Compared with: Linwei94/AAAI2025-FC (the authors')
//   - Agreement: c exactly on drawn sets, with an exhaustive search by the definition
//   - Departures: none in the result, which equals an exhaustive search. Under the
//     NLL, bounds leave out values of c that cannot be best. The ECE has no such
//     bounds, so it is computed at every c below the largest feature.
type FeatureClipping struct {
	Sides     int      // 2 clips to [-c, c], 1 to at most c; 0 means 2
	Guard     *float64 // least share of the original accuracy, which must be exceeded, in [0, 1]; nil means 0.99
	Criterion string   // "nll" or "ece"; empty means "nll"
}

// FeatClipEntry is the entry of FeatureClipping.
var FeatClipEntry = calib.NewEntry[FeatureClipping, featClipMap](calib.Entry{
	Name:    "featclip",
	Label:   "FeatClip",
	Version: 1,
	Summary: "features clipped at one threshold, then the last layer of the network",
	Aliases: []string{"feature-clipping"},
	Cost:    1000,
	Cost100: 700,
})

// String returns the name of the method.
func (FeatureClipping) String() string { return FeatClipEntry.Name }

// Options returns the options.
func (f *FeatureClipping) Options() []calib.Option {
	return []calib.Option{
		calib.IntOption("sides", &f.Sides, 2, 1, 2, "2 clips features to [-c, c], 1 to at most c"),
		calib.OptionalFloat("guard", &f.Guard, 0.99, 0, 1, "share of the original accuracy that must be exceeded"),
		calib.ChoiceOption("criterion", &f.Criterion, []string{"nll", "ece"}, "the criterion, which is minimised on the calibration set"),
	}
}

// Contract needs logits, labels, features and the last layer. The logits serve to
// check that features and last layer belong to them; those of the test set are not
// needed.
func (FeatureClipping) Contract() calib.Contract {
	return calib.Contract{
		Cal:  data.Logits | data.Labels | data.Features | data.Head,
		Test: data.Features | data.Head,
	}
}

// Fit returns c. The iterations of the report are the thresholds that were computed.
// A grid has no gradient.
func (f FeatureClipping) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	f, err := method.Ready(f, in)
	if err != nil {
		return nil, err
	}
	set := in.Cal
	if err := checkHead(set); err != nil {
		return nil, err
	}
	s := newClipSearch(set, f.Sides, *f.Guard, f.Criterion == "ece")
	best, err := s.Run(ctx)
	if err != nil {
		return nil, err
	}
	m := featClipMap{C: clipValue(best), Sides: f.Sides}
	if best == 0 {
		m.C = math.MaxFloat32
	}
	report := calib.Report{Iterations: s.Computed, Passes: s.Passes}
	explainClip(&report, best, *f.Guard)
	return method.Reported(ctx, m, set, report)
}

// explainClip adds the bound that is active at grid value best, and the warnings about
// it.
func explainClip(r *calib.Report, best int, guard float64) {
	switch best {
	case 0:
		r.Warn(calib.Warning{Text: "no threshold keeps the accuracy above {value} of what it was: nothing is clipped", Value: guard})
		return
	case 1:
		r.AtBound = report.Bounds{report.AtLeast("c", 0, 0.01)}
	case clipPoints:
		r.AtBound = report.Bounds{report.AtMost("c", 0, 20)}
	default:
		return
	}
	r.Warn(report.End(r.AtBound[0]))
}

// headTolerance is the largest difference between the logits and those computed from
// features and last layer, relative to 1 + the range of the row. The error of float16
// arrays is smaller.
const headTolerance = 0.02

// checkHead rejects features and a last layer that do not fit together, or that do
// not give the logits, up to an offset of each row. It computes at most 256 rows,
// because arrays of another network differ in any row.
func checkHead(set *data.Set) error {
	if err := method.CheckFeatures(set); err != nil {
		return err
	}
	if err := checkLast(set); err != nil {
		return err
	}
	if k := set.Head.W.Rows; k != set.Logits.Cols {
		return fmt.Errorf("the last layer has %d classes, the logits have %d", k, set.Logits.Cols)
	}
	n := set.Logits.Rows
	step := max(1, n/256)
	x, z := make([]float64, set.Features.Cols), make([]float64, set.Logits.Cols)
	last := newClipLayer(set.Head)
	for i := 0; i < n; i += step {
		clipFeatures(x, set.Features.Row(i), math.Inf(1), 2)
		last.Logits(z, x)
		row := set.Logits.Row(i)
		for j, l := range row {
			z[j] -= float64(l)
		}
		reach, off := float64(slices.Max(row))-float64(slices.Min(row)), slices.Max(z)-slices.Min(z)
		if !(off <= headTolerance*(1+reach)) {
			return fmt.Errorf("row %d: features and last layer give logits that differ by up to %.3g: they are not those of this network", i, off)
		}
	}
	return nil
}

// checkLast rejects features and a last layer of different widths.
func checkLast(set *data.Set) error {
	w := set.Head.W
	switch {
	case w.Cols != set.Features.Cols:
		return fmt.Errorf("%d features, but the last layer is for %d", set.Features.Cols, w.Cols)
	case len(set.Head.B) != w.Rows:
		return fmt.Errorf("the last layer has weights for %d classes but biases for %d", w.Rows, len(set.Head.B))
	}
	return nil
}

// featClipMap clips features to [-C, C], or to at most C if Sides is 1.
type featClipMap struct {
	C     float64 `json:"c"` // above 0; the largest float32 clips nothing
	Sides int     `json:"sides"`
}

func (m featClipMap) Check() error {
	switch {
	case !(m.C > 0 && m.C <= math.MaxFloat32):
		return fmt.Errorf("c = %v: want a threshold above 0, at most %v", m.C, math.MaxFloat32)
	case m.Sides != 1 && m.Sides != 2:
		return errors.New("sides: want 1 or 2")
	}
	return nil
}

// Parameters returns the threshold.
func (m featClipMap) Parameters() []calib.Parameter {
	return []calib.Parameter{{Name: "c", Value: m.C, Meaning: "threshold at which features are clipped"}}
}

func (m featClipMap) CheckSet(set *data.Set) error { return checkLast(set) }

// Apply writes softmax(W clip(h) + b). The logits are computed in float64. The kernel
// reads their differences to the largest in float32, with a relative error of 6e-8.
func (m featClipMap) Apply(dst data.Probs, set *data.Set) {
	d, k := set.Features.Cols, dst.Cols
	x, z := make([]float64, clipLayerRows*d), make([]float64, clipLayerRows*k)
	gap := make([]float32, k)
	last := newClipLayer(set.Head)
	for lo := 0; lo < dst.Rows; lo += clipLayerRows {
		n := min(clipLayerRows, dst.Rows-lo)
		for i := range n {
			clipFeatures(x[i*d:(i+1)*d], set.Features.Row(lo+i), m.C, m.Sides)
		}
		last.Logits(z[:n*k], x[:n*d])
		for i := range n {
			clipGaps(gap, z[i*k:(i+1)*k])
			softmax.Probs(dst.Row(lo+i), gap, 1)
		}
	}
}
