package onevsrest

import (
	"errors"
	"fmt"
)

// PerClass is a map that has a function for each of the k classes.
type PerClass[F interface{ Check() error }] struct {
	Classes []F `json:"classes"` // k
}

// NumClasses returns k.
func (m PerClass[F]) NumClasses() int { return len(m.Classes) }

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
