package calib

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// LogitSize is the range of sizes of logits that a method takes as they are. A method has one if its definition
// has a size of the logits: it reads the softmax at T = 1, or it has bounds, penalties or starts of fixed size.
// FitInput divides logits of another size by a power of two first, and the map keeps the divisor.
//
// The size of logits is their middle gap. The gap of a row is the difference of its two largest logits, and the middle
// gap is the mean of the middle half of all gaps, so a few rows of any size do not move it. Let e be its rounded binary
// logarithm. The size is usual if
//
//	small <= e <= large, or least <= e <= most and the temperature of ts is in [0.35, 5.7].
//
// A network that is hardly ever wrong has large gaps at a temperature near 1, and a network that is hardly
// better than chance has small ones. A multiple of the logits of another network has such gaps too, but at a temperature
// that is large or small. Log-probabilities always are of usual size, since their size has a meaning.
//
// For logits of another size, the divisor is the power of two nearest to the temperature of ts, so that the softmax
// of the divided logits is near the calibrated one. The temperature is limited to the gap times
// 1/32 and 32, which matters where the NLL has no minimum. A quotient by a power of two has all
// digits of the logit, so the fit of 2^j times such logits has the same bits.
//
// The parameters, and the bounds and warnings of the report, belong to the divided logits.
// A set with a confidence alone has no logits. There Ends replaces confidences of exactly 0 and 1.
//
// Logits are divided in memory, so a method with a LogitSize does not take a Stream; the conformance suite checks it.
type LogitSize int

// The sizes of logits.
const (
	// AnySize is the size of methods that follow the size of the logits, or have none.
	AnySize LogitSize = iota

	// SizeOfValues is a gap of 0.18 to 45, for methods that compute with logits or
	// probabilities. Below 0.35 and above 11.3 the temperature decides. Networks have gaps of 0.2 to 35. Those
	// below 0.35 have temperatures above 0.9, and those above 11.3 have temperatures below 4.
	SizeOfValues

	// SizeOfRanks is a gap of 0.18 to 724, for methods that compare probabilities alone. They
	// keep the digits of 1-p, and so tell rows apart until exp underflows, whatever the temperature is.
	SizeOfRanks
)

// exponents returns the ends of the ranges of e; see LogitSize.
func (s LogitSize) exponents() (least, small, large, most int) {
	if s == SizeOfRanks {
		return -2, -2, 9, 9
	}
	return -2, -1, 3, 5
}

// FitInput fits m on in, which holds the arrays of its contract. Programs fit by it or by Fit, and a method that
// fits another one calls the Fit of that method, so that logits are divided once; see LogitSize. Its errors are
// those of m.
func FitInput(ctx context.Context, m Method, in Input) (*Fitted, error) {
	size := m.Contract().LogitSize
	if size == AnySize {
		return m.Fit(ctx, in)
	}
	if in.Cal != nil && in.Cal.Confidence != nil {
		return fitEnds(ctx, m, in)
	}
	by, passes, err := divisorOf(ctx, in, size)
	if err != nil {
		return nil, err
	}
	if by == 1 {
		return m.Fit(ctx, in)
	}
	in.Cal, in.Shared = by.set(in.Cal), nil // Shared has results for the logits themselves
	if in.Target != nil {
		in.Target = by.set(in.Target)
	}
	f, err := m.Fit(ctx, in)
	if err != nil {
		return nil, err
	}
	f.Map = by.mapOf(f.Map)
	f.Report.Passes += passes
	return f, nil
}

// divisorOf returns the divisor of the calibration rows, and the passes of ts if it is not 1.
func divisorOf(ctx context.Context, in Input, size LogitSize) (by divisor, passes float64, err error) {
	o, err := in.objective()
	if err != nil {
		return 1, 0, nil // the method says it in its own words
	}
	gap, err := o.MiddleGap(ctx)
	least, small, large, most := size.exponents()
	if err != nil || fit.PowerOfTwo(gap, small, large) == 1 || data.LogProbs(in.Cal.Logits) {
		return 1, 0, err
	}
	t, report, err := fit.Temperature(ctx, o)
	if err != nil {
		return 1, 0, err
	}
	const coldest, hottest = -1, 2 // of the temperatures of networks
	if fit.PowerOfTwo(gap, least, most) == 1 && fit.PowerOfTwo(t, coldest, hottest) == 1 {
		return 1, 0, nil
	}
	const apart = 32 // the largest quotient of temperature and gap
	t = min(max(t, gap/apart), gap*apart)
	return divisor(fit.PowerOfTwo(t, 0, 0)), report.Passes, nil
}

// divisor is a power of two by which logits are divided.
type divisor float64

func (d divisor) check() error {
	if fraction, _ := math.Frexp(float64(d)); fraction != 0.5 || d == 1 || d < 1e-50 || d > 1e50 {
		return fmt.Errorf("divisor = %v: want a power of two in [1e-50, 1e50] that is not 1", float64(d))
	}
	return nil
}

// set returns the set with its logits divided.
func (d divisor) set(s *data.Set) *data.Set {
	quotient := *s
	quotient.Logits, quotient.OOD = d.matrix(s.Logits), d.matrix(s.OOD)
	return &quotient
}

// matrix returns the quotients of logits; a masked class stays masked. Those that are too large for a float32 are half the
// largest float32, so that finite logits stay finite. Where the quotients of a row no longer tell its
// largest logit from another one, it gets the next float32: the top class stays the same.
func (d divisor) matrix(logits data.Matrix) data.Matrix {
	if !logits.Present() {
		return logits
	}
	q := data.NewMatrix(logits.Rows, logits.Cols)
	for i := range logits.Rows {
		row, quotients := logits.Row(i), q.Row(i)
		for j, l := range row {
			v := float64(l) / float64(d)
			if quotients[j] = float32(min(max(v, -math.MaxFloat32/2), math.MaxFloat32/2)); l == data.Masked {
				quotients[j] = l
			}
		}
		if len(row) == 0 {
			continue
		}
		if top := fit.TopClass(row); fit.TopClass(quotients) != top {
			quotients[top] = math.Nextafter32(quotients[top], math.MaxFloat32)
		}
	}
	return q
}

// mapOf returns the map of divided logits as a map of the logits.
func (d divisor) mapOf(m Map) Map {
	switch m := m.(type) {
	case Vector:
		return dividedVector{dividedMap[Vector]{m, d}}
	case Tempered:
		return dividedTempered{dividedMap[Tempered]{m, d}}
	case TopLabel:
		divided := dividedTopLabel{dividedMap[TopLabel]{m, d}}
		if isRanked(m) {
			return dividedRanks{divided}
		}
		return divided
	default:
		panic(fmt.Sprintf("calib: a %T is neither Tempered nor TopLabel nor Vector", m))
	}
}

// dividedMap is a map of divided logits. In JSON it is the map with the key divisor.
type dividedMap[M Map] struct {
	inner M
	by    divisor
}

func (m dividedMap[M]) Check() error { return errors.Join(m.by.check(), m.inner.Check()) }

// CheckSet returns the error of the inner map. A confidence alone cannot be divided.
func (m dividedMap[M]) CheckSet(set *data.Set) error {
	if set.Confidence != nil {
		return errors.New("the model divides logits by a number first, and these are predictions with a confidence alone: fit the method on such predictions")
	}
	return CheckSet(m.inner, set)
}

// Parameters returns the parameters of the inner map, and the divisor.
func (m dividedMap[M]) Parameters() []Parameter {
	return append(parametersOf(m.inner), Parameter{Name: divisorKey, Value: float64(m.by), Meaning: "power of two, by which logits are divided first"})
}

func (m dividedMap[M]) wrapped() Map { return m.inner }

func (m dividedMap[M]) divisor() float64 { return float64(m.by) }

// divisorKey is the name of the divisor in JSON.
const divisorKey = "divisor"

// MarshalJSON writes the inner map with the divisor as its first key.
func (m dividedMap[M]) MarshalJSON() ([]byte, error) {
	return withKey(divisorKey, float64(m.by), m.inner)
}

// withoutDivisor returns saved parameters without their divisor, and the divisor, 1 if there is
// none.
func withoutDivisor(params []byte) ([]byte, divisor, error) {
	bare, value, err := withoutKey(divisorKey, params)
	if value == nil {
		return bare, 1, err
	}
	var by float64
	if err := json.Unmarshal(value, &by); err != nil {
		return nil, 1, fmt.Errorf("%s is %.40s: want a number", divisorKey, value)
	}
	if err == nil {
		err = divisor(by).check()
	}
	return bare, divisor(by), err
}

// dividedVector is a Vector of divided logits.
type dividedVector struct{ dividedMap[Vector] }

// Apply applies the inner map to blocks of divided rows.
func (m dividedVector) Apply(dst data.Probs, set *data.Set) {
	for lo := 0; lo < set.Logits.Rows; lo += fit.BlockRows {
		hi := min(lo+fit.BlockRows, set.Logits.Rows)
		m.inner.Apply(dst.Slice(lo, hi), m.by.set(set.Rows(lo, hi)))
	}
}

// dividedTempered is a Tempered map of divided logits.
type dividedTempered struct{ dividedMap[Tempered] }

// Scales writes the scales of the inner map, divided.
func (m dividedTempered) Scales(dst []float64, set *data.Set, _ *Unscaled) {
	set = m.by.set(set)
	m.inner.Scales(dst, set, NewUnscaled(set.Logits))
	for i := range dst {
		dst[i] /= float64(m.by)
	}
}

// dividedTopLabel is a TopLabel map of divided logits.
type dividedTopLabel struct{ dividedMap[TopLabel] }

// Confidences writes the confidences of the inner map.
func (m dividedTopLabel) Confidences(dst []float64, set *data.Set, _ *Unscaled) {
	set = m.by.set(set)
	m.inner.Confidences(dst, set, NewUnscaled(set.Logits))
}

// dividedRanks is a dividedTopLabel of a map with an ecdf.
type dividedRanks struct{ dividedTopLabel }

// WithoutECDF returns the map without the ecdf of its inner map, and that ecdf.
func (m dividedRanks) WithoutECDF() (Map, fit.ECDF) {
	inner, ranks := m.inner.(rankedMap).WithoutECDF()
	m.inner = inner.(TopLabel)
	return m, ranks
}
