package calib

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/internal/clip"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// FeatureClipping is feature clipping (Tao, Dong and Xu 2025): the features,
// input of the last layer, are clipped before it,
//
//	p = softmax(W clip(h, -c, c) + b),
//
// with the c of the grid 0.01, 0.02, ..., 20 that has the least criterion on
// the calibration set among those that keep its accuracy above guard times the
// original one; of equal ones the least c. The criterion is the mean NLL, as
// in the scripts of the original, or the ECE-15, its default on the command
// line. With one side only features above c are clipped (an earlier version,
// which had no guard). Predictions may change, also among classes that
// clipping makes equal.
//
// The answer is that of the exhaustive search; see clip.Search for how most of
// the grid is left out under the NLL. The ECE has no such bounds: it is
// computed at every c below the largest feature. When no c is admissible
// nothing is clipped, which is saved as c = 3.4e38, the largest float32.
type FeatureClipping struct {
	Sides     int      // 2 clips to [-c, c], 1 to at most c; 0 means 2
	Guard     *float64 // share of the accuracy to be exceeded, in [0, 1]; nil means 0.99
	Criterion string   // "nll" or "ece"; empty means "nll"
}

func featClipEntry() Entry {
	return NewEntry[FeatureClipping, featClipMap](Entry{
		Name:      "featclip",
		Label:     "FeatClip",
		Version:   1,
		Summary:   "features clipped at one threshold before the last layer",
		Reference: "Tao, Dong and Xu 2025",
	})
}

// Options returns the options.
func (f *FeatureClipping) Options() []Option {
	return []Option{
		IntOption("sides", &f.Sides, 2, 1, 2, "2 clips to [-c, c], 1 to at most c"),
		OptionalFloat("guard", &f.Guard, 0.99, 0, 1, "share of the accuracy to be exceeded"),
		ChoiceOption("criterion", &f.Criterion, []string{"nll", "ece"}, "what is least on the calibration set"),
	}
}

// Contract: the logits of the calibration set are read to see that they are
// those of features and last layer; those of the test set are not needed.
func (FeatureClipping) Contract() Contract {
	return Contract{
		Cal:  data.Logits | data.Labels | data.Features | data.Head,
		Test: data.Features | data.Head,
	}
}

// Fit reports how many thresholds were computed as iterations, and no
// gradient: a grid has none.
func (f FeatureClipping) Fit(ctx context.Context, in Input) (*Fitted, error) {
	f, err := WithDefaults(f)
	if err != nil {
		return nil, err
	}
	set := in.Cal
	if err := fit.CheckLabelled(set); err != nil {
		return nil, err
	}
	if err := checkHead(set); err != nil {
		return nil, err
	}
	s := clip.NewSearch(set, f.Sides, *f.Guard, f.Criterion == "ece")
	best, err := s.Run(ctx)
	if err != nil {
		return nil, err
	}
	m := featClipMap{C: clip.Value(best), Sides: f.Sides}
	if best == 0 {
		m.C = math.MaxFloat32
	}
	fitted, err := reported(ctx, m, set, float64(s.Sweeps))
	if err != nil {
		return nil, err
	}
	fitted.Report.Iterations = s.Computed()
	fitted.Report.explain(best, *f.Guard)
	return fitted, nil
}

// explain adds the bounds that are active at grid value best of a feature
// clipping, and the warnings about it.
func (r *Report) explain(best int, guard float64) {
	switch best {
	case 0:
		r.Warnings = []string{fmt.Sprintf("no threshold keeps the accuracy above %g of what it was: nothing is clipped", guard)}
		return
	case 1:
		r.AtBound = []string{"c >= 0.01"}
	case clip.Points:
		r.AtBound = []string{"c <= 20"}
	default:
		return
	}
	r.Warnings = []string{"the threshold is at the end of the grid: " + r.AtBound[0]}
}

// headTolerance is how far the logits may be from those of features and last
// layer, relative to 1 + the range of the row: float16 arrays err by less.
const headTolerance = 0.02

// checkHead refuses features and a last layer that do not fit together or are
// not those of the logits, up to an offset of the row. It computes 256 rows
// at most: what is mixed up shows on any.
func checkHead(set *data.Set) error {
	if err := checkFeatures(set); err != nil {
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
	last := clip.NewLastLayer(set.Head)
	for i := 0; i < n; i += step {
		clip.Features(x, set.Features.Row(i), math.Inf(1), 2)
		last.Logits(z, x)
		row := set.Logits.Row(i)
		reach, off := span{}, span{}
		for j, l := range row {
			reach.add(j, float64(l))
			off.add(j, z[j]-float64(l))
		}
		if !(off.size() <= headTolerance*(1+reach.size())) {
			return fmt.Errorf("row %d: features and last layer give logits that differ by up to %.3g: they are not those of this network", i, off.size())
		}
	}
	return nil
}

// span is the range of numbers that are added one by one, the first with
// index 0.
type span struct{ least, most float64 }

func (s *span) add(j int, v float64) {
	if j == 0 {
		s.least, s.most = v, v
	}
	s.least, s.most = min(s.least, v), max(s.most, v)
}

func (s *span) size() float64 { return s.most - s.least }

// checkLast refuses features and a last layer of different widths.
func checkLast(set *data.Set) error {
	w := set.Head.W
	switch {
	case w.Cols != set.Features.Cols:
		return fmt.Errorf("%d features, but the last layer is for %d", set.Features.Cols, w.Cols)
	case len(set.Head.B) != w.Rows:
		return fmt.Errorf("the last layer has weights of %d classes but the bias of %d", w.Rows, len(set.Head.B))
	}
	return nil
}

// featClipMap clips features to [-C, C], or to at most C when Sides is 1.
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
func (m featClipMap) Parameters() []Parameter { return []Parameter{{Name: "c", Value: m.C}} }

func (m featClipMap) CheckSet(set *data.Set) error { return checkLast(set) }

// Apply writes softmax(W clip(h) + b). The logits are computed in float64 and
// reach the kernel as float32 differences from the largest, which errs by
// 6e-8 of each difference.
func (m featClipMap) Apply(dst data.Probs, set *data.Set) {
	d, k := set.Features.Cols, dst.Cols
	x, z := make([]float64, clip.LayerRows*d), make([]float64, clip.LayerRows*k)
	gap := make([]float32, k)
	last := clip.NewLastLayer(set.Head)
	for lo := 0; lo < dst.Rows; lo += clip.LayerRows {
		n := min(clip.LayerRows, dst.Rows-lo)
		for i := range n {
			clip.Features(x[i*d:(i+1)*d], set.Features.Row(lo+i), m.C, m.Sides)
		}
		last.Logits(z[:n*k], x[:n*d])
		for i := range n {
			clip.Gaps(gap, z[i*k:(i+1)*k])
			softmax.Probs(dst.Row(lo+i), gap, 1)
		}
	}
}
