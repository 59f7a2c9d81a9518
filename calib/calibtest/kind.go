package calibtest

import (
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// kind: a map is exactly one of Tempered, TopLabel and Vector. The first two keep the
// prediction, and the contract says so. Scales are finite and >= 0, confidences are in
// [0, 1].
func kind(s *subject) error {
	return s.everywhere(func(f *calib.Fitted, test *data.Set) error { return s.oneKind(f.Map, test) })
}

func (s *subject) oneKind(m calib.Map, set *data.Set) error {
	tempered, isTempered := m.(calib.Tempered)
	top, isTop := m.(calib.TopLabel)
	_, isVector := m.(calib.Vector)
	kinds := 0
	for _, is := range []bool{isTempered, isTop, isVector} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return fmt.Errorf("a %T is %d of Tempered, TopLabel and Vector: want one", m, kinds)
	case isVector:
		return nil
	case !s.contract.KeepsTop1:
		return errors.New("a Tempered or TopLabel map keeps the prediction: declare KeepsTop1")
	case isTop:
		_, conf, err := calib.TopLabels(top, set.View(s.contract.Test))
		if err != nil {
			return err
		}
		for i, c := range conf {
			if !(c >= 0 && c <= 1) {
				return fmt.Errorf("row %d: confidence %v", i, c)
			}
		}
	case isTempered:
		scale := make([]float64, set.Logits.Rows)
		tempered.Scales(scale, set.View(s.contract.Test), calib.NewUnscaled(set.Logits))
		for i, v := range scale {
			if !(v >= 0) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d: scale %v", i, v)
			}
		}
	}
	return nil
}

// parameters: the scalar parameters of a fit have distinct names and finite values.
func parameters(_ *subject, f *calib.Fitted) error {
	seen := map[string]bool{}
	for i, p := range f.Parameters() {
		switch {
		case p.Name == "" || seen[p.Name]:
			return fmt.Errorf("parameter %d: the name %q is empty or used twice", i, p.Name)
		case math.IsNaN(p.Value) || math.IsInf(p.Value, 0):
			return fmt.Errorf("parameter %s is %v", p.Name, p.Value)
		}
		seen[p.Name] = true
	}
	return nil
}
