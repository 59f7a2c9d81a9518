package calib

import (
	"fmt"
	"strings"
)

// Parameter is a number that a fit found, under the name that formulas and
// reports use: T; a, b; theta1; t_3.
type Parameter struct {
	Name  string
	Value float64
	Bound string // the bound of the report that is active there, as "a >= 0"; "" if none
}

// Parametric is a Map whose parameters are a few numbers. Parameters returns
// them in a fixed order that depends on the options alone, without bounds.
type Parametric interface {
	Map
	Parameters() []Parameter
}

// Parameters returns the scalar parameters of the fit in a fixed order: those of
// a temperature, and the temperatures of bins and knots, whose number is an
// option. It returns none for maps whose parameters are as many as classes,
// rows, features or weights of a network; a saved model has those.
//
// A bound belongs to the parameter whose name it begins with. Bounds of sums of
// parameters, such as the two ends of qats-free, are in Report.AtBound alone.
func (f *Fitted) Parameters() []Parameter {
	m, ok := f.Map.(Parametric)
	if !ok {
		return nil
	}
	list := m.Parameters()
	for i := range list {
		for _, bound := range f.Report.AtBound {
			if strings.HasPrefix(bound, list[i].Name+" ") {
				list[i].Bound = bound
				break
			}
		}
	}
	return list
}

// Parameters returns T.
func (m temperatureMap) Parameters() []Parameter { return []Parameter{{Name: "T", Value: m.T}} }

// Parameters returns a and b.
func (m qatsMap) Parameters() []Parameter {
	return []Parameter{{Name: "a", Value: m.A}, {Name: "b", Value: m.B}}
}

// Parameters returns the knots t_1, t_2, ...
func (m knotsMap) Parameters() []Parameter { return numbered("t_%d", m.Knots) }

// Parameters returns the temperatures of the bins, the most confident bin first.
func (m binnedMap) Parameters() []Parameter { return numbered("bin %d: T", m.T) }

// Parameters returns a, b and, of t-gap, the largest gap of the calibration set.
func (m linearMap[S]) Parameters() []Parameter {
	list := []Parameter{{Name: "a", Value: m.A}, {Name: "b", Value: m.B}}
	if _, gap := any(*new(S)).(byGap); gap {
		list = append(list, Parameter{Name: "unit", Value: m.Unit})
	}
	return list
}

// Parameters returns w and b.
func (m htsMap) Parameters() []Parameter {
	return []Parameter{{Name: "w", Value: m.W}, {Name: "b", Value: m.B}}
}

// Parameters returns T and the three weights.
func (m etsMap) Parameters() []Parameter {
	return append([]Parameter{{Name: "T", Value: m.T}}, numbered("w_%d", m.W[:])...)
}

// Parameters returns T0, the thetas and both normal distributions.
func (m hfeMap) Parameters() []Parameter {
	return []Parameter{
		{Name: "T0", Value: m.T0}, {Name: "theta1", Value: m.Theta1}, {Name: "theta2", Value: m.Theta2},
		{Name: "correct.mean", Value: m.Correct.Mean}, {Name: "correct.std", Value: m.Correct.Std},
		{Name: "wrong.mean", Value: m.Wrong.Mean}, {Name: "wrong.std", Value: m.Wrong.Std},
	}
}

// Parameters returns the threshold.
func (m featClipMap) Parameters() []Parameter { return []Parameter{{Name: "c", Value: m.C}} }

// Parameters returns the penalties, which cross-validation may have found.
func (m odirMap) Parameters() []Parameter {
	return []Parameter{{Name: "lambda", Value: m.Lambda}, {Name: "mu", Value: m.Mu}}
}

// numbered returns parameters that are named by their place, from 1 on.
func numbered(name string, values []float64) []Parameter {
	list := make([]Parameter, len(values))
	for i, v := range values {
		list[i] = Parameter{Name: fmt.Sprintf(name, i+1), Value: v}
	}
	return list
}
