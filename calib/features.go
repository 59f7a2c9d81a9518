package calib

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/neighbours"
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

// featuresContract is that of a method that reads features and keeps the prediction.
func featuresContract() Contract {
	return Contract{
		Cal:       data.Logits | data.Labels | data.Features,
		Test:      data.Logits | data.Features,
		KeepsTop1: true,
	}
}

// checkWidth rejects a set unless it has the d features of the model.
func checkWidth(set *data.Set, d int) error {
	if got := set.Features.Cols; got != d {
		return fmt.Errorf("%d features, but the model is for %d", got, d)
	}
	return checkFeatures(set)
}

// newBank returns the bank of the features of the calibration rows, and for each row its
// place in the bank, -1 if it is not there. Of more than most rows it takes that many
// at random; see featureOrder.
func newBank(in Input, most int) (b neighbours.Bank, own []int) {
	h := in.Cal.Features
	if h.Rows > most {
		return neighbours.New(h, featureOrder(h, in.Seed)[:most])
	}
	rows := make([]int, h.Rows)
	for i := range rows {
		rows[i] = i
	}
	return neighbours.New(h, rows)
}

// ownValues returns value of the squared distances of each calibration row to its k
// nearest rows of the bank, twice: others leaves out the row itself as a neighbour, for a
// fit; all includes it, with distance 0, as the map does. own is the place of each row in
// the bank, -1 if it is not there.
func ownValues(ctx context.Context, b *neighbours.Bank, features data.Matrix, own []int, k int, value func(near []float64) float64) (others, all []float64, err error) {
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

// featureOrder returns the rows in a random order that depends on the seed and the
// features alone, not on the order of the rows.
func featureOrder(features data.Matrix, seed uint64) []int {
	return fit.ByHash(features.Rows, func(text []byte, i int) []byte {
		text = binary.LittleEndian.AppendUint64(text, seed)
		for _, v := range features.Row(i) {
			text = binary.LittleEndian.AppendUint32(text, math.Float32bits(v))
		}
		return text
	})
}
