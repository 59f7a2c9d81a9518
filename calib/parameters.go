package calib

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
