package calib

import (
	"fmt"
)

// Parameter is a number that a fit found, under the name that formulas and
// reports use: T; a, b; theta1; t_3.
type Parameter struct {
	Name    string
	Value   float64
	Meaning string // a few words, with the letters of the method's formula
	Bound   string // the bound of the report that is active there, as "a >= 0"; "" if none
}

// MeaningT is the meaning of a temperature of all rows.
const MeaningT = "temperature, by which logits are divided"

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
// Bounds of sums of parameters, such as the two ends of qats-free, are in Report.AtBound
// alone.
func (f *Fitted) Parameters() []Parameter {
	m, ok := f.Map.(Parametric)
	if !ok {
		return nil
	}
	list := m.Parameters()
	for i := range list {
		for _, bound := range f.Report.AtBound {
			if bound.Name() == list[i].Name {
				list[i].Bound = bound.String()
				break
			}
		}
	}
	return list
}

// numbered returns parameters of one meaning that are named by their place, from 1 on.
func numbered(name, meaning string, values []float64) []Parameter {
	list := make([]Parameter, len(values))
	for i, v := range values {
		list[i] = Parameter{Name: fmt.Sprintf(name, i+1), Value: v, Meaning: meaning}
	}
	return list
}
