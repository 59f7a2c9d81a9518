package calib

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// The three entries of this file ask what the quantile of qats buys. Their
// temperature is that of qats,
//
//	T = a (1-s) + b,  a >= 0, b >= 1e-3,
//
// with the same bounds, loss and solver, but s, in [0, 1] and large for sure
// rows, is another measure of certainty than the rank of the confidence.

// tConfEntry has s = conf, the largest probability at T = 1.
func tConfEntry() Entry {
	return sureness{}.entry("t-conf", "T(conf)", "the confidence", "ablation of QaTS, Eq. 6")
}

// tEntropyEntry has s = 1 - entropy(softmax(l)) / log k, natural logarithms.
// hts is another temperature of the same entropy.
func tEntropyEntry() Entry {
	return sureness{entropy: true}.entry("t-entropy", "T(entropy)", "the normalised entropy", "ablation of QaTS, Eq. 6; covariate of Balanya, Maronas and Ramos 2024")
}

// tGapEntry has s = min(g/G, 1), g the gap between the two largest logits and
// G its largest value on the calibration set, so that a temperature at Apply
// stays between those of the calibration rows. G = 0, where every row is tied,
// means s = 0. A single class has g = 0.
func tGapEntry() Entry {
	return sureness{gap: true}.entry("t-gap", "T(gap)", "the gap between the two largest logits", "ablation of QaTS, Eq. 6; covariate of Guo et al. 2026")
}

// sureness is which s; the zero value is the confidence.
type sureness struct{ entropy, gap bool }

func (s sureness) entry(name, label, of, reference string) Entry {
	return Entry{
		Name:      name,
		Label:     label,
		Version:   1,
		Summary:   "temperature linear in " + of + " in place of its rank, bounds and fit of qats",
		Reference: reference,
		New:       func(func(any) error) (Method, error) { return tLinear{s}, nil },
		Restore:   restore(s.restore),
	}
}

// of returns s of a row with moments m at scale 1; unit is G of the gap.
func (s sureness) of(m *softmax.Moments, row []float32, unit float64) float64 {
	switch {
	case s.entropy:
		return 1 - min(softmax.Exp(logEntropy(m, len(row))), 1)
	case s.gap && unit == 0:
		return 0
	case s.gap:
		return min(topGap(row)/unit, 1)
	}
	return m.Conf()
}

// topGap returns the difference of the two largest elements of row, 0 where
// they tie or there is one.
func topGap(row []float32) float64 {
	if len(row) < 2 {
		return 0
	}
	first, second := max(row[0], row[1]), min(row[0], row[1])
	for _, l := range row[2:] {
		switch {
		case l > first:
			first, second = l, first
		case l > second:
			second = l
		}
	}
	return float64(first) - float64(second)
}

type tLinear struct{ sureness }

func (tLinear) Contract() Contract { return logitsContract() }

func (m tLinear) Fit(ctx context.Context, in Input) (*Fitted, error) {
	o, err := fit.NewObjective(in.Cal)
	if err != nil {
		return nil, err
	}
	fitted := linearMap{of: m.sureness}
	if m.gap {
		for i := range o.Rows() {
			fitted.Unit = max(fitted.Unit, topGap(in.Cal.Logits.Row(i)))
		}
	}
	s := make([]float64, o.Rows())
	_, err = o.Sums(ctx, fit.Constant(1), 0, func(b *fit.RowBlock, _ []float64) {
		for i := range b.Moments {
			s[b.First+i] = m.of(&b.Moments[i], in.Cal.Logits.Row(b.First+i), fitted.Unit)
		}
	})
	if err != nil {
		return nil, err
	}
	x, report, err := fit.TemperatureCurve(ctx, in.stage, o, s, fit.Curve{Segments: 1})
	if err != nil {
		return nil, err
	}
	fitted.A, fitted.B = x[0], x[1]
	return result(fitted, report), nil
}

// linearMap is the temperature A (1-s) + B.
type linearMap struct {
	A    float64 `json:"a"`    // >= 0
	B    float64 `json:"b"`    // > 0
	Unit float64 `json:"unit"` // G of t-gap, in logits; 0 for the others
	of   sureness
}

func (s sureness) restore(m linearMap) (Map, error) {
	if !(m.A >= 0) || !usable(m.B) || !usable(m.A+m.B) {
		return nil, fmt.Errorf("a = %v, b = %v: want a >= 0, b and a + b in [1e-6, 1e8]", m.A, m.B)
	}
	if !(m.Unit >= 0) || math.IsInf(m.Unit, 0) || (m.Unit > 0 && !s.gap) {
		return nil, fmt.Errorf("unit = %v: want a gap of logits, 0 but for t-gap", m.Unit)
	}
	m.of = s
	return m, nil
}

// Apply writes softmax(l/T).
func (m linearMap) Apply(dst data.Probs, set *data.Set) { applyTempered(m, dst, set) }

// Scales writes 1/T of every row.
func (m linearMap) Scales(dst []float64, set *data.Set, at *Unscaled) {
	for i, moments := range at.Moments() {
		s := m.of.of(&moments, set.Logits.Row(i), m.Unit)
		dst[i] = 1 / (float64(m.A*(1-s)) + m.B)
	}
}
