package isotonic

import (
	"context"
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/internal/stretch"
)

// LikelyRow separates the likely classes of a row from the others by their logits,
// without an exponential for each class.
type LikelyRow struct {
	max  float64 // the largest logit
	tail float64 // sum of exp(l - max) over the classes but one with that logit

	// offset is max + log s0, the logit minus the log-probability, minus a bound
	// of the rounding errors of offset and of its sum with a limit, in float32.
	offset float32
}

// NewLikelyRow returns the row with the given moments at scale 1.
func NewLikelyRow(m *softmax.Moments) LikelyRow {
	most, logS0 := float64(m.Max), softmax.Log1p(m.Tail)
	slack := float64((math.Abs(most) + logS0 + 750) * 0x1p-22) // a limit is -745 or more, or infinite
	return LikelyRow{most, m.Tail, float32(most + logS0 - slack)}
}

// LikelyRows returns the LikelyRow of each of the n rows of a calibration set: one pass
// of the kernel. It returns an error if the set is empty or a row has no label.
func LikelyRows(ctx context.Context, set *data.Set) ([]LikelyRow, error) {
	if err := fit.CheckLabelled(set); err != nil {
		return nil, err
	}
	logits := set.Logits
	rows := make([]LikelyRow, 0, logits.Rows)
	var moments [fit.BlockRows]softmax.Moments
	for lo := 0; lo < logits.Rows; lo += fit.BlockRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := logits.Slice(lo, min(lo+fit.BlockRows, logits.Rows))
		m := moments[:part.Rows]
		softmax.Rows(m, part.Data, part.Cols, []float64{1})
		for i := range m {
			rows = append(rows, NewLikelyRow(&m[i]))
		}
	}
	return rows, nil
}

// Prob returns the probability of a class whose logit is l.
func (r *LikelyRow) Prob(l float32) float64 {
	return softmax.ExpGap(float64(l)-r.max) / (1 + r.tail)
}

// Stretched returns the same probability stretched.
func (r *LikelyRow) Stretched(l float32) float64 { return Stretched(r.Prob(l), r.tail) }

// Stretched returns the probability p of a class, stretched (package stretch). tail is the
// sum of exp(l - max l) over all classes of the row but the top one, which alone can have
// p above 1/2.
func Stretched(p, tail float64) float64 {
	if p <= 0.5 {
		return p
	}
	return stretch.Of(p, tail/(1+tail))
}

// Next returns the first class from j on whose log-probability may be at its
// limit or above. There are no false negatives and a few false positives. It returns
// the number of classes if there is none.
//
//go:noinline
func (r *LikelyRow) Next(row, limit []float32, j int) int {
	offset := r.offset
	limit = limit[:len(row)]
	for ; j < len(row); j++ {
		if row[j] >= limit[j]+offset {
			return j
		}
	}
	return j
}

// LikelyLimit returns a limit for Next that every probability of x or more, stretched,
// reaches.
func LikelyLimit(x float64) float32 { return float32(softmax.Log(stretch.Prob(x))) }
