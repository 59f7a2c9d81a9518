package calib

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// Certain is a Map that may be certain: a number that a fit saved is a probability of exactly 0 or 1, such as
// the share of a class in a bin without a row of that class. A few rows do not prove certainty, and a single later
// row that contradicts them has an infinite NLL.
type Certain interface {
	Map

	// Certain reports whether some saved number is a probability of exactly 0 or 1 of a class that is not
	// masked. A probability that only rounds to one of them, by a large parameter, does not count: a sigmoid
	// or a temperature stays what it is.
	Certain() bool
}

// Mass is the total probability e, in [0, 1/3], that a map mixes in. In a row with m classes that are not masked
//
//	q_j = (1 - e) p_j + e/m,  e = 1/(n + 2).
//
// A confidence c has two outcomes, right and wrong, and becomes (1 - e) c + e/2. n is the number of rows of the
// fit: by Laplace's rule of succession, 1/(n + 2) is the chance of an outcome that none of n rows has shown. The order
// within a row stays, and so do ties and the predicted class. A masked class keeps 0, and a single class that is not
// masked keeps 1.
//
// Only a Certain map has a mass, and of other maps no number changes. It is saved with the map, under the key "mass".
// A Certain map of a file without it, which an older version has written, predicts as it did.
type Mass float64

// MassOf returns 1/(n + 2) for the map of n rows, and 0 if it is not Certain.
func MassOf(m Map, n int) Mass {
	if c, ok := m.(Certain); ok && c.Certain() {
		return Mass(1 / float64(n+2))
	}
	return 0
}

// Mix returns q of a probability p in a row of so many open classes, 1 or more: those that are not masked.
func (e Mass) Mix(p float64, open int) float64 {
	if e == 0 || open < 2 {
		return p
	}
	return float64(float64(1-e)*p) + float64(e)/float64(open)
}

// Map returns a map, Vector or TopLabel, with the mass mixed in, and m itself if e is 0.
func (e Mass) Map(m Map) Map {
	if e == 0 {
		return m
	}
	switch m := m.(type) {
	case Vector:
		return mixedVector{mixedMap[Vector]{m, e}}
	case TopLabel:
		return mixedTopLabel{mixedMap[TopLabel]{m, e}}
	default:
		panic(fmt.Sprintf("calib: a %T is neither TopLabel nor Vector", m))
	}
}

// Unmixed returns the map without its mass, as the authors of the method define it; m itself if it has none.
func Unmixed(m Map) Map {
	switch m := m.(type) {
	case mixedVector:
		return m.inner
	case mixedTopLabel:
		return m.inner
	case dividedVector:
		return m.by.mapOf(Unmixed(m.inner))
	case dividedTopLabel:
		return m.by.mapOf(Unmixed(m.inner))
	case endedTopLabel:
		return m.ends.mapOf(Unmixed(m.inner))
	}
	return m
}

// checked is Map for a map and a mass that were read from a file.
func (e Mass) checked(m Map) (Map, error) {
	if e == 0 {
		return m, nil
	}
	switch c, ok := m.(Certain); {
	case !ok:
		return nil, fmt.Errorf("%s is no parameter of this method", massKey)
	case !c.Certain():
		return nil, errors.New(massKey + " of a map without a probability of exactly 0 or 1")
	}
	mixed := e.Map(m)
	return mixed, mixed.Check()
}

// massKey is the name of the mass in JSON.
const massKey = "mass"

// mixedMap is a map with a mass. In JSON it is the map with the key mass.
type mixedMap[M Map] struct {
	inner M
	mass  Mass
}

func (m mixedMap[M]) Check() error {
	if !(m.mass > 0 && m.mass <= 1./3) {
		return fmt.Errorf("%s = %v is outside (0, 1/3]", massKey, float64(m.mass))
	}
	return m.inner.Check()
}

// CheckSet returns the error of the inner map.
func (m mixedMap[M]) CheckSet(set *data.Set) error { return CheckSet(m.inner, set) }

// Parameters returns the parameters of the inner map, and the mass.
func (m mixedMap[M]) Parameters() []Parameter {
	return append(parametersOf(m.inner), Parameter{Name: massKey, Value: float64(m.mass), Meaning: "probability that is spread evenly, since the map is exactly 0 or 1 somewhere"})
}

func (m mixedMap[M]) wrapped() Map { return m.inner }

// MarshalJSON writes the inner map with the mass as its first key.
func (m mixedMap[M]) MarshalJSON() ([]byte, error) {
	return withKey(massKey, float64(m.mass), m.inner)
}

// withoutMass returns saved parameters without their mass, and the mass, 0 if there is none.
func withoutMass(params []byte) ([]byte, Mass, error) {
	bare, value, err := withoutKey(massKey, params)
	if value == nil {
		return bare, 0, err
	}
	var mass float64
	if err := json.Unmarshal(value, &mass); err != nil {
		return nil, 0, fmt.Errorf("%s is %.40s: want a number", massKey, value)
	}
	if mass == 0 {
		return nil, 0, fmt.Errorf("%s = 0 is outside (0, 1/3]", massKey)
	}
	return bare, Mass(mass), err
}

// mixedVector is a Vector with a mass.
type mixedVector struct{ mixedMap[Vector] }

// Apply writes the probabilities of the inner map, mixed.
func (m mixedVector) Apply(dst data.Probs, set *data.Set) {
	m.inner.Apply(dst, set)
	for i := range dst.Rows {
		m.mass.mixRow(dst.Row(i), set.Logits.Row(i))
	}
}

// mixRow mixes the probabilities p of a row of logits. Where a smaller one would round to the largest, it gets the float64 below,
// as in softmax.Probs, so that the predicted class stays.
func (e Mass) mixRow(p []float64, row []float32) {
	open, top := fit.Open(row), 0
	if open < len(p) {
		clearMasked(p, row)
	}
	for j, v := range p {
		if v > p[top] {
			top = j
		}
	}
	largest := p[top]
	most := e.Mix(largest, open)
	below := math.Nextafter(most, 0)
	for j, v := range p {
		if row[j] == data.Masked {
			continue
		}
		if p[j] = e.Mix(v, open); p[j] == most && v < largest {
			p[j] = below
		}
	}
}

// mixedTopLabel is a TopLabel with a mass. Right and wrong get one half of the mass each.
type mixedTopLabel struct{ mixedMap[TopLabel] }

// Confidences writes the confidences of the inner map, mixed.
func (m mixedTopLabel) Confidences(dst []float64, set *data.Set, at *Unscaled) {
	m.inner.Confidences(dst, set, at)
	for i, c := range dst {
		dst[i] = m.mass.Mix(c, 2)
	}
}
