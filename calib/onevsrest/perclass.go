package onevsrest

import (
	"errors"
	"fmt"
	"slices"
)

// PerClass is a map that has a function for each of the k classes.
type PerClass[F interface{ Check() error }] struct {
	Classes []F `json:"classes"` // k
}

// NumClasses returns k.
func (m PerClass[F]) NumClasses() int { return len(m.Classes) }

// Certain reports whether the function of a class has a method Certain, and is; see calib.Certain.
func (m PerClass[F]) Certain() bool {
	return slices.ContainsFunc(m.Classes, func(f F) bool {
		c, ok := any(f).(interface{ Certain() bool })
		return ok && c.Certain()
	})
}

func (m PerClass[F]) Check() error {
	if len(m.Classes) == 0 {
		return errors.New("no classes")
	}
	for j, f := range m.Classes {
		if err := f.Check(); err != nil {
			return fmt.Errorf("class %d: %w", j, err)
		}
	}
	return nil
}
