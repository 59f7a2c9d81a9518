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

// dotFeatures returns the inner product of weights and features, in four sums
// that are added at the end, which lets a processor work on all four at once.
func dotFeatures(w []float64, h []float32) float64 {
	var s0, s1, s2, s3 float64
	w = w[:len(h)]
	for len(h) >= 4 {
		s0 += float64(w[0] * float64(h[0]))
		s1 += float64(w[1] * float64(h[1]))
		s2 += float64(w[2] * float64(h[2]))
		s3 += float64(w[3] * float64(h[3]))
		h, w = h[4:], w[4:]
	}
	for j, v := range h {
		s0 += float64(w[j] * float64(v))
	}
	return (s0 + s1) + (s2 + s3)
}

// addFeatures adds c times the features to dst.
func addFeatures(dst []float64, c float64, h []float32) {
	dst = dst[:len(h)]
	for j, v := range h {
		dst[j] += float64(c * float64(v))
	}
}
