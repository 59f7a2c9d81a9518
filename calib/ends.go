package calib

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// Ends are the numbers that replace confidences of exactly 0 and 1 in a set with a confidence alone. Such confidences were
// rounded, or said in words, and their log odds would be infinite. With n calibration rows
//
//	One  = max(1 - 1/(2n), the middle of 1 and the largest confidence below it)
//	Zero = min(1/(2n), the middle of 0 and the least confidence above it)
//
// so no two rows change places. One is 1 if no row has the confidence 1, or if the largest confidence below 1 is the next
// float64. The same holds for Zero. In a later set, a confidence beyond an end counts as the end.
type Ends struct{ Zero, One float64 }

// endsOf returns the ends of calibration rows.
func endsOf(confidence []float64) Ends {
	ends := Ends{0, 1}
	if len(confidence) == 0 {
		return ends
	}
	share := 1 / (2 * float64(len(confidence)))
	least, largest := 1.0, 0.0 // of those that are at no end
	for _, c := range confidence {
		if c > 0 {
			least = min(least, c)
		}
		if c < 1 {
			largest = max(largest, c)
		}
	}
	if slices.Contains(confidence, 1) {
		ends.One = max(1-share, (1+largest)/2)
	}
	if slices.Contains(confidence, 0) {
		ends.Zero = min(share, least/2)
	}
	return ends
}

// none reports whether every confidence counts as it is.
func (e Ends) none() bool { return e.Zero == 0 && e.One == 1 }

func (e Ends) check() error {
	if !(e.Zero >= 0 && e.Zero <= .5 && e.One >= .5 && e.One <= 1) || e.none() {
		return fmt.Errorf("%s = [%v, %v]: want numbers in [0, 0.5] and [0.5, 1], and not 0 and 1", endsKey, e.Zero, e.One)
	}
	return nil
}

// set returns the set with its confidences between the ends.
func (e Ends) set(s *data.Set) *data.Set {
	within := *s
	within.Confidence = make([]float64, len(s.Confidence))
	for i, c := range s.Confidence {
		within.Confidence[i] = min(max(c, e.Zero), e.One)
	}
	return &within
}

// fitEnds fits a method on a confidence alone; see Ends.
func fitEnds(ctx context.Context, m Method, in Input) (*Fitted, error) {
	ends := endsOf(in.Cal.Confidence)
	if ends.none() {
		return m.Fit(ctx, in)
	}
	in.Cal = ends.set(in.Cal)
	f, err := m.Fit(ctx, in)
	if err != nil {
		return nil, err
	}
	f.Map = ends.mapOf(f.Map)
	return f, nil
}

// EndsOf returns the ends of the map of a fit; ok is false where every confidence counts as it is.
func EndsOf(m Map) (ends Ends, ok bool) {
	e, ok := m.(interface{ confidenceEnds() Ends })
	if !ok {
		return Ends{0, 1}, false
	}
	return e.confidenceEnds(), true
}

// mapOf returns a top-label map of confidences between the ends as a map of all.
func (e Ends) mapOf(m Map) Map {
	limited := endedTopLabel{m.(TopLabel), e}
	if isRanked(m) {
		return endedRanks{limited}
	}
	return limited
}

// endedTopLabel is a TopLabel map of confidences between ends. In JSON it is the map with the key confidence_ends.
type endedTopLabel struct {
	inner TopLabel
	ends  Ends
}

func (m endedTopLabel) confidenceEnds() Ends { return m.ends }

func (m endedTopLabel) wrapped() Map { return m.inner }

func (m endedTopLabel) Check() error {
	if err := m.ends.check(); err != nil {
		return err
	}
	return m.inner.Check()
}

// CheckSet returns the error of the inner map.
func (m endedTopLabel) CheckSet(set *data.Set) error { return CheckSet(m.inner, set) }

// Parameters returns those of the inner map.
func (m endedTopLabel) Parameters() []Parameter { return parametersOf(m.inner) }

// Confidences writes those of the inner map.
func (m endedTopLabel) Confidences(dst []float64, set *data.Set, at *Unscaled) {
	if set.Confidence != nil {
		set = m.ends.set(set)
		at = UnscaledOf(set)
	}
	m.inner.Confidences(dst, set, at)
}

// endedRanks is an endedTopLabel of a map with an ecdf.
type endedRanks struct{ endedTopLabel }

// WithoutECDF returns the map without the ecdf of its inner map, and that ecdf.
func (m endedRanks) WithoutECDF() (Map, fit.ECDF) {
	inner, ranks := m.inner.(rankedMap).WithoutECDF()
	m.inner = inner.(TopLabel)
	return m, ranks
}

// endsKey is the name of the ends in JSON.
const endsKey = "confidence_ends"

// MarshalJSON writes the inner map with the ends as its first key.
func (m endedTopLabel) MarshalJSON() ([]byte, error) {
	return withKey(endsKey, []float64{m.ends.Zero, m.ends.One}, m.inner)
}

// withoutEnds returns saved parameters without their ends, and the ends.
func withoutEnds(params []byte) ([]byte, Ends, error) {
	ends := Ends{0, 1}
	bare, value, err := withoutKey(endsKey, params)
	if value == nil {
		return bare, ends, err
	}
	var pair []float64
	if err := json.Unmarshal(value, &pair); err != nil || len(pair) != 2 {
		return nil, ends, fmt.Errorf("%s is %.40s: want two numbers", endsKey, value)
	}
	ends = Ends{pair[0], pair[1]}
	if err == nil {
		err = ends.check()
	}
	return bare, ends, err
}
