package calib

import (
	"errors"
	"fmt"

	"github.com/qats-bench/qats/data"
)

// checkFeatures refuses a set without a row of features for each row of
// logits.
func checkFeatures(set *data.Set) error {
	switch h := set.Features; {
	case h.Rows != set.Logits.Rows:
		return fmt.Errorf("%d rows of logits but %d of features", set.Logits.Rows, h.Rows)
	case h.Cols == 0:
		return errors.New("the features have no columns")
	}
	return nil
}

// CheckSet says why a map cannot be applied to a set that holds what its
// contract names: features or a last layer of another width than it was fitted
// on. Apply panics there. Methods that read logits alone fit any set of their
// number of classes.
func CheckSet(m Map, set *data.Set) error {
	if c, ok := m.(interface{ checkSet(*data.Set) error }); ok {
		return c.checkSet(set)
	}
	return nil
}

// mustFit panics with the error of CheckSet.
func mustFit(m Map, set *data.Set) {
	if err := CheckSet(m, set); err != nil {
		panic(err)
	}
}

func (m gcMap) checkSet(set *data.Set) error {
	if d := set.Features.Cols; d != m.Width {
		return fmt.Errorf("%d features, but the model is for %d", d, m.Width)
	}
	return checkFeatures(set)
}
