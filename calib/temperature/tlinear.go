package temperature

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// ConfidenceTemperature, EntropyTemperature and GapTemperature show what the quantile
// of QaTS contributes. They have its form, bounds, loss and solver. But s, in [0, 1]
// and large for certain rows, is another measure of certainty than the rank of the
// confidence. Here it is the confidence itself, at T = 1.
//
//   - Formula: qats with s = conf in place of q
//   - Reference: ablation of QaTS, Eq. 6
//   - Compared with: scipy's L-BFGS-B and Nelder-Mead
//   - Agreement: a and b to 2e-6 on drawn rows
//   - Departures: a variant of ours, with the bounds of qats
type ConfidenceTemperature struct{}

// EntropyTemperature is ConfidenceTemperature with the entropy of the row, in natural
// logarithms. HTS is another temperature of the same entropy.
//
//   - Formula: qats with s = 1 - entropy(softmax(l)) / log k in place of q
//   - Reference: ablation of QaTS, Eq. 6; covariate of Balanya, Maronas and Ramos 2024
//   - Compared with: scipy's L-BFGS-B and Nelder-Mead
//   - Agreement: a and b to 2e-6 on drawn rows
//   - Departures: a variant of ours, with the bounds of qats
type EntropyTemperature struct{}

// GapTemperature is ConfidenceTemperature with the gap between the two largest logits.
// G keeps every temperature between those of the calibration rows. If every row is
// tied, G = 0 and s = 0. A single class has g = 0.
//
//   - Formula: qats with s = min(g/G, 1) in place of q, g the gap between the two
//     largest logits, G the largest g of the calibration set
//   - Reference: ablation of QaTS, Eq. 6; covariate of Guo et al. 2026
//   - Compared with: scipy's L-BFGS-B and Nelder-Mead
//   - Agreement: a and b to 2e-6 on drawn rows
//   - Departures: a variant of ours, with the bounds of qats
type GapTemperature struct{}

// TConfEntry is the entry of ConfidenceTemperature.
var TConfEntry = calib.NewEntry[ConfidenceTemperature, linearMap[byConfidence]](calib.Entry{
	Name:    "t-conf",
	Label:   "T(conf)",
	Version: 3,
	Summary: "qats with the confidence in place of the confidence rank",
})

// String returns the name of the method.
func (ConfidenceTemperature) String() string { return TConfEntry.Name }

// TEntropyEntry is the entry of EntropyTemperature.
var TEntropyEntry = calib.NewEntry[EntropyTemperature, linearMap[byEntropy]](calib.Entry{
	Name:    "t-entropy",
	Label:   "T(entropy)",
	Version: 3,
	Summary: "qats with the normalised entropy in place of the confidence rank",
})

// String returns the name of the method.
func (EntropyTemperature) String() string { return TEntropyEntry.Name }

// TGapEntry is the entry of GapTemperature.
var TGapEntry = calib.NewEntry[GapTemperature, linearMap[byGap]](calib.Entry{
	Name:    "t-gap",
	Label:   "T(gap)",
	Version: 3,
	Summary: "qats with the gap between the two largest logits in place of the confidence rank",
})

// String returns the name of the method.
func (GapTemperature) String() string { return TGapEntry.Name }

// Minimises names the objective.
func (ConfidenceTemperature) Minimises() calib.Objective { return calib.ByNLL }

// Contract needs logits and labels.
func (ConfidenceTemperature) Contract() calib.Contract { return method.LogitsContract() }

// Minimises names the objective.
func (EntropyTemperature) Minimises() calib.Objective { return calib.ByNLL }

// Contract needs logits and labels.
func (EntropyTemperature) Contract() calib.Contract { return method.LogitsContract() }

// Minimises names the objective.
func (GapTemperature) Minimises() calib.Objective { return calib.ByNLL }

// Contract needs logits and labels.
func (GapTemperature) Contract() calib.Contract { return method.LogitsContract() }

// Fit returns a and b.
func (ConfidenceTemperature) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	return fitLinear[byConfidence](ctx, in, 0)
}

// Fit returns a and b.
func (EntropyTemperature) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	return fitLinear[byEntropy](ctx, in, 0)
}

// Fit returns a, b and G.
func (GapTemperature) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	unit := 0.0
	for i := range in.Cal.Logits.Rows {
		unit = max(unit, fit.TopGap(in.Cal.Logits.Row(i)))
	}
	return fitLinear[byGap](ctx, in, unit)
}

// certainty is a measure s of how certain a row is, from its moments m at scale
// 1; unit is G of the gap, 0 for the others.
type certainty interface {
	value(m *softmax.Moments, row []float32, unit float64) float64
}

type byConfidence struct{}

func (byConfidence) value(m *softmax.Moments, _ []float32, _ float64) float64 { return m.Conf() }

type byEntropy struct{}

func (byEntropy) value(m *softmax.Moments, row []float32, _ float64) float64 {
	return 1 - fit.ScaledEntropy(m, len(row))
}

type byGap struct{}

func (byGap) value(_ *softmax.Moments, row []float32, unit float64) float64 {
	if unit == 0 {
		return 0
	}
	return min(fit.TopGap(row)/unit, 1)
}

// fitLinear fits a and b.
func fitLinear[S certainty](ctx context.Context, in calib.Input, unit float64) (*calib.Fitted, error) {
	o, err := method.Objective(in)
	if err != nil {
		return nil, err
	}
	var measure S
	s := make([]float64, o.Rows())
	_, err = o.Sums(ctx, fit.Constant(1), 0, func(b *fit.RowBlock, _ []float64) {
		for i := range b.Moments {
			s[b.First+i] = measure.value(&b.Moments[i], in.Cal.Logits.Row(b.First+i), unit)
		}
	})
	if err != nil {
		return nil, err
	}
	x, report, err := fit.TemperatureCurve(ctx, in.Stage, o, s, fit.Curve{Segments: 1})
	if err != nil {
		return nil, err
	}
	return &calib.Fitted{Map: linearMap[S]{A: x[0], B: x[1], Unit: unit}, Report: report}, nil
}

// linearMap is the temperature A (1-s) + B.
type linearMap[S certainty] struct {
	A    float64 `json:"a"`    // >= 0
	B    float64 `json:"b"`    // > 0
	Unit float64 `json:"unit"` // G of t-gap, in logits; 0 for the others
}

func (m linearMap[S]) Check() error {
	if !(m.A >= 0) || !fit.Usable(m.B) || !fit.Usable(m.A+m.B) {
		return fmt.Errorf("a = %v, b = %v: want a >= 0, b and a + b in [1e-50, 1e50]", m.A, m.B)
	}
	switch gap := m.isGap(); {
	case !gap && m.Unit != 0:
		return fmt.Errorf("unit = %v: want 0 except for t-gap", m.Unit)
	case !(m.Unit >= 0) || math.IsInf(m.Unit, 0):
		return fmt.Errorf("unit = %v: want a gap of logits", m.Unit)
	}
	return nil
}

// isGap reports whether the map belongs to t-gap.
func (linearMap[S]) isGap() bool {
	_, gap := any(*new(S)).(byGap)
	return gap
}

// Parameters returns a, b and, of t-gap, the largest gap of the calibration set.
func (m linearMap[S]) Parameters() []calib.Parameter {
	list := []calib.Parameter{
		{Name: "a", Value: m.A, Meaning: "how much higher the temperature is at certainty s = 0 than at s = 1"},
		{Name: "b", Value: m.B, Meaning: "temperature at certainty s = 1"},
	}
	if m.isGap() {
		list = append(list, calib.Parameter{Name: "unit", Value: m.Unit, Meaning: "largest gap of the calibration rows, at which s = 1"})
	}
	return list
}

// Scales writes 1/T of every row.
func (m linearMap[S]) Scales(dst []float64, set *data.Set, _ *calib.Unscaled) {
	var measure S
	for i, moments := range fit.Moments(set.Logits) {
		s := measure.value(&moments, set.Logits.Row(i), m.Unit)
		dst[i] = 1 / (float64(m.A*(1-s)) + m.B)
	}
}
