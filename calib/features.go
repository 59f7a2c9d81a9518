package calib

import (
	"errors"
	"fmt"

	"github.com/qats-bench/qats/data"
)

// checkFeatures rejects a set without a row of features for each row of logits.
func checkFeatures(set *data.Set) error {
	switch h := set.Features; {
	case h.Rows != set.Logits.Rows:
		return fmt.Errorf("%d rows of logits but %d of features", set.Logits.Rows, h.Rows)
	case h.Cols == 0:
		return errors.New("the features have no columns")
	}
	return nil
}
