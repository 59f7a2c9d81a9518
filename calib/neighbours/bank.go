package neighbours

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
)

// featureBank is the m rows of d features among which neighbours are searched. Its exported
// fields are saved; Prepare computes the others from them.
type featureBank struct {
	Rows  int                 `json:"rows"`     // m
	Width int                 `json:"features"` // d
	Unit  fit.Packed[float32] `json:"bank"`     // m x d, rows of length 1 or 0

	packed  *linear.Packed
	squares []float64 // m, squared lengths of the rows
}

// leastNorm is added to the length of a feature.
const leastNorm = 1e-10

// newBank returns the bank of the features of the calibration rows, and for each row its
// place in the bank, -1 if it is not there. If there are more than most rows, it draws most
// of them; see FeatureOrder.
func newBank(in calib.Input, most int) (b featureBank, own []int) {
	h := in.Cal.Features
	if h.Rows > most {
		return newFeatureBank(h, method.FeatureOrder(h, in.Seed)[:most])
	}
	rows := make([]int, h.Rows)
	for i := range rows {
		rows[i] = i
	}
	return newFeatureBank(h, rows)
}

// newFeatureBank returns the bank of the given rows h/|h| of n x d features, and for each of the n
// rows its place in the bank, -1 if it is not there.
func newFeatureBank(features data.Matrix, rows []int) (b featureBank, own []int) {
	own = make([]int, features.Rows)
	for i := range own {
		own[i] = -1
	}
	b = featureBank{Rows: len(rows), Width: features.Cols, Unit: make(fit.Packed[float32], len(rows)*features.Cols)}
	row := make([]float64, features.Cols)
	for at, i := range rows {
		own[i] = at
		unitLength(row, features.Row(i))
		for j, v := range row {
			b.Unit[at*features.Cols+j] = float32(v)
		}
	}
	b.Prepare()
	return b, own
}

// unitLength writes h/|h|, rounded to float32 as in the bank. A row of length 0 stays 0.
func unitLength(dst []float64, h []float32) {
	sum := 0.0
	for _, v := range h {
		sum += float64(float64(v) * float64(v))
	}
	length := math.Sqrt(sum) + leastNorm
	for j, v := range h {
		dst[j] = float64(float32(float64(v) / length))
	}
}

// Prepare packs the rows.
func (b *featureBank) Prepare() {
	b.packed = linear.Pack([]float32(b.Unit), b.Rows, b.Width)
	b.squares = make([]float64, b.Rows)
	for i := range b.Rows {
		for _, v := range b.row(i) {
			b.squares[i] += float64(float64(v) * float64(v))
		}
	}
}

func (b *featureBank) row(i int) []float32 { return b.Unit[i*b.Width : (i+1)*b.Width] }

// Check returns an error if b, read from a file, is not a bank.
func (b *featureBank) Check() error {
	if b.Width < 1 || b.Rows < 1 || len(b.Unit)/b.Width != b.Rows || len(b.Unit)%b.Width != 0 {
		return fmt.Errorf("a bank of %d numbers, want %d rows of %d features", len(b.Unit), b.Rows, b.Width)
	}
	for i, v := range b.Unit {
		if !(v >= -1.001 && v <= 1.001) {
			return fmt.Errorf("bank[%d] = %v is outside [-1.001, 1.001], but rows have length 1", i, v)
		}
	}
	return nil
}

// bankBlock is the number of rows whose distances to the bank are computed at a time.
const bankBlock = 64

// Nearest calls do for every row of n x d features with its squared distances to the k
// nearest rows of the bank, in rising order, fewer if the bank has fewer. Distances are
// between rows of unit length, h/|h|, so they are in [0, 4]. do must not keep the slice.
func (b *featureBank) Nearest(features data.Matrix, k int, do func(i int, near []float64)) {
	b.search(0, features.Rows, k, func(x []float64, i int) int {
		unitLength(x, features.Row(i))
		return -1
	}, do)
}

// search is Nearest for the rows first, first + 1, ..., end - 1. unit writes h/|h| of a
// row and returns its place in the bank, or -1.
func (b *featureBank) search(first, end, k int, unit func(x []float64, i int) int, do func(i int, near []float64)) {
	rows, d := b.Rows, b.Width
	most := min(bankBlock, end-first)
	x, dots := make([]float64, most*d), make([]float64, most*rows)
	var own [bankBlock]int
	var nearest []float64
	for lo := first; lo < end; lo += bankBlock {
		n := min(bankBlock, end-lo)
		for i := range n {
			own[i] = unit(x[i*d:(i+1)*d], lo+i)
		}
		b.packed.Times(dots[:n*rows], x[:n*d])
		for i := range n {
			square := 0.0
			for _, v := range x[i*d : (i+1)*d] {
				square += float64(v * v)
			}
			nearest = nearest[:0]
			for j, dot := range dots[i*rows : (i+1)*rows] {
				s := max(0, square+b.squares[j]-2*dot)
				if full := len(nearest) == k; full && s >= nearest[len(nearest)-1] || own[i] == j {
					continue
				} else if full {
					nearest = nearest[:len(nearest)-1]
				}
				at, _ := slices.BinarySearch(nearest, s)
				nearest = slices.Insert(nearest, at, s)
			}
			do(lo+i, nearest)
		}
	}
}

// ownValues returns value(d) twice for each calibration row, d the squared distances to its k
// nearest rows of the bank. others is for a fit, and leaves out the row itself as a
// neighbour. all includes it, with distance 0, as the map does. own is the place of each row in
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
