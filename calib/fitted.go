package calib

import (
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// Fitted is a calibrator ready for use.
type Fitted struct {
	Map    Map
	Report Report
}

// Probabilities returns the n x k probabilities of the rows of set; see Apply, also for its
// errors.
func (f *Fitted) Probabilities(set *data.Set) (data.Probs, error) {
	if err := checkApplied(f.Map, set); err != nil {
		return data.Probs{}, err
	}
	if set.Confidence != nil {
		return data.Probs{}, ErrConfidence
	}
	dst := data.NewProbs(set.Logits.Rows, set.Logits.Cols)
	apply(f.Map, dst, set)
	return dst, nil
}

// Values with which a fit says how it ended. Their home is package report, since the solvers below this package write
// them; methods name them as here. Report has bounds and warnings. Parameter is a number that the fit found. Local is a
// function near one point, which a loss tells its solver, and Minimum is where the solver ended.
type (
	Report    = report.Report
	Bound     = report.Bound
	Warning   = report.Warning
	Parameter = report.Parameter
	Local     = report.Local
	Minimum   = report.Minimum
)

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
	list := parametersOf(f.Map)
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

// Parameter returns the parameter of the given name, and whether there is one: the T of
// temperature scaling, the a and b of QaTS.
func (f *Fitted) Parameter(name string) (Parameter, bool) {
	for _, p := range f.Parameters() {
		if p.Name == name {
			return p, true
		}
	}
	return Parameter{}, false
}

// parametersOf returns the parameters of a map; none if it is not Parametric.
func parametersOf(m Map) []Parameter {
	if p, ok := m.(Parametric); ok {
		return p.Parameters()
	}
	return nil
}
