package method

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// CheckFeatures rejects a set without a row of features for each row of logits.
func CheckFeatures(set *data.Set) error {
	switch h := set.Features; {
	case h.Rows != set.Logits.Rows:
		return fmt.Errorf("%d rows of logits but %d of features", set.Logits.Rows, h.Rows)
	case h.Cols == 0:
		return errors.New("the features have no columns")
	}
	return nil
}

// CheckWidth rejects a set unless it has the d features of the model.
func CheckWidth(set *data.Set, d int) error {
	if got := set.Features.Cols; got != d {
		return fmt.Errorf("%d features, but the model is for %d", got, d)
	}
	return CheckFeatures(set)
}

// FeatureOrder returns the rows in a random order that depends on the seed and the
// features alone, not on the order of the rows.
func FeatureOrder(features data.Matrix, seed uint64) []int {
	return fit.ByHash(features.Rows, func(text []byte, i int) []byte {
		text = binary.LittleEndian.AppendUint64(text, seed)
		for _, v := range features.Row(i) {
			text = binary.LittleEndian.AppendUint32(text, math.Float32bits(v))
		}
		return text
	})
}

// CheckGrouped rejects a set without labels or features.
func CheckGrouped(set *data.Set) error {
	if err := fit.CheckLabelled(set); err != nil {
		return err
	}
	return CheckFeatures(set)
}
