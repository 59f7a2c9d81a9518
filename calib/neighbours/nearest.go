package neighbours

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// newBank returns the bank of the features of the calibration rows, and for each row its
// place in the bank, -1 if it is not there. Of more than most rows it takes that many
// at random; see FeatureOrder.
func newBank(in calib.Input, most int) (b featureBank, own []int) {
	h := in.Cal.Features
	if h.Rows > most {
		return newFeatureBank(h, calib.FeatureOrder(h, in.Seed)[:most])
	}
	rows := make([]int, h.Rows)
	for i := range rows {
		rows[i] = i
	}
	return newFeatureBank(h, rows)
}

// ownValues returns value of the squared distances of each calibration row to its k
// nearest rows of the bank, twice: others leaves out the row itself as a neighbour, for a
// fit; all includes it, with distance 0, as the map does. own is the place of each row in
// the bank, -1 if it is not there.
func ownValues(ctx context.Context, b *featureBank, features data.Matrix, own []int, k int, value func(near []float64) float64) (others, all []float64, err error) {
	others, all = make([]float64, len(own)), make([]float64, len(own))
	inside := make([]int, b.Rows) // rows of the bank
	var outside []int             // the other rows
	for i, at := range own {
		if at < 0 {
			outside = append(outside, i)
		} else {
			inside[at] = i
		}
	}
	err = b.Others(ctx, k, func(at int, near []float64) {
		list := append([]float64{0}, near...)
		i := inside[at]
		others[i], all[i] = value(near), value(list[:min(k, len(list))])
	})
	if err != nil {
		return nil, nil, err
	}
	err = fit.EachBlock(ctx, len(outside), func(_, lo, hi int) {
		rows := data.NewMatrix(hi-lo, features.Cols)
		for at, i := range outside[lo:hi] {
			copy(rows.Row(at), features.Row(i))
		}
		b.Nearest(rows, k, func(at int, near []float64) {
			i := outside[lo+at]
			others[i] = value(near)
			all[i] = others[i]
		})
	})
	return others, all, err
}
