package calib

import (
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Tempered is a Map that divides the logits of each row by one temperature and
// does nothing else,
//
//	p_i = softmax(s_i l_i),  s_i = 1/T_i.
//
// Such maps keep the predicted class, and confidence, NLL and Brier score of a
// row follow from sums over its exponentials. Several of them on one set are
// scored together while a row is in the cache, without the n x k
// probabilities (softmax.Scores, metrics.AppendScaled). Apply of a Tempered
// map is applyTempered; calibtest holds the two together.
type Tempered interface {
	Map

	// Scales writes s_i, finite and >= 0, of the n rows of set to dst. It is
	// row-wise, as Apply is. at is the same rows at T = 1, shared with the
	// other maps of the run; set is what the contract names.
	Scales(dst []float64, set *data.Set, at *Unscaled)
}

// Unscaled is a block of n rows at T = 1, which is what temperatures that
// depend on the row are made of. Each quantity is computed when first asked
// for and then shared, so an Unscaled belongs to one goroutine. What it
// returns is read-only.
type Unscaled struct {
	logits  data.Matrix
	tails   []float64
	moments []softmax.Moments
}

// NewUnscaled returns the rows of logits at T = 1.
func NewUnscaled(logits data.Matrix) *Unscaled { return &Unscaled{logits: logits} }

// Tails returns the n tail sums of softmax.Tails, by which QaTS ranks.
func (u *Unscaled) Tails() []float64 {
	if u.tails == nil {
		u.tails = make([]float64, u.logits.Rows)
		softmax.Tails(u.tails, u.logits.Data, u.logits.Cols)
	}
	return u.tails
}

// Moments returns the n moments of softmax.Rows at scale 1.
func (u *Unscaled) Moments() []softmax.Moments {
	if u.moments == nil {
		u.moments = make([]softmax.Moments, u.logits.Rows)
		softmax.Rows(u.moments, u.logits.Data, u.logits.Cols, []float64{1})
	}
	return u.moments
}

// applyTempered is Apply of a Tempered map: the softmax at its scales.
func applyTempered(m Tempered, dst data.Probs, set *data.Set) {
	var scale [fit.BlockRows]float64
	for lo := 0; lo < set.Logits.Rows; lo += fit.BlockRows {
		part := set.Rows(lo, min(lo+fit.BlockRows, set.Logits.Rows))
		s := scale[:part.Logits.Rows]
		m.Scales(s, part, NewUnscaled(part.Logits))
		for i := range s {
			tempered(dst.Row(lo+i), part.Logits.Row(i), s[i])
		}
	}
}

// tempered writes softmax(scale l) to dst, small values too, and returns it.
func tempered(dst []float64, row []float32, scale float64) []float64 {
	softmax.Probs(dst, row, scale)
	softmax.FillTiny(dst, row, scale)
	return dst
}

// fill writes one scale for all rows.
func fill(dst []float64, scale float64) {
	for i := range dst {
		dst[i] = scale
	}
}
